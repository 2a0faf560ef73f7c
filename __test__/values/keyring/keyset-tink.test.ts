// Keysets of Google Tink: read and written as Tink does, and where it refuses one, refused here too.
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import { READING, TINK } from '../../vectors/tink.js'
import {
  decodeKeyset,
  encodeKeyset,
  hex,
  INVALID,
  type KnownKey,
  readEncrypted,
  readKeyset,
  writeEncrypted,
  writeKeyset,
} from './internals.js'

const json = JSON.stringify

describe('keysets of Tink', () => {
  test.each(TINK.keysets)('$name', ({ keyset, protobuf }) => {
    const read = readKeyset(json(keyset))
    expect(encodeKeyset(read).toString('hex')).toBe(protobuf)
    expect(decodeKeyset(hex(protobuf))).toEqual(read)
    expect(writeKeyset(read)).toBe(json(keyset))
  })

  test.each(TINK.xaes.slice(0, 2))('$template', ({ keyset }) => {
    const read = readKeyset(json(keyset))
    expect(read.keys.map(({ type }) => type?.name)).toEqual(['XAES-256-GCM'])
    expect(writeKeyset(decodeKeyset(encodeKeyset(read)))).toBe(json(keyset))
  })

  test('XAES with 8 bytes of salt is refused, and kept while it is disabled', () => {
    const { template, keyset } = TINK.xaes[2] as (typeof TINK.xaes)[0]
    expect(template).toBe('XAES_256_GCM_160_BIT_NONCE_NO_PREFIX')
    expect(refuses(() => readKeyset(json(keyset)), INVALID).message).toContain('"key[0].keyData.typeUrl"')
    const { key } = keyset as { key: { keyId: number }[] }
    const old = json({ ...key[0], status: 'DISABLED', keyId: 2 })
    const { primaryKeyId, key: keys } = TINK.generated as { primaryKeyId: number; key: object[] }
    const both = `{"primaryKeyId":${primaryKeyId},"key":[${json(keys[0])},${reordered(old)}]}`
    const read = readKeyset(both)
    expect(read.keys[1]?.type).toBeNull()
    expect(writeKeyset(read)).toBe(both)
    expect(writeKeyset(decodeKeyset(encodeKeyset(read)))).toBe(both)
  })

  test.each(TINK.destroyed)('$name is kept as it is', ({ keyset, result }) => {
    expect(result.ok).toBeDefined()
    const read = readKeyset(json(keyset))
    expect(read.keys.map(({ status }) => status)).toEqual(['destroyed', 'enabled'])
    expect(writeKeyset(read)).toBe(json(keyset))
    expect(decodeKeyset(encodeKeyset(read))).toEqual(read)
  })

  test('the keyset that Tink generates', () => {
    const { keys } = readKeyset(json(TINK.generated))
    expect(keys.map(({ status, prefix, type }) => [status, prefix, type?.name])).toEqual([
      ['enabled', 'tink', 'AES-256-GCM'],
    ])
    expect((keys[0] as KnownKey).bytes.length).toBe(32)
  })

  test('the encrypted keyset', () => {
    const text = json(TINK.encrypted.json)
    const { ciphertext, info } = readEncrypted(text)
    const keyset = decodeKeyset(hex(TINK.encrypted['decrypted protobuf']))
    expect(encodeKeyset(keyset).toString('hex')).toBe(TINK.encrypted['decrypted protobuf'])
    expect(info?.primary).toBe(2)
    expect(writeEncrypted(ciphertext, keyset)).toBe(text)
    expect(info && writeEncrypted(ciphertext, info)).toBe(text)
    expect(ciphertext.length).toBe(12 + hex(TINK.encrypted['decrypted protobuf']).length + 16)
  })
})

/** Members in the order in which Tink writes them. */
function reordered(key: string): string {
  const { keyData, status, keyId, outputPrefixType } = JSON.parse(key)
  return json({ keyData, status, keyId, outputPrefixType })
}

/** Keysets that both read, or one of them, and that this package treats otherwise than the stricter of them. */
const OTHERWISE: Record<string, 'read' | 'refused'> = {
  // Tink for Java writes it.
  'destroyed no keyData': 'read',
  'b destroyed no keydata': 'read',
  // Editors on Windows begin a file with it.
  'byte order mark': 'read',
  // Types and sizes that this package does not have.
  'xaes 8': 'refused',
  'disabled key of 24 bytes': 'refused',
  'disabled known type bad value': 'refused',
  '9 RAW keys': 'refused',
  // Forms that no writer of keysets makes.
  'value with bits behind its last byte, padded': 'refused',
  'value with bits behind its last byte, unpadded': 'refused',
  'id 15+ digits': 'refused',
  'version overlong varint 0': 'refused',
  'version 2^32 (trunc to 0)': 'refused',
  'overlong length': 'refused',
  'overlong tag': 'refused',
  'b overlong id': 'refused',
  'b id 2^32+1': 'refused',
  'b primary 2^32+1': 'refused',
  'b status 2^32+1': 'refused',
  'key twice': 'refused',
  'xaes params twice merged': 'refused',
  'b primary twice': 'refused',
  'b status twice': 'refused',
  'b keydata twice (merge)': 'refused',
  // Fields that the next export would lose.
  'unknown proto field': 'refused',
  'field 2 in AesGcmKey': 'refused',
  'field 2 params with bytes': 'refused',
  'field 3 wrong wire type': 'refused',
  group: 'refused',
  'b unknown field': 'refused',
  'b unknown field in key': 'refused',
  'b unknown field in keydata': 'refused',
}

describe('reading as the stricter of Tink for Python and for Go', () => {
  const isRead = ({ text, hex: bytes }: (typeof READING)[0]) => {
    try {
      const keyset = text === undefined ? decodeKeyset(hex(bytes as string)) : readKeyset(text)
      // All that may be read can be written and read again.
      expect(readKeyset(writeKeyset(keyset))).toEqual(keyset)
      expect(decodeKeyset(encodeKeyset(keyset))).toEqual(keyset)
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: INVALID, name: 'AesGcmError' })
      return false
    }
  }

  test.each(READING)('$name', one => {
    const stricter = one.python && one.go
    const otherwise = OTHERWISE[one.name]
    expect(isRead(one)).toBe(otherwise === undefined ? stricter : otherwise === 'read')
    // The list holds no case that is as in Tink.
    if (otherwise !== undefined) expect(stricter).toBe(otherwise === 'refused')
  })

  test('the cases are many, of both kinds, and the list of exceptions names cases', () => {
    const names = READING.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(READING.filter(({ python, go }) => python && go).length).toBeGreaterThan(60)
    expect(READING.filter(({ python, go }) => !python && !go).length).toBeGreaterThan(50)
    expect(READING.filter(({ python, go }) => python !== go).length).toBeGreaterThan(20)
    for (const name of Object.keys(OTHERWISE)) expect(names).toContain(name)
  })
})
