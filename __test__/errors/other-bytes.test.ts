// Regression: errors for values that hold bytes, but are no Uint8Array, say what to write.
import { Blob } from 'node:buffer'
import { type Aead, AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { cryptrReader } from 'hardware-aes-gcm/legacy'
import { initialSecrets, PacketProtection } from 'hardware-aes-gcm/quic'
import { Handshake } from 'hardware-aes-gcm/session'
import { combineAndOpen, combineKey, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { createEncryptStream, DecryptionReader } from 'hardware-aes-gcm/stream'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { expect, test } from 'vitest'
import { KEY, thrown } from '../tools/support.js'

const VIEW = 'new Uint8Array(view.buffer, view.byteOffset, view.byteLength) is a view of the same bytes'
const MEMORY = 'ArrayBuffer: new Uint8Array(buffer) is a view of it'
/** Values, and how an error about each of them ends. */
const VALUES: [unknown, string][] = [
  [new ArrayBuffer(32), MEMORY],
  [new SharedArrayBuffer(32), MEMORY],
  [new DataView(new ArrayBuffer(32)), `DataView: ${VIEW}`],
  [new Uint16Array(16), `Uint16Array: ${VIEW}`],
  [new Blob(['text']), 'object: new Uint8Array(await blob.arrayBuffer()) has the bytes of a Blob'],
]
const NUMBERS: [unknown, string] = [[1, 2, 3], 'Array: if it holds numbers, Uint8Array.from(array)']

const bytes = (length: number) => Buffer.alloc(length, 7)
const keyring = Keyring.generate()
const packets = new PacketProtection(bytes(32))
const { shares } = sealAndSplit(bytes(3), { threshold: 2, shares: 2 })
const options = { threshold: 2, shares: 2 }
const methods = (aead: Aead, name: string): [string, (value: never) => unknown][] => [
  [`${name}: encrypt`, value => aead.encrypt(value)],
  [`${name}: aad`, value => aead.encrypt(bytes(1), value)],
  [`${name}: decrypt`, value => aead.decrypt(value)],
  [`${name}: encryptInto`, value => aead.encryptInto(value, bytes(1))],
  [`${name}: encryptInPlace`, value => aead.encryptInPlace(value)],
  [`${name}: a row`, value => aead.encryptBatch([value])],
  [`${name}: aad of rows`, value => aead.encryptBatch([bytes(1)], { aad: value })],
  [`${name}: aad for a row`, value => aead.encryptBatch([bytes(1)], { aad: () => value })],
]
const CALLS: [string, (value: never) => unknown][] = [
  ...methods(new AesGcm(KEY), 'AesGcm'),
  ...methods(new XAesGcm(KEY), 'XAesGcm'),
  ...methods(new AesGcmSiv(KEY), 'AesGcmSiv'),
  ['a key', value => new AesGcm(value)],
  ['a keyring: seal', value => keyring.seal(value)],
  ['a keyring: aad', value => keyring.sealText('text', value)],
  ['a payload', value => keyring.sealJwe(value)],
  ['a blind index', value => new BlindIndex(bytes(32), { purpose: 'p' }).of(value)],
  ['packet', value => packets.open(value, 1, -1)],
  ['connection id', value => initialSecrets(1, value)],
  ['secret of a session', value => new Handshake({ secret: value, role: 'initiator' })],
  ['sealed', value => combineAndOpen(shares, value)],
  ['a secret to split', value => splitKey(value, options)],
  ['a share', value => combineKey([value, value])],
  ['a key of a stream', value => createEncryptStream(value)],
  ['a context', value => createEncryptStream(KEY, { context: value })],
  ['aad of an old text', value => cryptrReader('secret').open('00', value)],
]

test.each(CALLS)('an ArrayBuffer in the place of bytes is refused with the way to a view: %s', (_, call) => {
  for (const [value, ends] of VALUES) {
    const { code, message } = thrown(() => call(value as never))
    expect([code, message.endsWith(`got ${ends}`) || message]).toEqual(['ERR_INVALID_ARG_TYPE', true])
  }
})

test('a source of a DecryptionReader', async () => {
  for (const [value, ends] of VALUES.slice(0, 4)) {
    const opened = DecryptionReader.open(KEY, value as never)
    await expect(opened).rejects.toMatchObject({ message: expect.stringContaining(`got ${ends}`) })
  }
})

test('an array of numbers', () => {
  const aes = new AesGcm(KEY)
  const [numbers, ends] = NUMBERS
  for (const call of [() => aes.decrypt(numbers as never), () => aes.encrypt(bytes(1), numbers as never)])
    expect(thrown(call).message).toContain(`got ${ends}`)
  const advice =
    '"plaintext[0]" must be a Uint8Array, got number: for an array of numbers, Uint8Array.from(plaintext)'
  expect(thrown(() => aes.encrypt(numbers as never)).message).toBe(advice)
  expect(thrown(() => aes.encrypt(3 as never)).message).toMatch(/got number$/)
})

test('the kind of a Blob is found without running code of the value', () => {
  const trapped = new Proxy(new Blob(['text']), {
    getPrototypeOf: () => {
      throw new Error('ran')
    },
  })
  expect(thrown(() => new AesGcm(KEY).decrypt(trapped as never)).message).toMatch(/got Proxy$/)
  for (const value of [Object.create(trapped), Object.create(null)])
    expect(thrown(() => new AesGcm(KEY).decrypt(value as never)).message).toMatch(/got object$/)
})
