// The class of all readers, documented in types/legacy.d.ts as the interface LegacyReader.
import type { Buffer } from 'node:buffer'
import type { Aad } from '../../../types/legacy.d.ts'
import { dispose, markAsUncloneable, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import {
  AesGcmError,
  AuthenticationError,
  mustBe,
  notTextOrBytes,
  UnknownLayoutError,
  wrongReceiver,
  wrongValue,
} from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { bytesOfText, textOfBytes, wellFormed } from '../../cipher/base/utf8.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { wipeWith } from '../../cipher/base/wipe-with.cjs'
import { decrypted, type Parts } from './cipher.cjs'
import { copyOfText, type Secret, wipeAll } from './keys.cjs'

const { isUint8Array } = types

/** How one format is read. Members are its own, so none comes from Object.prototype. */
export interface Format {
  /** The name that inspection shows. */
  readonly name: string
  /** The kind of value that the format accepts besides texts. */
  readonly also: 'a Uint8Array' | 'an object' | undefined
  /** The parts of a value; undefined for a value of another layout. */
  parts(sealed: string | object): Parts | undefined
  /** The key for a message from one of the secrets; undefined if that secret cannot be meant. */
  key(secret: Secret, parts: Parts): Uint8Array | undefined
  /** Whether `key` derives each key again, in its own memory, which is wiped after use. */
  readonly derives: boolean
  /** The additional data of the message. Without this, there are none: the call's are ignored. */
  readonly aad: ((ofCall: Aad) => Aad | undefined) | undefined
  /**
   * The content of the decrypted text; null if the text says not to open it. Throws if the format
   * does not allow it. Without this, the text itself.
   */
  readonly inner: ((text: string) => string | null) | undefined
}

/** Members of the formats whose values are strings only, and whose keys are not derived again. */
export const TEXTS = { also: undefined, derives: false, aad: undefined, inner: undefined } as const

/** Converts a plaintext for the caller, who may keep or wipe it; null to refuse the message. */
type Read<Content> = (format: Format, plaintext: Buffer<ArrayBuffer>) => Content | null

export class Reader implements Disposable {
  readonly #format: Format
  readonly #secrets: readonly Secret[]
  #destroyed = false

  static {
    const facts = (self: Reader) => ({
      format: self.#format.name,
      keys: self.#secrets.length,
      destroyed: self.#destroyed,
    })
    showAs(Reader, 'LegacyReader', self => #format in self, facts)
  }

  constructor(format: Format, secrets: readonly Secret[]) {
    markAsUncloneable(this)
    this.#format = format
    this.#secrets = secrets
    for (let i = 0; i < secrets.length; i++) wipeWith(this, secrets[i] as Secret)
  }

  open(sealed: string | object, aad?: Aad): string {
    return orThrow(Reader.#opened(this, sealed, aad, textOf))
  }

  tryOpen(sealed: string | object, aad?: Aad): string | null {
    return Reader.#opened(this, sealed, aad, textOf) ?? null
  }

  openBytes(sealed: string | object, aad?: Aad): Buffer<ArrayBuffer> {
    return orThrow(Reader.#opened(this, sealed, aad, bytesOf))
  }

  tryOpenBytes(sealed: string | object, aad?: Aad): Buffer<ArrayBuffer> | null {
    return Reader.#opened(this, sealed, aad, bytesOf) ?? null
  }

  get destroyed(): boolean {
    return Reader.#of(this).#destroyed
  }

  destroy(): void {
    const self = Reader.#of(this)
    self.#destroyed = true
    wipeAll(self.#secrets)
  }

  [dispose](): void {
    const self = Reader.#of(this)
    self.#destroyed = true
    wipeAll(self.#secrets)
  }

  /** The content; null, after its event, if opening fails; undefined for another layout. */
  static #opened<Content>(
    reader: unknown,
    sealed: unknown,
    aad: unknown,
    read: Read<Content>,
  ): Content | null | undefined {
    const self = Reader.#of(reader)
    const format = self.#format
    checkSealed(sealed, format.also)
    checkAad('aad', aad)
    // Both run callers' code, which may destroy the reader, whose keys are then zeros.
    const parts = format.parts(sealed)
    const bytes = bytesOfAad('options.aad', format.aad === undefined ? undefined : format.aad(aad ?? null))
    if (self.#destroyed) throw new AesGcmError('ERR_AESGCM_DESTROYED', 'this reader was destroyed')
    if (parts === undefined) return undefined
    for (let i = 0; i < self.#secrets.length; i++) {
      const plaintext = plaintextBy(format, self.#secrets[i] as Secret, parts, bytes)
      // No other key opens what this one did.
      const content = plaintext === undefined ? null : read(format, plaintext)
      if (content !== null) return content
    }
    authenticationFailed()
    return null
  }

  /** `self`; throws if it is no reader. */
  static #of(self: unknown): Reader {
    if (typeof self === 'object' && self !== null && #format in self) return self as Reader
    throw wrongReceiver('LegacyReader')
  }
}

/** The plaintext of a message, if it opens by one of the secrets. */
function plaintextBy(
  format: Format,
  secret: Secret,
  parts: Parts,
  aad: Uint8Array | undefined,
): Buffer<ArrayBuffer> | undefined {
  const key = format.key(secret, parts)
  if (key === undefined) return undefined
  try {
    return decrypted(key, parts, aad)
  } finally {
    if (format.derives) wipe(key, 0)
  }
}

function textOf({ inner }: Format, plaintext: Uint8Array): string | null {
  let text: string | undefined
  try {
    text = textOfBytes(plaintext)
  } finally {
    wipe(plaintext, 0)
  }
  if (text === undefined) {
    throw unreadable(
      `its bytes are not UTF-8${inner === undefined ? ': open them as bytes, by openBytes(sealed)' : ''}`,
    )
  }
  return inner === undefined ? text : inner(text)
}

function bytesOf(format: Format, plaintext: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> | null {
  if (format.inner === undefined) return plaintext
  const text = textOf(format, plaintext)
  return text === null ? null : copyOfText(text)
}

/** An authentic message with other bytes than the caller wants: no forgery, so no event. */
export function unreadable(why: string): Error {
  return wrongValue(`"sealed" is authentic, but ${why}`)
}

/**
 * The opened content. A value of another layout has its own error and no event: everyone can see
 * the layout, so the error reveals nothing about a key.
 */
function orThrow<Content>(content: Content | null | undefined): Content {
  if (content === undefined) throw new UnknownLayoutError()
  if (content === null) throw new AuthenticationError()
  return content
}

function checkSealed(sealed: unknown, also: Format['also']): asserts sealed is string | object {
  if (typeof sealed === 'string') return
  if (also === 'a Uint8Array' && isUint8Array(sealed)) return
  if (also === 'an object' && typeof sealed === 'object' && sealed !== null && !isUint8Array(sealed)) return
  const kinds = also === undefined ? 'a string' : `a string or ${also}`
  throw mustBe('sealed', kinds, sealed)
}

/** The bytes of additional data; undefined for none. */
export function bytesOfAad(name: string, aad: unknown): Uint8Array | undefined {
  checkAad(name, aad)
  return typeof aad === 'string' ? bytesOfText(aad) : (aad ?? undefined)
}

/** Additional data are read at once, so they may be in any attached memory. */
function checkAad(name: string, aad: unknown): asserts aad is Aad | undefined {
  if (aad === undefined || aad === null) return
  if (typeof aad === 'string') return void wellFormed(name, aad)
  if (isUint8Array(aad)) return void lengthOf(name, aad)
  throw notTextOrBytes(name, aad)
}
