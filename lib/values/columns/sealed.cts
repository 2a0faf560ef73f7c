// The form of a sealed value, which everyone can see: base64url of at least 33 bytes, the first of
// which is the version, 1. conditionOf states the same in SQL.
import { unitAt } from '../../cipher/base/builtins.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { tryOpenText } from '../keyring/methods.cjs'
import { firstByteOf, isDigit } from '../keyring/prefix.cjs'

/** Prefix, nonce and tag. */
export const LEAST_CHARACTERS = 44

/** Whether a value has the form of a sealed one. */
export function looksSealed(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < LEAST_CHARACTERS || !isVersion1(value)) return false
  for (let i = 0; i < value.length; i++) if (!isDigit(unitAt(value, i))) return false
  return true
}

/** Whether a text of base64url begins with the version of keys with the prefix 'tink'. */
export function isVersion1(text: string): boolean {
  const [first, second] = [unitAt(text, 0), unitAt(text, 1)]
  return isDigit(first) && isDigit(second) && (firstByteOf(first, second) & 0xff) === 1
}

/** Whether a text is what the place with this additional data already sealed. */
export function isSealed(keyring: Keyring, text: string, aad: Uint8Array): boolean {
  return looksSealed(text) && unpublished(() => tryOpenText(keyring, text, aad)) !== null
}
