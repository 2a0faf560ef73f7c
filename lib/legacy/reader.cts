// The class of all readers: a format, and the keys of one program. types/legacy.d.ts documents it as the interface LegacyReader.
import type { Aad } from '../../types/legacy.d.ts'
import { dispose, markAsUncloneable, types } from '../base/builtins.cjs'
import { lengthOf } from '../base/bytes.cjs'
import { authenticationFailed } from '../base/diagnostics.cjs'
import { AesGcmError, AuthenticationError, mistake, wrongReceiver } from '../base/errors.cjs'
import { showAs } from '../base/inspection.cjs'
import { bytesOfText, textOfBytes } from '../base/utf8.cjs'
import { kindForBytes, kindOf, wipe } from '../base/views.cjs'
import { wipeWith } from '../base/wipe-with.cjs'
import { decrypted, type Parts } from './cipher.cjs'
import { type Secret, wipeAll } from './keys.cjs'

const { isUint8Array } = types

/** How the texts of one format are read. Each member is the format's own, so that none is read from Object.prototype. */
export interface Format {
  /** The name that inspection shows. */
  readonly name: string
  /** The parts of a text; undefined for a text of another format. */
  parts(sealed: string): Parts | undefined
  /** The key for a message, out of one of the reader's secrets; undefined if that secret does not come into question. */
  key(secret: Secret, parts: Parts): Uint8Array | undefined
  /** Whether `key` derives each key anew, in memory of its own, which is wiped after use. */
  readonly derives: boolean
  /** The additional data of the message; without it there are none, and those of the call are ignored. */
  readonly aad: ((ofCall: Aad) => Aad | undefined) | undefined
  /** The text inside the text that was decrypted, or undefined if it is not what this format holds; without it, the text itself. */
  readonly inner: ((text: string) => string | undefined) | undefined
}

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

  open(sealed: string, aad?: Aad): string {
    const text = Reader.#opened(this, sealed, aad)
    if (typeof text === 'string') return text
    if (text === undefined) authenticationFailed()
    throw new AuthenticationError()
  }

  tryOpen(sealed: string, aad?: Aad): string | null {
    return Reader.#opened(this, sealed, aad) ?? null
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

  /** The text; null, after its event, if no key opens the message; undefined for a text of another format. */
  static #opened(reader: unknown, sealed: unknown, aad: unknown): string | null | undefined {
    const self = Reader.#of(reader)
    if (typeof sealed !== 'string') {
      throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"sealed" must be a string, got ${kindOf(sealed)}`)
    }
    checkAad('aad', aad)
    const format = self.#format
    const bytes = bytesOfAad('options.aad', format.aad === undefined ? undefined : format.aad(aad ?? null))
    if (self.#destroyed) throw new AesGcmError('ERR_AESGCM_DESTROYED', 'this reader was destroyed')
    const parts = format.parts(sealed)
    if (parts === undefined) return undefined
    for (let i = 0; i < self.#secrets.length; i++) {
      const text = textBy(format, self.#secrets[i] as Secret, parts, bytes)
      if (text !== undefined) return text
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

/** The text of a message, if it opens by one of the secrets. */
function textBy(
  format: Format,
  secret: Secret,
  parts: Parts,
  aad: Uint8Array | undefined,
): string | undefined {
  const key = format.key(secret, parts)
  if (key === undefined) return undefined
  let plaintext: Uint8Array | undefined
  try {
    plaintext = decrypted(key, parts, aad)
  } finally {
    if (format.derives) wipe(key, 0)
  }
  if (plaintext === undefined) return undefined
  const text = textOfBytes(plaintext)
  wipe(plaintext, 0)
  return text === undefined || format.inner === undefined ? text : format.inner(text)
}

/** The bytes of additional data; undefined for none. */
export function bytesOfAad(name: string, aad: unknown): Uint8Array | undefined {
  checkAad(name, aad)
  return typeof aad === 'string' ? bytesOfText(aad) : (aad ?? undefined)
}

/** Additional data are read at once, so that they may lie in any memory that is there. */
function checkAad(name: string, aad: unknown): asserts aad is Aad | undefined {
  if (aad === undefined || aad === null || typeof aad === 'string') return
  if (isUint8Array(aad)) return void lengthOf(name, aad)
  const what = `"${name}" must be a string or a Uint8Array, got ${kindForBytes(aad)}`
  throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', what)
}
