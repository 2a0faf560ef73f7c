// Sets up, builds, and runs the TypeScript tests, the Rust tests of the core, and the unit tests beside its code: npm test
//
// With AESGCM_CAP, only the tests that depend on the backend that is taken by default (__test__/register.mjs).
// One TypeScript test file: node node_modules/vitest/vitest.mjs run __test__/FOLDER/NAME.test.ts. Takes some minutes. Writes what
// the build writes.
import { join } from 'node:path'
import { env } from 'node:process'
import { kept, PROGRAMS } from '../__test__/register.mjs'
import { commandLine } from './command-line.mjs'
import { setup } from './setup.mjs'
import { root, run, runBeside, runShown, tool } from './tools.mjs'

commandLine(import.meta.url)
setup()
const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const QUIET = ['test', '--locked', '--quiet']
const integration = name => [...QUIET, '--test', name, '--features', 'faults']
if (env.AESGCM_CAP === undefined) {
  // The integration tests alone, since the compiler takes a minute for every build of the kernels. Unoptimised, the unit tests are
  // built in a quarter of the time, and some need a larger stack than the 2 MiB of a thread.
  const unoptimised = 'profile.test.package.hardware-aes-gcm.opt-level=0'
  const ofUnits = [...QUIET, '--lib', '--features', 'node,faults', '--config', unoptimised]
  const rust = [[integration('*')], [ofUnits, { env: { ...env, RUST_MIN_STACK: String(8 << 20) } }]]
  // The compiler takes one CPU most of the time.
  const compile = async () => {
    for (const [test, options] of rust)
      await runBeside('the Rust tests', 'cargo', [...test, '--no-run'], options)
  }
  await Promise.all([runShown(process.execPath, [VITEST, 'run']), compile()])
  for (const [test, options] of rust) run('cargo', test, options)
} else {
  tool('vitest/vitest.mjs', 'run', ...kept('cap').map(name => `/${name}.test.ts`))
  for (const [name, tests] of Object.entries(PROGRAMS))
    if (Array.isArray(tests)) run('cargo', [...integration(name), '--', ...tests])
}
