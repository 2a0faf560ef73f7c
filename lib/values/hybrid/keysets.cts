// The values of Tink's keys of HPKE, as messages of Protocol Buffers.
//
// HpkePublicKey: version = 1, params = 2 { kem = 1, kdf = 2, aead = 3 }, public_key = 3.
// HpkePrivateKey: version = 1, public_key = 2 (an HpkePublicKey), private_key = 3.
//
// The bytes of a private key are here the private key, then the public one.
import { crypto } from '../../cipher/base/builtins.cjs'
import { copied, part } from '../../cipher/base/bytes.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { invalidKeyset } from '../keyring/keyset/errors.cjs'
import {
  type FormedKey,
  HPKE_PRIVATE,
  HPKE_PUBLIC,
  type KeysetForm,
  UNKNOWN_TYPE,
} from '../keyring/keyset/form.cjs'
import { keyTypeOfUrl } from '../keyring/keyset/key-types.cjs'
import { ASYMMETRIC_PRIVATE, ASYMMETRIC_PUBLIC } from '../keyring/keyset/model.cjs'
import {
  type FieldType,
  readMessage,
  sizeOfBytes,
  sizeOfMessage,
  sizeOfNumber,
  Writer,
} from '../keyring/keyset/wire.cjs'
import { type KemPublic, PRIVATE_BYTES } from './kem.cjs'
import { type HybridTypeSpec, PRIVATE_TYPES, PUBLIC_TYPES, typeOfNumbers } from './key-types.cjs'
import { hasMlKem, ML_KEM_NEEDS, withoutMlKem } from './raw-keys.cjs'

const { timingSafeEqual } = crypto

const PARAMS = 2
const PUBLIC_KEY = 3
const PUBLIC_IN_PRIVATE = 2
const PRIVATE_KEY = 3
const HKDF_SHA256 = 1
const FIELDS: readonly (FieldType | undefined)[] = [undefined, 'number', 'bytes', 'bytes']
const FIELDS_OF_PARAMS: readonly (FieldType | undefined)[] = [undefined, 'number', 'number', 'number']

/** Most keys of a keyset: a thousand keys of X-Wing would exceed the bytes of a keyset. */
const MAX_KEYS = 500

type Key = FormedKey<HybridTypeSpec>

/** A view of the bytes field of a message, and its two others. */
interface Fields {
  readonly message: Uint8Array
  readonly bytes: Uint8Array
}

/** Reads a message of version 0 with two fields of bytes, 2 and 3. */
function fieldsIn(place: string, value: Uint8Array): Fields {
  let version = 0
  let message = part(value, 0, 0)
  let bytes = message
  const keepVersion = (_: number, number: number) => {
    version = number
  }
  readMessage(value, 0, byteLength(value), place, FIELDS, keepVersion, (field, start, end) => {
    const view = part(value, start, end - start)
    if (field === 2) message = view
    else bytes = view
  })
  if (version !== 0) throw invalidKeyset(place, 'must be of version 0')
  return { message, bytes }
}

/** The type and the bytes of a public key; undefined for another KEM, KDF or AEAD. */
function publicIn(
  place: string,
  types: readonly HybridTypeSpec[],
  value: Uint8Array,
): { type: HybridTypeSpec; bytes: Uint8Array } | undefined {
  const { message, bytes } = fieldsIn(place, value)
  let [kem, kdf, aead] = [0, 0, 0]
  const keep = (field: number, number: number) => {
    if (field === 1) kem = number
    else if (field === 2) kdf = number
    else aead = number
  }
  readMessage(message, 0, byteLength(message), place, FIELDS_OF_PARAMS, keep, () => {})
  const type = typeOfNumbers(types, kem, kdf, aead)
  if (type === undefined) return undefined
  refuseLength(place, 'public', type.suite.kem.publicBytes, bytes)
  return { type, bytes }
}

function refuseLength(place: string, half: string, wanted: number, bytes: Uint8Array): void {
  const length = byteLength(bytes)
  if (length === wanted) return
  throw invalidKeyset(place, `must have a ${half} key of ${wanted} bytes, got ${length}`)
}

/** Whether this runtime can use keys of a type. Throws if it cannot, and the key is enabled. */
function canUse({ suite }: HybridTypeSpec, isEnabled: boolean): boolean {
  if (!suite.kem.isPostQuantum || hasMlKem()) return true
  if (isEnabled) throw withoutMlKem()
  return false
}

/** The public key of bytes of a keyset. */
export function publicKeyIn(place: string, { suite }: HybridTypeSpec, bytes: Uint8Array): KemPublic {
  const key = suite.kem.publicKey(bytes)
  if (key !== undefined) return key
  throw invalidKeyset(place, 'must not have a public key that is no key, or a point of low order')
}

