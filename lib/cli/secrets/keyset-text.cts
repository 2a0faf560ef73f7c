// The text of a keyset in a file, and the library's refusals of it with the name of the file.
import type { Buffer } from 'node:buffer'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { textOfBytes } from '../../cipher/base/utf8.cjs'
import { Failure, unusable } from '../frame/failure.cjs'
import { isUtf16, UTF_16 } from '../frame/text.cjs'
import { beginsWith } from './key.cjs'

/** Longer than the bytes of any key, which may begin as a keyset by chance. */
const MIN_BYTES = 33

/** Whether a file that may hold a key has a keyset instead, as JSON. */
export function looksLikeKeyset(bytes: Buffer): boolean {
  return bytes.length >= MIN_BYTES && beginsWith(bytes, '{')
}

export function textOfKeyset(name: string, bytes: Buffer): string {
  if (isUtf16(bytes)) throw unusable(name, UTF_16)
  const text = textOfBytes(bytes)
  if (text === undefined) throw unusable(name, 'is not UTF-8')
  return text
}

export function isEncrypted(text: string): boolean {
  return /"encrypted(?:K|_k)eyset"/.test(text)
}

/** An error of a keyset as a failure about its file; others as they are. */
export function named(name: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code !== 'ERR_AESGCM_INVALID_KEYSET' || error instanceof Failure) return error
  // The library's messages show no character of the keyset.
  return new Failure(code, (error as Error).message, { about: name })
}
