// Values of every kind in every type of column: each comes back as it was, or is refused by an error that names its column.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createContext, runInContext } from 'node:vm'
import { encryptedColumns, NotSealedError } from 'hardware-aes-gcm/columns'
import { BlindIndex, Keyring, UnknownKeyError } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { detach, refuses, thrown } from '../../tools/support.js'
import { encoded, keyring, sealedBy, users } from './tables.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const RANGE = 'ERR_OUT_OF_RANGE'
const seal = (name: string, value: unknown) => users.seal({ id: 1, [name]: value } as never)
const says = (name: string, value: unknown, code: string) => refuses(() => seal(name, value), code).message

class Person {
  name = 'Ada'
}

describe('refused, with the name of the column', () => {
  test.each<[string, unknown, string, string]>([
    ['email', 7, TYPE, 'a string, or null, got number'],
    ['email', true, TYPE, 'a string, or null, got boolean'],
    ['email', 7n, TYPE, "a string, or null, got bigint: a column of type 'text' keeps String(value)"],
    ['email', new Date(0), TYPE, 'a string, or null, got a Date: date.toISOString() is its text'],
    ['email', Buffer.of(1), TYPE, "a string, or null, got Uint8Array: declare the column as 'bytes'"],
    ['email', new String('x'), TYPE, 'a string, or null, got object'],
    ['email', Symbol('x'), TYPE, 'a string, or null, got symbol'],
    ['age', '7', TYPE, 'a number, or null, got string'],
    ['age', 7n, TYPE, "a number, or null, got bigint: a column of type 'text' keeps String(value)"],
    ['age', Number.NaN, RANGE, 'a finite number, got NaN'],
    ['age', Infinity, RANGE, 'a finite number, got Infinity'],
    ['age', -Infinity, RANGE, 'a finite number, got -Infinity'],
    ['photo', 'x', TYPE, 'a Uint8Array, or null, got string'],
    ['photo', [1, 2], TYPE, 'a Uint8Array, or null, got Array: if it holds numbers, Uint8Array.from(array)'],
    ['photo', new ArrayBuffer(3), TYPE, 'a Uint8Array, or null, got ArrayBuffer: new Uint8Array(buffer)'],
    ['photo', new Uint16Array(3), TYPE, 'a Uint8Array, or null, got Uint16Array'],
    ['address', Number.NaN, VALUE, 'JSON, which has no NaN: pass null or a string'],
    ['address', 7n, VALUE, 'JSON, which has no bigint: pass a string'],
    ['address', () => 1, VALUE, 'JSON, which has no function'],
    ['address', Symbol('x'), VALUE, 'JSON, which has no symbol'],
    ['address', new Date(0), VALUE, 'JSON, which has no Date: pass date.toISOString()'],
    ['address', new Map(), VALUE, 'JSON, which has no instances of classes, such as this object'],
    ['address', Buffer.of(1), VALUE, 'JSON, which has no instances of classes, such as this Uint8Array'],
    ['address', new Person(), VALUE, 'JSON, which has no instances of classes'],
    ['address', new Number(1), VALUE, 'JSON, which has no instances of classes'],
  ])('%s: %o', (name, value, code, message) => {
    expect(says(name, value, code)).toMatch(`"row.${name}" must be ${message}`)
  })

  test('in JSON at any depth, without a name of a member, which is data', () => {
    for (const value of [
      { since: new Date(0) },
      [1, [2, { x: 3n }]],
      [undefined],
      new Array(2),
      { a: { 'ada@example.org': Infinity } },
    ])
      expect(says('address', value, VALUE)).toMatch(
        /^"row.address" must be JSON, which has no (?!.*(since|ada@))/,
      )
    const circle: unknown[] = []
    circle.push(circle)
    expect(says('address', circle, VALUE)).toContain('at most 500 levels here: is it circular?')
    let deep: unknown = 'deep'
    for (let i = 0; i < 500; i++) deep = i % 2 === 0 ? [deep] : { deep }
    expect(users.open(seal('address', deep))).toStrictEqual({ id: 1, address: deep })
    refuses(() => seal('address', [deep]), VALUE)
  })

  test('an empty text, whose sealed value is the shortest', () => {
    const { email, address } = users.seal({ id: 1, email: '', address: 1 })
    expect(email).toHaveLength(44)
    expect(says('email', email, VALUE)).toContain('"row.email" is already sealed')
    const moved = thrown(() => users.open({ id: 2, email, address }))
    expect([moved.name, moved instanceof NotSealedError]).toEqual(['AuthenticationError', false])
  })

  test('texts and bytes without an encoding', () => {
    for (const text of ['\ud800', 'a\udc00', '\udc00\ud800'])
      expect(says('email', text, VALUE)).toContain('"row.email" has an unpaired surrogate')
    refuses(() => seal('photo', detach(Buffer.from(Buffer.alloc(200).buffer))), 'ERR_AESGCM_DETACHED_BUFFER')
    expect(
      refuses(() => seal('photo', new Uint8Array(new SharedArrayBuffer(8))), 'ERR_AESGCM_SHARED_BUFFER')
        .message,
    ).toContain('"row.photo"')
  })
})

