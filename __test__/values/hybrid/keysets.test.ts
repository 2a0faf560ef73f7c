// Keysets of public and private keys: what they refuse, and what they keep.
import { spawnSync } from 'node:child_process'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { expect, test } from 'vitest'
import { ROOT, refuses } from '../../tools/support.js'
import { HAS_ML_KEM, VECTORS } from './internals.js'

const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
const STATE = 'ERR_INVALID_STATE'

test('keysets of other classes are refused by the name of their class', () => {
  const tink = VECTORS.tink[0] as (typeof VECTORS.tink)[0]
  const [ours, theirs, symmetric] = [
    JSON.stringify(tink.private),
    JSON.stringify(tink.public),
    Keyring.generate().export(),
  ]
  const said = (parse: () => unknown) => refuses(parse, INVALID).message
  expect(said(() => PublicKeyring.parse(ours))).toMatch(
    /: this is a key for PrivateKeyring, which must stay private: use the text of its publicKeyset\(\)$/,
  )
  expect(said(() => PrivateKeyring.parse(theirs))).toMatch(/: this is a key for PublicKeyring$/)
  expect(said(() => PrivateKeyring.parse(symmetric))).toMatch(/: this is a key for Keyring$/)
  expect(said(() => PublicKeyring.parse(symmetric))).toMatch(/: this is a key for Keyring$/)
  expect(said(() => Keyring.parse(ours))).toMatch(/: this is a key for PrivateKeyring$/)
  expect(said(() => Keyring.parse(theirs))).toMatch(/: this is a key for PublicKeyring$/)
  expect(said(() => PrivateKeyring.parse(`1:${'ab'.repeat(32)}`))).toBe("the keyset must be Tink's JSON")
  // A private key does not hide among public ones, even disabled.
  const mixed = JSON.parse(theirs)
  const hidden = JSON.parse(ours).key[0]
  mixed.key.push({ ...hidden, keyId: 1, status: 'DISABLED' })
  expect(said(() => PublicKeyring.parse(JSON.stringify(mixed)))).toMatch(
    /^"key\[1\]\.keyData\.typeUrl" of the keyset .*stay private/,
  )
  expect(said(() => PrivateKeyring.parse(symmetric))).toMatch(/^"key\[0\]\.keyData\.typeUrl"/)
  // The right value, with the other's kind of material.
  expect(said(() => PublicKeyring.parse(theirs.replace('_PUBLIC', '_PRIVATE')))).toMatch(
    /must be ASYMMETRIC_PUBLIC$/,
  )
})

test('a public keyset keeps no key whose material is not public, whatever its type', () => {
  const keyset = (status: string, keyMaterialType: string) => {
    const text = JSON.parse(JSON.stringify(VECTORS.tink[0]?.public))
    const typeUrl = 'type.googleapis.com/google.crypto.tink.EciesAeadHkdfPrivateKey'
    const keyData = { typeUrl, value: 'c2VjcmV0', keyMaterialType }
    text.key.push({ keyData, status, keyId: 1, outputPrefixType: 'TINK' })
    return JSON.stringify(text)
  }
  for (const status of ['DISABLED', 'DESTROYED']) {
    for (const material of ['ASYMMETRIC_PRIVATE', 'SYMMETRIC', 'REMOTE', 'UNKNOWN_KEYMATERIAL'])
      expect(refuses(() => PublicKeyring.parse(keyset(status, material)), INVALID).message).toMatch(
        /^"key\[1\]\.keyData\.keyMaterialType" of the keyset must be ASYMMETRIC_PUBLIC: a public keyset has no secret/,
      )
    expect(PublicKeyring.parse(keyset(status, 'ASYMMETRIC_PUBLIC')).keys[1]?.type).toBeNull()
  }
})

