// The bytes of stored values: node:crypto makes them from docs/formats.md, and the table opens them; and the reverse.
import { createDecipheriv } from 'node:crypto'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { encoded, ID, indexBy, KEY, keyring, sealedBy, users } from './tables.js'

/** What a stored value contains, by node:crypto. */
function contentOf(stored: unknown, place: Uint8Array): Buffer {
  const bytes = Buffer.from(stored as string, 'base64url')
  expect(bytes.toString('base64url')).toBe(stored)
  expect(bytes.subarray(0, 5).toString('hex')).toBe('01deadbeef')
  const decipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(5, 17))
  decipher.setAAD(place)
  decipher.setAuthTag(bytes.subarray(-16))
  return Buffer.concat([decipher.update(bytes.subarray(17, -16)), decipher.final()])
}

const CONTENTS: [string, unknown, string][] = [
  ['email', 'Ada@exämple.org', 'Ada@exämple.org'],
  ['email', '', ''],
  ['age', 36, '36'],
  ['age', -0, '-0'],
  ['age', 1e21, '1e+21'],
  ['age', -1.2345678901234567e-308, '-1.2345678901234567e-308'],
  [
    'address',
    { city: 'Köln', zip: ['50667', null, true, -0, 1.5] },
    '{"city":"Köln","zip":["50667",null,true,-0,1.5]}',
  ],
  ['address', 'a "string"', '"a \\"string\\""'],
  ['photo', Buffer.of(0, 255, 10), '\u0000\u00ff\n'],
]

describe.each(CONTENTS)('%s %j', (name, value, text) => {
  const content = Buffer.from(text, name === 'photo' ? 'latin1' : 'utf8')

  test('is stored as the format says, and opens from it', () => {
    const place = encoded('users', name, '17')
    const stored = users.seal({ id: 17, [name]: value }) as Record<string, unknown>
    expect(contentOf(stored[name], place).equals(content)).toBe(true)
    expect(users.open({ id: 17, [name]: sealedBy(place, content) })).toEqual({ id: 17, [name]: value })
    expect(users.open({ id: '17', [name]: sealedBy(place, content) })).toEqual({ id: '17', [name]: value })
  })
})

test('indexes are HMAC-SHA-256 over the table and the column, and the value', () => {
  const photo = Buffer.of(1, 2, 3)
  const stored = users.seal({ id: 1, email: ' ADA@example.org', age: -0, photo, address: null })
  expect(stored).toMatchObject({
    email_index: indexBy('users.email', 'ada@example.org'),
    age_index: indexBy('users.age', '0'),
    photo_index: indexBy('users.photo', photo),
    address: null,
  })
})

test('the value and the index of docs/formats.md', () => {
  const sealed = 'Ad6tvu-goaKjpKWmp6ipqquOeQ5JMqpw2rHAqxl4sB1VzyYwEIrZSGk'
  expect(users.open({ id: 17, email: sealed }).email).toBe('hardware')
  expect(
    sealedBy(encoded('users', 'email', '17'), 'hardware', Buffer.from('a0a1a2a3a4a5a6a7a8a9aaab', 'hex')),
  ).toBe(sealed)
  expect(users.lookup('email', 'ada@example.org')).toEqual(['3raErmvwv-gGSbZslIPagg'])
})

