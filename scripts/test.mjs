// Sets up, builds, and runs the TypeScript tests, the Rust tests of the core, and the unit tests beside its code: npm test
//
// Two checks run the examples and what needs many processes: checks/run.mjs examples processes.
//
// With AESGCM_CAP, only the tests that depend on the backend that is taken by default (__test__/register.mjs).
// One TypeScript test file: node node_modules/vitest/vitest.mjs run __test__/FOLDER/NAME.test.ts. Takes some minutes. Writes what
// the build writes.
import { join } from 'node:path'
import { env } from 'node:process'
import { kept, leftToChecks, PROGRAMS } from '../__test__/register.mjs'
import { commandLine } from './command-line.mjs'
import { build } from './compile.mjs'
import { prepare } from './setup.mjs'
import { root, runBeside, runShown, tool } from './tools.mjs'

commandLine(import.meta.url)
prepare()
const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const QUIET = ['test', '--locked', '--quiet']
const integration = names => [...QUIET, ...names.flatMap(name => ['--test', name]), '--features', 'faults']
const beside = async (tests, ...more) => {
  for (const [test, options] of tests) await runBeside('the Rust tests', 'cargo', [...test, ...more], options)
}
// Cargo has a folder for tests and others for addons, so both are built at a time: the compiler takes one CPU most of the time.
if (env.AESGCM_CAP === undefined) {
  // The integration tests alone, since the compiler takes a minute for every build of the kernels. Unoptimised, the unit tests are
  // built in a quarter of the time, with the assertions that the others leave out (Cargo.toml), and some need a larger stack than the
  // 2 MiB of a thread. Checks run `poison` and `shapes`.
  const programs = Object.keys(PROGRAMS).filter(name => !['poison', 'shapes'].includes(name))
  const ofProfile = ['opt-level=0', 'debug-assertions=true'].flatMap(setting => [
    '--config',
    `profile.test.package.hardware-aes-gcm.${setting}`,
  ])
  const ofUnits = [...QUIET, '--lib', '--features', 'node,faults', ...ofProfile]
  const rust = [[integration(programs)], [ofUnits, { env: { ...env, RUST_MIN_STACK: String(8 << 20) } }]]
  const compiled = beside(rust, '--no-run')
  build()
  const excluded = leftToChecks().flatMap(name => ['--exclude', `__test__/${name}.test.ts`])
  await Promise.all([runShown(process.execPath, [VITEST, 'run', ...excluded]), compiled])
  // The program `cipher` has threads for all CPUs. The others mostly have one, and one of them waits for its children.
  const others = programs.filter(name => name !== 'cipher')
  await Promise.all([runShown('cargo', integration(['cipher'])), beside([[integration(others)], rust[1]])])
  console.log(`${leftToChecks().length} files of tests are left to: node checks/run.mjs examples processes`)
} else {
  const capped = Object.entries(PROGRAMS).filter(([, tests]) => Array.isArray(tests))
  const ran = beside(capped.map(([name, tests]) => [[...integration([name]), '--', ...tests]]))
  build()
  await ran
  tool('vitest/vitest.mjs', 'run', ...kept('cap').map(name => `/${name}.test.ts`))
}
