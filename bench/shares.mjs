// Keys of 32 bytes split among people, against the packages of npm that do it: to split, to combine, to make a lost share anew.
import { randomBytes } from 'node:crypto'
import { combineKey, recoverShare, splitKey } from 'hardware-aes-gcm/shamir'
import secrets from 'secrets.js-grempe'
import * as privy from 'shamir-secret-sharing'
import { measure } from './measure.mjs'
import { nanoseconds, times } from './table.mjs'
import { OURS } from './ways.mjs'

const KEY_BYTES = 32

/** Threshold and number of shares. The second is the case of the promises. */
const CASES = [
  [3, 5],
  [10, 10],
  [255, 255],
]

/** The two peers: the one that the factors of the promises are of, and the other one. */
export const PRIVY = 'shamir-secret-sharing'
export const GREMPE = 'secrets.js-grempe'

/** Our two forms. The promises are of the first one. */
export const BINARY = 'binary'
const TEXT = 'text'

/** The key of results: what is done, and to how many shares. */
export const task = (operation, [threshold, shares]) => `${operation} ${threshold} of ${shares}`

/** Our shares in one form. */
function ours(format) {
  return {
    by: OURS,
    form: format,
    split: (key, threshold, shares) => splitKey(key, { threshold, shares, format }),
    combine: shares => combineKey(shares),
    recover: (shares, x) => recoverShare(shares, x),
  }
}

/** GF(2^8) for each byte of a key, in JavaScript; a share has no check. It cannot make a share anew. */
const byPrivy = {
  by: PRIVY,
  form: 'Uint8Array',
  async: true,
  split: (key, threshold, shares) => privy.split(key, shares, threshold),
  combine: shares => privy.combine(shares),
}

/** GF(2^8) for each byte of a key, in JavaScript; key and shares are text, and a share has no check. */
const byGrempe = {
  by: GREMPE,
  form: 'hex',
  split: (key, threshold, shares) => secrets.share(key, shares, threshold),
  combine: shares => secrets.combine(shares),
  recover: (shares, x) => secrets.newShare(x, shares),
  /** The key in the form that this package takes. */
  keyOf: bytes => bytes.toString('hex'),
}

/** `calls` times the same, one after the other. */
function loop(work, isAsync) {
  if (isAsync) {
    return async calls => {
      for (let i = 0; i < calls; i++) await work()
    }
  }
  return calls => {
    for (let i = 0; i < calls; i++) work()
  }
}

const same = (a, b) => Buffer.from(a).equals(Buffer.from(b))

/**
 * Pairs of a way and its work for one implementation. First it must give the key back from the first and from the last shares
 * that are enough, and a share that it makes anew must be the one that it made before.
 */
async function prepare(implementation, size) {
  const { by, form, async, split, combine, recover, keyOf = bytes => new Uint8Array(bytes) } = implementation
  const [threshold, count] = size
  const key = keyOf(randomBytes(KEY_BYTES))
  const shares = await split(key, threshold, count)
  const enough = shares.slice(0, threshold)
  for (const some of [enough, shares.slice(-threshold)]) {
    if (!same(await combine(some), key)) throw new Error(`${by} does not combine its ${form} shares`)
  }
  const works = {
    split: () => split(key, threshold, count),
    combine: () => combine(enough),
    ...(recover && { recover: () => recover(enough, count) }),
  }
  if (recover && !same(works.recover(), shares.at(-1))) {
    throw new Error(`${by} does not make its ${form} share anew`)
  }
  return Object.entries(works).map(([operation, work]) => ({
    way: { by, name: form, direction: task(operation, size), async },
    work: { run: loop(work, async) },
  }))
}

/** Figures of every case and way, in ns per call, in the same form as those of encryption. */
export async function measureShares(plan) {
  const results = []
  for (const size of CASES) {
    const pairs = []
    for (const implementation of [ours(BINARY), ours(TEXT), byPrivy, byGrempe]) {
      pairs.push(...(await prepare(implementation, size)))
    }
    // So slow are some ways that the time of a sample must tell its number of calls, as with long messages.
    for (const { way, ...figures } of await measure(pairs, Number.POSITIVE_INFINITY, plan)) {
      results.push({ bytes: KEY_BYTES, direction: way.direction, by: way.by, way: way.name, ...figures })
    }
  }
  return results
}

/** The figures of one way; undefined if it cannot do the task. */
export const sharesFigures = (results, direction, by, way) =>
  results.find(r => r.direction === direction && r.by === by && (way === undefined || r.way === way))

/** The table of shares. */
export function sharesTable(results) {
  const lines = [
    `\nshares of a key of ${KEY_BYTES} bytes: ns per call; x ${PRIVY}: times as fast, by the median`,
    `${''.padEnd(58)}${['median', 'least', 'x'].map(text => text.padStart(13)).join('')}`,
  ]
  const directions = ['split', 'combine', 'recover'].flatMap(operation =>
    CASES.map(size => task(operation, size)),
  )
  for (const direction of directions) {
    const peer = sharesFigures(results, direction, PRIVY)?.median
    for (const { by, way, median, least } of results.filter(r => r.direction === direction)) {
      const ratio = peer === undefined || by === PRIVY ? '' : times(peer / median)
      const figures = [nanoseconds(median), nanoseconds(least), ratio].map(text => text.padStart(13)).join('')
      lines.push(`  ${direction.padEnd(20)}${`${by}, ${way}`.padEnd(36)}${figures}`.trimEnd())
    }
  }
  return lines.join('\n')
}
