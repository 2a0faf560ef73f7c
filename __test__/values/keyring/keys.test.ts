// The keys of a keyring as they are added and changed, and as values name them: limits, ids at their bounds, and what errors say.
import { createCipheriv } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { AuthenticationError, KeyArena } from 'hardware-aes-gcm'
import { type KeyEntry, Keyring, UnknownKeyError } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses, thrown } from '../../tools/support.js'

const KEY = Buffer.alloc(32, 7)
const RANGE = 'ERR_OUT_OF_RANGE'
const raw = (id: number): KeyEntry => ({ id, key: Buffer.alloc(32, id), prefix: 'raw' })
const raws = (count: number) => Array.from({ length: count }, (_, i) => raw(i + 1))

describe('the prefix of a value', () => {
  const keyring = new Keyring([{ id: 5, key: KEY }])
  const withRaw = new Keyring([{ id: 5, key: KEY }, raw(1)])
  const value = (prefix: string) => Buffer.concat([Buffer.from(prefix, 'hex'), Buffer.alloc(40)])

  test.each([
    ['0000000000', 0],
    ['0100000000', 0],
    ['000000ffff', 0xffff],
    ['0100010000', 0x10000],
    ['01ffffffff', 0xffffffff],
  ])('%s is that of an unknown key', (prefix, keyId) => {
    const bytes = value(prefix)
    const text = bytes.toString('base64url')
    expect([keyring.keyIdOf(bytes), keyring.keyIdOf(text)]).toEqual([keyId, keyId])
    for (const call of [() => keyring.open(bytes), () => keyring.openText(text)]) {
      const error = thrown(call) as UnknownKeyError
      expect([error.constructor, error.keyId]).toEqual([UnknownKeyError, keyId])
    }
    expect(thrown(() => withRaw.open(bytes)).constructor).toBe(AuthenticationError)
  })

  test.each(['0200000000', '0200000005', 'ff00000005'])('%s names no key', prefix => {
    const bytes = value(prefix)
    expect([keyring.keyIdOf(bytes), keyring.keyIdOf(bytes.toString('base64url'))]).toEqual([null, null])
    expect(thrown(() => keyring.open(bytes)).constructor).toBe(AuthenticationError)
  })

  test('another version or another id in the prefix: the value does not open', () => {
    for (const ring of [keyring, withRaw])
      for (const prefix of ['0000000005', '0200000005', '0100000006', '0100000001']) {
        const bytes = Buffer.concat([Buffer.from(prefix, 'hex'), ring.seal(Buffer.from('x')).subarray(5)])
        expect([ring.tryOpen(bytes), ring.tryOpenText(bytes.toString('base64url'))]).toEqual([null, null])
      }
    // The keyring has the id, so that the key is not unknown.
    expect(thrown(() => keyring.open(value('0000000005'))).constructor).toBe(AuthenticationError)
  })

  test('the first bytes of a value without a prefix are that of a key by chance: the value opens', () => {
    const nonce = Buffer.from('010000000506070809101112', 'hex')
    const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), nonce)
    const frame = Buffer.concat([nonce, cipher.update('x'), cipher.final(), cipher.getAuthTag()])
    expect([withRaw.open(frame).toString(), withRaw.openText(frame.toString('base64url'))]).toEqual([
      'x',
      'x',
    ])
  })
})

describe('keys without a prefix', () => {
  test('are counted once, however often they are enabled', () => {
    const keyring = new Keyring(raws(7))
    keyring.enable(7)
    keyring.add(raw(8))
    keyring.enable(8)
    keyring.enable(keyring.add({ key: KEY, status: 'disabled' }))
    refuses(() => keyring.add(raw(9)), RANGE)
  })

  test('are uncounted once, however often they are disabled, and if they are deleted', () => {
    const keyring = new Keyring([{ id: 100, key: KEY }, ...raws(8)])
    const last = new Keyring([raw(8)]).sealText('x')
    keyring.disable(1)
    keyring.disable(1)
    keyring.add(raw(9))
    refuses(() => keyring.add(raw(10)), RANGE)
    keyring.delete(1)
    refuses(() => keyring.add(raw(10)), RANGE)
    keyring.delete(2)
    keyring.add(raw(10))
    refuses(() => keyring.add(raw(11)), RANGE)
    for (const id of [3, 4, 5, 6, 7, 9, 10, 3, 4]) keyring.disable(id)
    expect(keyring.openText(last)).toBe('x')
  })
})

