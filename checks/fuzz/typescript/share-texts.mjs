// Shares, binary and text, of which some are changed: the secret comes back or a documented error does. The forms with a check never give
// another secret; horcrux's form, which has none, may.
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { changed, changedText } from './change.mjs'
import { must, outcome } from './expect.mjs'

const { combineAndOpen, combineKey, recoverShare } = createRequire(import.meta.url)(
  '../../../dist/protocols/shamir/index.cjs',
)
const CODES = [
  'ERR_AESGCM_INVALID_SHARE',
  'ERR_AESGCM_SHARES_MISMATCH',
  'ERR_OUT_OF_RANGE',
  'ERR_INVALID_ARG_TYPE',
  'ERR_INVALID_ARG_VALUE',
]

const seeds = JSON.parse(readFileSync(new URL('seeds/shares.json', import.meta.url)))
const KEY = Buffer.from(seeds.key, 'hex')
const SETS = seeds.sets.map(set => ({
  ...set,
  checked: !set.format.startsWith('horcrux'),
  shares: set.shares.map(share => (set.format === 'binary' ? Buffer.from(share, 'hex') : share)),
}))
const SEALED = Buffer.from(seeds.envelope.sealed, 'hex')
const ALL = SETS.flatMap(({ shares }) => shares)
const BINARY = ALL.filter(share => typeof share !== 'string')
const TEXTS = ALL.filter(share => typeof share === 'string')

const change = (chance, share) =>
  typeof share === 'string' ? changedText(chance, share, TEXTS) : changed(chance, share, BINARY)
const size = shares => shares.map(String).join()

export async function once(chance) {
  if (chance.once(8)) return envelope(chance)
  const { format, threshold, shares, checked } = chance.pick(SETS)
  const count = threshold + chance.below(shares.length - threshold + 1)
  const order = shares.toSorted(() => chance.below(3) - 1).slice(0, count)
  const given = order.map(share => (chance.once(2) ? change(chance, share) : share))
  if (chance.once(10)) given.push(chance.pick(ALL))
  if (chance.once(20)) given.splice(chance.below(given.length), 1)
  const genuine =
    given.length >= threshold && given.length === new Set(order).size && given.every(same(order))
  const options = format.startsWith('horcrux') ? { format: 'horcrux', threshold } : undefined
  const key = await outcome(CODES, size(given), () => combineKey(given, options))
  if (genuine) must(key.value?.equals(KEY), () => `genuine shares: ${key.code}`)
  if (checked && key.value) must(key.value.equals(KEY), () => `another secret from ${given}`)
  if (key.value) must(key.value.length === KEY.length || !genuine, () => `${key.value.length} bytes`)

  const x = chance.below(300)
  const again = await outcome(CODES, size(given), () => recoverShare(given, x, options))
  if (!checked || again.code) return
  must(x >= 1 && x <= 255, () => `a share with the number ${x}`)
  // The recovered share gives the secret with the genuine ones.
  if (x > shares.length) {
    const set = [again.value, ...shares.slice(0, threshold - 1)]
    must(combineKey(set).equals(KEY), () => `share ${x}, recovered from ${given}`)
  } else if (
    typeof again.value === 'string' ? typeof shares[0] === 'string' : typeof shares[0] !== 'string'
  ) {
    must(Buffer.from(again.value).equals(Buffer.from(shares[x - 1])), () => `share ${x} is another one`)
  }
}

const same = order => (share, i) => share === order[i]

/** Data that were sealed for the holders of shares. */
async function envelope(chance) {
  const shares = seeds.envelope.shares
    .slice(0, 2)
    .map(share => (chance.once(3) ? change(chance, share) : share))
  const sealed = chance.once(2) ? changed(chance, SEALED) : SEALED
  const codes = [...CODES, 'ERR_AESGCM_AUTHENTICATION_FAILED']
  const opened = await outcome(codes, sealed, () => combineAndOpen(shares, sealed))
  if (opened.value) {
    must(opened.value.toString() === seeds.data, () => `another text: ${opened.value.toString('hex')}`)
    must(sealed.equals(SEALED), 'a changed envelope was opened')
  }
}
