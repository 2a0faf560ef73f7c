// `npm test`: sets up, builds, and runs the TypeScript tests, the Rust tests of the core, and the unit tests beside its code.
import { env } from 'node:process'
import { setup } from './setup.mjs'
import { run, tool } from './tools.mjs'

setup()
tool('vitest/vitest.mjs', 'run')
// The integration tests alone, since the compiler takes a minute for every build of the kernels.
run('cargo', ['test', '--locked', '--quiet', '--test', '*', '--features', 'faults'])
// Unoptimised, the unit tests are built in a quarter of the time, and some need a larger stack than the 2 MiB of a thread.
const unoptimised = 'profile.test.package.hardware-aes-gcm.opt-level=0'
run('cargo', ['test', '--locked', '--quiet', '--lib', '--features', 'node,faults', '--config', unoptimised], {
  env: { ...env, RUST_MIN_STACK: String(8 << 20) },
})