function readPublic(place: string, typeUrl: string, value: Uint8Array, isEnabled: boolean): Key | undefined {
  if (typeUrl !== HPKE_PUBLIC) return undefined
  const found = publicIn(place, PUBLIC_TYPES, value)
  if (found === undefined || !canUse(found.type, isEnabled)) return undefined
  publicKeyIn(place, found.type, found.bytes)
  return { type: found.type, bytes: copied(found.bytes) }
}

function readPrivate(place: string, typeUrl: string, value: Uint8Array, isEnabled: boolean): Key | undefined {
  if (typeUrl !== HPKE_PRIVATE) return undefined
  const { message, bytes: secret } = fieldsIn(place, value)
  const found = publicIn(place, PRIVATE_TYPES, message)
  if (found === undefined || !canUse(found.type, isEnabled)) return undefined
  const { type } = found
  refuseLength(place, 'private', PRIVATE_BYTES, secret)
  const { bytes } = type.suite.kem.privateKey(secret)
  if (!timingSafeEqual(bytes, found.bytes))
    throw invalidKeyset(place, 'must have the public key of its private one')
  const both = allocateOffHeap(PRIVATE_BYTES + byteLength(bytes))
  return onFailure(
    () => void wipe(both, 0),
    () => {
      copy(both, secret)
      copy(both, bytes, PRIVATE_BYTES)
      return { type, bytes: both }
    },
  )
}

function sizeOfParams({ suite, aead }: HybridTypeSpec): number {
  return sizeOfNumber(suite.kem.tink) + sizeOfNumber(HKDF_SHA256) + sizeOfNumber(aead)
}

function sizeOfPublic(type: HybridTypeSpec): number {
  return sizeOfMessage(sizeOfParams(type)) + sizeOfBytes(type.suite.kem.publicBytes)
}

function writePublicTo(writer: Writer, type: HybridTypeSpec, bytes: Uint8Array): void {
  writer.begin(PARAMS, sizeOfParams(type))
  writer.number(1, type.suite.kem.tink)
  writer.number(2, HKDF_SHA256)
  writer.number(3, type.aead)
  writer.bytes(PUBLIC_KEY, bytes)
}

function writePublic({ type, bytes }: Key): Uint8Array {
  const writer = new Writer(sizeOfPublic(type))
  writePublicTo(writer, type, bytes)
  return writer.memory
}

function writePrivate({ type, bytes }: Key): Uint8Array {
  const size = sizeOfPublic(type)
  const writer = new Writer(sizeOfMessage(size) + sizeOfBytes(PRIVATE_BYTES))
  writer.begin(PUBLIC_IN_PRIVATE, size)
  writePublicTo(writer, type, part(bytes, PRIVATE_BYTES, type.suite.kem.publicBytes))
  writer.bytes(PRIVATE_KEY, part(bytes, 0, PRIVATE_BYTES))
  return writer.memory
}

const readerOf = (typeUrl: string) => (keyTypeOfUrl(typeUrl) === undefined ? undefined : 'Keyring')
const SUITES = 'of X25519 or X-Wing, HKDF-SHA256 and AES-GCM'

export const PRIVATE_KEYSETS: KeysetForm<HybridTypeSpec> = {
  reader: 'PrivateKeyring',
  material: ASYMMETRIC_PRIVATE,
  typeUrls: [HPKE_PRIVATE],
  wanted: `HpkePrivateKey ${SUITES}, for an enabled key`,
  keepsOthers: false,
  unusable: () =>
    hasMlKem()
      ? UNKNOWN_TYPE
      : `${UNKNOWN_TYPE}, or of X-Wing, and this runtime lacks ML-KEM-768, ${ML_KEM_NEEDS}`,
  isLine: false,
  maxKeys: MAX_KEYS,
  read: readPrivate,
  write: writePrivate,
  readerOf: typeUrl => (typeUrl === HPKE_PUBLIC ? 'PublicKeyring' : readerOf(typeUrl)),
}

export const PUBLIC_KEYSETS: KeysetForm<HybridTypeSpec> = {
  ...PRIVATE_KEYSETS,
  reader: 'PublicKeyring',
  material: ASYMMETRIC_PUBLIC,
  typeUrls: [HPKE_PUBLIC],
  wanted: `HpkePublicKey ${SUITES}, for an enabled key`,
  read: readPublic,
  write: writePublic,
  readerOf: typeUrl =>
    typeUrl === HPKE_PRIVATE
      ? 'PrivateKeyring, which must stay private: use the text of its publicKeyset()'
      : readerOf(typeUrl),
}