test('values of keys: lengths, versions and suites', () => {
  const publicValue = Buffer.from(
    JSON.parse(JSON.stringify(VECTORS.tink[0]?.public)).key[0].keyData.value,
    'base64',
  )
  const withValue = (value: Buffer, status = 'ENABLED') => {
    const keyset = JSON.parse(JSON.stringify(VECTORS.tink[0]?.public))
    keyset.key.push({
      ...keyset.key[0],
      keyId: 1,
      status,
      keyData: { ...keyset.key[0].keyData, value: value.toString('base64') },
    })
    return JSON.stringify(keyset)
  }
  const changed = (at: number, byte: number) => Buffer.from(publicValue).fill(byte, at, at + 1)
  const said = (value: Buffer) => refuses(() => PublicKeyring.parse(withValue(value)), INVALID).message
  expect(said(publicValue.subarray(0, 10))).toMatch(/is cut off$/)
  expect(
    said(Buffer.concat([publicValue.subarray(0, 9), Buffer.of(31), publicValue.subarray(10, 41)])),
  ).toMatch(/must have a public key of 32 bytes, got 31$/)
  expect(said(Buffer.concat([Buffer.of(8, 1), publicValue]))).toMatch(/must be of version 0$/)
  // P-256, HKDF-SHA512 and ChaCha20-Poly1305: kept while disabled.
  for (const value of [changed(3, 2), changed(5, 3), changed(7, 3)]) {
    expect(said(value)).toMatch(
      /must be HpkePublicKey of X25519 or X-Wing, HKDF-SHA256 and AES-GCM, for an enabled key$/,
    )
    const kept = PublicKeyring.parse(withValue(value, 'DISABLED'))
    expect(kept.keys[1]).toMatchObject({ type: null, status: 'disabled', primary: false })
    expect(JSON.parse(kept.export()).key[1].keyData.value).toBe(value.toString('base64'))
  }
})

test.skipIf(HAS_ML_KEM)('without ML-KEM, a disabled key of X-Wing is kept', () => {
  const keyset = structuredClone(VECTORS.tink[0]?.private) as { key: object[] }
  const other = structuredClone(VECTORS.tink[4]?.private) as { key: object[] }
  keyset.key.push({ ...other.key[0], status: 'DISABLED' })
  const keyring = PrivateKeyring.parse(JSON.stringify(keyset))
  expect(JSON.parse(keyring.export())).toEqual(keyset)
  refuses(() => keyring.add('X-WING-AES-256-GCM'), 'ERR_AESGCM_UNSUPPORTED_PLATFORM')
  expect(refuses(() => keyring.enable(keyring.keys[1]?.id as number), STATE).message).toContain(
    'this runtime lacks ML-KEM-768, which Node has from version 24.7 on',
  )
})

test('a Node with the functions of KEMs and an OpenSSL without ML-KEM refuses X-Wing by its typed error, and X25519 works', () => {
  const xWing = VECTORS.tink[4] as (typeof VECTORS.tink)[0]
  const script = `import crypto from 'node:crypto'
    crypto.encapsulate = crypto.decapsulate = () => { throw new Error('error:1C80105A') }
    const { PrivateKeyring, PublicKeyring } = await import('hardware-aes-gcm/hybrid')
    for (const call of [
      () => PrivateKeyring.parse(process.env.PRIVATE),
      () => PublicKeyring.parse(process.env.PUBLIC),
      () => PrivateKeyring.generate('X-WING-AES-256-GCM'),
    ])
      try {
        call()
      } catch ({ code, message }) {
        console.log(code, message)
      }
    const ours = PrivateKeyring.generate('X25519-AES-256-GCM')
    console.log(ours.openText(PublicKeyring.parse(ours.publicKeyset()).sealText('of X25519')))`
  const env = { ...process.env, PRIVATE: JSON.stringify(xWing.private), PUBLIC: JSON.stringify(xWing.public) }
  const options = { cwd: ROOT, encoding: 'utf8', env, timeout: 60_000 } as const
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], options)
  const { node, openssl } = process.versions
  const refused = `ERR_AESGCM_UNSUPPORTED_PLATFORM X-Wing needs ML-KEM-768 in node:crypto, which Node has from version 24.7 on, with OpenSSL 3.5 or later: this is Node ${node} with OpenSSL ${openssl}`
  expect(stdout.split('\n')).toEqual([refused, refused, refused, 'of X25519', ''])
})
