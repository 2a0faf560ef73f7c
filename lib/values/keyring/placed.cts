// Opens sealed texts of columns. Each text is bound to a place. The short way comes first: it
// needs no memory for the additional data. What it refuses goes on at length, with these as bytes.
import type { Buffer } from 'node:buffer'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { max } from '../../cipher/base/builtins.cjs'
import { bytesOfBase64url, fromBase64url } from '../../cipher/base/encoded.cjs'
import { hasShortWay, openBytesAt, openTextAt } from '../../cipher/native/sealed-calls.cjs'
import { attemptAt, INSTEAD, textAttemptAt } from './attempts.cjs'
import { keyringDestroyed } from './key-table.cjs'
import { type Keyring, tableOf } from './keyring.cjs'
import { open, openText } from './methods.cjs'
import { OpenFailure, openWithRawKeys, toError } from './opening.cjs'
import { prefixInText } from './prefix.cjs'
import { isForgery, OPEN, OPEN_TEXT } from './refusal.cjs'

/** Stands for a value that no key has tried. */
export const UNTRIED = -1

/**
 * The text of a sealed value, or a refusal. `head` and `rowKey` are as in binding.cts; the key is
 * null for a place without a row. Throws nothing.
 */
export function textAt(
  keyring: Keyring,
  sealed: string,
  head: string,
  rowKey: string | null,
): string | number {
  const table = tableOf(keyring)
  if (table.destroyed) return UNTRIED
  const key = table.keyFor(sealed)
  if (key === undefined) return UNTRIED
  const result = openTextAt(key.numbers, sealed, head, rowKey)
  if (typeof result === 'string') key.opened++
  return result
}

/** As `textAt`, for bytes. Throws if there is no memory for them. */
export function bytesAt(
  keyring: Keyring,
  sealed: string,
  head: string,
  rowKey: string | null,
): Buffer<ArrayBuffer> | number {
  const table = tableOf(keyring)
  if (table.destroyed || !hasShortWay()) return UNTRIED
  const key = table.keyFor(sealed)
  if (key === undefined) return UNTRIED
  const { numbers, prefixBytes, cipher } = key
  const length = max(0, bytesOfBase64url(sealed.length) - cipher.overhead - prefixBytes)
  const plaintext = allocateResult(length, INSTEAD)
  const status = openBytesAt(numbers, plaintext, sealed, head, rowKey)
  if (status !== length) return status
  key.opened++
  return plaintext
}

/** As `openText`, after `textAt` refused with `status`. */
export function textAfter(keyring: Keyring, sealed: string, aad: Uint8Array, status: number): string {
  if (!isForgery(status)) return openText(keyring, sealed, aad)
  const table = tableOf(keyring)
  const prefix = prefixInText(sealed)
  // A forgery counts, so the key does not try it twice.
  const key = table.keyWithPrefix(prefix)
  const text = openWithRawKeys(table, prefix, key, status, textAttemptAt(sealed, aad))
  if (typeof text === 'string') return text
  throw toError(table, text, OPEN_TEXT, [undefined, 0, sealed, aad])
}

/**
 * As `open`, for the base64url of a value, after `bytesAt` refused with `status`. Undefined,
 * without an event, for every other text.
 */
export function bytesAfter(
  keyring: Keyring,
  sealed: string,
  aad: Uint8Array,
  status: number,
): Buffer<ArrayBuffer> | undefined {
  const table = tableOf(keyring)
  if (table.destroyed) throw keyringDestroyed()
  const value = fromBase64url(sealed)
  if (value === undefined) return undefined
  if (!isForgery(status)) return open(keyring, value, aad)
  const prefix = prefixInText(sealed)
  const key = table.keyWithPrefix(prefix)
  const opened = openWithRawKeys(table, prefix, key, status, attemptAt(value, aad))
  if (opened instanceof OpenFailure) throw toError(table, opened, OPEN, [undefined, 0, undefined, value, aad])
  return opened
}
