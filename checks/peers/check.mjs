// Live, independent peers: checks/run.mjs peers [--whole]
//
// QUIC packets are sealed here and opened by the PyPI package aioquic, and the reverse: both versions, both key sizes, all backends of this
// CPU, key updates, Initial secrets, Retry tags. Sessions and shares go to programs in Python, and come from them, which were written
// from docs/formats.md alone, with the ciphers of the PyPI package cryptography: so that document is enough. Keys and keysets that a
// passphrase protects are opened by the Python that this document prints. Damaged packets, records,
// hellos and shares, planted on purpose, must be refused on both sides. Takes half a minute, and ten times the work with --whole.
// AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip; installs the packages from PyPI.
export default {
  about:
    'QUIC packets agree with another implementation, and docs/formats.md is enough to write a peer of sessions and shares',
  needs: ['build', 'python3'],
  flags: ['whole'],
  random: true,
  async *prove({ flags }) {
    // After the build, without which there is no package.
    const { passphrases } = await import('./passphrase.mjs')
    const { quic } = await import('./quic.mjs')
    const { session } = await import('./session.mjs')
    const { shares } = await import('./shares.mjs')
    const times = flags.whole ? 10 : 1
    yield await quic(100 * times)
    yield await session(36 * times)
    yield await shares(60 * times)
    yield await passphrases(20 * times)
  },
}
