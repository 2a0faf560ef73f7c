// The class Keyring and Google Tink: every value that Tink made opens, Tink's rules hold, and values sealed here are Tink's bytes.
import { createDecipheriv } from 'node:crypto'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { type Outcome, TINK } from '../../vectors/tink.js'
import { hex, INVALID } from './internals.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const json = JSON.stringify
const parse = (keyset: object) => Keyring.parse(json(keyset))
const named = (name: string) => {
  const found = TINK.keysets.find(keyset => keyset.name === name)
  if (found === undefined) throw new Error(name)
  return found
}
const ring = (name: string) => parse(named(name).keyset)

const all = [...TINK.keysets, ...TINK.xaes.slice(0, 2).map(one => ({ ...one, name: one.template }))]

test('there are 14 keysets with 54 values and more', () => {
  expect(all.length).toBe(14)
  expect(all.flatMap(({ vectors }) => vectors).length).toBeGreaterThan(54)
})

describe.each(all)('$name', ({ keyset, vectors }) => {
  const keyring = parse(keyset)
  const other = Keyring.parse(keyring.export())

  test('opens what Tink sealed, as bytes and as text, also after its export', () => {
    for (const { pt, aad, ct } of vectors) {
      for (const by of [keyring, other]) {
        expect(by.open(hex(ct), hex(aad)).toString('hex')).toBe(pt)
        expect(by.tryOpen(hex(ct), `${aad}0`)).toBeNull()
      }
      const text = hex(ct).toString('base64url')
      const plaintext = hex(pt).toString()
      // Some plaintexts are not UTF-8.
      if (Buffer.from(plaintext).toString('hex') === pt)
        expect(keyring.openText(text, hex(aad))).toBe(plaintext)
      else refuses(() => keyring.openText(text, hex(aad)), 'ERR_INVALID_ARG_VALUE')
    }
  })

  test('seals values of the same form, which its export opens', () => {
    for (const { pt, aad, ct } of vectors) {
      const sealed = keyring.seal(hex(pt), hex(aad))
      const primary = keyring.keys.find(key => key.primary)
      expect(sealed.length).toBe(keyring.seal(hex(pt)).length)
      if (primary?.prefix !== 'raw')
        expect(sealed.subarray(0, 5).readUIntBE(0, 5) % 2 ** 32).toBe(primary?.id as number)
      expect(other.open(sealed, hex(aad)).toString('hex')).toBe(pt)
      // Vectors of keysets with several keys are of other keys, too.
      if (keyring.keys.length === 1) {
        expect(sealed.length).toBe(hex(ct).length)
        if (primary?.prefix !== 'raw') expect(sealed.subarray(0, 5)).toEqual(hex(ct).subarray(0, 5))
      }
    }
  })
})

test('a value is a prefix and a frame that another program opens, and the prefix is not authenticated', () => {
  const key = Buffer.alloc(32, 7)
  const sealed = new Keyring([{ id: 0xdeadbeef, key }]).seal(Buffer.from('attack'), 'aad')
  expect(sealed.subarray(0, 5).toString('hex')).toBe('01deadbeef')
  const cipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(5, 17))
  cipher.setAAD(Buffer.from('aad'))
  cipher.setAuthTag(sealed.subarray(-16))
  expect(cipher.update(sealed.subarray(17, -16)).toString() + cipher.final().toString()).toBe('attack')
})

