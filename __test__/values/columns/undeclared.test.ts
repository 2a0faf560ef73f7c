// Sealed values outside the declared columns: `open` refuses the row instead of handing out ciphertext.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { keyring, users } from './tables.js'

const VALUE = 'ERR_INVALID_ARG_VALUE'
const { email } = users.seal({ id: 1, email: 'ada@example.org' })
const row = { id: 1, email }
const circle: { list: unknown[]; email?: string } = { list: [] }
circle.list.push(circle, circle)

/** By way: rows as drivers and libraries return them. */
const rows = {
  'renamed by AS': { id: 1, mail: email },
  'TypeORM, getRawMany': { p_id: 1, p_email: email },
  'mysql2, nestTables: true': { users: row },
  "mysql2, nestTables: '_'": { users_id: 1, users_email: email },
  'Sequelize, raw and nest': { id: 2, author: { id: 1, email } },
  'json_agg of rows': { id: 2, authors: [{ id: 1, email }] },
  'array_agg of values': { emails: [null, email] },
  'string_agg of values': { emails: `${email},${email}` },
  'a column of bytes with the text': { mail: Buffer.from(email) },
  'bytes of the value': { mail: Buffer.from(email, 'base64url') },
  'beside the declared column': { id: 1, email, mail: email },
  'among many others': {
    id: 1,
    email,
    a: 1,
    b: new Date(0),
    c: 'x'.repeat(99),
    d: null,
    e: true,
    mail: email,
  },
  'an object without a prototype': { users: Object.assign(Object.create(null), row) },
  'below forty objects, in a circle': {
    rows: Array.from({ length: 40 }, () => ({ circle })).concat([{ circle: { list: [], email } }]),
  },
}

describe('open refuses a sealed value that the query renamed or nested', () => {
  test.each(Object.entries(rows))('%s', (_, given) => {
    for (const open of [users.open, users.tryOpen])
      expect(refuses(() => open.call(users, given), VALUE).message).toMatch(
        /^"row\.\w+" has a sealed value, and "users" declares no such column: .* in "passThrough"$/,
      )
    const { message } = refuses(() => users.openAll([row, given]), VALUE)
    expect(message).toMatch(/^"rows\[1\]\.\w+" has/)
    expect(message).not.toContain(email.slice(0, 7))
  })

  test('of a disabled key, and of a column of another table', () => {
    const ring = Keyring.generate()
    const table = (name: string) =>
      encryptedColumns(name, { keyring: ring, rowKey: 'id', columns: { line: 'text' } })
    const { line } = table('a').seal({ id: 1, line: 'x' })
    const old = ring.keys[0]?.id as number
    ring.promote(ring.add({ key: Buffer.alloc(32, 5) }))
    ring.disable(old)
    for (const name of ['a', 'b']) refuses(() => table(name).open({ id: 1, text: line }), VALUE)
  })
})

test('undeclared values of every other kind pass', () => {
  const other = Keyring.generate().sealText('x')
  const instance = new (class Decimal {
    digits = email
  })()
  const given = {
    id: 1,
    email,
    name: 'A'.repeat(100),
    other,
    index: users.lookup('email', 'x')[0],
    short: email.slice(0, 43),
    bytes: Buffer.from(`A${'b'.repeat(60)}`),
    shortBytes: Buffer.from(email).subarray(0, 32),
    date: new Date(),
    map: new Map([['email', email]]),
    instance,
    circle,
    json: [{ a: [1, 'b', null] }],
    getter: Object.defineProperty({}, 'x', {
      enumerable: true,
      get() {
        throw new Error('of the program')
      },
    }),
    proxy: new Proxy([], { get: () => 2 ** 40 }),
  }
  const opened = users.open(given)
  expect(opened.email).toBe('ada@example.org')
  for (const name of Object.keys(given).slice(2))
    expect(opened[name as never]).toBe(given[name as keyof typeof given])
})

test('passThrough lists properties that pass with sealed values', () => {
  const options = { keyring, rowKey: 'id', columns: { email: 'text' } } as const
  const table = encryptedColumns('users', { ...options, passThrough: ['token', 'posts'] })
  const given = { id: 1, email, token: keyring.sealText('x'), posts: [{ body: email }] }
  expect(table.open(given)).toEqual({ ...given, email: 'ada@example.org' })
  refuses(() => table.open({ ...given, mail: email }), VALUE)
  for (const [wrong, code] of [
    ['token', 'ERR_INVALID_ARG_TYPE'],
    [[7], 'ERR_INVALID_ARG_TYPE'],
    [[''], VALUE],
    [['Email'], VALUE],
    [['email'], VALUE],
  ] as const)
    refuses(() => encryptedColumns('users', { ...options, passThrough: wrong as never }), code)
})
