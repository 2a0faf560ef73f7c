// Proves that a CPU without a backend gets a typed error at every first use, that AESGCM_CAP, the variable which
// stands for lesser CPUs, is refused where it is misspelt, and that no published binary knows the variable: checks/run.mjs cap
//
// Leaves an addon behind that knows the variable. The next build without the variable replaces it.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { env, execPath } from 'node:process'
import { root } from '../scripts/tools.mjs'
import { contentFaults } from './binary/contents.mjs'

/** Runs a command, and throws unless the command ends with the right status and prints the right words. */
function expect(what, { cap, status, says }, command, ...args) {
  const variables = { ...env, AESGCM_CAP: cap, NO_COLOR: '1' }
  if (cap === undefined) delete variables.AESGCM_CAP
  const child = spawnSync(command, args, { cwd: root, encoding: 'utf8', env: variables })
  const said = child.stdout + child.stderr
  if (child.status !== status || !said.includes(says))
    throw new Error(`${what} gave ${child.status ?? child.signal} and not ${status} with "${says}":\n${said}`)
  console.log(`${what}: ${says}`)
}

/** A process of its own that imports the package and does one thing with it. */
function use(code, expected) {
  const program = `import * as it from 'hardware-aes-gcm'; ${code}`
  expect(code, expected, execPath, '--input-type=module', '--eval', program)
}

export default {
  about: 'A CPU without a backend gets a typed error',
  async prove() {
    env.AESGCM_CAP = 'none'
    const { addon } = await import('../scripts/compile.mjs')
    const { setup } = await import('../scripts/setup.mjs')
    setup()

    use('console.log(it.AesGcm.isAvailable())', { cap: 'none', status: 0, says: 'false' })
    use('console.log(it.cpu().backends)', { cap: 'none', status: 0, says: '[]' })
    for (const first of [
      'new it.AesGcm(Buffer.alloc(32))',
      'it.AesGcm.generateKey()',
      'it.randomBytes(16)',
      'it.randomFillSync(Buffer.alloc(16))',
      'it.reseed()',
    ])
      use(first, { cap: 'none', status: 1, says: 'ERR_AESGCM_UNSUPPORTED_CPU' })
    use('it.cpu()', { cap: 'aesnl', status: 2, says: 'AESGCM_CAP=aesnl' })

    const noAes = 'test --locked --quiet --features faults --test no_aes -- --ignored'.split(' ')
    expect('no_aes', { cap: 'none', status: 0, says: '1 passed' }, 'cargo', ...noAes)
    expect('no_aes without a cap', { status: 101, says: '1 failed' }, 'cargo', ...noAes)

    // Planted: the tests that run under a cap must fail where detection finds other backends than the cap leaves.
    const capped = ['node_modules/vitest/vitest.mjs', 'run', '/aead/backends.test.ts']
    const failure = 'FAIL  |aead| __test__/cipher/aead/backends.test.ts > the backends that must run here do'
    expect('planted: no backend at all', { cap: 'none', status: 1, says: failure }, execPath, ...capped)

    if (!contentFaults(readFileSync(addon())).some(fault => fault.includes('AESGCM_CAP')))
      throw new Error('checks/binary does not find AESGCM_CAP in this build')
  },
}
