// Seals a message to the primary public key of a keyring, and opens it with a private one.
import type { Buffer } from 'node:buffer'
import type { AuthenticationError } from '../../../index.d.ts'
import { AES_GCM } from '../../cipher/aead/ciphers.cjs'
import { aeadRefusal } from '../../cipher/aead/refusal.cjs'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { types } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf, part } from '../../cipher/base/bytes.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import {
  AuthenticationError as Failure,
  messageTooLong,
  notBytes,
  outOfRange,
  shared,
  UnknownKeyError,
} from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { bytesOfTextOrBytes } from '../../cipher/base/utf8.cjs'
import { byteLength, copy, isShared, wipe } from '../../cipher/base/views.cjs'
import { isUsable } from '../keyring/key-table.cjs'
import { unknownId } from '../keyring/opening.cjs'
import { prefixInBytes } from '../keyring/prefix.cjs'
import { isForgery } from '../keyring/refusal.cjs'
import { openBase, sealBase } from './hpke.cjs'
import type { KemPrivate } from './kem.cjs'
import type { PrivateKey, PrivateTable, PublicKey, PublicTable } from './keys.cjs'

const { isUint8Array } = types
const INSTEAD = 'seal it in several messages, or as a stream'
const NOTHING = new Uint8Array(0)
// The arguments of the raw functions, under the names that callers know.
const SEAL = ['key', 'plaintext', 'nonce', 'tag', 'aad']
const OPEN = ['key', 'sealed', 'nonce', 'tag', 'aad']

/** Context info as bytes: a copy, or the UTF-8 of a text. */
export function contextBytes(info: unknown): Uint8Array {
  if (info === undefined || info === null) return NOTHING
  if (isUint8Array(info) && isShared(info)) throw shared('contextInfo')
  return bytesOfTextOrBytes('contextInfo', info)
}

/** The bytes of an argument that is read. */
export function checkedBytes(name: string, bytes: unknown): Uint8Array {
  if (!isUint8Array(bytes)) throw notBytes(name, bytes)
  if (isShared(bytes)) throw shared(name)
  lengthOf(name, bytes)
  return bytes
}

/** Most characters of a string, as V8 has it, for every runtime. */
const MAX_STRING = 2 ** 29 - 24

/** Refuses so many bytes of text if the message would not fit in a string. */
export function refuseLongText(table: PublicTable, bytes: number): void {
  const { prefixBytes, type } = table.primary as PublicKey
  // Base64url without padding has four characters for three bytes.
  if ((prefixBytes + type.suite.overhead + bytes) * 4 <= MAX_STRING * 3) return
  const what =
    '"text" is too long: the sealed text would have more than 2^29 - 24 characters; seal takes longer bytes'
  throw outOfRange(what)
}

/** A sealed message: the prefix of the key, the encapsulated secret, the ciphertext and its tag. */
export function seal(table: PublicTable, plaintext: Uint8Array, info: Uint8Array): Buffer<ArrayBuffer> {
  const { id, prefix, prefixBytes, type, key } = table.primary as PublicKey
  const { suite } = type
  const length = byteLength(plaintext)
  if (length > AES_GCM.maxMessageBytes) throw messageTooLong()
  const sealed = allocateResult(prefixBytes + suite.overhead + length, INSTEAD)
  if (prefixBytes > 0) {
    sealed[0] = prefix === 'tink' ? 1 : 0
    for (let i = 1; i < prefixBytes; i++) sealed[i] = id >>> (32 - 8 * i)
  }
  copy(sealed, plaintext, prefixBytes + suite.kem.encBytes)
  const status = orWipe(sealed, () => sealBase(suite, key, info, sealed, prefixBytes))
  if (status >= 0) return sealed
  wipe(sealed, 0)
  throw aeadRefusal(AES_GCM, status, SEAL, undefined, plaintext)
}

/** Why a message did not open: the id that it names, if it is unknown. */
export class Unopened {
  readonly unknown: number

  constructor(unknown: number) {
    this.unknown = unknown
  }

  /** The error, after its event. */
  toError(): AuthenticationError {
    authenticationFailed()
    return this.unknown < 0 ? new Failure() : new UnknownKeyError(this.unknown)
  }
}

/** Opens by the key that the prefix names, then by each key without a prefix, as Keyring does. */
export function open(
  table: PrivateTable,
  sealed: Uint8Array,
  info: Uint8Array,
): Buffer<ArrayBuffer> | Unopened {
  const prefix = prefixInBytes(sealed)
  const named = table.keyWithPrefix(prefix)
  if (named !== undefined) {
    const plaintext = openWith(named, sealed, info)
    if (plaintext !== undefined) return plaintext
  }
  if (table.rawKeys > 0) {
    for (let key = table.first; key !== undefined; key = key.next) {
      if (!isUsable(key) || key.prefixBytes > 0 || !key.enabled) continue
      const plaintext = openWith(key, sealed, info)
      if (plaintext !== undefined) return plaintext
    }
    return new Unopened(-1)
  }
  return new Unopened(named === undefined ? unknownId(table, prefix) : -1)
}

/** The plaintext; undefined if authentication fails. */
function openWith(
  { type: { suite }, prefixBytes, key }: PrivateKey,
  sealed: Uint8Array,
  info: Uint8Array,
): Buffer<ArrayBuffer> | undefined {
  const { encBytes } = suite.kem
  const start = prefixBytes + encBytes
  const length = byteLength(sealed) - start - TAG_BYTES
  if (length < 0) return undefined
  const text = allocateResult(length, INSTEAD)
  copy(text, part(sealed, start, length))
  const tag = copied(part(sealed, start + length, TAG_BYTES))
  const enc = part(sealed, prefixBytes, encBytes)
  const status = openBase(suite, key as KemPrivate, enc, info, text, tag)
  if (status === undefined || (!(status >= 0) && isForgery(status))) return undefined
  if (!(status >= 0)) throw aeadRefusal(AES_GCM, status, OPEN, undefined, sealed)
  return text
}
