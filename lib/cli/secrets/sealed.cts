// The beginning of a file, read as that of a sealed value: the id of its key, and whether a keyset
// has this key.
import type { Buffer } from 'node:buffer'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import { keyTypeOf } from '../../values/keyring/keyset/key-types.cjs'
import { PREFIX_BYTES, prefixInBytes, prefixInText } from '../../values/keyring/prefix.cjs'
import { factsOf, type KeyFacts } from './keyset-list.cjs'

/** Prefixes have a version before the id: 0 or 1. */
const [ONE_VERSION, VERSIONS] = [2 ** 32, 2 ** 33]

export interface Sealed {
  readonly format: 'sealed text' | 'sealed bytes'
  readonly keyId: number
  /** The message's length; assumes AES-GCM without a keyset. Absent if the end is not known. */
  readonly bytes?: number
  /** The key in the keyset, null if absent there; undefined without a keyset. */
  readonly key?: KeyFacts | null
}

/** Reads `head`, the first of `size` bytes or all of them, as a sealed value, if it may be one. */
export function sealedBy(head: Buffer, size: number, keyring: Keyring | undefined): Sealed | undefined {
  const text = head.toString('latin1').replace(/\r?\n$/, '')
  const isText = /^[\w-]+$/.test(text)
  const prefix = isText ? prefixInText(text) : prefixInBytes(head)
  if (prefix < 0 || prefix >= VERSIONS) return undefined
  const keyId = prefix % ONE_VERSION
  const known = keyring?.keys.find(key => key.id === keyId)
  const overhead = PREFIX_BYTES + keyTypeOf('type', known?.type ?? 'AES-256-GCM').cipher.overhead
  const length = isText ? (head.length === size ? lengthOf(text) : undefined) : size
  if (length === null || (length !== undefined && length < overhead)) return undefined
  return {
    format: isText ? 'sealed text' : 'sealed bytes',
    keyId,
    ...(length !== undefined && { bytes: length - overhead }),
    ...(keyring !== undefined && { key: known === undefined ? null : factsOf(known) }),
  }
}

/** The number of bytes in a text of base64url; null if it is impossible. */
function lengthOf(text: string): number | null {
  return text.length % 4 === 1 ? null : Math.floor((text.length * 3) / 4)
}

export function describeSealed({ format, keyId, bytes, key }: Sealed, keyset: string | undefined): string {
  const what = format === 'sealed text' ? 'a text' : 'bytes'
  const length = bytes === undefined ? '' : `, with a message of ${bytes} bytes`
  const hex = keyId.toString(16).padStart(8, '0')
  const begin = `${what} sealed by a keyring with key ${keyId} (${hex})${length}`
  if (key === undefined) return begin
  if (key === null) return `${begin}; ${keyset} does not contain this key`
  const state = key.primary ? 'the primary key' : key.status
  return `${begin}; ${keyset} contains this key: ${key.type ?? 'unknown type'}, ${state}`
}
