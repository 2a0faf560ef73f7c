// The class Keyring: values of every type of key and every prefix, rotation, counts, fallbacks, and what changes to a keyring leave.
import { Worker } from 'node:worker_threads'
import { AesGcm, AuthenticationError, KeyArena } from 'hardware-aes-gcm'
import {
  context,
  type KeyEntry,
  type KeyPrefix,
  Keyring,
  type KeyType,
  UnknownKeyError,
} from 'hardware-aes-gcm/keyring'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { Random, refuses } from '../../tools/support.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const UNKNOWN = 'ERR_AESGCM_UNKNOWN_KEY'
const CLASSES = {
  'AES-256-GCM': [AesGcm, 32],
  'AES-128-GCM': [AesGcm, 16],
  'XAES-256-GCM': [XAesGcm, 32],
  'AES-256-GCM-SIV': [AesGcmSiv, 32],
  'AES-128-GCM-SIV': [AesGcmSiv, 16],
} as const
const TYPES = Object.keys(CLASSES) as KeyType[]
const PREFIXES: KeyPrefix[] = ['tink', 'raw', 'crunchy', 'legacy']
const pairs = TYPES.flatMap(type =>
  PREFIXES.filter(prefix => type !== 'XAES-256-GCM' || prefix === 'tink' || prefix === 'raw').map(
    prefix => [type, prefix] as const,
  ),
)
const random = new Random('keyrings')
const key = (type: KeyType) => random.bytes(CLASSES[type][1])
const TEXTS = [
  '',
  'a',
  'sk_live_51Mx',
  'é',
  'Grüße',
  '€',
  '日本語',
  '😀',
  'a\u0000b',
  '\ufffd',
  '\ufeffx',
  'x'.repeat(63),
]

describe.each(pairs)('%s, %s', (type, prefix) => {
  const bytes = key(type)
  const entry: KeyEntry = { id: 0x89abcdef, key: bytes, type, prefix }
  const keyring = new Keyring([entry])
  const head = prefix === 'raw' ? '' : prefix === 'tink' ? '0189abcdef' : '0089abcdef'

  test('a value is the prefix and a frame of the class of the cipher', () => {
    const [Class] = CLASSES[type]
    const single = new Class(bytes)
    for (const length of [0, 1, 15, 16, 64, 1000, 70_000]) {
      const plaintext = random.bytes(length)
      for (const aad of [undefined, null, Buffer.alloc(0), random.bytes(20)]) {
        const sealed = keyring.seal(plaintext, aad)
        expect(sealed.subarray(0, head.length / 2).toString('hex')).toBe(head)
        const frame = sealed.subarray(head.length / 2)
        expect(single.decrypt(frame, aad).equals(plaintext)).toBe(true)
        const theirs = Buffer.concat([Buffer.from(head, 'hex'), single.encrypt(plaintext, aad)])
        expect(keyring.open(theirs, aad).equals(plaintext)).toBe(true)
        expect(keyring.tryOpen(theirs, aad)?.equals(plaintext)).toBe(true)
        expect(keyring.tryOpen(theirs, 'other')).toBeNull()
        refuses(() => keyring.open(theirs, 'other'), AUTHENTICATION)
      }
    }
  })

  test('a text is the base64url of the value of its UTF-8', () => {
    const long = [
      '€'.repeat(1365),
      'x'.repeat(4095),
      'x'.repeat(4096),
      'x'.repeat(4097),
      `${'é'.repeat(9000)}😀`,
    ]
    const short = [undefined, '', 'users/17', 'Straße', context('a', 1)]
    const cases = TEXTS.flatMap(text => short.map(aad => [text, aad] as const))
    const longer = long.map(
      (text, i) => [text, i % 2 === 0 ? 'a'.repeat(1023 + i) : '€'.repeat(5000)] as const,
    )
    for (const [text, aad] of [...cases, ...longer]) {
      const sealed = keyring.sealText(text, aad)
      expect(sealed).toMatch(/^[\w-]+$/)
      const value = Buffer.from(sealed, 'base64url')
      expect(value.toString('base64url')).toBe(sealed)
      const asBytes = typeof aad === 'string' ? Buffer.from(aad) : aad
      expect(keyring.open(value, asBytes).toString()).toBe(text)
      expect(keyring.openText(sealed, aad)).toBe(text)
      expect(keyring.tryOpenText(sealed, aad)).toBe(text)
      const other = keyring.seal(Buffer.from(text), asBytes).toString('base64url')
      expect(keyring.openText(other, aad)).toBe(text)
      expect(keyring.tryOpenText(sealed, 'other')).toBeNull()
    }
  })

  test('comes back from its export', () => {
    const again = Keyring.parse(keyring.export())
    expect(again.export()).toBe(keyring.export())
    expect(again.openText(keyring.sealText('x'))).toBe('x')
    expect(again.keys[0]).toMatchObject({ id: 0x89abcdef, type, prefix, primary: true, status: 'enabled' })
  })
})

