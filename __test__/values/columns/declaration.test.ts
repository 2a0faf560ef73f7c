// Declarations: a mistake is found when it is made, and the types of rows follow from what is right.
import { inspect } from 'node:util'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { cloned, refuses } from '../../tools/support.js'
import { INDEX_KEY, keyring, users } from './tables.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const RIGHT = { keyring, rowKey: 'id', columns: { email: 'text' } }
const declare = (options: object, table: unknown = 'users') =>
  encryptedColumns(table as 'users', options as never)
const says = (options: object, code: string) => refuses(() => declare({ ...RIGHT, ...options }), code).message
const column = (options: object, more: object = { indexKey: INDEX_KEY }) => ({
  columns: { email: options },
  ...more,
})
const email = { type: 'text', index: 'email_index' }

describe('mistakes', () => {
  test.each<[object, string, string]>([
    [{ keyring: undefined }, TYPE, '"options.keyring" must be a Keyring, got undefined'],
    [{ keyring: {} }, TYPE, '"options.keyring" must be a Keyring, got object'],
    [{ keyring: [{ key: INDEX_KEY }] }, TYPE, '"options.keyring" must be a Keyring, got Array'],
    [{ rowKey: undefined }, VALUE, '"options.rowKey" is missing'],
    [{ rowKey: true }, TYPE, '"options.rowKey" must be a string, got boolean'],
    [{ rowKey: null }, TYPE, '"options.rowKey" must be a string, got null'],
    [{ rowKey: '' }, VALUE, '"options.rowKey" must not be empty'],
    [{ rowKey: [] }, 'ERR_OUT_OF_RANGE', '"options.rowKey" must have 1 to 16 columns, got 0'],
    [{ rowKey: ['id', 7] }, TYPE, '"options.rowKey[1]" must be a string, got number'],
    [{ rowKey: ['id', 'id'] }, VALUE, `"options.rowKey" has 'id' twice`],
    [{ rowKey: 'email' }, VALUE, `"options.rowKey" is 'email', which another column has: 'email'`],
    [{ rowkey: 'id' }, VALUE, `"options" has no 'rowkey', only 'keyring', 'rowKey', 'columns', 'indexKey'`],
    [{ columns: undefined }, TYPE, '"options.columns" must be an object, such as { email: '],
    [{ columns: ['email'] }, TYPE, '"options.columns" must be an object, such as'],
    [{ columns: {} }, 'ERR_OUT_OF_RANGE', '"options.columns" must have 1 to 1000 columns, got 0'],
    [{ columns: { '': 'text' } }, VALUE, '"options.columns" must not be empty'],
    [{ columns: { '\ud800': 'text' } }, VALUE, '"options.columns" has an unpaired surrogate'],
    [
      { columns: { email: 'string' } },
      VALUE,
      `"options.columns.email" must be one of 'text', 'number', 'bytes', 'json', got 'string'`,
    ],
    [{ columns: { email: 7 } }, TYPE, '"options.columns.email" must be an object, got number'],
    [{ columns: { email: null } }, TYPE, '"options.columns.email" must be an object, got null'],
    [
      { columns: { e_mail: 'text', eMail: 'text' } },
      VALUE,
      `"options.columns.eMail" is 'eMail', which another column has: 'e_mail'`,
    ],
    [column({}), VALUE, '"options.columns.email.type" must be one of'],
    [
      column({ type: 'date' }),
      VALUE,
      `"options.columns.email.type" must be one of 'text', 'number', 'bytes', 'json', got 'date'`,
    ],
    [
      column({ type: 'text', idx: 'a' }),
      VALUE,
      `"options.columns.email" has no 'idx', only 'type', 'index', 'normalizer', 'fallback'`,
    ],
    [column(email, {}), VALUE, '"options.indexKey" is missing, and "options.columns.email.index" needs it'],
    [
      column({ type: 'text' }),
      VALUE,
      '"options.indexKey" is the key of indexes, and no column has an "index"',
    ],
    [column({ ...email, index: true }), TYPE, '"options.columns.email.index" must be the name of the column'],
    [column({ ...email, index: '' }), VALUE, '"options.columns.email.index" must not be empty'],
    [
      column({ ...email, index: 'Email' }),
      VALUE,
      `"options.columns.email.index" is 'Email', which another column has: 'email'`,
    ],
    [column({ ...email, index: 'id' }), VALUE, `"options.rowKey" is 'id', which another column has: 'id'`],
    [
      column({ ...email, type: 'json' }),
      VALUE,
      '"options.columns.email.index" needs another type, because equal JSON has several texts',
    ],
    [
      column({ ...email, normalizer: 'lower' }),
      TYPE,
      '"options.columns.email.normalizer" must be a function, got string',
    ],
    [
      column({ type: 'text', normalizer: String }),
      VALUE,
      '"options.columns.email.normalizer" is for an index',
    ],
    [{ columns: { 'a.b': email }, indexKey: INDEX_KEY }, VALUE, 'needs a column whose name has no full stop'],
    [column(email, { indexKey: [] }), 'ERR_OUT_OF_RANGE', '"options.indexKey" must have 1 to 8 keys, got 0'],
    [
      column(email, { indexKey: Buffer.alloc(16) }),
      'ERR_AESGCM_INVALID_KEY_LENGTH',
      'must be 32 to 1024 bytes',
    ],
    [column(email, { indexKey: 'secret' }), TYPE, ''],
    [column({ type: 'text', fallback: 'cloak' }), TYPE, '"options.columns.email.fallback" must be a reader'],
    [column({ type: 'text', fallback: [{}] }), TYPE, '"options.columns.email.fallback" must be a reader'],
    [
      column({ type: 'bytes', fallback: { tryOpen: () => null } }, {}),
      TYPE,
      'must have a method tryOpenBytes',
    ],
  ])('%j', (options, code, message) => {
    expect(says(options, code)).toContain(message)
  })

  test('the table, the options, and the primary key', () => {
    for (const table of [undefined, 7, null, {}])
      refuses(() => encryptedColumns(table as never, RIGHT as never), TYPE)
    for (const table of ['', '\ud800']) refuses(() => declare(RIGHT, table), VALUE)
    for (const options of [undefined, null, 'users', new (class Options {})()])
      refuses(() => encryptedColumns('users', options as never), TYPE)
    for (const prefix of ['raw', 'crunchy', 'legacy'] as const) {
      const ring = new Keyring([{ key: INDEX_KEY, prefix }])
      expect(says({ keyring: ring }, VALUE)).toContain(`has a primary key with the prefix '${prefix}'`)
    }
    const ring = Keyring.generate()
    ring.destroy()
    says({ keyring: ring }, 'ERR_AESGCM_DESTROYED')
  })

  test('names of columns at a call', () => {
    for (const call of ['lookup', 'condition', 'length'] as const)
      for (const name of ['emial', 'id', 'email_index', '__proto__', 'constructor', undefined, 7, null])
        expect(refuses(() => users[call](name as never, 'sqlite' as never), VALUE).message).toContain(
          `"column" must be one of 'email', 'age', 'photo', 'address', got `,
        )
    expect(refuses(() => users.lookup('address' as never, {} as never), VALUE).message).toContain(
      'which has no index',
    )
    for (const value of [null, undefined, 7, {}]) refuses(() => users.lookup('email', value as never), TYPE)
    for (const base of [undefined, 'postgres', 'PostgreSQL', 7])
      refuses(() => users.condition('email', base as never), VALUE)
    for (const bytes of [undefined, '7', null, 7n]) refuses(() => users.length('email', bytes as never), TYPE)
    for (const bytes of [-1, 1.5, Number.NaN, 2 ** 30])
      refuses(() => users.length('email', bytes), 'ERR_OUT_OF_RANGE')
  })
})

