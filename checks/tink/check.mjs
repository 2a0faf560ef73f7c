// Keyrings and blind indexes against Tink itself, by its authors: check.mjs [--go]
//
// Random keysets of every type, prefix and status go to Tink for Python, and with --go to Tink for Go, and come back: as JSON, as Protocol
// Buffers, and encrypted. 1 000 values each way open, sealed by primary keys and by keys that were so before; a flipped bit, another aad
// and a disabled key are refused each way. Tink still reads and refuses the keysets of __test__/vectors/tink-reading.json as they say.
// Its pseudo-random function gives the bytes of BlindIndex. AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip, and for
// --go also Go 1.25 or later; installs Tink from PyPI and from the proxy for Go modules.
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { stop } from '../../scripts/tools.mjs'
import { seed } from '../streams/random.mjs'
import { goPeer, pythonPeer } from './peer.mjs'

const { flags } = commandLine(import.meta.url, { flags: ['go'] })
setup()
// After the build, without which there is no package.
const { exchange } = await import('./exchange.mjs')
const peers = { python: pythonPeer, ...(flags.go ? { go: goPeer } : {}) }
for (const [name, start] of Object.entries(peers)) {
  try {
    console.log(`tink, ${name}: ${await exchange(name, start())}`)
  } catch (error) {
    stop(`checks/tink, ${name}, AESGCM_SEED=${seed}: ${error.message}`)
  }
}
if (!flags.go) console.log('tink, go: did NOT run; --go runs it')
