// Proves what the tests of streams cannot do by themselves: checks/run.mjs streams
//
// 1 000 messages of Cobblestone-128 and -256, of lengths round the bounds of chunks and of others by chance, open in another
// implementation, the PyPI package cryptography, and its messages open here. `encrypt --out`, killed at 50 random moments, never leaves a
// part of a file under the name, nor anything that disturbs a later run. Changed messages and a program that does leave parts, planted
// on purpose, must be noticed. AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip; installs the package from PyPI.
export default {
  about: 'Streams agree with another implementation, and a killed command leaves no partial file',
  needs: ['build', 'python3'],
  random: true,
  async *prove() {
    // After the build, without which there is no package.
    const { exchange } = await import('./exchange.mjs')
    const { killed } = await import('./killed.mjs')
    yield await exchange()
    yield await killed()
  },
}
