// Compares random operations through the extension with the same ones through the client alone, on tables in clear.
import { isDeepStrictEqual } from 'node:util'
import { Numbers } from './numbers.mjs'
import { Plaintexts } from './plaintexts.mjs'
import { refuseMoved } from './prisma-moved.mjs'
import { Operations } from './prisma-operations.mjs'
import { declarations, tables } from './prisma-schema.mjs'
import { argumentsFor } from './prisma-values.mjs'

const STATE_EVERY = 60
/** One in this many operations is a transaction. */
const TRANSACTIONS = 15
const MODELS = ['user', 'post', 'tag', 'profile', 'log', 'country']

/** Makes an empty database of this name in a server, with tables, and returns its URL. */
export async function databaseOf({ server, connect, database }, name, statements) {
  const url = server.url.replace(/app$/, name)
  for (const [where, list] of [
    [server.url, database.create?.(name) ?? []],
    [url, statements],
  ]) {
    const client = connect(where)
    for (const statement of list) await client.$executeRawUnsafe(statement)
    await client.$disconnect()
  }
  return url
}

let run = 0

/** Runs `count` operations with the package's `parts`; throws at the first difference. Returns what was done, in words. */
export async function compare(tools, parts, count) {
  const { server, connect, database } = tools
  run++
  const [sealedName, clearName] = [`app_sealed${run}`, `app_clear${run}`]
  const urls = [
    await databaseOf(tools, sealedName, tables(database, false)),
    await databaseOf(tools, clearName, [...(database.extensions ?? []), ...tables(database, true)]),
  ]
  const [raw, clear] = urls.map(connect)
  const keys = []
  const newKey = { User: () => keys.shift() }
  const sealed = raw.$extends(parts.encryptedModels(declarations(parts), { newKey }))
  const plaintexts = new Plaintexts()
  const operations = new Operations(new Numbers(`prisma ${run}`), database, value => plaintexts.add(value))
  const sides = { sealed, clear, keys }
  const done = new Map()
  let [refusals, failures] = [0, 0]
  try {
    for (let i = 0; i < count; i++) {
      let list = [operations.next()]
      if (i % TRANSACTIONS === 0) list.push(operations.next(), operations.next())
      const isRefused = list.some(one => one.isRefused)
      // In a transaction, another operation could fail before.
      if (isRefused) list = list.filter(one => one.isRefused).slice(0, 1)
      const kind = list.length === 1 ? 'one' : ['batch', 'interactive', 'failing'][(i / TRANSACTIONS) % 3]
      const results = await outcomes(sides, list, kind, isRefused)
      for (const { operation } of list) done.set(operation, (done.get(operation) ?? 0) + 1)
      if (isRefused) refusals++
      else if (results[1].failed !== undefined) failures++
      if (i % STATE_EVERY === STATE_EVERY - 1 || i === count - 1)
        await compareRows(sides, `after operation ${i}`)
    }
    await refuseMoved(sides, raw, database)
    const found = plaintexts.foundIn(server.dump(sealedName))
    if (found !== undefined) throw new Error(`the database contains ${found}`)
    // The search finds them where they are.
    if (plaintexts.foundIn(server.dump(clearName)) === undefined)
      throw new Error('the search finds nothing in the tables in clear')
  } finally {
    await Promise.all([raw.$disconnect(), clear.$disconnect()])
  }
  return `${count} steps with ${done.size} operations, ${failures} failing alike and ${refusals} refused, ${plaintexts.size} plaintexts of which the dump has none`
}

/** The outcomes on both sides, which must be equal; a refused operation must fail on the sealed side alone. */
async function outcomes({ sealed, clear, keys }, list, kind, isRefused) {
  keys.length = 0
  const given = [true, false].map(isSealed =>
    list.map(({ model, operation, args }) => ({
      model: model.charAt(0).toLowerCase() + model.slice(1),
      operation,
      args: argumentsFor(isSealed, args, key => keys.push(key)),
    })),
  )
  const first = await outcome(sealed, given[0], kind, true)
  if (isRefused) {
    if (first.failed === 'ERR_INVALID_ARG_VALUE') return [first]
    throw difference(list, kind, 'was not refused', first)
  }
  const second = await outcome(clear, given[1], kind, false)
  if (second.failed?.includes('Validation')) throw difference(list, kind, 'is invalid', second)
  if (!isDeepStrictEqual(first, second)) throw difference(list, kind, 'has other results', first, second)
  return [first, second]
}

async function outcome(client, list, kind, isSealed) {
  const call = (from, { model, operation, args }) => from[model][operation](args)
  try {
    let result
    if (kind === 'one') result = await call(client, list[0])
    else if (kind === 'batch') result = await client.$transaction(list.map(one => call(client, one)))
    else
      result = await client.$transaction(async transaction => {
        const results = []
        for (const one of list) results.push(await call(transaction, one))
        if (kind === 'failing') throw new Error('on purpose')
        return results
      })
    return { result: comparable(result, isSealed) }
  } catch (error) {
    if (error.code?.startsWith('ERR_')) return { failed: error.code, message: error.message }
    return { failed: error.code ?? `${error.name}: ${error.message.slice(-300)}` }
  }
}

/** A result without indexes, whose values are in clear on both sides, and whose lists are in one order. */
function comparable(value, isSealed) {
  if (Array.isArray(value)) {
    const list = value.map(one => comparable(one, isSealed))
    return list.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).flatMap(([name, one]) => {
    if (name.endsWith('Index')) return []
    return [[name, one === null ? null : content(name, one, isSealed)]]
  })
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function content(name, value, isSealed) {
  if (typeof value === 'object' && ['_count', '_min', '_max'].includes(name))
    return comparable(value, isSealed)
  if (name === 'notes') return isSealed ? JSON.stringify(value) : value
  if (name === 'age') return isSealed ? value : Number(value)
  if (name === 'photo') return isSealed ? value.toString('base64') : value
  return comparable(value, isSealed)
}

async function compareRows({ sealed, clear }, when) {
  for (const model of MODELS) {
    const [first, second] = [await sealed[model].findMany(), await clear[model].findMany()]
    if (isDeepStrictEqual(comparable(first, true), comparable(second, false))) continue
    throw new Error(`the rows of ${model} differ ${when}`)
  }
}

function difference(list, kind, what, ...outcomes) {
  const show = value => JSON.stringify(value, (_, one) => (one?.type === 'Buffer' ? 'bytes' : one))
  return new Error(
    [
      `${kind}: ${list.map(({ model, operation }) => `${model}.${operation}`)} ${what}`,
      show(list),
      ...outcomes.map(show),
    ].join('\n'),
  )
}
