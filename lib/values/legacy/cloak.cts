// The reader of @47ng/cloak, version 1: `v1.aesgcm256.FINGERPRINT.IV.CIPHERTEXT`, which
// prisma-field-encryption writes too.
import type { LegacyReader } from '../../../types/legacy.d.ts'
import { slice } from '../../cipher/base/builtins.cjs'
import { hashOf } from '../../cipher/base/digests.cjs'
import { fromBase64url, fromEncoded, hexOf, partsOf } from '../../cipher/base/encoded.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { NONCE_BYTES, TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, bytesOver, copy, copyShort, wipe } from '../../cipher/base/views.cjs'
import type { Parts } from './cipher.cjs'
import { type Secret, secretsOf, textOf } from './keys.cjs'
import { Reader, TEXTS } from './reader.cjs'

const KEY_START = 'k1.aesgcm256.'
const KEY_BYTES = 32
/** The beginning of SHA-256 over the text of the key, in hex. */
const FINGERPRINT_BYTES = 4

export function cloakReader(keys: string | readonly string[]): LegacyReader {
  const format = { ...TEXTS, name: 'cloak', parts, key: keyOf }
  return new Reader(format, secretsOf('keys', keys, read))
}

/** A key and its two possible fingerprints: cloak hashes its text, with or without padding. */
function read(name: string, value: unknown): Secret {
  const text = textOf(name, value)
  const isKey = slice(text, 0, KEY_START.length) === KEY_START
  const key = isKey ? fromEncoded(slice(text, KEY_START.length), 'base64url') : undefined
  if (key?.length !== KEY_BYTES) {
    if (key !== undefined) wipe(key, 0)
    throw wrongValue(`"${name}" must be the text of a key of cloak, '${KEY_START}' and 32 bytes in base64url`)
  }
  const bare = slice(text, 0, KEY_START.length + 43)
  try {
    const secret = allocateOffHeap(KEY_BYTES + 2 * FINGERPRINT_BYTES)
    return orWipe(secret, () => {
      copy(secret, key)
      writeFingerprint(secret, KEY_BYTES, bare)
      writeFingerprint(secret, KEY_BYTES + FINGERPRINT_BYTES, `${bare}=`)
      return secret
    })
  } finally {
    wipe(key, 0)
  }
}

function writeFingerprint(secret: Secret, at: number, text: string): void {
  const bytes = bytesOfText(text)
  try {
    copyShort(bytesOver(secret.buffer, at, FINGERPRINT_BYTES), hashOf('sha256', bytes), 0)
  } finally {
    wipe(bytes, 0)
  }
}

function parts(sealed: string): Parts | undefined {
  const five = partsOf(sealed, '.', 5)
  if (five === undefined || five[0] !== 'v1' || five[1] !== 'aesgcm256') return undefined
  const iv = fromBase64url(five[3] as string)
  const end = fromEncoded(five[4] as string, 'base64url')
  if (iv?.length !== NONCE_BYTES || end === undefined || end.length < TAG_BYTES) return undefined
  const memory = end.buffer as ArrayBuffer
  const length = end.length - TAG_BYTES
  const ciphertext = bytesOver(memory, end.byteOffset, length)
  return { iv, ciphertext, tag: bytesOver(memory, end.byteOffset + length, TAG_BYTES), label: five[2] }
}

function keyOf(secret: Secret, { label }: Parts): Uint8Array | undefined {
  for (let at = KEY_BYTES; at < secret.length; at += FINGERPRINT_BYTES) {
    if (hexOf(secret, at, at + FINGERPRINT_BYTES) === label) return bytesOver(secret.buffer, 0, KEY_BYTES)
  }
  return undefined
}
