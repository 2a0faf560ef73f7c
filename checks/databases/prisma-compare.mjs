// Compares random operations through the extension with the same ones through the client alone, on tables in clear.
import { isDeepStrictEqual } from 'node:util'
import { number } from '../tools/random.mjs'
import { Plaintexts } from './plaintexts.mjs'
import { argumentsFor, Operations } from './prisma-operations.mjs'
import { declarations, tables } from './prisma-schema.mjs'

const STATE_EVERY = 60
/** One in this many operations is a transaction. */
const TRANSACTIONS = 15
const MODELS = ['user', 'post', 'tag', 'profile', 'log', 'country']

/** Makes an empty database of this name in a server, with tables, and returns its URL. */
export async function database({ server, PrismaClient, PrismaPg }, name, statements) {
  const url = server.url.replace(/app$/, name)
  for (const [where, list] of [
    [server.url, [`CREATE DATABASE ${name}`]],
    [url, statements],
  ]) {
    const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: where }) })
    for (const statement of list) await client.$executeRawUnsafe(statement)
    await client.$disconnect()
  }
  return url
}

let run = 0

/** Runs `count` operations with the package's `parts`; throws at the first difference. Returns what was done, in words. */
export async function compare(tools, parts, count) {
  const { PrismaClient, PrismaPg, server } = tools
  run++
  const [sealedName, clearName] = [`sealed${run}`, `clear${run}`]
  const urls = [
    await database(tools, sealedName, tables()),
    await database(tools, clearName, ['CREATE EXTENSION citext', ...tables('citext')]),
  ]
  const [raw, clear] = urls.map(
    url => new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 2 }) }),
  )
  const keys = []
  const newKey = { User: () => keys.shift() }
  const sealed = raw.$extends(parts.encryptedModels(declarations(parts), { newKey }))
  const plaintexts = new Plaintexts()
  const operations = new Operations(generator(run), value => plaintexts.add(value))
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
    await refuseMoved(sides, raw)
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

/** Whole numbers below an argument, which the seed decides. */
function generator(name) {
  let state = number(2 ** 32, `prisma ${name}`)
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
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

/** Moves values by SQL to another row, column and table, where they must not open. */
async function refuseMoved({ sealed }, raw) {
  const data = id => ({
    id,
    email: `${id}@example.org`,
    age: 1,
    notes: id,
    posts: { create: { id, title: id } },
  })
  for (const id of ['moved-1', 'moved-2']) await sealed.user.create({ data: data(id) })
  // A copied value would be in its way.
  await raw.$executeRawUnsafe('ALTER TABLE "User" DROP CONSTRAINT "User_email_key"')
  const moves = [
    `UPDATE "User" SET email = (SELECT email FROM "User" WHERE id = 'moved-2') WHERE id = 'moved-1'`,
    `UPDATE "User" SET notes = email WHERE id = 'moved-2'`,
    `UPDATE "Post" SET title = (SELECT notes FROM "User" WHERE id = 'moved-1') WHERE id = 'moved-1'`,
  ]
  for (const move of moves)
    if ((await raw.$executeRawUnsafe(move)) !== 1) throw new Error(`nothing moved: ${move}`)
  await raw.$executeRawUnsafe(`UPDATE "Post" SET title = 'in clear' WHERE id = 'moved-2'`)
  const reads = {
    row: async () =>
      (await sealed.user.findUnique({ where: { id: 'moved-1' }, select: { email: true } })).email,
    column: async () => (await sealed.user.findUnique({ where: { id: 'moved-2' } })).notes,
    table: async () => (await sealed.user.findUnique({ where: { id: 'moved-1' } }).posts())[0].title,
    'clear text': async () =>
      (await sealed.user.findMany({ include: { posts: true } })).map(({ posts }) =>
        posts.map(post => post.title),
      ),
  }
  for (const [name, read] of Object.entries(reads)) {
    const failed = await read().then(
      () => undefined,
      error => error.code,
    )
    if (failed !== 'ERR_AESGCM_AUTHENTICATION_FAILED')
      throw new Error(`a value of another ${name} opened, or failed with ${failed}`)
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
