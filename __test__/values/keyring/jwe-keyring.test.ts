// Tokens of keyrings: rotation by kid, keys of other programs as raw keys, and cookies of next-auth 4.
import { hkdfSync } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { AesGcm, AuthenticationError, KeyArena } from 'hardware-aes-gcm'
import { Keyring, UnknownKeyError } from 'hardware-aes-gcm/keyring'
import { CompactEncrypt, compactDecrypt, EncryptJWT, jwtDecrypt } from 'jose'
import { expect, test } from 'vitest'
import { refuses, thrown } from '../../tools/support.js'
import { VECTORS } from '../../vectors/jwe.js'
import { tokenOf } from './jwe.js'

const [OLD, NEW] = [Buffer.alloc(32, 7), Buffer.alloc(16, 8)]
const keyring = new Keyring([
  { id: 8, key: NEW },
  { id: 7, key: OLD },
])
const forged = (keyring: Keyring, token: string) =>
  expect(thrown(() => keyring.openJwe(token)).constructor).toBe(AuthenticationError)

test('a token is sealed by the primary key, and opened by the key that it names', async () => {
  const token = keyring.sealJwe('text', { typ: 'JWT' })
  const { plaintext, protectedHeader } = await compactDecrypt(token, NEW)
  expect(Buffer.from(plaintext).toString()).toBe('text')
  expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A128GCM', kid: '8', typ: 'JWT' })
  expect(keyring.openJwe(token).toString()).toBe('text')
  const before = new Keyring([{ id: 7, key: OLD }]).sealJwe('text')
  expect(keyring.openJwe(before).toString()).toBe('text')
  expect(new Keyring([{ id: 1, key: OLD, prefix: 'raw' }]).openJwe(before).toString()).toBe('text')
})

test('a token whose key is unknown or disabled names it; one without a kid needs a raw key', () => {
  const token = keyring.sealJwe('text')
  const other = new Keyring([{ id: 7, key: OLD }])
  const later = new Keyring([
    { id: 7, key: OLD },
    { id: 8, key: NEW, status: 'disabled' },
  ])
  for (const one of [other, later]) {
    const error = thrown(() => one.openJwe(token)) as UnknownKeyError
    expect(error).toBeInstanceOf(UnknownKeyError)
    expect([error.code, error.keyId]).toEqual(['ERR_AESGCM_UNKNOWN_KEY', 8])
  }
  for (const header of ['{"alg":"dir","enc":"A256GCM"}', '{"alg":"dir","enc":"A256GCM","kid":"07"}'])
    forged(other, tokenOf(OLD, header))
})

test('a token without a kid is not one of the key whose id is 0; one of an empty payload opens', () => {
  const zero = new Keyring([{ id: 0, key: OLD }])
  forged(zero, tokenOf(OLD, '{"alg":"dir","enc":"A256GCM"}'))
  expect(zero.openJwe(zero.sealJwe('')).toString()).toBe('')
})

test('the event of a forgery: one for a token of an unknown key, and one for a forged token', () => {
  const events: unknown[] = []
  const count = (event: unknown) => void events.push(event)
  subscribe('hardware-aes-gcm:authentication-failed', count)
  const token = keyring.sealJwe('text')
  for (const [ring, wrong] of [
    [new Keyring([{ id: 7, key: OLD }]), token],
    [keyring, token.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))],
  ] as const) {
    thrown(() => ring.openJwe(wrong))
    expect(events.splice(0)).toHaveLength(1)
  }
  unsubscribe('hardware-aes-gcm:authentication-failed', count)
})

test('the errors of tokens whose keys are gone', () => {
  using arena = new KeyArena({ keys: 1 })
  const gone = new Keyring([{ id: 8, key: NEW }], { arena })
  const token = gone.sealJwe('text')
  arena.destroy()
  for (const call of [() => gone.openJwe(token), () => gone.sealJwe('text')])
    refuses(call, 'ERR_AESGCM_DESTROYED')
})

test('the key that is named must have the algorithm of the token', () => {
  forged(keyring, tokenOf(OLD, '{"alg":"dir","enc":"A128GCM","kid":"7"}'))
  forged(keyring, tokenOf(OLD, '{"alg":"dir","enc":"A256GCM","kid":"8"}'))
  for (const type of ['XAES-256-GCM', 'AES-256-GCM-SIV'] as const) {
    const ring = new Keyring([{ id: 7, key: OLD, type }])
    expect((thrown(() => ring.sealJwe('')) as NodeJS.ErrnoException).code).toBe('ERR_INVALID_STATE')
    forged(ring, tokenOf(OLD, '{"alg":"dir","enc":"A256GCM","kid":"7"}'))
  }
})

test.each(VECTORS)('a token of jose opens under a raw key: $token', ({ key, token, text }) => {
  const raw = new Keyring([{ key: AesGcm.generateKey() }, { key: Buffer.from(key, 'hex'), prefix: 'raw' }])
  const opened = raw.openJwe(token).toString()
  if (text !== undefined) expect(opened).toBe(text)
  else expect(JSON.parse(opened)).toBeTypeOf('object')
})

test('a sealed text is no token, and a token no sealed text, also under the same key', () => {
  const token = keyring.sealJwe('text')
  refuses(() => keyring.openText(token), 'ERR_AESGCM_AUTHENTICATION_FAILED')
  forged(keyring, keyring.sealText('text'))
  const [header = '', , ...rest] = token.split('.')
  const frame = Buffer.concat(rest.map(part => Buffer.from(part, 'base64url')))
  const sealed = Buffer.concat([Buffer.from([1, 0, 0, 0, 8]), frame])
  expect(keyring.tryOpen(sealed)).toBeNull()
  // The header is the additional data of a token, and so of no value.
  expect(keyring.tryOpen(sealed, header)).toBeNull()
})

test('cookies of next-auth 4, from jose as next-auth calls it, and written for it', async () => {
  const secret = 'NEXTAUTH_SECRET of the program'
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'NextAuth.js Generated Encryption Key', 32))
  const ring = new Keyring([{ key, prefix: 'raw' }])
  const cookie = await new EncryptJWT({ name: 'Ada' })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt()
    .setExpirationTime('1h')
    .setJti('1')
    .encrypt(key)
  expect(JSON.parse(ring.openJwe(cookie).toString())).toMatchObject({ name: 'Ada', jti: '1' })
  const { payload } = await jwtDecrypt(ring.sealJwe('{"name":"Ada"}'), key, { clockTolerance: 15 })
  expect(payload).toEqual({ name: 'Ada' })
  const other = await new CompactEncrypt(Buffer.from('{}'))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(OLD)
  forged(ring, other)
})
