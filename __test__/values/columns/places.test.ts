// Values open at their places by a short way into native code. It has no answer to some keys of a row, names of tables and values: those
// open, and are refused, in the same way at length.
import { AuthenticationError } from 'hardware-aes-gcm'
import { type ColumnType, encryptedColumns } from 'hardware-aes-gcm/columns'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'
import { eventsOf, Random, thrown } from '../../tools/support.js'
import { encoded, keyring, sealedBy } from './tables.js'

const uuidOf = (random: Random) =>
  random
    .bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
const small = (key: string) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(key) ? key.toLowerCase() : key

test('whatever the key, the names and the other columns of a row', () => {
  const random = new Random('places of rows')
  const tables = ['users', 'größen', 'x'.repeat(140), 'eyJh', '$', 'id', ' ']
  const types = ['text', 'number', 'bytes', 'json'] as const
  const forms = {
    text: ['ada', 'é€😀', '', 'x'.repeat(5000)],
    number: [0, -1.5, 1e300],
    bytes: [Buffer.alloc(0), Buffer.alloc(24, 7), Buffer.alloc(300, 9)],
    json: [{ city: 'London' }, [1, null], 'text'],
  }
  const contentOf = (type: ColumnType, value: unknown) =>
    type === 'json' ? JSON.stringify(value) : type === 'bytes' ? (value as Buffer) : String(value)
  const keyOf = () =>
    random.pick<() => string | number | bigint | Uint8Array>([
      () => random.below(2 ** 31) - 2 ** 30,
      () => 2n ** 60n,
      () => uuidOf(random),
      () => uuidOf(random).toUpperCase(),
      () => uuidOf(random).toUpperCase().replace('-', '_'),
      () =>
        random.pick(['', 'é', 'A'.repeat(36), 'x'.repeat(64), 'y'.repeat(65), 'z'.repeat(5000), 'usr_01ARZ']),
      () => random.bytes(16),
    ])()
  for (let i = 0; i < 60; i++) {
    const name = random.pick(tables)
    const keys = random.pick([[], ['id'], ['id'], ['id'], ['id', 'part']])
    const columns: Record<string, ColumnType> = {}
    for (const type of types)
      if (random.below(2) === 0) columns[random.pick([`c_${type}`, `$${type}`])] = type
    if (Object.keys(columns).length === 0) columns.only = 'text'
    const table = encryptedColumns(name, { keyring, rowKey: keys.length === 0 ? false : keys, columns })
    const rows: Record<string, unknown>[] = []
    const wanted: Record<string, unknown>[] = []
    for (let j = 0; j < 5; j++) {
      const row: Record<string, unknown> = { note: 'clear' }
      for (const key of keys) row[key] = keyOf()
      const opened = { ...row }
      const parts = keys.map(key => {
        const part = row[key] as string | number | bigint | Uint8Array
        return typeof part === 'string' ? small(part) : part instanceof Uint8Array ? part : `${part}`
      })
      for (const [column, type] of Object.entries(columns)) {
        if (random.below(5) === 0) continue
        const value = random.below(6) === 0 ? null : random.pick<unknown>(forms[type])
        opened[column] = value
        const place = encoded(name, column, ...parts)
        row[column] = value === null ? null : sealedBy(place, contentOf(type, value), random.bytes(12))
      }
      rows.push(row)
      wanted.push(opened)
    }
    expect(table.openAll(rows)).toStrictEqual(wanted)
    expect(rows.map(row => table.open(row))).toStrictEqual(wanted)
  }
})

test('a forgery counts once, and the error names its column and row', () => {
  for (const type of ['text', 'number', 'json', 'bytes'] as const) {
    const ring = Keyring.generate()
    const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { c: type } })
    const value = { text: 'x', number: 7, json: [7], bytes: Buffer.of(7) }[type]
    const rows = [1, 2].map(id => table.seal({ id, c: value } as never) as Record<string, unknown>)
    for (const id of [3, '4', uuidOf(new Random('forged')), 'é', 5n]) {
      const before = ring.counts.failedDecryptions
      const moved = [...rows, { ...rows[0], id }]
      const events = eventsOf(() => {
        const error = thrown(() => table.openAll(moved as never)) as Error & {
          column: unknown
          index: unknown
        }
        expect([error.name, error.column, error.index]).toEqual(['AuthenticationError', 'c', 2])
      })
      expect([events, ring.counts.failedDecryptions - before]).toEqual([1, 1])
    }
  }
})