describe('what Tink does', () => {
  const one = ring('one AES256_GCM TINK')
  const [first] = named('one AES256_GCM TINK').vectors
  const ct = hex(first?.ct as string)
  const [key] = (named('one AES256_GCM TINK').keyset as { key: object[] }).key
  const material = materialOf(key as object)
  const as = (outputPrefixType: string, keyId = 1) =>
    parse({ primaryKeyId: keyId, key: [{ ...key, keyId, outputPrefixType }] })
  const outcome = (name: string) => TINK.behaviour[name] as Outcome
  const refused = (name: string, call: () => unknown, code = AUTHENTICATION) => {
    expect(outcome(name).error).toBe('TinkError')
    refuses(call, code)
  }

  test('with the bytes before a frame', () => {
    refused('opens by prefix only, key RAW of the same bytes opens TINK ct', () => as('RAW').open(ct))
    expect(outcome('RAW key opens ct[5:]').ok).toBeDefined()
    expect(as('RAW').open(ct.subarray(5)).length).toBe(0)
    // One nonce of 128 begins with the first byte of a prefix; such a frame names a key, which this keyring does not have.
    for (const [first, code] of [
      ['00', 'ERR_AESGCM_UNKNOWN_KEY'],
      ['01', 'ERR_AESGCM_UNKNOWN_KEY'],
      ['02', AUTHENTICATION],
      ['ff', AUTHENTICATION],
    ] as const) {
      const frame = frameWith(material, hex(`${first}aabbccdd00000000000000`), 'x')
      expect(as('RAW').open(frame).toString()).toBe('x')
      refused('TINK key opens RAW ct', () => one.open(frame), code)
    }
    refused('unknown id', () => as('TINK', 99).open(ct), 'ERR_AESGCM_UNKNOWN_KEY')
    const disabled = named('disabled old key').keyset as { key: { keyId: number }[] }
    const value = parse({ primaryKeyId: 1, key: [{ ...disabled.key[0], status: 'ENABLED' }] }).seal(ct)
    expect(refuses(() => parse(disabled).open(value), 'ERR_AESGCM_UNKNOWN_KEY')).toMatchObject({ keyId: 1 })
    expect(outcome('disabled id').error).toBe('TinkError')
    refused('wrong aad', () => one.open(ct, 'x'))
    const wrong = Buffer.from(ct)
    wrong[wrong.length - 1] = (wrong[wrong.length - 1] as number) ^ 1
    refused('wrong tag', () => one.open(wrong))
    refused('empty', () => one.open(Buffer.alloc(0)))
    refused('5 bytes', () => one.open(ct.subarray(0, 5)))
  })

  test('with keys without a prefix, also for a value that begins with a prefix by chance', () => {
    const mixed = ring('primary TINK, older RAW and TINK')
    const { key: keys } = named('primary TINK, older RAW and TINK').keyset as { key: object[] }
    const raw = parse({ primaryKeyId: 1, key: [keys[0] as object] })
    expect(mixed.open(raw.seal(Buffer.from('raw'))).toString()).toBe('raw')
    expect(outcome('mixed opens RAW').ok).toBe(Buffer.from('raw').toString('hex'))
    // 2^32 frames of one object have one salt, so the clash is made by hand: the nonce begins with the prefix of the key 2.
    const clash = frameWith(
      materialOf(keys[0] as object),
      Buffer.from('010000000200000000000000', 'hex'),
      'clash',
    )
    expect(mixed.keyIdOf(clash)).toBe(2)
    expect(mixed.open(clash).toString()).toBe('clash')
    expect(mixed.openText(clash.toString('base64url'))).toBe('clash')
    expect(outcome('RAW ciphertext that begins with a known TINK prefix').ok).toBe(
      Buffer.from('clash').toString('hex'),
    )
    expect(mixed.keys.map(({ messagesEncrypted }) => messagesEncrypted)).toEqual([0, 0, 0])
    // With such keys, an unknown id is no more than a value that is not authentic.
    refuses(() => mixed.open(as('TINK', 99).seal(Buffer.alloc(1))), AUTHENTICATION)
  })

  test('with the prefixes of old keysets', () => {
    for (const prefix of ['CRUNCHY', 'LEGACY']) {
      const old = as(prefix, 0x01020304)
      const sealed = old.seal(Buffer.from('x'), 'aad')
      expect(sealed.subarray(0, 5).toString('hex')).toBe('0001020304')
      expect(old.open(sealed, 'aad').toString()).toBe('x')
      sealed[0] = 1
      refuses(() => old.open(sealed, 'aad'), AUTHENTICATION)
    }
  })

  test('with keysets that are wrong', () => {
    for (const keyset of [
      { primaryKeyId: 1, key: [{ ...key, keyId: 2 }] },
      { primaryKeyId: 1, key: [{ ...key, keyId: 1, status: 'DISABLED' }] },
      {
        primaryKeyId: 1,
        key: [
          { ...key, keyId: 1 },
          { ...key, keyId: 1 },
        ],
      },
      { primaryKeyId: 1, key: [{ ...key, keyId: 1 }], comment: '' },
    ])
      refuses(() => parse(keyset), INVALID)
  })
})

test('the encrypted keyset of Tink, and one of its own', async () => {
  const { 'kek keyset': kek, aad, json: encrypted } = TINK.encrypted
  const wrapping = ring(kek)
  const keyring = await Keyring.unwrap(json(encrypted), bytes => wrapping.open(bytes, hex(aad)))
  expect(keyring.keys.map(({ id, primary }) => [id, primary])).toEqual([
    [1, false],
    [2, true],
  ])
  const again = await Keyring.unwrap(await keyring.wrap(async bytes => wrapping.seal(bytes)), async bytes =>
    wrapping.open(bytes),
  )
  expect(again.export()).toBe(keyring.export())
  await expect(Keyring.unwrap(json(encrypted), bytes => wrapping.open(bytes))).rejects.toMatchObject({
    code: AUTHENTICATION,
  })
})

test('destroyed keys, and disabled ones of other types, stay in the keyset and are not used', () => {
  for (const { keyset } of TINK.destroyed) {
    const keyring = parse(keyset)
    expect(keyring.export()).toBe(json(keyset))
    expect(keyring.keys[0]).toMatchObject({
      type: null,
      status: 'destroyed',
      textPrefix: null,
      primary: false,
    })
    refuses(() => keyring.enable(1), 'ERR_INVALID_STATE')
    refuses(() => keyring.promote(1), 'ERR_INVALID_STATE')
    keyring.disable(1)
    keyring.delete(1)
    expect(keyring.keys.length).toBe(1)
    expect(keyring.openText(keyring.sealText('x'))).toBe('x')
  }
})

/** The bytes of a key of AES-256-GCM in a keyset: the last ones of its protocol buffer. */
function materialOf(key: object): Buffer {
  return Buffer.from((key as { keyData: { value: string } }).keyData.value, 'base64').subarray(-32)
}

/** A frame of AES-256-GCM with a nonce of choice. */
function frameWith(key: Uint8Array, nonce: Buffer, text: string): Buffer {
  const { createCipheriv } = process.getBuiltinModule('node:crypto')
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}
