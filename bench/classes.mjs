// The three classes beside each other, `encryptInPlace` with keys of 32 bytes on every backend, here and on the line of Node that
// has AES-256-GCM-SIV in node:crypto.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { majorOf, otherLines } from './lines.mjs'
import { nanoseconds, size } from './table.mjs'
import { NODE } from './ways.mjs'

const SIZES = { full: [16, 64, 1440, 16_384, 2 ** 20], quick: [64, 16_384] }
const [GCM, XAES, SIV] = ['AesGcm', 'XAesGcm', 'AesGcmSiv']
/** The first line of Node whose node:crypto has AES-GCM-SIV. */
const FIRST_WITH_SIV = 26

/** Figures in ns for each message, with the version of Node. */
export async function measureClasses(kind, plan) {
  const settings = JSON.stringify({ sizes: SIZES[kind], plan })
  const programs = [process.execPath]
  for (const { node, program } of kind === 'full' ? await otherLines('the classes') : [])
    if (majorOf(node) >= FIRST_WITH_SIV) programs.push(program)
  const results = []
  for (const program of programs) {
    const peer = fork(new URL('./classes-peer.mjs', import.meta.url), [settings], { execPath: program })
    const told = once(peer, 'message').then(([figures]) => results.push(...figures))
    const [code] = await once(peer, 'exit')
    if (code !== 0) throw new Error(`the process that measures the classes ended with ${code}`)
    await told
  }
  return results
}

export function classesTable(results) {
  const lines = ['\nthe three classes, encryptInPlace; least ns, and medians in brackets']
  for (const node of new Set(results.map(result => result.node))) {
    const here = results.filter(result => result.node === node)
    const sizes = [...new Set(here.map(({ bytes }) => bytes))]
    lines.push(`  ${`Node ${node}`.padEnd(28)}${sizes.map(bytes => size(bytes).padStart(20)).join('')}`)
    for (const title of new Set(here.map(({ way }) => way))) {
      const cells = here
        .filter(({ way }) => way === title)
        .map(({ least, median }) => `${nanoseconds(least)} (${nanoseconds(median)})`.padStart(20))
      lines.push(`  ${title.padEnd(28)}${cells.join('')}`)
    }
  }
  return lines.join('\n')
}

/**
 * The promises, by the least times: at 64 bytes the most ns that XAES takes over AES-GCM, on every backend; on the best one, the
 * factors by which AES-GCM-SIV is faster than node:crypto. A line for each.
 */
export function judgeClasses(results, limits) {
  const verdicts = []
  for (const { node, backend, least } of results.filter(r => r.of === XAES && r.bytes === 64)) {
    const more = least - find(results, { node, of: GCM, backend, bytes: 64 }).least
    verdicts.push({
      missed: !(more <= limits.xaes),
      text: `64 B on Node ${node}, ${backend}: XAES takes ${more.toFixed(0)} ns over AES-GCM, at most ${limits.xaes}`,
    })
  }
  for (const { node, bytes, least } of results.filter(r => r.by === NODE && limits.siv[r.bytes])) {
    const times = least / find(results, { node, of: SIV, bytes }).least
    verdicts.push({
      missed: !(times >= limits.siv[bytes]),
      text: `${size(bytes)} on Node ${node}: AES-GCM-SIV ${times.toFixed(1)} times as fast as node:crypto, at least ${limits.siv[bytes]}`,
    })
  }
  return verdicts
}

/** The first figure of this kind: that of the best backend, if none is given. */
const find = (results, kind) =>
  results.find(result => Object.entries(kind).every(([name, value]) => result[name] === value))