test('ids are drawn at random, never 0, and differ in their first 28 bits; texts begin with the prefix of their key', () => {
  const keyring = Keyring.generate()
  for (let i = 0; i < 300; i++) keyring.add({ key: random.bytes(16) })
  const { keys } = keyring
  expect(new Set(keys.map(({ id }) => id >>> 4)).size).toBe(301)
  expect(new Set(keys.map(({ textPrefix }) => textPrefix)).size).toBe(301)
  expect(keys.some(({ id }) => id > 2 ** 31) && keys.some(({ id }) => id < 2 ** 31)).toBe(true)
  for (const { id, textPrefix } of keys.slice(0, 20)) {
    keyring.promote(id)
    const text = keyring.sealText('x')
    expect([text.slice(0, 6), keyring.keyIdOf(text), keyring.keyIdOf(keyring.seal(Buffer.alloc(1)))]).toEqual(
      [textPrefix, id, id],
    )
  }
  for (const [id, expected] of [
    [0, 'AQAAAA'],
    [2 ** 32 - 1, 'Af____'],
    [707406378, 'ASoqKi'],
  ] as const)
    expect(new Keyring([{ id, key: random.bytes(32) }]).keys[0]?.textPrefix).toBe(expected)
})

test('keyIdOf reads a prefix and nothing else', () => {
  const keyring = Keyring.generate()
  expect(keyring.keyIdOf('AQAAAAc')).toBe(7)
  expect(keyring.keyIdOf(Buffer.from('00ffffffff', 'hex'))).toBe(2 ** 32 - 1)
  for (const value of [
    '',
    'AQAAAA',
    'AQAA+Ac',
    'AQAAA\u0141c',
    'iv:tag:ct',
    Buffer.alloc(4),
    Buffer.alloc(9, 2),
  ])
    expect(keyring.keyIdOf(value)).toBeNull()
})

test('rotation: both keys open, the primary one seals, and rotate gives a value of it', () => {
  const keyring = Keyring.generate()
  const [old] = keyring.keys
  const [text, value] = [keyring.sealText('secret', 'row 1'), keyring.seal(Buffer.from('bytes'), 'row 2')]
  expect([keyring.needsRotation(text), keyring.rotate(text, 'row 1'), keyring.rotate(value)]).toEqual([
    false,
    text,
    value,
  ])
  const id = keyring.add({ key: AesGcm.generateKey(), type: 'AES-256-GCM-SIV' })
  expect(keyring.needsRotation(text)).toBe(false)
  keyring.promote(id)
  expect(keyring.keys.map(({ primary }) => primary)).toEqual([false, true])
  for (const one of [text, value, 'iv:tag:ciphertext', '', Buffer.alloc(0)])
    expect(keyring.needsRotation(one)).toBe(true)
  const renewed = keyring.rotate(text, 'row 1')
  expect([keyring.keyIdOf(renewed), keyring.openText(renewed, 'row 1')]).toEqual([id, 'secret'])
  expect(keyring.open(keyring.rotate(value, 'row 2'), 'row 2').toString()).toBe('bytes')
  refuses(() => keyring.rotate(text, 'row 2'), AUTHENTICATION)
  keyring.disable(old?.id as number)
  expect(refuses(() => keyring.openText(text, 'row 1'), UNKNOWN)).toMatchObject({ keyId: old?.id })
  keyring.enable(old?.id as number)
  expect(keyring.openText(text, 'row 1')).toBe('secret')
  keyring.delete(old?.id as number)
  const error = refuses(() => keyring.open(value, 'row 2'), UNKNOWN)
  expect(error).toBeInstanceOf(AuthenticationError)
  expect(error).toBeInstanceOf(UnknownKeyError)
  expect({ ...error }).toEqual({ code: 'ERR_AESGCM_UNKNOWN_KEY', keyId: old?.id })
  expect(error.stack).toContain(`UnknownKeyError: no enabled key of this keyring has the id ${old?.id}`)
  expect(keyring.tryOpen(value, 'row 2')).toBeNull()
  expect(keyring.tryOpenText(text, 'row 1')).toBeNull()
})

