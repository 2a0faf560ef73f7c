// The functions that have a short way: they try it (slate.cts), and otherwise make the call with
// arguments (calls.cts). A key crosses as its handle and, in two halves, its number.
import type { KeyHandle } from './binding.cjs'
import {
  decryptDetached as decryptDetachedAtLength,
  decryptInPlace as decryptInPlaceAtLength,
  encryptDetached as encryptDetachedAtLength,
  encryptInPlace as encryptInPlaceAtLength,
} from './calls.cjs'
import {
  DECRYPT_DETACHED,
  DECRYPT_IN_PLACE,
  detachedShortly,
  ENCRYPT_DETACHED,
  ENCRYPT_IN_PLACE,
  inPlaceShortly,
} from './slate.cjs'

export function encryptInPlace(
  key: KeyHandle,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  const status = inPlaceShortly(ENCRYPT_IN_PLACE, low, high, frame, aad)
  return status <= 0 ? status : encryptInPlaceAtLength(key, frame, aad)
}

export function decryptInPlace(
  key: KeyHandle,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  const status = inPlaceShortly(DECRYPT_IN_PLACE, low, high, frame, aad)
  return status <= 0 ? status : decryptInPlaceAtLength(key, frame, aad)
}

export function encryptDetached(
  key: KeyHandle,
  low: number,
  high: number,
  data: unknown,
  nonce: unknown,
  tag: unknown,
  aad: unknown,
): number {
  const status = detachedShortly(ENCRYPT_DETACHED, low, high, data, nonce, tag, aad)
  return status <= 0 ? status : encryptDetachedAtLength(key, data, nonce, tag, aad)
}

export function decryptDetached(
  key: KeyHandle,
  low: number,
  high: number,
  data: unknown,
  nonce: unknown,
  tag: unknown,
  aad: unknown,
): number {
  const status = detachedShortly(DECRYPT_DETACHED, low, high, data, nonce, tag, aad)
  return status <= 0 ? status : decryptDetachedAtLength(key, data, nonce, tag, aad)
}
