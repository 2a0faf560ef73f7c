// Compares a library with its adapter to the library alone, in clear text: one statement on both, each in a transaction that is rolled
// back. Each statement has a value at one place, mostly one that a program passes by mistake (odd-values.mjs).
//
// What the library alone refuses, it must refuse with the adapter. What it accepts, it must accept with the same result and the same rows
// afterwards, or the adapter refuses and changes nothing. No ciphertext is in a result, no plaintext in a table, and every row opens.
import { isDeepStrictEqual } from 'node:util'
import { Numbers } from './numbers.mjs'
import { ODD } from './odd-values.mjs'
import { Plaintexts } from './plaintexts.mjs'

const SEALED = /^A[Q-Za-f][\w-]{42,}$/

/**
 * Runs `count` statements, and throws at the first difference. Returns what was done in words, with refusals by kind if `kinds` is true.
 *
 * `places` are the places of statements by name: functions of a transaction and a value, which run a statement and return its result. With
 * `only`, the names begin with one of these.
 * `usual` are further values by name, as functions of a side: those that the rows have, and the library's own symbols. `wraps` are functions
 * that put a value into another one, by name.
 *
 * `sealed` and `clear` are the two sides. Each has
 *   attempt(work)  begins a transaction, waits for work(transaction), and rolls back, whatever happens
 *   rows(transaction)  all rows in clear text, in one order, as plain data: on the sealed side those that the columns open
 *   stored(transaction)  on the sealed side: the text of all tables as they are
 *   comparable(result)  a result as plain data that is equal on both sides
 *
 * `secrets` are plaintexts that no table may contain, and null; `isSealed` recognises a ciphertext or an index among strings.
 */
export async function compareTwins({
  name,
  count,
  places,
  sealed,
  clear,
  usual = {},
  wraps = {},
  secrets = [],
  isSealed = text => SEALED.test(text),
  only = [''],
  kinds = false,
}) {
  const plaintexts = new Plaintexts()
  for (const secret of secrets.filter(Boolean)) plaintexts.add(secret)
  const chosen = Object.entries(places).filter(([place]) => only.some(begin => place.startsWith(begin)))
  const values = { ...ODD, ...usual }
  const list = statements({ name, count, places: chosen, values, wraps })
  const [sealedBefore, clearBefore] = [await state(sealed), await state(clear)]
  if (!isDeepStrictEqual(sealedBefore, clearBefore)) throw new Error('the two databases differ at the start')
  const counts = { alike: 0, failing: 0, changing: 0, refused: new Map() }
  for (const { about, place, make } of list) {
    const found = await compared({
      place,
      make,
      sealed,
      clear,
      before: sealedBefore,
      plaintexts,
      isSealed,
      counts,
    })
    if (found !== undefined) throw new Error(`${about}: ${found}`)
  }
  return told({ ...counts, count: list.length }, kinds)
}

/** Throws if the blind index of a row is not that of its email. `rows` are pairs of an email in clear and an index. */
export function holdIndexes(table, rows) {
  for (const [email, index] of rows)
    if (index !== (email === null ? null : table.lookup('email', email)[0]))
      throw new Error(`the index ${index} is not that of ${email}`)
}

/** The counts of a comparison in words. */
function told({ count, alike, failing, changing, refused }, kinds) {
  const most = [...refused].sort((a, b) => b[1] - a[1])
  const all = most.reduce((sum, [, times]) => sum + times, 0)
  const list = kinds ? `: ${most.map(([kind, times]) => `${times} ${kind}`).join('; ')}` : ''
  return `${count} odd statements, ${alike} alike (${changing} of them changing rows), ${failing} refused by both, ${all} by the adapter in ${most.length} kinds${list}`
}