test('a primary key without a prefix: every value needs rotation, since none tells its key', () => {
  const keyring = new Keyring([
    { key: random.bytes(32), prefix: 'raw' },
    { id: 5, key: random.bytes(32) },
  ])
  const raw = keyring.sealText('x')
  keyring.promote(5)
  const named = keyring.sealText('x')
  expect([keyring.needsRotation(raw), keyring.needsRotation(named)]).toEqual([true, false])
  keyring.promote(keyring.keys[1]?.id as number)
  expect([keyring.needsRotation(raw), keyring.needsRotation(named)]).toEqual([true, true])
  expect(keyring.openText(keyring.rotate(raw))).toBe('x')
})

test('a keyring has at most 1 000 keys', () => {
  const keys = Array.from({ length: 1000 }, (_, i) => ({ id: i + 1, key: Buffer.alloc(16, i) }))
  const keyring = new Keyring(keys)
  expect(refuses(() => keyring.add({ key: random.bytes(16) }), 'ERR_OUT_OF_RANGE').message).toContain('1000')
  refuses(() => new Keyring([...keys, { id: 1001, key: random.bytes(16) }]), 'ERR_OUT_OF_RANGE')
  keyring.delete(7)
  expect(keyring.add({ id: 7, key: random.bytes(16) })).toBe(7)
  expect(keyring.keys.length).toBe(1000)
})

