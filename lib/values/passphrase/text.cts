// A protected key as a line of text: "AGP1-", and base64url of the bytes after "AGP1".
import type { Buffer } from 'node:buffer'
import { beginning, slice, trim } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { base64url, fromBase64url } from '../../cipher/base/encoded.cjs'
import { allocate, copy } from '../../cipher/base/views.cjs'
import { HEADER_BYTES, MAGIC, malformed } from './header.cjs'

const MARK = 'AGP1-'
/** A header, a key of 32 bytes and its frame, in base64url. */
const MAX_CHARACTERS = MARK.length + 107

/** Whether a text begins as that of a protected key does, of any version. */
export function looksProtected(text: string): boolean {
  return beginning(text, 3) === 'AGP'
}

export function textOf(file: Buffer): string {
  return `${MARK}${base64url(file, MAGIC.length)}`
}

/** The bytes of a text, which may have white space around, as a line of a file has. */
export function bytesOf(given: string): Buffer<ArrayBuffer> {
  const text = given.length > 1024 ? given : trim(given)
  if (!looksProtected(text)) throw malformed('is not a passphrase-protected key')
  if (beginning(text, MARK.length) !== MARK)
    throw malformed('has a version that this release does not support')
  const rest = text.length > MAX_CHARACTERS ? undefined : fromBase64url(slice(text, MARK.length))
  if (rest === undefined || rest.length < HEADER_BYTES - MAGIC.length)
    throw malformed('is malformed or truncated')
  const file = allocate(MAGIC.length + rest.length)
  for (let i = 0; i < MAGIC.length; i++) file[i] = MAGIC[i] as number
  copy(file, copied(rest), MAGIC.length)
  return file
}
