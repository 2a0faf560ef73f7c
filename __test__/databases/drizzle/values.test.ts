// Rows on their way into a query: what the types of columns accept, and what they refuse before a query is sent.
import { inspect } from 'node:util'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { encryptedTable } from 'hardware-aes-gcm/drizzle'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { INDEX_KEY, keyring } from '../../values/columns/tables.js'
import { columns, encrypted, selected, TYPES, written } from './model.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const STATE = 'ERR_INVALID_STATE'
const ROW = { id: 17, name: 'Ada', email: 'Ada@example.org', age: 36, photo: Buffer.of(1), address: { a: 1 } }

describe('seal', () => {
  test('makes what the types of columns turn into the strings of EncryptedColumns', () => {
    const stored = written(encrypted.seal(ROW))
    expect(stored).toMatchObject({ id: 17, name: 'Ada', email: expect.stringMatching(/^AQ?[\w-]{43,}$/) })
    expect(stored.emailIndex).toEqual(columns.lookup('email', 'ada@example.org')[0])
    expect(columns.open(stored)).toEqual(ROW)
  })

  test('leaves NULL, undefined and what is not declared as they are, and the row itself', () => {
    const row = { id: 1, email: null, age: undefined, other: { b: 2 } }
    const sealed = encrypted.seal(row)
    expect(sealed).toEqual({ id: 1, email: null, emailIndex: null, age: undefined, other: { b: 2 } })
    expect(sealed.other).toBe(row.other)
    expect(row).toEqual({ id: 1, email: null, age: undefined, other: { b: 2 } })
  })

  test('several rows, and an error with the position of one', () => {
    const rows = [ROW, { ...ROW, id: 18 }]
    expect(encrypted.seal(rows).map(row => columns.open(written(row)))).toEqual(rows)
    expect(encrypted.seal([])).toEqual([])
    const wrong = [ROW, { email: 'secret' }] as never[]
    expect(refuses(() => encrypted.seal(wrong), VALUE).message).toMatch(/^"rows\[1\]" has no "id"/)
  })

  test('refuses a row without its key, expressions, placeholders and values that are sealed', () => {
    for (const email of [{ queryChunks: [] }, { name: 'placeholder' }, encrypted.seal(ROW).email, 7])
      refuses(() => encrypted.seal({ id: 1, email } as never), TYPE)
    refuses(() => encrypted.seal({ email: 'secret' } as never), VALUE)
    refuses(
      () => encrypted.seal({ id: 1, email: written(encrypted.seal({ ...ROW, id: 1 })).email } as never),
      VALUE,
    )
    refuses(() => encrypted.seal(undefined as never), TYPE)
  })
})