test('changes that would leave no primary key, or that name no key, change nothing', () => {
  const keyring = new Keyring([
    { id: 1, key: random.bytes(32) },
    { id: 2, key: random.bytes(32), status: 'disabled' },
  ])
  const before = keyring.export()
  refuses(() => keyring.disable(1), 'ERR_INVALID_STATE')
  refuses(() => keyring.delete(1), 'ERR_INVALID_STATE')
  refuses(() => keyring.promote(2), 'ERR_INVALID_STATE')
  for (const change of ['promote', 'enable', 'disable', 'delete'] as const) {
    refuses(() => keyring[change](3), 'ERR_INVALID_ARG_VALUE')
    for (const id of [-1, 2 ** 32, 0.5, Number.NaN]) refuses(() => keyring[change](id), 'ERR_OUT_OF_RANGE')
    for (const id of ['1', undefined, null, 1n])
      refuses(() => keyring[change](id as never), 'ERR_INVALID_ARG_TYPE')
  }
  refuses(() => keyring.add({ id: 1, key: random.bytes(32) }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => keyring.add({ key: random.bytes(24) }), 'ERR_AESGCM_INVALID_KEY_LENGTH')
  expect(keyring.export()).toBe(before)
  keyring.delete(2)
  expect(keyring.add({ id: 2, key: random.bytes(16) })).toBe(2)
  expect(keyring.keys.map(({ id, type }) => [id, type])).toEqual([
    [1, 'AES-256-GCM'],
    [2, 'AES-128-GCM'],
  ])
})

test('keys without a prefix: at most 8 that are enabled, tried last, each with its own count of failures', () => {
  const raw = () => ({ key: random.bytes(32), prefix: 'raw' as const })
  const keyring = new Keyring(Array.from({ length: 8 }, raw))
  refuses(() => keyring.add(raw()), 'ERR_OUT_OF_RANGE')
  refuses(() => new Keyring(Array.from({ length: 9 }, raw)), 'ERR_OUT_OF_RANGE')
  const ninth = keyring.add({ ...raw(), status: 'disabled' })
  refuses(() => keyring.enable(ninth), 'ERR_OUT_OF_RANGE')
  const values = keyring.keys.slice(0, 8).map(({ id }) => {
    keyring.promote(id)
    return [keyring.seal(Buffer.from(`${id}`)), keyring.sealText(`${id}`)] as const
  })
  keyring.add({ id: 77, key: random.bytes(32) })
  keyring.promote(77)
  for (const [i, [value, text]] of values.entries()) {
    expect(keyring.open(value).toString()).toBe(`${keyring.keys[i]?.id}`)
    expect(keyring.openText(text)).toBe(`${keyring.keys[i]?.id}`)
  }
  keyring.disable(keyring.keys[0]?.id as number)
  expect(keyring.tryOpen(values[0]?.[0] as Buffer)).toBeNull()
  keyring.enable(ninth)
  expect(Keyring.parse(keyring.export()).export()).toBe(keyring.export())
})

test('messages are counted for each key, and limited', () => {
  const keyring = new Keyring([{ id: 1, key: random.bytes(32) }], { maxMessages: 3 })
  keyring.seal(Buffer.alloc(1))
  keyring.sealText('x')
  keyring.sealJwe('x')
  for (const call of [
    () => keyring.seal(Buffer.alloc(1)),
    () => keyring.sealText('x'),
    () => keyring.sealJwe('x'),
  ]) {
    expect(refuses(call, 'ERR_AESGCM_KEY_EXHAUSTED').message).toContain('promote')
  }
  expect(keyring.keys.map(({ messagesEncrypted }) => messagesEncrypted)).toEqual([3])
  keyring.promote(keyring.add({ key: random.bytes(32) }))
  keyring.seal(Buffer.alloc(1))
  expect(keyring.keys.map(({ messagesEncrypted }) => messagesEncrypted)).toEqual([3, 1])
})

test('the options: a primary key, an arena, a backend', () => {
  using arena = new KeyArena({ keys: 3 })
  const keys = [
    { id: 1, key: random.bytes(32) },
    { id: 2, key: random.bytes(32), type: 'XAES-256-GCM' as const },
  ]
  const keyring = new Keyring(keys, { primary: 2, arena })
  expect([keyring.keys[0]?.primary, arena.used]).toEqual([true, 3])
  refuses(() => keyring.add({ key: random.bytes(32) }), 'ERR_AESGCM_ARENA_FULL')
  keyring.promote(1)
  keyring.delete(2)
  expect(arena.used).toBe(1)
  const text = keyring.sealText('x')
  arena.destroy()
  for (const call of [() => keyring.sealText('x'), () => keyring.openText(text), () => keyring.export()])
    refuses(call, 'ERR_AESGCM_DESTROYED')
  refuses(() => new Keyring(keys, { primary: 3 }), 'ERR_INVALID_ARG_VALUE')
  refuses(() => Keyring.generate('AES-256-GCM', { primary: 3 } as never), 'ERR_INVALID_ARG_VALUE')
  refuses(() => new Keyring(keys, { backend: 'none' as never }), 'ERR_INVALID_ARG_VALUE')
})

test('a key that is not added leaves nothing in the arena', () => {
  using arena = new KeyArena({ keys: 5 })
  const keyring = new Keyring([{ id: 1, key: random.bytes(32) }], { arena })
  const entry = {
    id: 2,
    get key() {
      // The id is taken after it was looked for.
      keyring.add({ id: 2, key: random.bytes(32) })
      return random.bytes(32)
    },
  }
  expect(() => keyring.add(entry)).toThrow('"entry.id"')
  expect(arena.used).toBe(2)
})

test('a constructor that fails leaves no key in its arena', () => {
  using arena = new KeyArena({ keys: 5 })
  for (const wrong of [{ id: 1, key: random.bytes(32) }, { key: random.bytes(5) }, {}, null, { key: 'text' }])
    expect(() => new Keyring([{ id: 1, key: random.bytes(32) }, wrong as KeyEntry], { arena })).toThrow()
  expect(() => new Keyring([{ id: 1, key: random.bytes(32), status: 'disabled' }], { arena })).toThrow()
  expect(arena.used).toBe(0)
})

test('readers of other formats are asked for a text that does not open, in order, and never before', () => {
  const keyring = Keyring.generate()
  const asked: unknown[] = []
  const reader = (name: string, text: string | null) => ({
    tryOpen(sealed: string, aad?: unknown) {
      asked.push([name, sealed, aad])
      return text
    },
  })
  const fallback = [reader('a', null), reader('b', 'old')]
  expect(keyring.openText(keyring.sealText('new', 'x'), 'x', { fallback })).toBe('new')
  expect(asked).toEqual([])
  expect(keyring.openText('iv:tag:ct', 'x', { fallback })).toBe('old')
  expect(keyring.tryOpenText('iv:tag:ct', 'x', { fallback: fallback[1] })).toBe('old')
  expect(asked).toEqual([
    ['a', 'iv:tag:ct', 'x'],
    ['b', 'iv:tag:ct', 'x'],
    ['b', 'iv:tag:ct', 'x'],
  ])
  expect(keyring.openText(keyring.rotate('iv:tag:ct', 'row', { fallback }), 'row')).toBe('old')
  const unknown = Keyring.generate().sealText('x')
  expect(keyring.openText(unknown, 'x', { fallback })).toBe('old')
  refuses(() => keyring.openText(unknown, 'x', { fallback: [] }), UNKNOWN)
  refuses(() => keyring.openText('plain text', null, { fallback: reader('c', null) }), AUTHENTICATION)
  expect(keyring.tryOpenText('plain text', null, { fallback: reader('c', null) })).toBeNull()
  for (const wrong of [5, 'x', {}, { tryOpen: 1 }, [null]])
    refuses(() => keyring.openText(unknown, null, { fallback: wrong as never }), 'ERR_INVALID_ARG_TYPE')
  refuses(
    () => keyring.openText('x', null, { fallback: { tryOpen: () => 5 as never } }),
    'ERR_INVALID_ARG_TYPE',
  )
  refuses(() => keyring.openText('x', null, { fallbacks: [] } as never), 'ERR_INVALID_ARG_VALUE')
})

test('tokens: by the id of the key; without an id, by keys without a prefix', () => {
  const keyring = new Keyring([
    { id: 9, key: random.bytes(32) },
    { id: 8, key: random.bytes(16) },
    { id: 7, key: random.bytes(32), type: 'XAES-256-GCM' },
  ])
  const token = keyring.sealJwe('payload', { typ: 'JWT' })
  expect(JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString())).toEqual({
    alg: 'dir',
    enc: 'A256GCM',
    kid: '9',
    typ: 'JWT',
  })
  keyring.promote(8)
  expect(keyring.openJwe(token).toString()).toBe('payload')
  expect(keyring.openJwe(keyring.sealJwe(Buffer.from([0, 255])))).toEqual(Buffer.from([0, 255]))
  keyring.promote(7)
  refuses(() => keyring.sealJwe('x'), 'ERR_INVALID_STATE')
  keyring.delete(9)
  expect(refuses(() => keyring.openJwe(token), UNKNOWN)).toMatchObject({ keyId: 9 })
  refuses(() => keyring.openJwe('a.b.c.d.e'), AUTHENTICATION)
})

