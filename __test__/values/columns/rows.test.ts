// Rows of a table against a plain model: what is sealed comes back, in its place alone, and everything else is as it was.
import { deepStrictEqual, match, strictEqual } from 'node:assert'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { expect, test } from 'vitest'
import { Random, refuses, thrown } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { INDEX_KEY, keyring, lower, users } from './tables.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const random = new Random('rows of columns')
const LETTERS = ['a', 'Z', '0', ' ', '\n', '\0', 'é', 'ß', '€', '漢', '😀', '"', '\\', '=', '-', '_', "'"]
const text = () => Array.from({ length: random.below(40) }, () => random.pick(LETTERS)).join('')
const number = (): number =>
  random.pick([
    0,
    -0,
    1,
    -1,
    0.1,
    2 ** 53,
    Number.MIN_VALUE,
    -Number.MAX_VALUE,
    random.bytes(8).readInt32LE() / 7,
  ])

function json(depth = 0): unknown {
  const simple = () => random.pick([null, true, false, number(), text()])
  if (depth > 3 || random.below(3) === 0) return simple()
  const parts = Array.from({ length: random.below(4) }, () => json(depth + 1))
  if (random.below(2) === 0) return parts
  return Object.fromEntries(
    parts.map((part, i) => [random.pick([text(), `n${i}`, '__proto__', 'toJSON']), part]),
  )
}

const VALUES: Record<string, () => unknown> = {
  email: text,
  age: number,
  photo: () => random.bytes(random.below(100)),
  address: json,
}
const key = (): string | number | bigint =>
  random.pick([text(), random.below(1000), BigInt(random.below(1000)), -random.below(9)])

/** A row with some of the columns, and some that are not declared. */
function rowOf(): Record<string, unknown> {
  const row: Record<string, unknown> = random.below(9) === 0 ? Object.create(null) : {}
  if (random.below(2) === 0) row.name = text()
  row.id = key()
  for (const [name, value] of Object.entries(VALUES))
    if (random.below(3) > 0) row[name] = random.below(5) === 0 ? null : value()
  if (random.below(2) === 0) row.created = new Date(random.below(2 ** 31))
  return row
}

const indexOf = (name: string) => `${name}_index`
const plain = (row: object) => ({ ...row })

// By node:assert, which judges as strictly as expect in less time.
test('random rows: stored without a value in clear, and opened as they were', () => {
  for (let n = 0; n < count(500, 50_000); n++) {
    const row = rowOf()
    const before = plain(row)
    const stored = users.seal(row as never) as Record<string, unknown>
    deepStrictEqual(plain(row), before)
    for (const [name, value] of Object.entries(row)) {
      if (!(name in VALUES)) strictEqual(stored[name], value)
      else if (value === null) strictEqual(stored[name], null)
      else match(stored[name] as string, /^A[Q-Za-f][\w-]{42,}$/)
      if (!(name in VALUES) || name === 'address') continue
      const index = stored[indexOf(name)]
      if (value === null) strictEqual(index, null)
      else deepStrictEqual(users.lookup(name as 'email', value as never), [index])
    }
    const names = Object.keys(row).filter(name => name in VALUES && name !== 'address')
    deepStrictEqual(Object.keys(stored).sort(), [...Object.keys(row), ...names.map(indexOf)].sort())
    const opened = users.open(stored)
    // A member called __proto__ is one of its own.
    deepStrictEqual(opened, plain(row))
    deepStrictEqual(users.tryOpen(stored), opened)
    deepStrictEqual(users.openAll([stored, stored]), [opened, opened])
    deepStrictEqual(users.open(users.seal(opened as never)), opened)
  }
})

test('a value opens in its row, column and table alone', () => {
  const columns = { email: 'text', phone: 'text' } as const
  const declared = { keyring, rowKey: 'id', columns } as const
  const [one, other] = [encryptedColumns('users', declared), encryptedColumns('admins', declared)]
  const row = one.seal({ id: 1, email: 'ada@example.org', phone: '0123' })
  expect(one.open(row)).toEqual({ id: 1, email: 'ada@example.org', phone: '0123' })
  const moved: [typeof one, object][] = [
    [one, { ...row, id: 2 }],
    [one, { ...row, id: '1 ' }],
    [one, { id: 1, email: row.phone }],
    [one, { id: 1, phone: row.email }],
    [other, row],
  ]
  for (const [table, wrong] of moved) {
    expect(refuses(() => table.open(wrong), AUTHENTICATION)).toHaveProperty('column')
    expect(table.tryOpen(wrong)).toBeNull()
    expect(refuses(() => table.openAll([{ id: 3 }, wrong]), AUTHENTICATION)).toMatchObject({ index: 1 })
  }
  expect(thrown(() => one.open({ id: 1, email: row.email, phone: row.email }))).toMatchObject({
    column: 'phone',
  })
})

