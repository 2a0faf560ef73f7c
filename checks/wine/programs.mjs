// Builds the Rust tests for Windows and prints a line for each program: its name and its path. `units` are the unit tests.
//
// rust.sh says which tests are left out.
import { spawnSync } from 'node:child_process'
import { compilerFor } from '../../scripts/dist/build.mjs'
import { root, stop } from '../../scripts/tools.mjs'

const TESTS = ['cipher', 'generator', 'memory', 'wipe']

const { at, environment, rust } = compilerFor('win32-x64')
// The library with which the package is built has no test harness, and can only be linked by link-time optimisation. Of `core`,
// an unoptimised one would leave every intrinsic of the kernels a call.
const standardLibrary = rust.arguments.map(argument =>
  argument.replace('std,panic_unwind', 'std,panic_unwind,test'),
)
if (standardLibrary.length > 0) standardLibrary.push('--config=profile.wine.package.core.opt-level=1')

/** Builds tests and gives the programs, by the names of their targets. */
function build(options) {
  const { status, stdout } = spawnSync(
    'cargo',
    [
      ...['test', '--no-run', '--profile', 'wine', '--features', 'faults', '--locked', '--quiet'],
      ...['--message-format=json', ...options, ...at, ...standardLibrary],
    ],
    {
      cwd: root,
      encoding: 'utf8',
      env: environment,
      maxBuffer: 2 ** 27,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const messages = stdout
    .trim()
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line))
  // Warnings too: on Linux, Clippy does not see the code for Windows.
  const remarks = messages.filter(({ reason }) => reason === 'compiler-message')
  for (const { message } of remarks) console.error(message.rendered)
  if (status !== 0 || remarks.length > 0)
    stop('The Rust tests do not build for Windows without a remark: it stands above.')
  const programs = messages.filter(({ executable }) => typeof executable === 'string')
  return new Map(programs.map(({ target, executable }) => [target.name, executable]))
}

const programs = new Map([
  ...build(TESTS.flatMap(name => ['--test', name])),
  // The unit tests hardly run the kernels, which compile once more for them.
  ...build(['--lib', '--config', 'profile.wine.opt-level=0']),
])
for (const [name, target] of [...TESTS.map(name => [name, name]), ['units', 'hardware_aes_gcm']]) {
  const program = programs.get(target)
  if (program === undefined) stop(`Cargo built no program of the tests ${name}.`)
  console.log(`${name} ${program}`)
}