/** Every value at every place, in random order, and then wrapped values at random places; `count` of them. */
function statements({ name, count, places, values, wraps }) {
  const numbers = new Numbers(`twin ${name}`)
  const all = []
  for (const [where, place] of places)
    for (const [what, make] of Object.entries(values)) all.push({ about: `${where}: ${what}`, place, make })
  for (let i = all.length - 1; i > 0; i--) {
    const j = numbers.below(i + 1)
    ;[all[i], all[j]] = [all[j], all[i]]
  }
  const wrapNames = Object.keys(wraps)
  while (all.length < count && wrapNames.length > 0) {
    const { about, place, make } = numbers.pick(all)
    const wrap = numbers.pick(wrapNames)
    // Wrapped twice at most.
    if (about.split(' in ').length > 2) continue
    all.push({ about: `${about} in ${wrap}`, place, make: side => wraps[wrap](make(side), side) })
  }
  return all.slice(0, count)
}

async function compared({ place, make, sealed, clear, before, plaintexts, isSealed, counts }) {
  const ours = await outcome(sealed, place, make)
  const theirs = await outcome(clear, place, make)
  if (ours.unopened !== undefined) return `rows do not open: ${ours.unopened}`
  const text = ours.stored && plaintexts.foundIn(ours.stored)
  if (text) return `a table contains ${text}`
  const shown = sealedIn(ours.result, isSealed)
  if (shown !== undefined) return `the result has a ciphertext: ${shown}`
  if (ours.failed !== undefined && ours.rows !== undefined && !isDeepStrictEqual(ours.rows, before))
    return `it failed (${ours.failed}), and rows changed`
  if (theirs.failed !== undefined) {
    if (ours.failed === undefined) return `the library alone refuses it: ${theirs.failed}`
    counts.failing++
    return undefined
  }
  if (ours.failed !== undefined) {
    counts.refused.set(ours.kind, (counts.refused.get(ours.kind) ?? 0) + 1)
    return undefined
  }
  const [first, second] = [sealed.comparable(ours.result), clear.comparable(theirs.result)]
  if (!isDeepStrictEqual(first, second)) return `results differ: ${show(first)} and in clear ${show(second)}`
  if (!isDeepStrictEqual(ours.rows, theirs.rows))
    return `rows differ: ${show(ours.rows)} and in clear ${show(theirs.rows)}`
  counts.alike++
  if (!isDeepStrictEqual(ours.rows, before)) counts.changing++
  return undefined
}

/** What the statement returned or why it failed, and the rows after it. */
async function outcome(side, place, make) {
  const found = {}
  await side.attempt(async transaction => {
    try {
      found.result = await place(transaction, make(side))
    } catch (error) {
      found.failed = `${error?.code ?? error?.name}: ${`${error?.message}`.slice(-300)}`
      found.kind = kindOf(error)
    }
    try {
      found.stored = await side.stored?.(transaction)
    } catch (error) {
      // A database ends a transaction at the first failure.
      if (found.failed === undefined) throw error
      return
    }
    try {
      found.rows = await side.rows(transaction)
    } catch (error) {
      if (found.failed === undefined || side.stored !== undefined)
        found.unopened = `${error.code}: ${error.message}`
    }
  })
  return found
}

async function state(side) {
  let rows
  await side.attempt(async transaction => {
    rows = await side.rows(transaction)
  })
  return rows
}

/** An error without what differs between statements of one kind. */
function kindOf(error) {
  const message = `${error?.message}`.split('\n')[0].replaceAll(/"[^"]*"|'[^']*'|\d+/g, '…')
  return `${error?.code ?? error?.name}: ${message.slice(0, 120)}`
}

/** The first ciphertext in a result, at any depth. */
function sealedIn(value, isSealed, seen = new Set()) {
  if (typeof value === 'string') return isSealed(value) ? value : undefined
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  const members = membersOf(value)
  for (const member of members) {
    const found = sealedIn(member, isSealed, seen)
    if (found !== undefined) return found
  }
  return undefined
}

/** A result may contain what the program gave, such as a getter that throws. */
function membersOf(value) {
  if (value instanceof Uint8Array) return []
  try {
    return value instanceof Map ? [...value].flat() : Object.values(value)
  } catch {
    return []
  }
}

const show = value =>
  `${JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))}`.slice(0, 600)
