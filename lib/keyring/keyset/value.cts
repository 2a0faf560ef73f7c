// The value of a key: a small message of Protocol Buffers, whose form its type tells.
//
// AesGcmKey and AesGcmSivKey: version = 1, key_value = 3. XAesGcmKey: version = 1, params = 2 { salt_size = 1 }, key_value = 3.
import { allocateApart, byteLength, byteOffset, bytesOver, copy, memoryOf } from '../../base/views.cjs'
import type { KeyType } from './entry.cjs'
import { invalidKeyset } from './errors.cjs'
import { type Kind, readMessage, sizeOfBytes, sizeOfMessage, sizeOfNumber, Writer } from './wire.cjs'

const URL = 'type.googleapis.com/google.crypto.tink.'
export const GCM_URL = `${URL}AesGcmKey`
export const SIV_URL = `${URL}AesGcmSivKey`
export const XAES_URL = `${URL}XAesGcmKey`

const PARAMS = 2
const KEY_VALUE = 3
const SALT_SIZE = 1
const KINDS: readonly (Kind | undefined)[] = [undefined, 'number', undefined, 'bytes']
const KINDS_OF_XAES: readonly (Kind | undefined)[] = [undefined, 'number', 'bytes', 'bytes']
const KINDS_OF_PARAMS: readonly (Kind | undefined)[] = [undefined, 'number']

const none = () => {}

/** The salt that makes Tink's key that of the C2SP specification, with nonces of 24 bytes, and the shortest that Tink takes. */
const SALT_BYTES = 12
const LEAST_SALT_BYTES = 8

/** The type of a known key, and its bytes: memory of its own. */
export interface Value {
  readonly type: KeyType
  readonly bytes: Uint8Array
}

/**
 * Reads the value of a key. Gives undefined for a type that this package does not know, and for XAesGcmKey with a shorter salt, whose
 * nonces are shorter.
 */
export function readValue(place: string, typeUrl: string, value: Uint8Array): Value | undefined {
  if (typeUrl !== GCM_URL && typeUrl !== SIV_URL && typeUrl !== XAES_URL) return undefined
  const isXaes = typeUrl === XAES_URL
  let version = 0
  let salt = 0
  let from = 0
  let size = 0
  const kinds = isXaes ? KINDS_OF_XAES : KINDS
  const keepVersion = (_: number, number: number) => {
    version = number
  }
  const keepSalt = (_: number, number: number) => {
    salt = number
  }
  readMessage(value, 0, byteLength(value), place, kinds, keepVersion, (field, start, end) => {
    if (field === PARAMS) return readMessage(value, start, end, place, KINDS_OF_PARAMS, keepSalt, none)
    from = start
    size = end - start
  })
  if (version !== 0) throw invalidKeyset(place, 'must be of version 0')
  const type = typeOf(typeUrl, size)
  if (type === undefined)
    throw invalidKeyset(place, `must hold a key of ${isXaes ? '32' : '16 or 32'} bytes, got ${size}`)
  if (isXaes && salt !== SALT_BYTES) {
    if (salt >= LEAST_SALT_BYTES && salt < SALT_BYTES) return undefined
    throw invalidKeyset(place, `must have a salt of ${SALT_BYTES} bytes, got ${salt}`)
  }
  return { type, bytes: partOf(value, from, size) }
}

/** A part of some bytes, in memory of its own. */
export function partOf(bytes: Uint8Array, from: number, size: number): Uint8Array {
  const part = allocateApart(size)
  copy(part, bytesOver(memoryOf(bytes), byteOffset(bytes) + from, size))
  return part
}

function typeOf(typeUrl: string, bytes: number): KeyType | undefined {
  if (bytes !== 16 && bytes !== 32) return undefined
  if (typeUrl === XAES_URL) return bytes === 32 ? 'XAES-256-GCM' : undefined
  if (typeUrl === SIV_URL) return bytes === 32 ? 'AES-256-GCM-SIV' : 'AES-128-GCM-SIV'
  return bytes === 32 ? 'AES-256-GCM' : 'AES-128-GCM'
}

export function urlOf(type: KeyType): string {
  switch (type) {
    case 'AES-256-GCM':
    case 'AES-128-GCM':
      return GCM_URL
    case 'AES-256-GCM-SIV':
    case 'AES-128-GCM-SIV':
      return SIV_URL
    default:
      return XAES_URL
  }
}

/** The value of a key, in memory of its own, which the caller wipes. */
export function writeValue({ type, bytes }: Value): Uint8Array {
  const isXaes = type === 'XAES-256-GCM'
  const params = isXaes ? sizeOfMessage(sizeOfNumber(SALT_BYTES)) : 0
  const writer = new Writer(params + sizeOfBytes(byteLength(bytes)))
  if (isXaes) {
    writer.begin(PARAMS, sizeOfNumber(SALT_BYTES))
    writer.number(SALT_SIZE, SALT_BYTES)
  }
  writer.bytes(KEY_VALUE, bytes)
  return writer.memory
}
