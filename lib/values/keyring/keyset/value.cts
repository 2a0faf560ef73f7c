// The value of a key: a small message of Protocol Buffers, whose form depends on the type.
//
// AesGcmKey and AesGcmSivKey: version = 1, key_value = 3.
// XAesGcmKey: version = 1, params = 2 { salt_size = 1 }, key_value = 3.
import { join } from '../../../cipher/base/builtins.cjs'
import {
  allocateOffHeap,
  byteLength,
  byteOffset,
  bytesOver,
  copy,
  memoryOf,
} from '../../../cipher/base/views.cjs'
import { invalidKeyset } from './errors.cjs'
import { type FormedKey, HPKE_PRIVATE, HPKE_PUBLIC, type KeysetForm, UNKNOWN_TYPE } from './form.cjs'
import { KEY_TYPES, type KeyTypeSpec, keyTypeOfUrl } from './key-types.cjs'
import { MAX_KEYS, SYMMETRIC } from './model.cjs'
import { type FieldType, readMessage, sizeOfBytes, sizeOfMessage, sizeOfNumber, Writer } from './wire.cjs'

const PARAMS = 2
const KEY_VALUE = 3
const SALT_SIZE = 1
const FIELDS: readonly (FieldType | undefined)[] = [undefined, 'number', undefined, 'bytes']
const FIELDS_WITH_PARAMS: readonly (FieldType | undefined)[] = [undefined, 'number', 'bytes', 'bytes']
const FIELDS_OF_PARAMS: readonly (FieldType | undefined)[] = [undefined, 'number']

const none = () => {}

/** The shortest salt that Tink accepts. */
const MIN_SALT_BYTES = 8

type Value = FormedKey<KeyTypeSpec>

/**
 * Reads the value of a key. Returns undefined for an unknown type, and for XAesGcmKey with a
 * shorter salt, whose nonces are shorter.
 */
export function readValue(place: string, typeUrl: string, value: Uint8Array): Value | undefined {
  const first = keyTypeOfUrl(typeUrl)
  if (first === undefined) return undefined
  const { cipher, saltBytes } = first
  let version = 0
  let salt = 0
  let from = 0
  let size = 0
  const fields = saltBytes === undefined ? FIELDS : FIELDS_WITH_PARAMS
  const keepVersion = (_: number, number: number) => {
    version = number
  }
  const keepSalt = (_: number, number: number) => {
    salt = number
  }
  readMessage(value, 0, byteLength(value), place, fields, keepVersion, (field, start, end) => {
    if (field === PARAMS) return readMessage(value, start, end, place, FIELDS_OF_PARAMS, keepSalt, none)
    from = start
    size = end - start
  })
  if (version !== 0) throw invalidKeyset(place, 'must be of version 0')
  const type = keyTypeOfUrl(typeUrl, size)
  if (type === undefined)
    throw invalidKeyset(
      place,
      `must hold a key of ${join(cipher.keyBytes as never, ' or ')} bytes, got ${size}`,
    )
  if (saltBytes !== undefined && salt !== saltBytes) {
    if (salt >= MIN_SALT_BYTES && salt < saltBytes) return undefined
    throw invalidKeyset(place, `must have a salt of ${saltBytes} bytes, got ${salt}`)
  }
  return { type, bytes: partOf(value, from, size) }
}

/** Part of some bytes, in its own memory. */
export function partOf(bytes: Uint8Array, from: number, size: number): Uint8Array {
  const part = allocateOffHeap(size)
  copy(part, bytesOver(memoryOf(bytes), byteOffset(bytes) + from, size))
  return part
}

/** The value of a key, in its own memory, which the caller wipes. */
export function writeValue({ type, bytes }: Value): Uint8Array {
  const { saltBytes } = type
  const params = saltBytes === undefined ? 0 : sizeOfMessage(sizeOfNumber(saltBytes))
  const writer = new Writer(params + sizeOfBytes(byteLength(bytes)))
  if (saltBytes !== undefined) {
    writer.begin(PARAMS, sizeOfNumber(saltBytes))
    writer.number(SALT_SIZE, saltBytes)
  }
  writer.bytes(KEY_VALUE, bytes)
  return writer.memory
}

/** The keysets of class Keyring. */
export const AEAD_KEYSETS: KeysetForm<KeyTypeSpec> = {
  reader: 'Keyring',
  material: SYMMETRIC,
  typeUrls: KEY_TYPES.map(({ typeUrl }) => typeUrl),
  wanted: 'AesGcmKey, AesGcmSivKey or XAesGcmKey with 12 bytes of salt, for an enabled key',
  keepsOthers: true,
  unusable: () => UNKNOWN_TYPE,
  isLine: true,
  maxKeys: MAX_KEYS,
  read: readValue,
  write: writeValue,
  readerOf: typeUrl =>
    typeUrl === HPKE_PRIVATE ? 'PrivateKeyring' : typeUrl === HPKE_PUBLIC ? 'PublicKeyring' : undefined,
}
