// Tokens of a keyring: the keys that jwe.cts seals and opens with.
import type { Buffer } from 'node:buffer'
import type { TokenTypes } from '../../../types/keyring.d.ts'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { define, max } from '../../cipher/base/builtins.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import { AuthenticationError, UnknownKeyError } from '../../cipher/base/errors.cjs'
import { byteLength } from '../../cipher/base/views.cjs'
import { openInto, sealInto } from '../../cipher/native/calls.cjs'
import { idOfKid, type JweKey, openJwe, sealJwe } from './jwe.cjs'
import { type AeadTable, isUsable, type Key } from './key-table.cjs'
import { countRefused } from './opening.cjs'
import { NO_PREFIX } from './prefix.cjs'
import { isForgery, keyringRefusal, mayBeOfAnotherKey, OPEN, SEAL_TOKEN } from './refusal.cjs'

const INSTEAD = 'a token cannot be that long'

export function sealToken(
  table: AeadTable,
  payload: string | Uint8Array,
  header: TokenTypes | undefined,
): string {
  return sealJwe(jweKeyOf(table.primary as Key), payload, header)
}

export function openToken(
  table: AeadTable,
  token: string,
  expected: TokenTypes | undefined,
): Buffer<ArrayBuffer> {
  try {
    return openJwe(token, kid => keysFor(table, kid), expected)
  } catch (error) {
    if (error instanceof AuthenticationError) countRefused(table, error instanceof UnknownKeyError)
    throw error
  }
}

/** As `openToken`, but null if authentication fails. */
export function tryOpenToken(
  table: AeadTable,
  token: string,
  expected: TokenTypes | undefined,
): Buffer<ArrayBuffer> | null {
  try {
    return openToken(table, token, expected)
  } catch (error) {
    if (error instanceof AuthenticationError) return null
    throw error
  }
}

/**
 * The keys to try for a token: the one with the id in `kid`, otherwise each key without a prefix,
 * since such keys read messages of programs without Tink's ids.
 */
function keysFor(table: AeadTable, kid: string | undefined): JweKey | readonly JweKey[] {
  const id = kid === undefined ? undefined : idOfKid(kid)
  const named = id === undefined ? undefined : table.find(id)
  if (isUsable(named) && named.enabled) return jweKeyOf(named)
  if (id !== undefined && table.rawKeys === 0) {
    authenticationFailed()
    throw new UnknownKeyError(id)
  }
  const keys: JweKey[] = []
  let count = 0
  for (let key = table.first; key !== undefined; key = key.next) {
    if (!isUsable(key) || key.prefixBytes > 0 || !key.enabled) continue
    define(keys, `${count++}`, jweKeyOf(key), true)
  }
  return keys
}

/** A key for frames without a prefix. */
function jweKeyOf(key: Key): JweKey {
  const {
    id,
    handle,
    cipher,
    type: { enc },
  } = key
  return {
    id,
    enc,
    seal(plaintext, aad) {
      const frame = allocateResult(byteLength(plaintext) + cipher.overhead, INSTEAD)
      const status = sealInto(handle, NO_PREFIX, frame, plaintext, aad)
      if (status !== byteLength(frame))
        throw keyringRefusal(key, status, SEAL_TOKEN, [handle, NO_PREFIX, frame, plaintext, aad])
      return frame
    },
    open(frame, aad) {
      const plaintext = allocateResult(max(0, byteLength(frame) - cipher.overhead), INSTEAD)
      const status = openInto(handle, 0, plaintext, frame, aad)
      if (status === byteLength(plaintext)) {
        key.opened++
        return plaintext
      }
      if (isForgery(status)) return undefined
      const refusal = () => keyringRefusal(key, status, OPEN, [handle, 0, plaintext, frame, aad])
      if (mayBeOfAnotherKey(status)) return refusal
      throw refusal()
    },
  }
}
