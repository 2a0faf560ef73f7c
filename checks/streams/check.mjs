// Proves what the tests of streams cannot do by themselves: check.mjs
//
// 1 000 messages of Cobblestone-128 and -256, of lengths round the bounds of chunks and of others by chance, open in another
// implementation, the PyPI package cryptography, and its messages open here. `encrypt --out`, killed at 50 random moments, never leaves a
// part of a file under the name, nor anything that disturbs a later run. Changed messages and a program that does leave parts, planted
// on purpose, must be noticed. AESGCM_SEED repeats a run. Needs Python 3.11 or later with pip; installs the package from PyPI.
import { commandLine } from '../../scripts/command-line.mjs'
import { setup } from '../../scripts/setup.mjs'
import { stop } from '../../scripts/tools.mjs'
import { seed } from '../tools/random.mjs'

commandLine(import.meta.url)
setup()
// After the build, without which there is no package.
const { exchange } = await import('./exchange.mjs')
const { killed } = await import('./killed.mjs')
try {
  console.log(`streams: ${await exchange()}`)
  console.log(`streams: ${await killed()}`)
} catch (error) {
  stop(`checks/streams, AESGCM_SEED=${seed}: ${error.message}`)
}
