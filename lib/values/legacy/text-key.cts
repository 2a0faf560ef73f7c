// Keys made of a text by SHA-256: its 32 bytes, or the first 32 characters of its digest as text.
import { hasOwn, positionOf, types } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { hashOf } from '../../cipher/base/digests.cjs'
import { type TextEncoding, textIn } from '../../cipher/base/encoded.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { codedIfRevoked, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { bytesOfTextOrBytes } from '../../cipher/base/utf8.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { copyOfKey, copyOfText, type Secret } from './keys.cjs'

const { isUint8Array } = types
const NAMES = ['sha256', 'digest'] as const
const DIGESTS = ['hex', 'base64'] as const satisfies TextEncoding[]
/** The bytes whose text has 32 characters. */
const CUT = { hex: 16, base64: 24 }

/** A key of AES as bytes or as KeyObject, or `{ sha256, digest }`. */
export function keyOf(name: string, value: unknown): Secret {
  return isHashed(name, value) ? hashed(name, value) : copyOfKey(name, value)
}

function isHashed(name: string, value: unknown): boolean {
  try {
    return typeof value === 'object' && value !== null && !isUint8Array(value) && hasOwn(value, 'sha256')
  } catch (error) {
    throw codedIfRevoked(name, value, error)
  }
}

function hashed(name: string, value: unknown): Secret {
  const own = optionsOf(value, NAMES, name)
  const digest = own('digest')
  if (digest !== undefined && positionOf(DIGESTS, digest) < 0)
    throw wrongValue(`"${name}.digest" must be 'hex' or 'base64', got ${shown(digest)}`)
  const secret = bytesOfTextOrBytes(`${name}.sha256`, own('sha256'))
  if (secret.length === 0) throw wrongValue(`"${name}.sha256" must not be empty`)
  const hash = orWipe(secret, () => hashOf('sha256', secret))
  wipe(secret, 0)
  try {
    if (digest === undefined) return copied(hash)
    return copyOfText(textIn(hash, digest as keyof typeof CUT, 0, CUT[digest as keyof typeof CUT]))
  } finally {
    wipe(hash, 0)
  }
}
