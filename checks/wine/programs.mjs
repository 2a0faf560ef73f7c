// Builds the Rust tests for Windows and prints a line for each program: its name and its path.
//
// Only programs that mean something there: fork, seccomp and timing are tests of other systems, poison needs valgrind, and
// layers reads the sources.
import { spawnSync } from 'node:child_process'
import { compilerFor } from '../../scripts/dist/build.mjs'
import { root, stop } from '../../scripts/tools.mjs'

const TESTS = ['cipher', 'generator', 'memory', 'wipe']

const { at, environment, rust } = compilerFor('win32-x64')
const standardLibrary = rust.arguments.map(argument => argument.replace('panic_unwind', 'panic_unwind,test'))
const tests = TESTS.flatMap(name => ['--test', name])
const options = ['--features', 'faults', '--locked', '--quiet', '--message-format=json-render-diagnostics']
const { status, stdout } = spawnSync(
  'cargo',
  ['test', '--no-run', ...tests, ...options, ...at, ...standardLibrary],
  {
    cwd: root,
    encoding: 'utf8',
    env: environment,
    maxBuffer: 2 ** 27,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
if (status !== 0) stop('The Rust tests do not build for Windows, for the reason above.')
const messages = stdout
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))
const programs = messages.filter(({ executable }) => typeof executable === 'string')
for (const name of TESTS) {
  const program = programs.find(({ target }) => target.name === name)
  if (program === undefined) stop(`Cargo built no program of the tests ${name}.`)
  console.log(`${name} ${program.executable}`)
}
