// The keys of messages: bytes, or keyrings of /hybrid. types/stream.d.ts says which.
import type { DecryptionKey, EncryptionKey } from '../../../types/stream.d.ts'
import { beginning } from '../../cipher/base/builtins.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { NOT_FOR_RECIPIENTS, wrongKey } from './errors.cjs'
import { copyOfKey } from './options.cjs'
import {
  FIXED_BYTES,
  isForRecipients,
  KEY_BYTES,
  OPENS,
  openFor,
  type Reader,
  readerOf,
  recipientsOf,
  SEALS,
  sealFor,
  sizeIn,
  wrongKind,
} from './recipients.cjs'
import { HEADER_BYTES } from './sizes.cjs'

const NOTHING = new Uint8Array(0)

/** The key of one message to be made. */
export interface SealingKey {
  /** The caller wipes them. */
  readonly bytes: Uint8Array
  /** What stands in front of the salt: nothing, if the reader has the same key. */
  readonly before: Uint8Array
}

/** A key that opens messages. */
export interface OpeningKey {
  /** The caller wipes them. None of a keyring. */
  readonly bytes: Uint8Array
  /**
   * The number of bytes in front of the chunks; fewer, if these must be known first. `beginning`
   * has as many as the call before asked for.
   */
  headerBytes(beginning: Uint8Array): number
  /** Lends `use` the key of a message, by what stands in front of its salt. */
  lend<Result>(before: Uint8Array, use: (key: Uint8Array) => Result): Result
}

export class KeyBytes implements SealingKey, OpeningKey {
  readonly bytes: Uint8Array
  readonly before: Uint8Array

  constructor(bytes: Uint8Array, before: Uint8Array = NOTHING) {
    this.bytes = bytes
    this.before = before
  }

  headerBytes(): number {
    return HEADER_BYTES
  }

  lend<Result>(_: Uint8Array, use: (key: Uint8Array) => Result): Result {
    return use(this.bytes)
  }
}

class ReaderKey implements OpeningKey {
  readonly bytes = NOTHING
  readonly #reader: Reader

  constructor(reader: Reader) {
    reader.check()
    this.#reader = reader
  }

  headerBytes(beginning: Uint8Array): number {
    if (beginning.length < FIXED_BYTES) return FIXED_BYTES
    if (!isForRecipients(beginning)) throw wrongKey(NOT_FOR_RECIPIENTS)
    return sizeIn(beginning) + HEADER_BYTES
  }

  lend<Result>(before: Uint8Array, use: (key: Uint8Array) => Result): Result {
    const key = openFor(this.#reader, before)
    if (key === undefined) throw wrongKey()
    try {
      return use(key)
    } finally {
      wipe(key, 0)
    }
  }
}

/** The key of a message to be made: a copy of the caller's, or a new one for recipients. */
export function sealingKey(key: EncryptionKey): SealingKey {
  const recipients = recipientsOf('key', key)
  if (recipients === undefined) return ownKey(key, SEALS, 'PublicKeyring')
  const bytes = freshKey(KEY_BYTES)
  return orWipe(bytes, () => new KeyBytes(bytes, sealFor(recipients, bytes)))
}

/** The key of messages to be opened: a copy of the caller's, or a keyring. */
export function openingKey(key: DecryptionKey): OpeningKey {
  const reader = readerOf(key)
  return reader === undefined ? ownKey(key, OPENS, 'PrivateKeyring') : new ReaderKey(reader)
}

/** A copy of the bytes of a key. Refuses a keyset's text, and a list of keyrings, with advice. */
function ownKey(key: unknown, wanted: string, Class: string): KeyBytes {
  if (typeof key === 'string' && beginning(key, 1) === '{')
    throw wrongKind('key', wanted, `string: ${Class}.parse reads a keyset`)
  if (isList(key)) {
    const help = 'a message is opened by one keyring; if it holds numbers, Uint8Array.from(key)'
    throw wrongKind('key', wanted, `${kindOf(key)}: ${help}`)
  }
  return new KeyBytes(copyOfKey(key as Uint8Array, wanted))
}
