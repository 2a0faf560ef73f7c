// Live, independent peers: check.mjs [--whole]
//
// QUIC packets are sealed here and opened by the PyPI package aioquic, and the reverse: both versions, both key sizes, all backends of this
// CPU, key updates, Initial secrets, Retry tags. Sessions and shares go to programs in Python, and come from them, which were written
// from docs/formats.md alone, with the ciphers of the PyPI package cryptography: so that document is enough. Damaged packets, records,
// hellos and shares, planted on purpose, must be refused on both sides. Takes half a minute, and ten times the work with --whole.
// AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip; installs the packages from PyPI.
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { stop } from '../../scripts/tools.mjs'
import { seed } from '../tools/random.mjs'

const { whole } = commandLine(import.meta.url, { flags: ['whole'] }).flags
setup()
// After the build, without which there is no package.
const { quic } = await import('./quic.mjs')
const { session } = await import('./session.mjs')
const { shares } = await import('./shares.mjs')
const times = whole ? 10 : 1
try {
  console.log(`peers: ${await quic(100 * times)}`)
  console.log(`peers: ${await session(36 * times)}`)
  console.log(`peers: ${await shares(60 * times)}`)
} catch (error) {
  stop(`checks/peers, AESGCM_SEED=${seed}: ${error.message}`)
}
