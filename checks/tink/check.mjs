// Keyrings and blind indexes against Tink itself, by its authors: checks/run.mjs tink
//
// Random keysets of every type, prefix and status go to Tink for Python, and where Go is, to Tink for Go, and come back: as JSON, as Protocol
// Buffers, and encrypted. 1 000 values each way open, sealed by primary keys and by keys that were so before; a flipped bit, another aad
// and a disabled key are refused each way. Tink still reads and refuses the keysets of __test__/vectors/tink-reading.json as they say.
// Its pseudo-random function gives the bytes of BlindIndex. AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip, and for
// Tink for Go also Go 1.25 or later; installs Tink from PyPI and from the proxy for Go modules.
import { goPeer, pythonPeer } from './peer.mjs'

export default {
  about: 'Keyrings agree with Google Tink',
  needs: ['build', 'python3'],
  random: true,
  async *prove() {
    // After the build, without which there is no package.
    const { exchange } = await import('./exchange.mjs')
    for (const [name, start] of Object.entries({ python: pythonPeer, go: goPeer })) {
      const peer = start()
      yield peer
        ? `${name}: ${await exchange(name, peer)}`
        : `${name}: did NOT run, because it is not installed`
    }
  },
}