test('the declaration is read once: later changes of its objects change nothing', () => {
  const columns: Record<string, 'text' | 'json'> = { email: 'text' }
  const options = { keyring, rowKey: ['id'], columns }
  const table = encryptedColumns('users', options)
  columns.email = 'json'
  columns.name = 'text'
  options.rowKey.push('tenant')
  const stored = table.seal({ id: 1, email: 'x', name: 'Ada' } as never) as object
  expect(stored).toMatchObject({ id: 1, name: 'Ada' })
  expect(table.open(stored)).toEqual({ id: 1, email: 'x', name: 'Ada' })
})

test('names of every kind', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'then', 'a b', 'ä', '0', 'select']) {
    const columns = Object.defineProperty({}, name, { value: 'text', enumerable: true })
    const table = encryptedColumns(name, { keyring, rowKey: 'id', columns })
    const row = Object.defineProperty({ id: 1 }, name, { value: 'secret', enumerable: true })
    const stored = table.seal(row as never)
    expect(JSON.stringify(stored)).not.toContain('secret')
    expect(Object.getOwnPropertyDescriptor(table.open(stored), name)?.value).toBe('secret')
  }
})

test('inspection shows names and types, and no object is cloned or taken for one', () => {
  expect(inspect(users)).toBe(`EncryptedColumns {
  table: 'users',
  rowKey: [ 'id' ],
  columns: { email: 'text', age: 'number', photo: 'bytes', address: 'json' }
}`)
  const loose = encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text' } })
  expect(inspect(loose)).toContain('rowKey: false')
  expect(inspect(cloned(users))).toBe('{}')
  for (const name of ['seal', 'open', 'tryOpen', 'openAll', 'lookup', 'condition', 'length'] as const)
    for (const self of [undefined, {}, Object.create(users), keyring])
      refuses(() => Reflect.apply(users[name] as never, self, [[]]), 'ERR_INVALID_THIS')
})

test('types: rows follow from the declaration', () => {
  const reader = layoutReader({ key: INDEX_KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
  const table = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey: INDEX_KEY,
    columns: { email: { type: 'text', index: 'ix', fallback: reader }, photo: 'bytes', data: 'json' },
  })
  const user: { id: number; email: string; photo?: Uint8Array | null; name: string } = {
    id: 1,
    email: 'a',
    name: 'b',
  }
  const stored = table.seal(user)
  const strings: { id: number; email: string; ix: string; photo?: string | null; name: string } = stored
  const opened: { id: number; email: string; photo?: Buffer | null; name: string } = table.open(stored)
  const row: Record<string, string | number | null> = strings as never
  const email: string | null = table.open(row).email
  const data: unknown = table.open(row as { data: unknown }).data
  expect([opened.email, email, data]).toEqual(['a', 'a', undefined])
  // @ts-expect-error an index is no column of an opened row
  expect(table.open(stored).ix).toBeUndefined()
  // @ts-expect-error a row without its key
  refuses(() => table.seal({ email: 'a' }), VALUE)
  // @ts-expect-error a number is no text
  refuses(() => table.seal({ id: 1, email: 7 }), TYPE)
  // @ts-expect-error a string is no key of a row, and neither is a Date
  refuses(() => table.seal({ id: new Date(), email: 'a' }), TYPE)
  // @ts-expect-error a column without an index
  refuses(() => table.lookup('photo', INDEX_KEY), VALUE)
  // @ts-expect-error no such database
  refuses(() => table.condition('email', 'postgres'), VALUE)
})