describe('decided answers', () => {
  const back = (name: string, value: unknown) =>
    (users.open(seal(name, value)) as Record<string, unknown>)[name]

  test('JSON and NULL', () => {
    expect(seal('address', null)).toEqual({ id: 1, address: null })
    expect(back('address', [null, { a: null }])).toStrictEqual([null, { a: null }])
    // Sealed by another program, JSON's null reads as NULL does.
    expect(
      users.open({ id: 1, address: sealedBy(encoded('users', 'address', '1'), 'null') }).address,
    ).toBeNull()
    expect(back('address', { a: undefined, b: 1, [Symbol('x')]: 2 })).toStrictEqual({ b: 1 })
    expect(back('address', 'lone \ud800')).toBe('lone \ud800')
    expect(back('address', { '\udc00': 1 })).toStrictEqual({ '\udc00': 1 })
    expect(back('address', [-0])).toStrictEqual([-0])
    const own = JSON.parse('{"__proto__":{"admin":true}}')
    expect(Object.keys(back('address', own) as object)).toEqual(['__proto__'])
    expect(back('address', Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 })
  })

  test('values of another realm', () => {
    const realm = createContext()
    expect(back('address', runInContext('({ a: [1, { b: null }] })', realm))).toStrictEqual({
      a: [1, { b: null }],
    })
    expect(back('photo', runInContext('new Uint8Array([1, 2])', realm))).toStrictEqual(Buffer.of(1, 2))
    expect(says('address', runInContext('new Date(0)', realm), VALUE)).toContain('no Date')
  })

  test('bytes are returned in memory of their own', () => {
    const memory = Buffer.alloc(100, 7)
    const photo = back('photo', memory.subarray(10, 20)) as Buffer
    expect(photo).toStrictEqual(Buffer.alloc(10, 7))
    expect(photo.buffer.byteLength).toBe(10)
    expect(back('photo', new Uint8Array(3))).toStrictEqual(Buffer.alloc(3))
  })
})