describe('a key that is added', () => {
  test('to a full keyring is refused before its entry is read, and after a getter of the entry filled it', () => {
    const keyring = new Keyring(Array.from({ length: 1000 }, (_, i) => ({ id: i + 1, key: KEY })))
    const full = 'a keyring has at most 1000 keys: delete some'
    expect(refuses(() => keyring.add({} as KeyEntry), RANGE).message).toBe(full)
    keyring.delete(7)
    const entry = {
      get key() {
        keyring.add({ key: KEY })
        return KEY
      },
    }
    expect(refuses(() => keyring.add(entry), RANGE).message).toBe(full)
    expect(keyring.keys).toHaveLength(1000)
  })

  test('by an entry whose getter destroys the keyring leaves nothing in the arena', () => {
    using arena = new KeyArena({ keys: 2 })
    const keyring = new Keyring([{ key: KEY }], { arena })
    const entry = {
      get key() {
        keyring.destroy()
        return KEY
      },
    }
    expect(refuses(() => keyring.add(entry), 'ERR_AESGCM_DESTROYED').message).toBe(
      'this keyring was destroyed',
    )
    expect(arena.used).toBe(0)
  })

  test('has an id whose bytes are all random', () => {
    const keyring = Keyring.generate()
    for (let i = 0; i < 50; i++) keyring.add({ key: KEY })
    for (const shift of [0, 8, 16, 24])
      expect(new Set(keyring.keys.map(({ id }) => (id >>> shift) & 0xff)).size).toBeGreaterThan(10)
  })
})

test('the facts about keys are a list like others', () => {
  const keyring = new Keyring([
    { id: 5, key: KEY },
    { ...raw(6), status: 'disabled' },
  ])
  keyring.sealText('x')
  const five = { id: 5, type: 'AES-256-GCM', status: 'enabled', prefix: 'tink' }
  const six = { id: 6, type: 'AES-256-GCM', status: 'disabled', prefix: 'raw' }
  expect(keyring.keys).toEqual([
    { ...six, primary: false, textPrefix: null, messagesEncrypted: 0, messagesDecrypted: 0 },
    { ...five, primary: true, textPrefix: 'AQAAAA', messagesEncrypted: 1, messagesDecrypted: 0 },
  ])
  expect(Object.keys(keyring.keys)).toEqual(['0', '1'])
  expect(inspect(keyring, { depth: 0 })).toBe('Keyring { keys: [Array], destroyed: false }')
})

/** A list that is gone after its length was read. */
function vanishing(): never[] {
  const get = () => {
    revoke()
    return 1
  }
  const { proxy, revoke } = Proxy.revocable<never[]>([], { get })
  return proxy
}

test('what errors say of keys and ids', () => {
  const keyring = new Keyring([
    { id: 1, key: KEY },
    { id: 2, key: KEY, status: 'disabled' },
  ])
  const lies = 'is on a SharedArrayBuffer, which another thread may change at any time'
  const shared = (bytes: Uint8Array) => {
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
    copy.set(bytes)
    return copy
  }
  const promote = 'because it is the primary key: promote another key first'
  for (const [call, message] of [
    [() => keyring.disable(1), `the key 1 cannot be disabled, ${promote}`],
    [() => keyring.delete(1), `the key 1 cannot be deleted, ${promote}`],
    [() => keyring.promote(2), 'the key 2 cannot be the primary key, because it is not enabled'],
    [() => keyring.enable(3), '"id" is 3, which no key of this keyring has'],
    [() => keyring.add({ id: 1, key: KEY }), '"entry.id" is 1, which another key of this keyring has'],
    [
      () => new Keyring([{ id: 1, key: KEY }], { primary: 3 }),
      '"options.primary" is 3, which no key of this keyring has',
    ],
    [() => keyring.add({ key: KEY.subarray(8) }), '"entry.key" must be 16 or 32 bytes, got length 24'],
    [
      () => keyring.add({ key: KEY, type: 'AES-128-GCM' }),
      '"entry.key" must be 16 bytes for AES-128-GCM, got length 32',
    ],
    [
      () => keyring.add({ key: KEY, status: 'on' } as never),
      `"entry.status" must be one of 'enabled', 'disabled', got 'on'`,
    ],
    [
      () => keyring.add({ key: KEY, prefix: '' } as never),
      `"entry.prefix" must be one of 'tink', 'raw', 'crunchy', 'legacy', got ''`,
    ],
    [
      () => keyring.add({ key: KEY, type: '' } as never),
      `"entry.type" must be one of 'AES-256-GCM', 'AES-128-GCM', 'XAES-256-GCM', 'AES-256-GCM-SIV', 'AES-128-GCM-SIV', got ''`,
    ],
    [
      () => keyring.add({ key: KEY, type: 'XAES-256-GCM', prefix: 'legacy' }),
      `"entry.prefix" must be 'tink' or 'raw' for XAES-256-GCM, as in Tink`,
    ],
    [
      () => keyring.openText('', null, { fallback: Array(256).fill({}) }),
      '"options.fallback" must have at most 255 readers, got 256',
    ],
    [() => new Keyring([]), '"keys" must have 1 to 1000 keys, got 0'],
    [() => keyring.sealText('\ud800'), '"text" has an unpaired surrogate, which UTF-8 cannot encode'],
    [() => keyring.openText('', '\ud800'), '"aad" has an unpaired surrogate, which UTF-8 cannot encode'],
    [() => keyring.seal(shared(Buffer.alloc(8))), `"plaintext" ${lies}`],
    [() => keyring.open(shared(Buffer.alloc(8))), `"sealed" ${lies}`],
    [() => keyring.open(shared(keyring.seal(KEY))), `"sealed" ${lies}`],
    [() => keyring.open(keyring.seal(KEY), shared(KEY)), `"aad" ${lies}`],
    [() => keyring.seal(KEY, shared(KEY)), `"aad" ${lies}`],
    [() => keyring.sealText('', shared(KEY)), `"aad" ${lies}`],
    [() => keyring.openText(keyring.sealText(''), shared(KEY)), `"aad" ${lies}`],
    [
      () => keyring.openText(keyring.seal(Buffer.from([0xff])).toString('base64url')),
      `"sealed" is authentic, but its bytes are not UTF-8: open them as bytes, by open(Buffer.from(sealed, 'base64url'))`,
    ],
    [() => Keyring.prototype.seal.call({} as Keyring, KEY), 'Value of "this" must be of type Keyring'],
    [() => new Keyring(vanishing()), '"keys" is a Proxy that was revoked'],
    [
      () => keyring.openText('', null, { fallback: vanishing() }),
      '"options.fallback" is a Proxy that was revoked',
    ],
  ] as const)
    expect(thrown(call).message).toBe(message)
})

