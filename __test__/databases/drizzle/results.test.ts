// Results of queries: every value opens in the object that has it, however deep that is, and nowhere else.
import { encryptedColumns, NotSealedError } from 'hardware-aes-gcm/columns'
import { encryptedTable, opened } from 'hardware-aes-gcm/drizzle'
import { expect, test } from 'vitest'
import { Random, refuses, thrown } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { keyring } from '../../values/columns/tables.js'
import { encrypted, selected, written } from './model.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const TYPE = 'ERR_INVALID_ARG_TYPE'
const random = new Random('results of drizzle')

/** A row that was written and read. */
const stored = (row: { id: string | number; [name: string]: unknown }) =>
  selected(written(encrypted.seal(row as { id: number })))
const ada = { id: 1, name: 'Ada', email: 'ada@example.org', address: { city: 'London' } }
const bob = { id: 2, name: 'Bob', email: null, address: null }
/** Without indexes, which stay as they are. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test('rows, one row and no row', () => {
  const rows = [stored(ada), stored(bob)]
  expect(plain(opened(rows))).toEqual([ada, { ...bob, emailIndex: null }])
  expect(plain(opened(rows[0]))).toEqual(ada)
  expect(() => JSON.stringify(rows)).toThrow('is not a string')
  for (const nothing of [undefined, null, 7, 'text']) expect(opened(nothing)).toBe(nothing)
  expect(opened([])).toEqual([])
})

test('what has no sealed value is returned itself', () => {
  const date = new Date()
  for (const value of [
    { a: 1 },
    { date, bytes: Buffer.of(1) },
    date,
    new Map(),
    { id: 1, email: 'not of a query' },
  ])
    expect(opened(value)).toBe(value)
})

test('joins and relations', () => {
  const joined = [
    { users: stored(ada), parent: stored(bob) },
    { users: stored(bob), parent: null },
  ]
  expect(plain(opened(joined))).toMatchObject([
    { users: ada, parent: bob },
    { users: bob, parent: null },
  ])
  const nested = {
    ...stored(bob),
    posts: [{ id: 1, author: stored(ada), tags: ['a', { b: [stored(ada)] }] }],
  }
  expect(plain(opened(nested))).toMatchObject({ posts: [{ author: ada, tags: ['a', { b: [ada] }] }] })
})

test('some of the columns, under any name', () => {
  const { id, email } = stored(ada)
  expect(opened({ id, address: email, mail: email })).toEqual({ id, address: ada.email, mail: ada.email })
  for (const wrong of [
    { email },
    { userId: id, email },
    { id: null, email },
    Object.create({ id, email }, { email: { value: email, enumerable: true } }),
  ]) {
    const { message } = refuses(() => opened([{ ...wrong }]), VALUE)
    expect(message).toMatch(
      /^"result\[0\]" has (no "id"|null as its "id"), to which values of "users" are bound: /,
    )
  }
})

test('a value without its row', () => {
  const { email, emailIndex } = stored(ada)
  for (const value of [email, [email], { list: [email] }])
    expect(refuses(() => opened(value), VALUE).message).toMatch(
      / is a value of "users\.email": pass its whole row/,
    )
  expect(refuses(() => opened([{ list: [7, email] }]), VALUE).message).toMatch(
    /^"result\[0\]\.list\[1\]" is /,
  )
  expect(opened([emailIndex])).toEqual([emailIndex])
})

test('a query that is not awaited', async () => {
  const query = Promise.resolve([stored(ada)])
  expect(refuses(() => opened(query), TYPE).message).toBe('"result" must be awaited: opened(await query)')
  expect(plain(opened(await query))).toEqual([ada])
})

test('what does not open is never returned: another row, another column, clear text', () => {
  const [one, two] = [stored(ada), stored({ id: 3, email: 'cem@example.org', address: 'x' })]
  const fromAddress = selected({ email: written({ address: two.address }).address })
  const wrong = [
    { ...one, id: 4 },
    { ...two, email: one.email },
    { ...two, ...fromAddress },
  ]
  for (const row of wrong) {
    const error = refuses(() => opened([one, { list: [row] }]), AUTHENTICATION) as {
      column?: string
      index?: number
    }
    expect([error.column, error.index]).toEqual(['email', 1])
  }
  for (const clear of ['ada@example.org', '', 7, Buffer.of(1), {}]) {
    const row = selected({ id: 1, email: clear })
    const error = thrown(() => opened(row)) as Error
    expect(error).toBeInstanceOf(NotSealedError)
    expect(error.message).not.toContain('ada@')
  }
})

test('a table without keys of rows', () => {
  const logs = encryptedTable(encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text' } }))
  const { fromDriver, toDriver } = logs.column('line')
  expect(opened([{ line: fromDriver(toDriver(logs.seal({ line: 'a' }).line)) }])).toEqual([{ line: 'a' }])
})

test('names of properties that objects inherit, and data of any depth', () => {
  const row = Object.defineProperty({ ...stored(ada) }, '__proto__', { value: stored(bob), enumerable: true })
  const copy = opened(row) as object
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype)
  expect(plain(Object.getOwnPropertyDescriptor(copy, '__proto__')?.value)).toMatchObject(bob)
  let deep: unknown = 1
  for (let i = 0; i < 100_000; i++) deep = i % 2 === 0 ? [deep] : { deep }
  expect(opened<Record<string, unknown>>({ ...stored(ada), deep }).email).toBe(ada.email)
})

test('random results', () => {
  const row = (depth: number): [unknown, unknown] => {
    const id = random.below(1000)
    const email = random.below(4) === 0 ? null : `${random.bytes(6).toString('hex')}@example.org`
    const own = { id, email, age: random.below(100), note: random.pick(['x', null, 7]) }
    const [from, to] = [stored(own) as Record<string, unknown>, { ...own } as Record<string, unknown>]
    for (const name of ['posts', 'author', 'list'].slice(0, random.below(4))) {
      if (depth === 0) continue
      const parts = Array.from({ length: random.below(3) }, () => row(depth - 1))
      from[name] = name === 'author' ? (parts[0]?.[0] ?? null) : parts.map(([a]) => a)
      to[name] = name === 'author' ? (parts[0]?.[1] ?? null) : parts.map(([, b]) => b)
    }
    return [from, to]
  }
  const clean = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value, (name, part) => (name === 'emailIndex' ? undefined : part)))
  for (let n = 0; n < count(100, 2000); n++) {
    const [from, to] = row(3)
    const before = Object.entries(from as object)
    expect(clean(opened([from]))).toEqual([to])
    expect(Object.entries(from as object)).toEqual(before)
  }
})

test('a bigint key that lost digits in the JSON of a relation is named, and is no unexplained forgery', () => {
  const key = 2n ** 53n + 1n
  const rounded = BigInt(JSON.parse(`${key}`))
  const { email } = stored({ id: key as never, email: 'ada@example.org' })
  for (const id of [rounded, `${rounded}`]) {
    const error = refuses(() => opened([{ id: 1, author: { id, email } }]), AUTHENTICATION)
    expect(error.message).toContain('"result[0].author.id" is 9007199254740992, which may have lost digits')
    expect(error).toMatchObject({ column: 'email', index: 0 })
  }
  refuses(() => opened([{ author: { id: Number(rounded), email } }]), 'ERR_OUT_OF_RANGE')
  for (const id of [key + 2n, 7n, 'a', '12345678901234567890123456789'])
    expect(refuses(() => opened({ id, email }), AUTHENTICATION).message).not.toContain('digits')
  expect(opened({ id: key, email }).email).toBe('ada@example.org')
})
