// Turns the refusals of the raw functions of a keyring into errors.
import { aeadRefusal } from '../../cipher/aead/refusal.cjs'
import { positionOf, types } from '../../cipher/base/builtins.cjs'
import { keyExhausted } from '../../cipher/base/diagnostics.cjs'
import {
  AesGcmError,
  detached,
  notTextOrBytes,
  outOfRange,
  shared,
  surrogate,
  wrongType,
  wrongValue,
} from '../../cipher/base/errors.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { isAttached, isShared, kindForBytes, kindOf } from '../../cipher/base/views.cjs'
import { load } from '../../cipher/native/binary.cjs'
import { reasonOf, subjectOf } from '../../cipher/native/status.cjs'
import type { Key } from './key-table.cjs'

const { isUint8Array } = types

/** A raw function: the names of its arguments, and which function takes the other form. */
export interface Call {
  readonly names: readonly string[]
  /** For bytes where a text is needed, and the reverse. */
  readonly other: string
}

// The arguments of the raw functions, under the names that callers know.
export const SEAL: Call = {
  names: ['key', 'prefix', 'target', 'plaintext', 'aad'],
  other: 'sealText takes a text',
}
export const OPEN: Call = {
  names: ['key', 'skip', 'target', 'sealed', 'aad'],
  other: 'openText takes a text',
}
export const SEAL_TOKEN: Call = {
  names: ['key', 'prefix', 'target', 'payload', 'aad'],
  other: '',
}
export const SEAL_TEXT: Call = { names: ['key', 'prefix', 'text', 'aad'], other: 'seal takes bytes' }
export const OPEN_TEXT: Call = { names: ['key', 'skip', 'sealed', 'aad'], other: 'open takes bytes' }

/** Why a key did not open a value. Callers may learn this only after all keys were tried. */
export function isForgery(status: number): boolean {
  return reasonOf(load().reasons, status) === 'Authentication'
}

/** As `isForgery`, or too many forgeries under this key: another key may open the value. */
export function mayBeOfAnotherKey(status: number): boolean {
  const reason = reasonOf(load().reasons, status)
  return reason === 'Authentication' || reason === 'FailuresExhausted'
}

/** The error of a refusal. `values` are the arguments of the raw function. */
export function keyringRefusal(key: Key, status: number, call: Call, values: readonly unknown[]): Error {
  const { names } = call
  const { at } = subjectOf(status)
  const name = names[at] ?? 'argument'
  switch (reasonOf(load().reasons, status)) {
    case 'NotText':
    case 'NotBytes':
      return wrongKind(call, name, values[at])
    case 'Surrogate':
      return surrogate(name)
    case 'NotUtf8':
      return wrongValue(
        `"${name}" is authentic, but its bytes are not UTF-8: open them as bytes, by open(Buffer.from(sealed, 'base64url'))`,
      )
    case 'TextTooLong':
      return outOfRange(
        `"${name}" is too long: the sealed text would have more than 2^29 - 24 characters; seal takes longer bytes`,
      )
    case 'EncryptionsExhausted':
      keyExhausted('encryptions')
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        `the primary key ${key.id} has reached its limit of ${key.cipher.limits} in this keyring: ` +
          'add a key and promote it; the keyring still opens',
      )
    case 'FailuresExhausted':
      keyExhausted('failures')
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        `the key ${key.id} has reached its limit of failed decryptions in this keyring: add a key and promote it`,
      )
    default:
      return refusalOf(key, status, names, values)
  }
}

function refusalOf(key: Key, status: number, names: readonly string[], values: readonly unknown[]): Error {
  const named = (name: string) => values[positionOf(names, name)]
  // `aeadRefusal` accepts the arguments one by one.
  return aeadRefusal(key.cipher, status, names, values[0], values[1], values[2], values[3], named('aad'))
}

/** The error of an argument of a wrong kind. */
export function wrongKind({ names, other }: Call, name: string, value: unknown): Error {
  if (name === 'aad') return notTextOrBytes('aad', value)
  const isText = positionOf(names, 'target') < 0
  const wanted = isText ? 'a string' : 'a Uint8Array'
  const help = (isText ? isUint8Array(value) : typeof value === 'string') ? `: ${other}` : ''
  const got = isText ? kindOf(value) : kindForBytes(value)
  return wrongType(`"${name}" must be ${wanted}, got ${got}${help}`)
}

/** The error of a token's header as additional data. */
export function headerAsAad(): Error {
  const what =
    'is the header of a token, and would make the value a token of the same key: put it into context()'
  return wrongValue(`"aad" ${what}`)
}

/** Refuses arguments as the raw functions do, for a value that no key was tried for. */
export function checkArguments(call: Call, sealed: unknown, aad: unknown): void {
  if (typeof sealed !== 'string') checkBytes(call, 'sealed', sealed)
  if (aad === undefined || aad === null) return
  if (typeof aad !== 'string') checkBytes(call, 'aad', aad)
  else wellFormed('aad', aad)
}

function checkBytes(call: Call, name: string, value: unknown): void {
  if (!isUint8Array(value)) throw wrongKind(call, name, value)
  if (isShared(value)) throw shared(name)
  if (!isAttached(value)) throw detached(name)
}
