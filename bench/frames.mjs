// Messages against node:crypto on every line of Node, because each line has its own OpenSSL: a process for each line.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { majorOf, otherLines } from './lines.mjs'
import { nanoseconds, size, times } from './table.mjs'
import { NODE } from './ways.mjs'

const SIZES = { full: [16, 64, 1440, 16_384, 2 ** 20], quick: [64, 2 ** 20] }

/** The ways of each direction: one message a call, and a batch. */
const WAYS = {
  encrypt: ['encryptInPlace', 'encryptBatchInPlace'],
  decrypt: ['tryDecryptInPlace', 'tryDecryptBatchInPlace'],
}

/** A call that returns a new frame, and the same by hand with memory of Node's pool. */
const NEW = ['encrypt', 'allocUnsafe, encryptInto']

/** Figures in ns for each message. A full run measures every line, a quick run only the Node that runs it. */
export async function measureFrames(kind, plan) {
  const settings = JSON.stringify({ sizes: SIZES[kind], plan, names: [Object.values(WAYS), NEW].flat(2) })
  const programs = [process.execPath]
  for (const { program } of kind === 'full' ? await otherLines('messages') : []) programs.push(program)
  const results = []
  for (const program of programs) {
    const peer = fork(new URL('./frames-peer.mjs', import.meta.url), [settings], { execPath: program })
    const figures = once(peer, 'message')
    const [code] = await once(peer, 'exit')
    if (code !== 0) throw new Error(`the process that measures messages on ${program} ended with ${code}`)
    results.push(...(await figures)[0])
  }
  return results.sort((a, b) => majorOf(a.node) - majorOf(b.node))
}

export function framesTable(results) {
  const lines = ['\nmessages; least ns, and how many times as fast as node:crypto one call is']
  for (const node of new Set(results.map(result => result.node))) {
    const here = results.filter(result => result.node === node)
    lines.push(`  Node ${node}, OpenSSL ${here[0].openssl}`)
    for (const [direction, [single, batch]] of Object.entries(WAYS)) {
      lines.push(`${direction.padStart(13)}${[single, batch, NODE, 'x node'].map(cell).join('')}`)
      for (const bytes of new Set(here.map(result => result.bytes))) {
        const ns = way => least(here, bytes, direction, way)
        const cells = [ns(single), ns(batch), ns()].map(figure =>
          figure === undefined ? '' : nanoseconds(figure),
        )
        lines.push(`${size(bytes).padStart(13)}${[...cells, times(ns() / ns(single))].map(cell).join('')}`)
      }
    }
  }
  return lines.join('\n')
}

/**
 * The promise about new frames of 64 bytes: `encrypt` takes at most `most` times as long as the same by hand. By the least times: the
 * medians also have the work of the collector.
 */
export function judgeNew(results, most) {
  return [...new Set(results.map(({ node }) => node))].map(node => {
    const here = results.filter(result => result.node === node)
    const [ours, hand] = NEW.map(way => least(here, 64, 'encrypt', way))
    const figures = `${ours.toFixed(0)} ns, ${(ours / hand).toFixed(2)} times as long as ${NEW[1]}`
    const where = node === undefined ? '' : ` on Node ${node}`
    return { missed: !(ours / hand <= most), text: `64 B encrypt${where}: ${figures}, at most ${most}` }
  })
}

/**
 * The promises: on every line, the least factors by which `encryptInPlace` is faster than node:crypto, by bytes. By the least times: some
 * virtual CPUs have two speeds, and change between them within a process.
 */
export function judgeFrames(results, floorOf) {
  return results
    .filter(({ way }) => way === 'encryptInPlace')
    .map(result => ({ ...result, floor: floorOf(result.bytes, result.openssl) }))
    .filter(({ floor }) => floor !== undefined)
    .map(({ node, bytes, least: ours, floor }) => {
      const ratio =
        least(
          results.filter(result => result.node === node),
          bytes,
          'encrypt',
        ) / ours
      const text = `${size(bytes)} on Node ${node}: ${times(ratio)} times as fast as node:crypto, at least ${floor}`
      return { missed: !(ratio >= floor), text }
    })
}

const cell = text => text.padStart(24)

/** The least time of a way of ours, or of node:crypto. */
const least = (results, bytes, direction, way) =>
  results.find(
    result =>
      result.bytes === bytes &&
      result.direction.startsWith(direction) &&
      (way === undefined ? result.by === NODE : result.way === way),
  )?.least
