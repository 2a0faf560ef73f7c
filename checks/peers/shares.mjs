// Shares of this package and of shares.py, which was written from docs/formats.md alone, give each other's secrets back.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { combineKey, splitKey } from 'hardware-aes-gcm/shamir'
import { root } from '../../scripts/tools.mjs'
import { bytes, number } from '../tools/random.mjs'
import { started } from './python.mjs'

const FORMATS = ['binary', 'text', 'horcrux', 'horcrux-random']
const isHorcrux = format => format.startsWith('horcrux')

/** Runs so many splits each way, and gives a line about them. */
export async function shares(count) {
  const [begin, peer] = [performance.now(), started('shares.py')]
  await documented(peer)
  let refused = 0
  for (let i = 0; i < count; i++) {
    try {
      refused += await both(peer, `share ${i}`, FORMATS[i % FORMATS.length], i)
    } catch (error) {
      throw new Error(`split ${i}: ${error.message}`)
    }
  }
  await peer.end()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  return `shares, against a reader from docs/formats.md: ${count} splits each way; planted and refused: ${refused}; ${seconds} s`
}

/** The texts that docs/formats.md prints. */
async function documented(peer) {
  const texts = readFileSync(join(root, 'docs/formats.md'), 'utf8').match(/^AGS1-\S+$/gm)
  for (const of of [texts.slice(0, 3), texts.slice(3)]) {
    const { value } = await peer.ask({ op: 'combine', format: 'text', shares: of })
    if (value === undefined || value !== combineKey(of).toString('hex'))
      throw new Error('the shares of docs/formats.md')
  }
}

async function both(peer, name, format, i) {
  const secret = bytes(isHorcrux(format) || i % 3 > 0 ? 32 : 16, `${name}, secret`)
  // Shares of 255 are slow in Python: a few of them.
  const total = i % 29 === 28 && format !== 'horcrux-random' ? 255 : 2 + number(9, `${name}, shares`)
  const threshold = 2 + number(Math.min(total, 12) - 1, `${name}, threshold`)
  const options = isHorcrux(format) ? { format: 'horcrux', threshold } : {}
  const toSend = one => (format === 'binary' ? one.toString('hex') : one)
  const fromPeer = one => (format === 'binary' ? Buffer.from(one, 'hex') : one)

  const ours = chosen(splitKey(secret, { threshold, shares: total, format }), threshold, name)
  const ask = of => peer.ask({ op: 'combine', format, threshold, shares: of.map(toSend) })
  const read = await ask(ours)
  if (read.value !== secret.toString('hex'))
    throw new Error(`the peer combines ours, ${format}: ${read.refused}`)
  const points = Array.from({ length: total }, (_, x) => x + 1)
  const split = await peer.ask({ op: 'split', format, threshold, points, secret: secret.toString('hex') })
  const theirs = chosen(split.value.map(fromPeer), threshold, name)
  if (!combineKey(theirs, options).equals(secret)) throw new Error(`we combine the peer's, ${format}`)
  // horcrux's text has no check: with one share above the threshold, a changed one does not agree with the others.
  if (isHorcrux(format) && total === threshold) return 0
  const [more, all] = isHorcrux(format) ? [1, split.value.map(fromPeer)] : [0, theirs]
  const bad = damaged(all.slice(0, threshold + more), format, name)
  if (!throws(() => combineKey(bad, options)))
    throw new Error(`planted: we combine a damaged share, ${format}`)
  if ((await ask(bad)).value !== undefined)
    throw new Error(`planted: the peer combines a damaged share, ${format}`)
  if (isHorcrux(format)) return 2
  const few = theirs.slice(1)
  if (!throws(() => combineKey(few, options)) || (await ask(few)).value !== undefined)
    throw new Error('planted: too few shares are combined')
  return 4
}

/** As many as the threshold, from a place on. */
function chosen(all, threshold, name) {
  const at = number(all.length, `${name}, chosen`)
  return [...all.slice(at), ...all.slice(0, at)].slice(0, threshold)
}

/** The shares with one bit, or one digit of a value, changed. */
function damaged(shares, format, name) {
  const [first, ...rest] = shares
  if (format === 'binary') {
    const copy = Buffer.from(first)
    const bit = number(8 * copy.length, `${name}, bit`)
    copy[bit >> 3] ^= 1 << (bit & 7)
    return [copy, ...rest]
  }
  const start = first.indexOf(format === 'text' ? '-' : '|')
  const places = Array.from(first, (_, i) => i).filter(i => i > start && first[i] !== '-')
  const at = places[number(places.length, `${name}, digit`)]
  const digit = format === 'text' ? (first[at] === 'A' ? 'C' : 'A') : first[at] === '0' ? '1' : '0'
  return [first.slice(0, at) + digit + first.slice(at + 1), ...rest]
}

function throws(call) {
  try {
    call()
    return false
  } catch {
    return true
  }
}
