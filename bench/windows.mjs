// Times `encryptInPlace` in the Node that runs this: windows.mjs. Or makes a table of such runs, two files that have a line for
// each run: windows.mjs LINUX WINE. See windows.sh.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const SIZES = [64, 1440, 16_384, 2 ** 20]
/** Samples of a size in a run, and the time that a sample takes about, in ms. */
const SAMPLES = 20
const SPAN = 20

/** ns per call, a list for each size. */
async function time() {
  const { AesGcm, OVERHEAD } = await import('hardware-aes-gcm')
  const aes = new AesGcm(AesGcm.generateKey())
  return SIZES.map(bytes => {
    const frame = Buffer.alloc(bytes + OVERHEAD)
    const take = calls => {
      const began = performance.now()
      for (let i = 0; i < calls; i++) aes.encryptInPlace(frame)
      return performance.now() - began
    }
    let calls = 1
    while (take(calls) < SPAN) calls *= 2
    return Array.from({ length: SAMPLES }, () => (take(calls) * 1e6) / calls)
  })
}

/** Least and median time of each size over all runs. */
function judged(file) {
  const runs = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  return SIZES.map((_, i) => {
    const sorted = runs.flatMap(run => run[i]).sort((a, b) => a - b)
    return { least: sorted[0], median: sorted[sorted.length >> 1] }
  })
}

const [linux, wine] = parseArgs({ allowPositionals: true }).positionals
if (linux === undefined) {
  console.log(JSON.stringify(await time()))
} else {
  const [here, there] = [linux, wine].map(judged)
  console.log('| bytes | Linux, least | median | Wine, least | median | Linux / Wine, least |')
  console.log('|---:|---:|---:|---:|---:|---:|')
  for (const [i, bytes] of SIZES.entries()) {
    const times = [here[i], there[i]].flatMap(({ least, median }) => [least, median])
    const cells = [bytes, ...times.map(ns => ns.toFixed(1)), (here[i].least / there[i].least).toFixed(2)]
    console.log(`| ${cells.join(' | ')} |`)
  }
}