test('a text of a key without a prefix opens, though it begins as those of another key', () => {
  const raw = { id: 2, key: Buffer.alloc(32, 2), prefix: 'raw' as const }
  const ring = new Keyring([{ id: 1, key: Buffer.alloc(32, 1) }, raw], { primary: 1 })
  const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { c: 'text' } })
  const writer = new Keyring([raw])
  const sealed = writer.sealText('x', context('t', 'c', 1))
  expect(table.open({ id: 1, c: sealed }).c).toBe('x')
  expect(thrown(() => table.open({ id: 2, c: sealed }))).toBeInstanceOf(AuthenticationError)
})

test('a place that is the header of a token opens no text', () => {
  const header = Buffer.from('{"alg":"dir","enc":"A256GCM"}').toString('base64url')
  const [table, column, id] = [header.slice(0, 16), header.slice(16, 24), header.slice(24)]
  const columns = { [column as string]: 'text' as const }
  const users = encryptedColumns(table as string, { keyring, rowKey: 'id', columns })
  const valueAt = (key: string) => sealedBy(encoded(table as string, column as string, key), 'x')
  for (let i = 0; i < 2; i++) {
    expect(users.open({ id: 'other', [column as string]: valueAt('other') })).toHaveProperty(
      column as string,
      'x',
    )
    expect(thrown(() => users.open({ id, [column as string]: valueAt(id as string) }))).toBeInstanceOf(
      AuthenticationError,
    )
  }
})

test('a row of a class is refused after whole rows, and a bad key before a destroyed keyring', () => {
  const ring = Keyring.generate()
  const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { c: 'text', d: 'text' } })
  const whole = table.seal({ id: 1, c: 'x', d: 'y' })
  class Model {
    id = 1
    d = whole.d
    get c() {
      return whole.c
    }
  }
  class Whole {
    id = 1
    c = whole.c
    d = whole.d
  }
  expect(table.openAll([whole, whole, new Whole() as never])).toStrictEqual(
    Array(3).fill({ id: 1, c: 'x', d: 'y' }),
  )
  expect(thrown(() => table.openAll([whole, whole, new Model() as never])).message).toContain(
    `"rows[2].c" is a property of the row's class`,
  )
  ring.destroy()
  expect(thrown(() => table.open(whole)).message).toContain('destroyed')
  expect(thrown(() => table.open({ ...whole, id: '\ud800' })).message).toContain('"row.id"')
  expect(thrown(() => table.open({ ...whole, id: 0.5 })).message).toContain('"row.id"')
})

test('a destroyed keyring is reported, whatever the value', () => {
  for (const type of ['text', 'bytes'] as const) {
    const ring = Keyring.generate()
    const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { c: type } })
    const { c } = table.seal({ id: 1, c: (type === 'text' ? 'x' : Buffer.of(7)) as never })
    ring.destroy()
    for (const value of [c, 'not sealed!', 'AQ', '']) {
      const events = eventsOf(() => {
        for (const open of [table.open, table.tryOpen])
          expect(thrown(() => open.call(table, { id: 1, c: value as never })).message).toContain('destroyed')
      })
      expect(events).toBe(0)
    }
  }
})

test('rows with and without a column in turns', () => {
  const table = encryptedColumns('Customer', { keyring, rowKey: 'id', columns: { c: 'text', d: 'bytes' } })
  const clear = Array.from({ length: 12 }, (_, id) =>
    id % 3 === 0
      ? { id, c: 'x' }
      : id % 3 === 1
        ? { id, c: 'y', d: Buffer.of(id) }
        : { id, more: 1, d: null },
  )
  const sealed = clear.map(row => table.seal(row as never))
  expect(table.openAll(sealed as never)).toStrictEqual(clear)
  expect(table.openAll([...sealed].reverse() as never)).toStrictEqual([...clear].reverse())
})
