// What stands in front of a message to recipients: the message's key, sealed to each of them.
//
//   "AGR1" ‖ length of the rest(2) ‖ for each recipient: length(2) ‖ sealed key
//
// Lengths are big-endian. All of it is bound into the message, as the beginning of its context. The
// keyrings of /hybrid, which is on a floor above, enter themselves here.
import type { Buffer } from 'node:buffer'
import { define, uncurried } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { ascii } from '../../cipher/base/encoded.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { allocate, byteLength, copy, kindOf, wipe } from '../../cipher/base/views.cjs'

/** A keyring to which keys of messages are sealed. */
export interface Recipient {
  /** Bytes of a key of KEY_BYTES, sealed. */
  readonly sealedBytes: number
  seal(key: Uint8Array): Uint8Array
}

/** A keyring that opens what was sealed to it. */
export interface Reader {
  /** Throws if the keyring was destroyed. */
  check(): void
  /** The key, which the caller wipes; undefined if it was not sealed to this keyring. */
  open(sealed: Uint8Array): Uint8Array | undefined
}

/** Bytes of the key of a message to recipients. */
export const KEY_BYTES = 32
/** Limits the work of a reader: each private key without a prefix is tried for each recipient. */
export const MAX_RECIPIENTS = 50
const MAGIC = ascii('AGR1')
/** Bytes that show how long the rest is: at most 65 535 bytes. */
export const FIXED_BYTES = MAGIC.length + 2
const LENGTH_BYTES = 2
export const SEALS = 'a Uint8Array, KeyObject or PublicKeyring'
export const OPENS = 'a Uint8Array, KeyObject or PrivateKeyring'
const PUBLIC = 'a PublicKeyring'
/** To what the sealed key is bound, so that no other sealed message of 32 bytes is one. */
export const SEALED_FOR = ascii('hardware-aes-gcm AGR1')

const Keyrings = WeakMap<object, Recipient | Reader>
type Keyrings = WeakMap<object, Recipient | Reader>
const get: (map: Keyrings, keyring: object) => Recipient | Reader | undefined = uncurried(
  Keyrings.prototype.get,
)
const set: (map: Keyrings, keyring: object, as: Recipient | Reader) => unknown = uncurried(
  Keyrings.prototype.set,
)
const recipients = new Keyrings()
const readers = new Keyrings()

export function enterRecipient(keyring: object, recipient: Recipient): void {
  set(recipients, keyring, recipient)
}

export function enterReader(keyring: object, reader: Reader): void {
  set(readers, keyring, reader)
}

function recipientOf(value: unknown): Recipient | undefined {
  return get(recipients, value as object) as Recipient | undefined
}

/** The PrivateKeyring that a key is, if it is one. */
export function readerOf(key: unknown): Reader | undefined {
  const reader = get(readers, key as object) as Reader | undefined
  if (reader === undefined && recipientOf(key) !== undefined)
    throw wrongKind('key', OPENS, 'a PublicKeyring, which opens nothing')
  return reader
}

/** The recipients that an argument names, if it is a PublicKeyring or an array of them. */
export function recipientsOf(name: string, value: unknown): readonly Recipient[] | undefined {
  const one = recipientOf(value)
  if (one !== undefined) return [one]
  if (!isList(value)) {
    refusePrivate(name, name === 'key' ? SEALS : PUBLIC, value)
    return undefined
  }
  const length = lengthOfList(name, value, { elements: 'recipients', least: 1, most: MAX_RECIPIENTS })
  const given = elementsOf(name, value, length)
  const list: Recipient[] = []
  for (let i = 0; i < length; i++) {
    const element = given[i]
    const recipient = recipientOf(element)
    if (recipient === undefined) {
      refusePrivate(`${name}[${i}]`, PUBLIC, element)
      const help = typeof element === 'number' ? `: for an array of numbers, Uint8Array.from(${name})` : ''
      throw wrongKind(`${name}[${i}]`, PUBLIC, `${kindOf(element)}${help}`)
    }
    define(list, `${i}`, recipient, true)
  }
  return list
}

function refusePrivate(name: string, wanted: string, value: unknown): void {
  if (get(readers, value as object) === undefined) return
  const help = 'PublicKeyring.parse(keyring.publicKeyset()) encrypts to it'
  throw wrongKind(name, wanted, `a PrivateKeyring: ${help}`)
}

/** The error of an argument that is no key of the wanted kind. */
export function wrongKind(name: string, wanted: string, got: string): Error {
  return wrongType(`"${name}" must be ${wanted}, got ${got}`)
}

/** The number of bytes in front of a message to these recipients. */
export function sizeFor(list: readonly Recipient[]): number {
  let size = FIXED_BYTES
  for (let i = 0; i < list.length; i++) size += LENGTH_BYTES + (list[i] as Recipient).sealedBytes
  return size
}

/** The bytes in front of a message with this key. */
export function sealFor(list: readonly Recipient[], key: Uint8Array): Buffer<ArrayBuffer> {
  const bytes = allocate(sizeFor(list))
  copy(bytes, MAGIC)
  writeLength(bytes, MAGIC.length, bytes.length - FIXED_BYTES)
  let at = FIXED_BYTES
  for (let i = 0; i < list.length; i++) {
    const sealed = (list[i] as Recipient).seal(key)
    writeLength(bytes, at, sealed.length)
    copy(bytes, sealed, at + LENGTH_BYTES)
    at += LENGTH_BYTES + sealed.length
  }
  return bytes
}

/** Whether a message begins as one to recipients does. Another one does so once in 2^32. */
export function isForRecipients(message: Uint8Array): boolean {
  let difference = byteLength(message) < MAGIC.length ? 1 : 0
  for (let i = 0; i < MAGIC.length; i++) difference |= (message[i] as number) ^ (MAGIC[i] as number)
  return difference === 0
}

/** The number of bytes before a message, from their first FIXED_BYTES. */
export function sizeIn(beginning: Uint8Array): number {
  return FIXED_BYTES + lengthAt(beginning, MAGIC.length)
}

/**
 * Whether the lengths in front of a message, of which `bytes` may be the beginning, lead from one
 * sealed key to the next, and to the end of the last one.
 */
export function isWalkable(bytes: Uint8Array): boolean {
  const end = sizeIn(bytes)
  let count = 0
  for (let at = FIXED_BYTES; at < end; count++) {
    if (at + LENGTH_BYTES > end || count === MAX_RECIPIENTS) return false
    if (at + LENGTH_BYTES > byteLength(bytes)) return true
    at += LENGTH_BYTES + lengthAt(bytes, at)
    if (at > end) return false
  }
  return count > 0
}

/**
 * The key that the bytes in front of a message have for a reader, which the caller wipes; undefined
 * if they have none, or are malformed. The first one that opens counts.
 */
export function openFor({ open }: Reader, bytes: Uint8Array): Uint8Array | undefined {
  const end = byteLength(bytes)
  if (end < FIXED_BYTES || !isForRecipients(bytes) || sizeIn(bytes) !== end) return undefined
  // Malformed bytes are refused before the work of opening any.
  if (!isWalkable(bytes)) return undefined
  for (let at = FIXED_BYTES; at < end; ) {
    const length = lengthAt(bytes, at)
    at += LENGTH_BYTES
    const key = open(part(bytes, at, length))
    if (key !== undefined && byteLength(key) === KEY_BYTES) return key
    if (key !== undefined) wipe(key, 0)
    at += length
  }
  return undefined
}

function lengthAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

function writeLength(bytes: Uint8Array, at: number, length: number): void {
  bytes[at] = length >> 8
  bytes[at + 1] = length
}