describe('the type of a column', () => {
  const values = encrypted.seal(ROW)
  const terms = encrypted.lookup('email', 'ada@example.org')
  /** Strings that are sealed, too: the program may have them from anywhere. */
  const strings = Object.values(written(values))
  const others = [
    '',
    'ada@example.org',
    7,
    true,
    undefined,
    7n,
    {},
    [],
    Buffer.of(1),
    new Date(),
    Symbol('x'),
    () => 1,
  ]

  test.each(Object.keys(TYPES))('%s accepts its own values and NULL, and nothing else', name => {
    const { toDriver } = TYPES[name] as (typeof TYPES)[string]
    expect(toDriver(null as never)).toBe(null)
    for (const [own, value] of Object.entries(values)) {
      if (own === name) expect(toDriver(value as never)).toBe(written(values)[name])
      else refuses(() => toDriver(value as never), VALUE)
    }
    for (const value of [
      ...strings,
      ...others,
      Object.create(values.email as object),
      new Proxy(values.email as object, {}),
    ]) {
      const { message } = refuses(() => toDriver(value as never), VALUE)
      expect(message).toMatch(new RegExp(`^"users\\.${name}" must be an encrypted value, got `))
      if (typeof value === 'string' && value.length > 6) expect(message).not.toContain(value)
    }
  })

  test('says how to find rows', () => {
    const message = (name: string) => refuses(() => TYPES[name]?.toDriver('ada' as never), VALUE).message
    expect(message('email')).toBe(
      `"users.email" must be an encrypted value, got string: 'email' is sealed by seal(row), and is found by lookup('email', value)`,
    )
    expect(message('address')).toMatch(/, and has no index$/)
    expect(message('ageIndex')).toMatch(/: 'age' is found by lookup\('age', value\)$/)
  })

  test('accepts what a query returned, and the terms of a lookup', () => {
    const stored = written(values)
    expect(written(selected(stored))).toEqual(stored)
    expect(terms.map(term => TYPES.emailIndex?.toDriver(term as never))).toEqual(
      columns.lookup('email', 'ada@example.org'),
    )
  })

  test('writes nothing again that a query found in clear', () => {
    for (const clear of ['ada@example.org', '', 'é'.repeat(22), 'a'.repeat(23), 7, Buffer.of(1)])
      for (const name of Object.keys(TYPES)) {
        const row = selected({ [name]: clear })
        expect(refuses(() => written(row), VALUE).message).toMatch(/ is not sealed in the database, so /)
      }
  })

  test('of another object with the same declaration accepts them; of another table, it does not', () => {
    expect(encryptedTable(columns).column('email').toDriver(values.email)).toBe(written(values).email)
    const options = { keyring, rowKey: 'id', indexKey: INDEX_KEY, columns: { email: 'text' } } as const
    const other = encryptedTable(encryptedColumns('others', { ...options, indexKey: undefined }))
    refuses(() => other.column('email').toDriver(values.email as never), VALUE)
  })

  test('has a type in SQL', () => {
    expect([encrypted.column('email').dataType(), encrypted.index('email').dataType()]).toEqual([
      'text',
      'varchar(22)',
    ])
    expect(encrypted.column('email', 'varchar(400)').dataType()).toBe('varchar(400)')
    refuses(() => encrypted.column('email', 400 as never), TYPE)
  })
})

test('lookup: an index for each key, from the newest', () => {
  const indexKey = [INDEX_KEY, new Uint8Array(32)]
  const both = encryptedColumns('t', {
    keyring,
    rowKey: 'id',
    indexKey,
    columns: { a: { type: 'text', index: 'b' } },
  })
  const table = encryptedTable(both)
  expect(table.lookup('a', 'x').map(term => table.index('a').toDriver(term))).toEqual(both.lookup('a', 'x'))
  refuses(() => encrypted.lookup('photo' as never, 'x' as never), VALUE)
  for (const value of [null, 7]) refuses(() => encrypted.lookup('email', value as never), TYPE)
})

test('values show their column alone, and become no string', () => {
  const { email, emailIndex } = encrypted.seal(ROW)
  expect(inspect(email)).toBe("Stored { column: 'users.email' }")
  expect(inspect({ emailIndex })).toBe("{ emailIndex: Stored { column: 'users.emailIndex' } }")
  expect(inspect(encrypted)).toContain('EncryptedTable {')
  expect(Object.keys(email as object)).toEqual([])
  for (const value of [email, emailIndex]) {
    refuses(() => JSON.stringify(value), STATE)
    refuses(() => String(value), STATE)
    refuses(() => `${value}`, STATE)
  }
  expect(refuses(() => JSON.stringify([{ email }]), STATE).message).toBe(
    '"users.email" is not a string: pass the result of the query to opened()',
  )
  expect(JSON.stringify([{ id: 1, emailIndex }])).toBe('[{"id":1}]')
  for (const name of ['toJSON', 'toString'] as const) {
    const method = Object.getPrototypeOf(email)[name]
    refuses(() => method.call({}), 'ERR_INVALID_THIS')
    refuses(() => method.call(undefined), 'ERR_INVALID_THIS')
  }
})

test('mistakes of a declaration', () => {
  for (const wrong of [undefined, null, {}, 'users', encrypted, new Proxy(columns, {})])
    refuses(() => encryptedTable(wrong as never), TYPE)
  for (const name of ['emial', '', undefined, null, 'id', 'emailIndex']) {
    refuses(() => encrypted.column(name as never), VALUE)
    refuses(() => encrypted.index(name as never), VALUE)
  }
  refuses(() => encrypted.index('address' as never), VALUE)
  for (const name of ['column', 'index', 'seal', 'lookup'] as const)
    for (const receiver of [undefined, {}, columns])
      refuses(() => (encrypted[name] as () => unknown).call(receiver), 'ERR_INVALID_THIS')
})
