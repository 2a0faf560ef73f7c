// HPKE against vectors of others: Google Tink, RFC 9180 and draft-ietf-hpke-pq. Those of X-Wing need ML-KEM: checks/hybrid runs them on
// Node 24 and 26. Elsewhere they show the error.
import { generateKeyPairSync } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import {
  base64,
  HAS_ML_KEM,
  hasDhkem,
  hex,
  keySchedule,
  suiteOf,
  VECTORS,
  X_WING,
  X25519,
  x25519Private,
  x25519Public,
} from './internals.js'

const { tink, rfc9180, xWing } = VECTORS

describe.each(tink)('Tink: $template', ({ template, private: ours, public: theirs, vectors }) => {
  const text = JSON.stringify(ours)
  if (template.startsWith('X_WING') && !HAS_ML_KEM) {
    test('is refused with the version that has ML-KEM', () => {
      for (const parse of [
        () => PrivateKeyring.parse(text),
        () => PublicKeyring.parse(JSON.stringify(theirs)),
      ])
        expect(refuses(parse, 'ERR_AESGCM_UNSUPPORTED_PLATFORM').message).toMatch(
          /^X-Wing needs ML-KEM-768 in node:crypto, which Node has from version 24\.7 on, with OpenSSL 3\.5 or later: this is \w+ \d/,
        )
    })
    return
  }
  const keyring = PrivateKeyring.parse(text)
  const sender = PublicKeyring.parse(JSON.stringify(theirs))

  test('keysets come back', () => {
    expect(JSON.parse(keyring.export())).toEqual(ours)
    expect(keyring.publicKeyset()).toBe(sender.export())
    expect(JSON.parse(sender.export())).toEqual(theirs)
  })

  test('opens what Tink sealed, and seals messages of the same form', () => {
    for (const { pt, context, ct } of vectors) {
      const [plaintext, info, sealed] = [base64(pt), base64(context), base64(ct)]
      expect(keyring.open(sealed, info)).toEqual(plaintext)
      expect(keyring.tryOpen(sealed, Buffer.concat([info, Buffer.of(0)]))).toBeNull()
      const again = sender.seal(plaintext, info)
      expect(again.length).toBe(sealed.length)
      if (!template.endsWith('RAW')) expect(again.subarray(0, 5)).toEqual(sealed.subarray(0, 5))
      expect(keyring.open(again, info)).toEqual(plaintext)
    }
  })
})

test('there are six templates of Tink, two suites of RFC 9180 with 514 messages, and two keys of X-Wing', () => {
  const bytes = rfc9180.map(({ ciphertexts, pt }) => base64(ciphertexts).length / (hex(pt).length + 16))
  expect([tink.length, bytes, xWing.length]).toEqual([6, [257, 257], 2])
})

test('the KEM of X25519 is that of the runtime where it has one', () => {
  expect(hasDhkem()).toBe(HAS_ML_KEM)
  const recipient = X25519.privateKey(AesGcm.generateKey())
  for (let i = 0; i < 20; i++) {
    const pair = generateKeyPairSync('x25519')
    for (const { sharedSecret, enc } of [X25519.encap(recipient), X25519.encap(recipient, pair)])
      expect(X25519.decap(enc, recipient)).toEqual(sharedSecret)
  }
})

test.each(rfc9180)('RFC 9180: secret, key and nonce of the AEAD $aead, and its 257 messages', vector => {
  const { aead, info, skEm, pkEm, skRm, pkRm, enc, shared_secret, key, base_nonce, pt, ciphertexts } = vector
  const suite = suiteOf(X25519, aead)
  const recipient = X25519.privateKey(hex(skRm))
  expect(Buffer.from(recipient.bytes).toString('hex')).toBe(pkRm)
  const pair = { privateKey: x25519Private(hex(skEm)), publicKey: x25519Public(hex(pkEm)) }
  const sent = X25519.encap(X25519.publicKey(hex(pkRm)) as never, pair)
  expect(Buffer.from(sent.enc).toString('hex')).toBe(enc)
  const received = X25519.decap(hex(enc), recipient) as Uint8Array
  for (const secret of [sent.sharedSecret, received]) {
    expect(Buffer.from(secret).toString('hex')).toBe(shared_secret)
    let held: Uint8Array[] = []
    keySchedule(suite, secret, hex(info), (its, nonce) => {
      held = [its, nonce]
      expect(Buffer.from(its).toString('hex')).toBe(key)
      expect(Buffer.from(nonce).toString('hex')).toBe(base_nonce)
      return 0
    })
    // Every secret was wiped.
    for (const bytes of [secret, ...held]) expect(bytes.every(byte => byte === 0)).toBe(true)
  }
  const aes = new AesGcm(hex(key))
  const size = hex(pt).length + 16
  for (let i = 0; i < 257; i++) {
    const nonce = hex(base_nonce)
    nonce.writeUInt16BE(nonce.readUInt16BE(10) ^ i, 10)
    const [data, tag] = [hex(pt), Buffer.alloc(16)]
    aes.encryptDetached(data, nonce, tag, Buffer.from(`Count-${i}`))
    expect(Buffer.concat([data, tag])).toEqual(base64(ciphertexts).subarray(i * size, (i + 1) * size))
  }
})

test.each(xWing)('draft-ietf-hpke-pq: the public key and the shared secret of X-Wing', vector => {
  const { skRm, pkRm, enc, shared_secret } = vector
  if (!HAS_ML_KEM) {
    refuses(() => PrivateKeyring.generate('X-WING-AES-256-GCM'), 'ERR_AESGCM_UNSUPPORTED_PLATFORM')
    return
  }
  const recipient = X_WING.privateKey(hex(skRm))
  expect(Buffer.from(recipient.bytes)).toEqual(base64(pkRm))
  expect(Buffer.from(X_WING.decap(base64(enc), recipient) as Uint8Array).toString('hex')).toBe(shared_secret)
})