describe('in clear, it is never returned', () => {
  const clear: [string, unknown][] = [
    ['email', 'ada@example.org'],
    ['email', ''],
    ['email', 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHw=='],
    ['email', `AQ${'A'.repeat(41)}`],
    ['age', 36],
    ['age', '36'],
    ['photo', Buffer.alloc(60, 1)],
    ['photo', 'not base64url!'],
    ['photo', Buffer.from('clear').toString('base64url')],
    ['address', { city: 'Köln' }],
    ['address', '{"city":"Köln"}'],
    ['address', true],
    ['email', new Date(0)],
  ]

  test.each(clear)('%s: %j', (name, value) => {
    let events = 0
    const count = () => void events++
    subscribe('hardware-aes-gcm:authentication-failed', count)
    try {
      const row = { id: 1, [name]: value }
      const error = refuses(() => users.open(row), 'ERR_AESGCM_NOT_SEALED')
      expect(error).toBeInstanceOf(NotSealedError)
      expect(error).toMatchObject({ column: name })
      // Without the places of functions: a path may have digits of a value.
      const stack = error.stack?.replaceAll(/^ +at .*$/gm, '')
      expect(`${stack} ${JSON.stringify(error)}`).not.toMatch(/ada@|Köln|36/)
      expect(events).toBe(1)
      expect(users.tryOpen(row)).toBeNull()
      expect(events).toBe(2)
      expect(refuses(() => users.openAll([{ id: 1 }, row]), 'ERR_AESGCM_NOT_SEALED')).toMatchObject({
        index: 1,
      })
    } finally {
      unsubscribe('hardware-aes-gcm:authentication-failed', count)
    }
  })

  test('and a value of an unknown key names its id', () => {
    const other = Keyring.generate()
    const table = encryptedColumns('users', {
      keyring: other,
      rowKey: 'id',
      columns: { email: 'text', photo: 'bytes' },
    })
    const row = table.seal({ id: 1, email: 'x', photo: Buffer.of(1) })
    for (const name of ['email', 'photo'] as const) {
      const error = refuses(() => users.open({ id: 1, [name]: row[name] }), 'ERR_AESGCM_UNKNOWN_KEY')
      expect(error).toBeInstanceOf(UnknownKeyError)
      expect(error).toMatchObject({ keyId: other.keys[0]?.id, column: name })
    }
  })
})

test('a value that is sealed is not sealed again', () => {
  const stored = users.seal({ id: 1, email: 'a', address: 'text' })
  for (const row of [stored, { id: 1, email: stored.email }, { id: '1', address: stored.address }])
    expect(refuses(() => users.seal(row), VALUE).message).toContain('is already sealed: open the row before')
  // A value of the same keyring for another purpose is any text.
  const cookie = keyring.sealText('session', 'cookie')
  expect(users.open(users.seal({ id: 1, email: cookie })).email).toBe(cookie)
})

test('authentic values of another type', () => {
  const place = (name: string) => encoded('users', name, '1')
  const at = (name: string, content: string | Uint8Array) => () =>
    users.tryOpen({ id: 1, [name]: sealedBy(place(name), content) })
  for (const content of ['', 'x', '"7"', '1e999', 'NaN', 'null', '[1]', '0x10', '7 apples'])
    expect(refuses(at('age', content), VALUE).message).toBe(
      '"row.age" is authentic, but not a number: was the column declared with another type?',
    )
  for (const content of ['', 'secret text', '{"a":1', 'undefined'])
    expect(thrown(at('address', content)).message).toMatch(/^"row.address" is authentic, but not JSON: /)
  expect(refuses(at('email', Buffer.of(0xff)), VALUE).message).toContain('UTF-8')
  expect(at('age', ' 7e0 ')()).toEqual({ id: 1, age: 7 })
})

test('the keyring decides: destroyed, used up, promoted to a key whose values look otherwise', () => {
  const columns = { email: 'text' } as const
  const ring = Keyring.generate('AES-256-GCM', { maxMessages: 1 })
  const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns })
  const stored = table.seal({ id: 1, email: 'a' })
  refuses(() => table.seal({ id: 1, email: 'a' }), 'ERR_AESGCM_KEY_EXHAUSTED')
  ring.promote(ring.add({ key: Buffer.alloc(32, 1), prefix: 'crunchy' }))
  expect(refuses(() => table.seal({ id: 1, email: 'a' }), 'ERR_INVALID_STATE').message).toContain('"t.email"')
  expect(table.open(stored).email).toBe('a')
  ring.destroy()
  refuses(() => table.open(stored), 'ERR_AESGCM_DESTROYED')
  refuses(() => table.tryOpen(stored), 'ERR_AESGCM_DESTROYED')
})

test('old values of a key without a prefix open, and are sealed under the primary one', () => {
  const key = BlindIndex.generateKey()
  const place = encoded('t', 'email', '1')
  const old = new Keyring([{ key, prefix: 'raw' }]).sealText('by hand', place)
  const ring = new Keyring([{ key: Buffer.alloc(32, 3) }, { key, prefix: 'raw' }])
  const table = encryptedColumns('t', { keyring: ring, rowKey: 'id', columns: { email: 'text' } })
  expect(table.open({ id: 1, email: old })).toEqual({ id: 1, email: 'by hand' })
  expect(ring.needsRotation(table.seal(table.open({ id: 1, email: old })).email)).toBe(false)
})
