// The halves of the TypeScript tests under Wine, which take about as long as each other and have turns of .ci/run.
import { basename, dirname } from 'node:path'
import { kept } from '../../__test__/register.mjs'

/** The folders of the tests of ciphers, keys and the protocols over them. */
const CIPHERS = ['aead', 'calls', 'keyring', 'quic', 'random', 'raw', 'session', 'shamir', 'stream', 'traces']

/** The test files of these halves that run on Windows, by their names in the register; those of both without a half. */
export const filesOf = halves =>
  kept('windows').filter(name => {
    const half = CIPHERS.includes(basename(dirname(name))) ? 'ciphers' : 'programs'
    return halves.length === 0 || halves.includes(half)
  })
