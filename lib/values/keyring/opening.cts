// Opens a value: by the key that its prefix names, then by each key without a prefix.
import type { Buffer } from 'node:buffer'
import { types } from '../../cipher/base/builtins.cjs'
import { authenticationFailed, isTrial } from '../../cipher/base/diagnostics.cjs'
import { AuthenticationError, UnknownKeyError } from '../../cipher/base/errors.cjs'
import { openTextShortly } from '../../cipher/native/sealed-calls.cjs'
import { attemptAt, openTextWith, openWith, textAttemptAt } from './attempts.cjs'
import { isHeader } from './jwe-header.cjs'
import { type AeadTable, type AnyKey, isUsable, type Key, type KeyTable } from './key-table.cjs'
import { markIn, pairIn, prefixInBytes, prefixInText } from './prefix.cjs'
import {
  type Call,
  checkArguments,
  isForgery,
  keyringRefusal,
  mayBeOfAnotherKey,
  OPEN,
  OPEN_TEXT,
  wrongKind,
} from './refusal.cjs'

const { isUint8Array } = types

/** Why a value did not open. */
export class OpenFailure {
  /** The key whose refusal this is, and the refusal. Without a key, no key was tried. */
  readonly key: Key | undefined
  readonly status: number
  /** The unknown id in the value; -1 if there is none, or if there are keys without a prefix. */
  readonly unknown: number

  constructor(key: Key | undefined, status: number, unknown: number) {
    this.key = key
    this.status = status
    this.unknown = unknown
  }

  /** Whether it fails authentication. Others concern arguments, limits or destroyed keys. */
  get isForgery(): boolean {
    return this.key === undefined || isForgery(this.status)
  }
}

/** A key's try at a value: returns the plaintext, or a refusal. */
type Attempt<Plaintext> = (key: Key) => Plaintext | number

/** Opens a value by any key of the table. */
export function openBytes(
  table: AeadTable,
  sealed: unknown,
  aad: unknown,
): Buffer<ArrayBuffer> | OpenFailure {
  if (!isUint8Array(sealed)) throw wrongKind(OPEN, 'sealed', sealed)
  // No value has such data, and a token is none.
  if (isHeader(aad)) return new OpenFailure(undefined, 0, -1)
  const prefix = prefixInBytes(sealed)
  const key = table.keyWithPrefix(prefix)
  if (key === undefined) return openWithRawKeys(table, prefix, undefined, 0, attemptAt(sealed, aad))
  const result = openWith(key, sealed, aad)
  if (typeof result === 'number') return openWithRawKeys(table, prefix, key, result, attemptAt(sealed, aad))
  key.opened++
  return result
}

/** As `openBytes`, for a text. */
export function openText(table: AeadTable, sealed: unknown, aad: unknown): string | OpenFailure {
  if (typeof sealed !== 'string') throw wrongKind(OPEN_TEXT, 'sealed', sealed)
  if (isHeader(aad)) return new OpenFailure(undefined, 0, -1)
  // The usual case, as in `keyFor`. The short way takes no bytes as additional data. V8 inlines
  // the functions of all cases only while they are about this small.
  const pair = pairIn(sealed)
  const mark = markIn(pair)
  let usual: Key | undefined = table.primary as Key
  if (usual.mark !== mark) usual = table.recent
  if (usual?.mark === mark && typeof aad !== 'object') {
    const text = openTextShortly(usual.numbers, sealed, aad)
    if (typeof text === 'string') {
      usual.opened++
      return text
    }
    // A forgery counts, so the key does not try it twice.
    if (isForgery(text))
      return openWithRawKeys(table, usual.valuePrefix, usual, text, textAttemptAt(sealed, aad))
  }
  const prefix = prefixInText(sealed, pair)
  const key = table.keyWithPrefix(prefix)
  if (key !== undefined) {
    table.recent = key
    const result = openTextWith(key, sealed, aad)
    if (typeof result === 'string') {
      key.opened++
      return result
    }
    return openWithRawKeys(table, prefix, key, result, textAttemptAt(sealed, aad))
  }
  return openWithRawKeys(table, prefix, undefined, 0, textAttemptAt(sealed, aad))
}

/**
 * Opens a value with this prefix. `tried` is the key of the prefix, if it already refused with
 * `status`. A value may begin like a prefix by chance, and open with a key without a prefix.
 */
export function openWithRawKeys<Plaintext extends string | object>(
  table: AeadTable,
  prefix: number,
  tried: Key | undefined,
  status: number,
  attempt: Attempt<Plaintext>,
): Plaintext | OpenFailure {
  if (tried !== undefined && !mayBeOfAnotherKey(status)) return new OpenFailure(tried, status, -1)
  let last = tried
  let refusal = status
  if (table.rawKeys > 0) {
    for (let key = table.first; key !== undefined; key = key.next) {
      if (!isUsable(key) || key.prefixBytes > 0 || !key.enabled) continue
      const result = attempt(key)
      if (typeof result !== 'number') {
        key.opened++
        return result
      }
      // The more informative refusal: a limit rather than a forgery.
      if (last === undefined || isForgery(refusal)) {
        last = key
        refusal = result as number
      }
      if (!mayBeOfAnotherKey(result as number)) return new OpenFailure(key, result as number, -1)
    }
  }
  return new OpenFailure(last, refusal, last === undefined ? unknownId(table, prefix) : -1)
}

/** The id in a prefix, unless an enabled key has it; otherwise -1. */
export function unknownId<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, prefix: number): number {
  if (prefix < 0 || prefix >= 2 ** 33) return -1
  const key = table.find(prefix)
  return isUsable(key) && key.enabled ? -1 : prefix % 2 ** 32
}

/** Counts a value that fails authentication, unless it may still open in another way. */
export function countRefused(table: AeadTable, isUnknown: boolean): void {
  if (isTrial()) return
  if (isUnknown) table.unknown++
  else table.forged++
}

/** The error, after publishing its event, if any. `values`: the raw function's arguments. */
export function toError(
  table: AeadTable,
  { key, status, unknown }: OpenFailure,
  call: Call,
  values: readonly unknown[],
): Error {
  if (key !== undefined && !isForgery(status)) return keyringRefusal(key, status, call, values)
  if (key === undefined) checkArguments(call, values[values.length - 2], values[values.length - 1])
  countRefused(table, unknown >= 0)
  authenticationFailed()
  return unknown < 0 ? new AuthenticationError() : new UnknownKeyError(unknown)
}

/** For `try…` methods: publishes an authentication failure, and throws every other refusal. */
export function publishOrThrow(
  table: AeadTable,
  failure: OpenFailure,
  call: Call,
  values: readonly unknown[],
): void {
  if (!failure.isForgery) throw toError(table, failure, call, values)
  if (failure.key === undefined) checkArguments(call, values[values.length - 2], values[values.length - 1])
  countRefused(table, failure.unknown >= 0)
  authenticationFailed()
}
