// Attempts to open a value with one key, as functions for opening.cts. They are made here, because
// V8 would allocate the arguments of a method that makes one at each of its calls.
import type { Buffer } from 'node:buffer'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { max } from '../../cipher/base/builtins.cjs'
import { byteLength } from '../../cipher/base/views.cjs'
import { openInto, openText } from '../../cipher/native/calls.cjs'
import { openShortly, openTextShortly } from '../../cipher/native/sealed-calls.cjs'
import type { Key } from './key-table.cjs'
import { isForgery } from './refusal.cjs'

/** What a caller does whose value is too long for one Buffer. */
export const INSTEAD = 'seal it in several values, or as a stream'

/** The plaintext, or the refusal of the raw function. */
export function openWith(
  { handle, numbers, prefixBytes, cipher }: Key,
  sealed: Uint8Array,
  aad: unknown,
): Buffer<ArrayBuffer> | number {
  const length = max(0, byteLength(sealed) - cipher.overhead - prefixBytes)
  const plaintext = allocateResult(length, INSTEAD)
  let status = openShortly(numbers, plaintext, sealed, aad)
  if (status === length) return plaintext
  // A forgery counts, so it is not tried twice.
  if (isForgery(status)) return status
  status = openInto(handle, prefixBytes, plaintext, sealed, aad)
  return status === length ? plaintext : status
}

/** The text, or the refusal of the raw function. The key has the prefix of the text, or none. */
export function openTextWith(
  { handle, numbers, prefixBytes }: Key,
  sealed: string,
  aad: unknown,
): string | number {
  const result = openTextShortly(numbers, sealed, aad)
  if (typeof result === 'string' || isForgery(result)) return result
  return openText(handle, prefixBytes, sealed, aad)
}

export function attemptAt(sealed: Uint8Array, aad: unknown): (key: Key) => Buffer<ArrayBuffer> | number {
  return key => openWith(key, sealed, aad)
}

export function textAttemptAt(sealed: string, aad: unknown): (key: Key) => string | number {
  return key => openTextWith(key, sealed, aad)
}