test('names and keys that join to one text are two places', () => {
  const of = (table: string, column: string, rowKey: string | readonly string[]) =>
    encryptedColumns(table, { keyring, rowKey, columns: { [column]: 'text' } })
  const a = of('ab', 'c', 'id').seal({ id: 'd', c: 'x' } as never) as { c: string }
  expect(of('a', 'bc', 'id').tryOpen({ id: 'd', bc: a.c })).toBeNull()
  expect(of('ab', 'c', 'id').tryOpen({ id: 'd', c: a.c })).toEqual({ id: 'd', c: 'x' })
  const two = of('t', 'c', ['x', 'y'])
  const stored = two.seal({ x: 'ab', y: 'c', c: 'text' } as never) as { c: string }
  expect(two.tryOpen({ x: 'a', y: 'bc', c: stored.c })).toBeNull()
  expect(two.tryOpen({ x: 'c', y: 'ab', c: stored.c })).toBeNull()
  expect(of('t', 'c', ['y', 'x']).tryOpen({ x: 'ab', y: 'c', c: stored.c })).toBeNull()
})

test('without a key, a value may be moved between rows, and nowhere else', () => {
  const logs = encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text', host: 'text' } })
  const { line } = logs.seal({ line: 'of one row' })
  expect(logs.open({ id: 7, line })).toEqual({ id: 7, line: 'of one row' })
  expect(logs.tryOpen({ host: line })).toBeNull()
  const bound = encryptedColumns('logs', { keyring, rowKey: 'id', columns: { line: 'text' } })
  expect(bound.tryOpen({ id: '', line })).toBeNull()
  expect(logs.tryOpen({ line: bound.seal({ id: '', line: 'x' }).line })).toBeNull()
})

test('updates: what a row lacks is left alone, and needs no key', () => {
  expect(users.seal({ id: 1 })).toEqual({ id: 1 })
  expect(users.seal({ name: 'Ada' } as never)).toEqual({ name: 'Ada' })
  expect(users.seal({ id: 1, email: undefined })).toEqual({ id: 1, email: undefined })
  expect(users.seal({ email: null } as never)).toEqual({ email: null, email_index: null })
  expect(users.open({ email: null, address: undefined })).toEqual({ email: null, address: undefined })
  expect(users.open({ email_index: 'x', name: 'Ada' })).toEqual({ name: 'Ada' })
  expect(users.openAll([])).toEqual([])
})

test('a row without its key, and an index without its column', () => {
  for (const row of [{ email: 'a' }, { id: undefined, email: 'a' }, { id: null, email: 'a' }]) {
    const { message } = refuses(() => users.seal(row as never), 'ERR_INVALID_ARG_VALUE')
    expect(message).toMatch(/^"row" has (no|null as its) "id", to which values of "users" are bound/)
    refuses(() => users.open(row), 'ERR_INVALID_ARG_VALUE')
    refuses(() => users.tryOpen(row), 'ERR_INVALID_ARG_VALUE')
    expect(refuses(() => users.openAll([{}, row]), 'ERR_INVALID_ARG_VALUE').message).toContain('"rows[1]"')
  }
  for (const row of [
    { id: 1, email_index: 'x' },
    { id: 1, email: undefined, email_index: 'x' },
  ])
    refuses(() => users.seal(row), 'ERR_INVALID_ARG_VALUE')
  expect(users.seal({ id: 1, email: 'a', email_index: 'stale' }).email_index).toBe(
    users.lookup('email', 'A ')[0],
  )
  for (const id of [1.5, Number.NaN, 2 ** 53])
    refuses(() => users.seal({ id, email: 'a' }), 'ERR_OUT_OF_RANGE')
  for (const id of [new Date(), true, {}, ['1'], Symbol('id')])
    refuses(() => users.seal({ id, email: 'a' } as never), 'ERR_INVALID_ARG_TYPE')
  refuses(() => users.seal({ id: '\ud800', email: 'a' }), 'ERR_INVALID_ARG_VALUE')
})

test('lookups: equal after normalization, under the newest key first', () => {
  const older = Buffer.alloc(40, 2)
  const columns = { email: { type: 'text', index: 'email_index', normalizer: lower } } as const
  const of = (indexKey: Uint8Array | readonly Uint8Array[]) =>
    encryptedColumns('users', { keyring, rowKey: 'id', indexKey, columns })
  const [now, before, both] = [of(INDEX_KEY), of(older), of([INDEX_KEY, older])]
  const [index] = now.lookup('email', 'ada@example.org')
  const [old] = before.lookup('email', ' Ada@example.org')
  expect(both.lookup('email', 'ADA@example.org ')).toEqual([index, old])
  expect(both.seal({ id: 1, email: 'Ada@example.org' }).email_index).toBe(index)
  expect(of([older, INDEX_KEY]).seal({ id: 1, email: 'Ada@example.org' }).email_index).toBe(old)
  expect(
    new Set([index, old, ...users.lookup('age', 36), ...users.lookup('photo', Buffer.from('36'))]).size,
  ).toBe(4)
  expect(users.lookup('age', 0)).toEqual(users.lookup('age', -0))
})
