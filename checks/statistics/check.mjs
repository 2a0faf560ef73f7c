// Statistics of the generator: checks/run.mjs statistics [--whole] [--install]
//
// ent and rngtest read 256 MiB of calls of 1 MiB, and as many of calls of 1 to 64 bytes; seven tests of dieharder read as much as they
// need. With --whole, 1 GiB of each, and all tests of dieharder, which takes half an hour on a quiet machine. Output that random bits
// give less than once in 10^9 runs (10^6 for a value of dieharder) fails. A generator with one bit of 2^10 cleared, one with a stuck bit
// and one that repeats bytes, planted on purpose, must be noticed. Statistics find a broken generator; they cannot show that a good one is
// unpredictable. --install: as root or with sudo, installs ent, rng-tools5 and dieharder where they are missing. For Debian.
import { spawn, spawnSync } from 'node:child_process'
import { execPath } from 'node:process'
import { fileURLToPath } from 'node:url'
import { forEachBeside } from '../../scripts/tools.mjs'
import { needDebian } from '../tools/debian.mjs'
import { ofDieharder, ofEnt, ofRngtest } from './judge.mjs'

const PACKAGES = { ent: 'ent', rngtest: 'rng-tools5', dieharder: 'dieharder' }
const SOURCE = fileURLToPath(new URL('source.mjs', import.meta.url))
/** Those that take a few seconds: birthdays, ones in a stream, runs, bytes, cosines, trees, and ones in words of 12 bits. */
const FEW = [0, 8, 15, 205, 206, 207, 209]
const ALL = [...Array(14).keys(), 15, 16, 17, 100, 101, 102, ...Array.from({ length: 10 }, (_, i) => 200 + i)]

export default {
  about: "The generator's output shows no bias",
  on: 'Linux',
  needs: ['build'],
  flags: ['whole', 'install'],
  async prove({ flags: { whole, install } }) {
    need(install)
    const tests = (whole ? ALL : FEW).map(test => dieharder(test, whole))
    const jobs = [
      ...planted(),
      ...tests,
      ...['large', 'small'].flatMap(mode => ofAll(mode, whole ? 1024 : 256)),
    ]
    const [values, weak] = [[], []]
    await forEachBeside(jobs, async job => {
      const { text, fault, values: more = [] } = await job()
      if (fault) throw new Error(fault)
      values.push(...more)
      weak.push(...more.filter(p => p < 0.005 || p > 0.995))
      console.log(`statistics: ${text}`)
    })
    const range = `${Math.min(...values).toFixed(4)} to ${Math.max(...values).toFixed(4)}`
    const expected = (values.length / 100).toFixed(1)
    return [
      `${values.length} values of dieharder from ${range}; ${weak.length} in the outer 1%, ${expected} expected`,
    ]
  },
}

function need(install) {
  const missing = Object.keys(PACKAGES).filter(name => spawnSync(name, ['--help'], { stdio: 'ignore' }).error)
  needDebian(
    missing.map(name => PACKAGES[name]),
    install,
  )
}

/** The output of a tool about bytes of a source: standard output and error. */
async function reads(mode, mebibytes, tool, args) {
  const source = spawn(execPath, [SOURCE, mode, String(mebibytes)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const reader = spawn(tool, args, { stdio: [source.stdout, 'pipe', 'pipe'] })
  const closed = new Promise(resolve => source.on('close', resolve))
  source.stdout.destroy() // the reader alone holds it now, so that the source ends with the reader
  let output = ''
  for (const stream of [reader.stdout, reader.stderr])
    stream.on('data', part => {
      output += part
    })
  await new Promise(resolve => reader.on('close', resolve))
  const code = await closed
  if (code !== 0) throw new Error(`source.mjs ${mode} ended with ${code}`)
  return output
}

/** The verdicts of ent, on bytes and on bits, and of rngtest. */
function ofAll(mode, mebibytes) {
  const named = (name, { text, fault }) => {
    const line = `${name} of ${mebibytes} MiB in ${mode} calls: ${text}`
    return { text: line, fault: fault && `${line}: not random` }
  }
  return [
    async () => named('ent, bytes,', ofEnt(await reads(mode, mebibytes, 'ent', ['-t']), false)),
    async () => named('ent, bits,', ofEnt(await reads(mode, mebibytes, 'ent', ['-b', '-t']), true)),
    async () => named('rngtest', ofRngtest(await reads(mode, mebibytes, 'rngtest', []))),
  ]
}

/** One test of dieharder. Test 200 takes words of 1 to 12 bits in turn, 203 lags, 201 dimensions, 202 permutations. */
function dieharder(test, whole) {
  const options = { 200: range(1, 12), 201: range(2, 5), 202: range(2, 5), 203: whole ? range(0, 32) : [] }[
    test
  ] ?? [undefined]
  return async () => {
    const [values, faults, names] = [[], [], new Set()]
    for (const n of options) {
      const args = ['-g', '200', '-d', String(test), ...(n === undefined ? [] : ['-n', String(n)])]
      const found = ofDieharder(await reads('large', 0, 'dieharder', args))
      values.push(...found.values)
      if (found.fault) faults.push(found.fault)
      for (const { name } of found.rows) names.add(name.split(' ')[0])
    }
    const shown = values.slice(0, 4).map(p => p.toFixed(3))
    if (values.length > 4) shown.push('…')
    const text = `dieharder ${[...names].join(', ')}: ${values.length > 0 ? `p = ${shown.join(', ')}` : 'not judged'}`
    return { text, values, fault: faults.length > 0 ? `dieharder: ${faults.join('; ')}` : '' }
  }
}

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}

/** Each tool finds a generator with a planted fault. */
function planted() {
  const found = (name, fault) => {
    if (!fault) throw new Error(`planted: ${name}, and it was not seen`)
    return { text: `planted and found: ${name}: ${fault}` }
  }
  return [
    async () =>
      found(
        'a cleared bit in 2^10, by ent',
        ofEnt(await reads('cleared', 64, 'ent', ['-b', '-t']), true).fault,
      ),
    async () =>
      found('repeated bytes, by ent', ofEnt(await reads('repeated', 64, 'ent', ['-t']), false).fault),
    async () => found('a stuck bit, by rngtest', ofRngtest(await reads('stuck', 16, 'rngtest', [])).fault),
    async () =>
      found(
        'a cleared bit in 2^10, by dieharder',
        ofDieharder(await reads('cleared', 0, 'dieharder', ['-g', '200', '-d', '209'])).fault,
      ),
    async () =>
      found(
        'a stuck bit, by dieharder',
        ofDieharder(await reads('stuck', 0, 'dieharder', ['-g', '200', '-d', '8'])).fault,
      ),
  ]
}