test('after destroy, every method refuses, and destroyed tells it', () => {
  const keyring = Keyring.generate()
  const text = keyring.sealText('x')
  const id = keyring.keys[0]?.id as number
  keyring.destroy()
  keyring.destroy()
  expect(keyring.destroyed).toBe(true)
  for (const call of [
    () => keyring.seal(Buffer.alloc(1)),
    () => keyring.open(Buffer.alloc(50)),
    () => keyring.tryOpen(Buffer.alloc(50)),
    () => keyring.sealText('x'),
    () => keyring.openText(text),
    () => keyring.tryOpenText('x'),
    () => keyring.sealJwe('x'),
    () => keyring.openJwe('x'),
    () => keyring.rotate(text),
    () => keyring.needsRotation(text),
    () => keyring.keyIdOf(text),
    () => keyring.keys,
    () => keyring.add({ key: random.bytes(32) }),
    () => keyring.promote(id),
    () => keyring.enable(id),
    () => keyring.disable(id),
    () => keyring.delete(id),
    () => keyring.export(),
  ])
    refuses(call, 'ERR_AESGCM_DESTROYED')
  {
    using scoped = Keyring.generate()
    expect(scoped.destroyed).toBe(false)
  }
})

test('a worker thread gets the keyring by its export', async () => {
  const keyring = Keyring.generate('XAES-256-GCM')
  const script = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { Keyring } = require('hardware-aes-gcm/keyring')
    const keyring = Keyring.parse(workerData.keyset)
    parentPort.postMessage(keyring.sealText(keyring.openText(workerData.text, 'there'), 'back'))`
  const workerData = { keyset: keyring.export(), text: keyring.sealText('across', 'there') }
  const worker = new Worker(script, { eval: true, workerData })
  const answer = await new Promise<string>((resolve, reject) =>
    worker.once('message', resolve).once('error', reject),
  )
  expect(keyring.openText(answer, 'back')).toBe('across')
})
