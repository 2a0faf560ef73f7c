// Builds the Rust tests for Windows and prints a line for each program: its name and its path. `units` are the unit tests.
//
// rust.sh says which tests are left out.
import { spawnSync } from 'node:child_process'
import { compilerFor } from '../../scripts/dist/build.mjs'
import { root, stop } from '../../scripts/tools.mjs'

const TESTS = ['cipher', 'generator', 'memory', 'wipe']

const { at, environment, rust } = compilerFor('win32-x64')
// The library with which the package is built has no test harness, and can only be linked by link-time optimisation.
const standardLibrary = rust.arguments.map(argument => argument.replace('panic_unwind', 'panic_unwind,test'))

/** Builds with Cargo and gives the programs, by the names of their targets. */
function build(command, options, flags = []) {
  const { status, stdout } = spawnSync(
    'cargo',
    [
      ...[...command, '--profile', 'wine', '--features', 'faults', '--locked', '--quiet'],
      ...['--message-format=json-render-diagnostics', ...options, ...at, ...standardLibrary, ...flags],
    ],
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
  return new Map(programs.map(({ target, executable }) => [target.name, executable]))
}

const test = ['test', '--no-run']
const optimised = TESTS.filter(name => name !== 'cipher')
const unoptimised = 'profile.wine.opt-level=0'
const programs = new Map([
  ...build(
    test,
    optimised.flatMap(name => ['--test', name]),
  ),
  // Its kernels on arrays take the compiler longer than the library does, so it is not optimised; the library is.
  ...build(['rustc'], ['--test', 'cipher'], ['--', '-Copt-level=0']),
  // The unit tests hardly run the kernels.
  ...build(test, ['--lib', '--config', unoptimised]),
])
for (const [name, target] of [...TESTS.map(name => [name, name]), ['units', 'hardware_aes_gcm']]) {
  const program = programs.get(target)
  if (program === undefined) stop(`Cargo built no program of the tests ${name}.`)
  console.log(`${name} ${program}`)
}