test('a keyset with a destroyed key for an arena that is full is refused for the arena', () => {
  using arena = new KeyArena({ keys: 1 })
  const two = new Keyring([
    { id: 1, key: KEY },
    { id: 2, key: KEY },
  ])
  const keyset = JSON.parse(two.export())
  keyset.key.push({ keyId: 3, status: 'DESTROYED', outputPrefixType: 'TINK' })
  refuses(() => Keyring.parse(JSON.stringify(keyset), { arena }), 'ERR_AESGCM_ARENA_FULL')
  expect(Keyring.parse(JSON.stringify(keyset)).keys[2]).toMatchObject({ id: 3, status: 'destroyed' })
})

test('a key whose messages are used up: its error, and its event', () => {
  const keyring = new Keyring([{ id: 1, key: KEY }], { maxMessages: 0 })
  const events: unknown[] = []
  const note = (event: unknown) => void events.push(event)
  subscribe('hardware-aes-gcm:key-exhausted', note)
  const { message } = refuses(() => keyring.seal(KEY), 'ERR_AESGCM_KEY_EXHAUSTED')
  unsubscribe('hardware-aes-gcm:key-exhausted', note)
  expect(message).toBe(
    'the primary key 1 has reached its limit of messages (maxMessages) or blocks (2^48) in this keyring: ' +
      'add a key and promote it; the keyring still opens',
  )
  expect(events).toEqual([{ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit: 'encryptions' }])
})

describe('readers of other formats', () => {
  const keyring = Keyring.generate()
  const error = new Error('of the reader')
  const fails = () => {
    throw error
  }

  test('may be functions, and null is no reader', () => {
    const tryOpen = () => 'old'
    expect(keyring.openText('x', null, { fallback: Object.assign(() => {}, { tryOpen }) })).toBe('old')
    expect(keyring.tryOpenText('x', null, { fallback: null as never })).toBe(null)
    refuses(() => keyring.openText('x', null, { fallback: [undefined] as never }), 'ERR_INVALID_ARG_TYPE')
  })

  test.each([
    ['its method', { tryOpen: fails }],
    [
      'a getter of its method',
      {
        get tryOpen() {
          return fails()
        },
      },
    ],
  ])('an error of %s is thrown as it is', (_, fallback) => {
    expect(thrown(() => keyring.openText('x', null, { fallback }))).toBe(error)
  })
})

test('the end of a scope destroys a keyring', () => {
  const keyring = Keyring.generate()
  keyring[Symbol.dispose]()
  expect(keyring.destroyed).toBe(true)
  const { prototype } = Keyring
  refuses(() => prototype[Symbol.dispose].call({} as Keyring), 'ERR_INVALID_THIS')
})