test('keys of a row: text, numbers, bytes, several, none', () => {
  const bytes = Buffer.from('0123456789abcdef0123456789abcdef', 'hex')
  const keys: [unknown, string | Uint8Array][] = [
    ['a', 'a'],
    ['', ''],
    ['ä', 'ä'],
    ['x'.repeat(64), 'x'.repeat(64)],
    ['x'.repeat(65), 'x'.repeat(65)],
    ['y'.repeat(1000), 'y'.repeat(1000)],
    ['0B9C4F5E-1A2B-4C3D-9E8F-ABCDEF012345', '0b9c4f5e-1a2b-4c3d-9e8f-abcdef012345'],
    ['0b9c4f5e-1a2b-4c3d-9e8f-abcdef012345', '0b9c4f5e-1a2b-4c3d-9e8f-abcdef012345'],
    // No UUIDs: a G, a digit that is not ASCII's, no hyphen, one digit less, braces.
    ...[
      '0B9C4F5E-1A2B-4C3D-9E8F-ABCDEF01234G',
      '0B9C4F5E-1A2B-4C3D-9E8F-ABCDEF01234\u0665',
      '0B9C4F5E01A2B-4C3D-9E8F-ABCDEF012345',
      '0B9C4F5E-1A2B-4C3D-9E8F-ABCDEF01234',
      '{0B9C4F5E-1A2B-4C3D-9E8F-ABCDEF01234',
      '@B9C4F5E-1A2B-4C3D-9E8F-ABCDEF012345',
      '/B9C4F5E-1A2B-4C3D-9E8F-ABCDEF012345',
      '`B9C4F5E-1A2B-4C3D-9E8F-ABCDEF012345',
    ].map((text): [string, string] => [text, text]),
    [17, '17'],
    [-5, '-5'],
    [2 ** 53 - 1, '9007199254740991'],
    [2n ** 64n, '18446744073709551616'],
    [bytes, bytes],
    [new Uint8Array(bytes), bytes],
  ]
  const composite = encryptedColumns('notes', {
    keyring,
    rowKey: ['tenant', 'id'],
    columns: { body: 'text' },
  })
  const loose = encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text' } })
  for (const [key, part] of keys) {
    const place = encoded('users', 'email', part)
    expect(users.open({ id: key, email: sealedBy(place, 'text') }).email).toBe('text')
    expect(contentOf(users.seal({ id: key as never, email: 'text' }).email, place).toString()).toBe('text')
    for (const [other, its] of keys) {
      const two = encoded('notes', 'body', part, its)
      expect(composite.open({ id: other, tenant: key, body: sealedBy(two, 'text') }).body).toBe('text')
    }
  }
  const line = loose.seal({ line: 'text' })
  expect(contentOf(line.line, encoded('logs', 'line')).toString()).toBe('text')
  expect(loose.open({ line: sealedBy(encoded('logs', 'line'), 'text') })).toEqual({ line: 'text' })
})

test('values of guide/fields.md and of columns are one', () => {
  const text = keyring.sealText('ada@example.org', context('users', 'email', 17))
  expect(users.open({ id: 17, email: text })).toEqual({ id: 17, email: 'ada@example.org' })
  const { email } = users.seal({ id: 17, email: 'ada@example.org' })
  expect(keyring.openText(email, context('users', 'email', 17))).toBe('ada@example.org')
  expect(keyring.keyIdOf(email)).toBe(ID)
})

test('every type of key, and keys that come later', () => {
  for (const type of [
    'AES-256-GCM',
    'AES-128-GCM',
    'XAES-256-GCM',
    'AES-256-GCM-SIV',
    'AES-128-GCM-SIV',
  ] as const) {
    const ring = Keyring.generate(type)
    const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { a: 'text', b: 'bytes' } })
    const row = { id: 1, a: 'é'.repeat(20), b: Buffer.alloc(40, 1) }
    const old = table.seal(row)
    expect(table.open(old)).toEqual(row)
    for (const name of ['a', 'b'] as const) {
      expect(old[name].length).toBeLessThanOrEqual(table.length(name, 40))
      expect(old[name].length).toBe(Math.ceil((4 * (40 + (type.startsWith('X') ? 45 : 33))) / 3))
    }
    const id = ring.add({ key: Buffer.alloc(32, 9) })
    ring.promote(id)
    expect(table.open(old)).toEqual(row)
    const now = table.seal(table.open(old))
    expect([ring.keyIdOf(now.a), ring.keyIdOf(now.b)]).toEqual([id, id])
  }
})
