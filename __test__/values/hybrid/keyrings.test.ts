// PrivateKeyring and PublicKeyring: rotation, prefixes, texts, export, wrapping, and what they refuse.
import { inspect } from 'node:util'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { detach, Random, refuses } from '../../tools/support.js'
import { refuseLongText, TYPES, X25519 } from './internals.js'

const FORGED = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const UNKNOWN = 'ERR_AESGCM_UNKNOWN_KEY'
const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const RANGE = 'ERR_OUT_OF_RANGE'
const STATE = 'ERR_INVALID_STATE'
const DESTROYED = 'ERR_AESGCM_DESTROYED'
const wrong = 7 as never
const senderOf = (keyring: PrivateKeyring) => PublicKeyring.parse(keyring.publicKeyset())

describe.each(TYPES)('%s', type => {
  const keyring = PrivateKeyring.generate(type)
  const sender = senderOf(keyring)
  const around = 5 + 16 + (type.startsWith('X-WING') ? 1120 : 32)

  test('seals bytes and texts, bound to their context info', () => {
    for (const length of [0, 1, 63, 64, 65, 5000]) {
      const plaintext = new Random('hybrid').bytes(length)
      const sealed = sender.seal(plaintext, context('a', 1))
      expect(sealed.length).toBe(length + around)
      expect(sealed.buffer.byteLength).toBe(sealed.length)
      const opened = keyring.open(sealed, context('a', 1))
      expect(opened).toEqual(plaintext)
      expect(opened.buffer.byteLength).toBe(length)
      expect(keyring.tryOpen(sealed, context('a', 1))?.buffer.byteLength).toBe(length)
      expect(keyring.tryOpen(sealed, context('a', 2))).toBeNull()
      expect(refuses(() => keyring.open(sealed), FORGED).message).toBe(
        'the message could not be authenticated',
      )
    }
    const text = sender.sealText('grüße', 'orders/7')
    expect(text).toMatch(/^[\w-]+$/)
    expect(text.slice(0, 6)).toBe(keyring.keys[0]?.textPrefix)
    expect(keyring.openText(text, 'orders/7')).toBe('grüße')
    expect(keyring.tryOpenText(text, Buffer.from('orders/7'))).toBe('grüße')
    expect(keyring.tryOpenText(text)).toBeNull()
    refuses(() => keyring.openText(`${text}=`, 'orders/7'), FORGED)
    for (const none of [null, undefined, '', new Uint8Array(0)])
      expect(keyring.openText(sender.sealText('', none))).toBe('')
    expect(sender.seal(Buffer.of(1))).not.toEqual(sender.seal(Buffer.of(1)))
    refuses(() => keyring.openText(sender.seal(Buffer.of(255)).toString('base64url')), VALUE)
  })

  test('a message of any length, or with a flipped bit, fails authentication alone', () => {
    const sealed = sender.seal(Buffer.from('attack at dawn'))
    for (let length = 0; length < sealed.length; length += length < 80 ? 1 : 97)
      expect(keyring.tryOpen(sealed.subarray(0, length))).toBeNull()
    for (let at = 5; at < sealed.length; at += at < 60 ? 1 : 61) {
      const copy = Buffer.from(sealed)
      // Bit 255 of a public key of X25519 is ignored (RFC 7748), but bound by the hash of `enc`.
      copy[at] = (copy[at] as number) ^ (1 << (at % 8))
      expect(keyring.tryOpen(copy)).toBeNull()
      expect(refuses(() => keyring.open(copy), FORGED).message).toBe('the message could not be authenticated')
    }
    const other = Buffer.from(sealed)
    other[4] = (other[4] as number) ^ 1
    expect(refuses(() => keyring.open(other), UNKNOWN)).toMatchObject({ keyId: other.readUInt32BE(1) })
  })

  test('a point of low order in a message or a keyset is refused', () => {
    const sealed = sender.seal(Buffer.from('x'))
    const points = [
      '00',
      '01',
      'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
      'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    ]
    const text = sender.export()
    const value = Buffer.from(JSON.parse(text).key[0].keyData.value, 'base64')
    for (const point of points) {
      const bytes = Buffer.alloc(32)
      bytes.write(point, 'hex')
      const copy = Buffer.from(sealed)
      bytes.copy(copy, 5 + around - 5 - 16 - 32)
      refuses(() => keyring.open(copy), FORGED)
      const weak = Buffer.from(value)
      bytes.copy(weak, weak.length - 32)
      const keyset = text.replace(value.toString('base64'), weak.toString('base64'))
      expect(refuses(() => PublicKeyring.parse(keyset), INVALID).message).toContain('a point of low order')
    }
  })

  test('export, wrap and unwrap', async () => {
    const sealed = sender.seal(Buffer.from('x'))
    const kek = Keyring.generate()
    const wrapped = await keyring.wrap(bytes => kek.seal(bytes))
    const back = await PrivateKeyring.unwrap(wrapped, bytes => kek.open(bytes))
    for (const ring of [back, PrivateKeyring.parse(keyring.export())]) {
      expect(ring.open(sealed).toString()).toBe('x')
      expect(ring.export()).toBe(keyring.export())
    }
    const secret = JSON.parse(keyring.export()).key[0].keyData.value
    expect(wrapped).not.toContain(secret)
    await expect(keyring.wrap(bytes => bytes)).rejects.toMatchObject({ code: VALUE })
    expect(() => PrivateKeyring.parse(wrapped)).toThrow('PrivateKeyring.unwrap opens it')
    const bare = await PrivateKeyring.unwrap(keyring.export(), () => kek.seal(new Uint8Array(0))).catch(
      e => e,
    )
    expect(bare.message).toBe('the keyset is not encrypted: PrivateKeyring.parse reads it')
  })

  test('a private key of another public one is refused', () => {
    const value = Buffer.from(JSON.parse(keyring.export()).key[0].keyData.value, 'base64')
    value[value.length - 5] = (value[value.length - 5] as number) ^ 1
    const keyset = JSON.parse(keyring.export())
    keyset.key[0].keyData.value = value.toString('base64')
    expect(refuses(() => PrivateKeyring.parse(JSON.stringify(keyset)), INVALID).message).toBe(
      '"key[0].keyData.value" of the keyset must have the public key of its private one',
    )
  })
})

test('rotation: messages of all enabled keys open, and the primary one seals', () => {
  const keyring = PrivateKeyring.generate('X25519-AES-128-GCM', { id: 256 })
  const before = senderOf(keyring)
  const old = before.sealText('old')
  const id = keyring.add('X25519-AES-256-GCM')
  expect(senderOf(keyring).sealText('x').slice(0, 6)).toBe(old.slice(0, 6))
  keyring.promote(id)
  const sender = senderOf(keyring)
  expect(sender.keys.map(key => [key.id, key.primary, key.type])).toEqual([
    [256, false, 'X25519-AES-128-GCM'],
    [id, true, 'X25519-AES-256-GCM'],
  ])
  const now = sender.sealText('new')
  expect([keyring.openText(old), keyring.openText(now)]).toEqual(['old', 'new'])
  expect(keyring.openText(before.sealText('late'))).toBe('late')
  keyring.disable(256)
  refuses(() => keyring.openText(old), UNKNOWN)
  expect(JSON.parse(keyring.publicKeyset()).key[0].status).toBe('DISABLED')
  expect(PrivateKeyring.parse(keyring.export()).tryOpenText(old)).toBeNull()
  keyring.enable(256)
  expect(keyring.openText(old)).toBe('old')
  keyring.delete(256)
  expect(keyring.keys.length).toBe(1)
  for (const change of ['promote', 'enable', 'disable', 'delete'] as const)
    refuses(() => keyring[change](256), VALUE)
  refuses(() => keyring.disable(id), STATE)
  refuses(() => keyring.delete(id), STATE)
  refuses(() => keyring.add('X25519-AES-256-GCM', { id }), VALUE)
})

test('prefixes as Tink has them; raw keys are all tried, up to eight', () => {
  const keyring = PrivateKeyring.generate('X25519-AES-256-GCM', { id: 0xdeadbeef })
  const sealed = new Map([['tink', senderOf(keyring).seal(Buffer.from('tink'))]])
  for (const prefix of ['raw', 'crunchy', 'legacy'] as const) {
    keyring.promote(keyring.add('X25519-AES-256-GCM', { prefix, id: prefix.length }))
    sealed.set(prefix, senderOf(keyring).seal(Buffer.from(prefix)))
  }
  expect(sealed.get('tink')?.subarray(0, 5).toString('hex')).toBe('01deadbeef')
  expect(sealed.get('crunchy')?.subarray(0, 5).toString('hex')).toBe('0000000007')
  expect(sealed.get('raw')?.length).toBe(3 + 48)
  const back = PrivateKeyring.parse(keyring.export())
  for (const [prefix, bytes] of sealed) expect(back.open(bytes).toString()).toBe(prefix)
  refuses(() => back.open(Buffer.alloc(60)), FORGED)
  for (let i = 0; i < 7; i++) keyring.add('X25519-AES-128-GCM', { prefix: 'raw' })
  refuses(() => keyring.add('X25519-AES-128-GCM', { prefix: 'raw' }), RANGE)
  keyring.add('X25519-AES-128-GCM', { prefix: 'raw', status: 'disabled' })
})

test('a text whose sealed string would be too long is refused by its length', () => {
  const table = { primary: { prefixBytes: 5, type: { suite: { kem: X25519, overhead: 48 } } } } as never
  // 2^29 - 24 characters are 402 653 166 bytes, 53 of them around the text.
  refuseLongText(table, 402_653_113)
  expect(refuses(() => refuseLongText(table, 402_653_114), RANGE).message).toBe(
    '"text" is too long: the sealed text would have more than 2^29 - 24 characters; seal takes longer bytes',
  )
  // A repeated string is a rope, which nothing may make flat before it is refused.
  refuses(() => senderOf(PrivateKeyring.generate('X25519-AES-256-GCM')).sealText('a'.repeat(410e6)), RANGE)
})

test('wrong arguments', () => {
  const keyring = PrivateKeyring.generate('X25519-AES-256-GCM')
  const sender = senderOf(keyring)
  const sealed = sender.seal(Buffer.from('x'))
  for (const type of [undefined, 'X25519', 'AES-256-GCM', 7])
    refuses(() => PrivateKeyring.generate(type as never), VALUE)
  refuses(() => PrivateKeyring.generate('X25519-AES-256-GCM', { status: 'disabled' } as never), VALUE)
  for (const [options, code] of [
    [7, TYPE],
    [{ ids: 1 }, VALUE],
    [{ id: -1 }, RANGE],
    [{ id: 2 ** 32 }, RANGE],
    [{ id: '1' }, TYPE],
    [{ prefix: 'none' }, VALUE],
    [{ status: 'destroyed' }, VALUE],
  ] as const)
    refuses(() => keyring.add('X25519-AES-256-GCM', options as never), code)
  const shared = new Uint8Array(new SharedArrayBuffer(100))
  const gone = new Uint8Array(100)
  detach(gone)
  for (const [bytes, code] of [
    [wrong, TYPE],
    ['text', TYPE],
    [new Uint16Array(4), TYPE],
    [shared, 'ERR_AESGCM_SHARED_BUFFER'],
    [gone, 'ERR_AESGCM_DETACHED_BUFFER'],
  ] as const) {
    refuses(() => sender.seal(bytes as never), code)
    refuses(() => keyring.open(bytes as never), code)
    refuses(() => keyring.tryOpen(bytes as never), code)
    if (bytes === 'text') continue
    refuses(() => sender.seal(sealed, bytes as never), code)
    refuses(() => keyring.tryOpen(sealed, bytes as never), code)
  }
  for (const method of [
    () => sender.sealText(wrong),
    () => sender.sealText(sealed as never),
    () => keyring.openText(wrong),
    () => keyring.tryOpenText(sealed as never),
    () => PrivateKeyring.parse(undefined),
    () => PublicKeyring.parse(undefined),
  ])
    refuses(method, TYPE)
  refuses(() => sender.sealText('\ud800'), VALUE)
  refuses(() => sender.sealText('', '\ud800'), VALUE)
  for (const Class of [PrivateKeyring, PublicKeyring] as const) {
    const New = Class as unknown as new (...values: unknown[]) => unknown
    for (const values of [[], [{}], [keyring]]) refuses(() => new New(...values), VALUE)
  }
  refuses(() => sender.seal.call({} as never, sealed), 'ERR_INVALID_THIS')
  refuses(() => keyring.open.call(sender as never, sealed), 'ERR_INVALID_THIS')
})

test('a destroyed keyring, and what inspect and JSON show', () => {
  const keyring = PrivateKeyring.generate('X25519-AES-256-GCM')
  const secret = JSON.parse(keyring.export()).key[0].keyData.value
  for (const shown of [
    inspect(keyring, { depth: 9, showHidden: true }),
    JSON.stringify(keyring),
    inspect(senderOf(keyring)),
  ])
    expect(shown).not.toContain(secret.slice(-20))
  expect(inspect(keyring)).toContain('X25519-AES-256-GCM')
  expect(keyring.destroyed).toBe(false)
  keyring[Symbol.dispose]()
  expect(keyring.destroyed).toBe(true)
  for (const call of [
    () => keyring.keys,
    () => keyring.open(new Uint8Array(60)),
    () => keyring.publicKeyset(),
    () => keyring.export(),
    () => keyring.add('X25519-AES-256-GCM'),
  ])
    refuses(call, DESTROYED)
})
