// Cookies of iron-session 8: `Fe26.2` of iron-webcrypto, then `~2`. AES-256-CBC with an HMAC,
// outside of AES-GCM, so node:crypto reads them.
import type { Buffer } from 'node:buffer'
import type { IronSessionOptions, OldCookie } from '../../types/cookie.d.ts'
import {
  crypto,
  freeze,
  hasOwn,
  keys as namesOf,
  parseJson,
  rethrowOverflow,
  uncurried,
} from '../base/builtins.cjs'
import { fromBase64url, partsOf } from '../base/encoded.cjs'
import { nodeError } from '../base/errors.cjs'
import { optionsOf } from '../base/parse.cjs'
import { bytesOfText, textOfBytes, wellFormed } from '../base/utf8.cjs'
import { kindOf, wipe } from '../base/views.cjs'
import { checkToken } from './attributes.cjs'

const { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } = crypto
const slice: (text: string, start: number, end?: number) => string = uncurried(String.prototype.slice)
const lastIndexOf: (text: string, part: string) => number = uncurried(String.prototype.lastIndexOf)
const toNumber = Number

const NAMES = ['name', 'password'] as const
const VERSION = 'Fe26.2'
/** What iron-session demands of a password. */
const MIN_PASSWORD = 32
const MAX_PASSWORDS = 8
/** Longer cookies are refused unread. */
const MAX_LENGTH = 4096
const KEY_BYTES = 32
const IV_BYTES = 16
/** As iron-webcrypto tolerates. */
const SKEW = 60_000

export function ironSessionCookie(options: IronSessionOptions): OldCookie {
  const own = optionsOf(options, NAMES)
  const name = own('name')
  checkToken('options.name', name)
  const passwords = passwordsOf(own('password'))
  return freeze({ name, tryOpen: (text: string, now: number) => sessionIn(passwords, text, now) })
}

/** Passwords by their ids. The id of a lone password is empty or, in iron-session, '1'. */
function passwordsOf(given: unknown): ReadonlyMap<string, Uint8Array> {
  const passwords = new Map<string, Uint8Array>()
  const add = (argument: string, id: string, password: unknown) => {
    if (typeof password !== 'string') {
      const what = `"${argument}" must be a string, got ${kindOf(password)}`
      throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
    }
    if (password.length < MIN_PASSWORD) {
      const what = `"${argument}" must have at least ${MIN_PASSWORD} characters, as iron-session demands`
      throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
    }
    passwords.set(id, bytesOfText(wellFormed(argument, password)))
  }
  if (typeof given !== 'object' || given === null) {
    add('options.password', '1', given)
    return passwords
  }
  const ids = namesOf(given)
  if (ids.length === 0 || ids.length > MAX_PASSWORDS) {
    const what = `"options.password" must have 1 to ${MAX_PASSWORDS} passwords, got ${ids.length}`
    throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
  }
  const own = optionsOf(given, ids, 'options.password')
  for (let i = 0; i < ids.length; i++) add('options.password', ids[i] as string, own(ids[i] as string))
  return passwords
}

/** The value of a cookie; undefined if it is forged, expired or no such cookie. */
function sessionIn(passwords: ReadonlyMap<string, Uint8Array>, text: string, now: number): unknown {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined
  const tilde = lastIndexOf(text, '~')
  const parts = partsOf(tilde < 0 ? text : slice(text, 0, tilde), '*', 8)
  if (parts === undefined) return undefined
  const [version, id, salt, ivText, ciphertext, expiration, macSalt, mac] = parts as [
    string,
    string,
    string,
    string,
    string,
    string,
    string,
    string,
  ]
  const password = passwords.get(id === '' ? '1' : id)
  const isEnding = expiration !== ''
  if (version !== VERSION || password === undefined) return undefined
  if (isEnding && !(toNumber(expiration) > now - SKEW)) return undefined
  const [iv, sealed, theirs] = [fromBase64url(ivText), fromBase64url(ciphertext), fromBase64url(mac)]
  if (iv?.length !== IV_BYTES || sealed === undefined || theirs?.length !== KEY_BYTES) return undefined
  const base = `${VERSION}*${id}*${salt}*${ivText}*${ciphertext}*${expiration}`
  if (!timingSafeEqual(macOf(password, macSalt, base), theirs)) return undefined
  const json = decrypted(password, salt, iv, sealed)
  return json === undefined ? undefined : sessionOf(json, tilde < 0)
}

/** iron-session 6 and older, without `~2`, kept the session in a member `persistent`. */
function sessionOf(json: string, isOlder: boolean): unknown {
  try {
    const value: unknown = parseJson(json)
    if (!isOlder || typeof value !== 'object' || value === null || !hasOwn(value, 'persistent')) return value
    return (value as { persistent: unknown }).persistent
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

function macOf(password: Uint8Array, salt: string, base: string): Buffer {
  return withKey(password, salt, key => createHmac('sha256', key).update(base).digest())
}

function decrypted(
  password: Uint8Array,
  salt: string,
  iv: Uint8Array,
  sealed: Uint8Array,
): string | undefined {
  return withKey(password, salt, key => {
    try {
      const decipher = createDecipheriv('aes-256-cbc', key, iv)
      const first = decipher.update(sealed)
      const second = decipher.final()
      const bytes = new Uint8Array(first.length + second.length)
      bytes.set(first)
      bytes.set(second, first.length)
      return textOfBytes(bytes)
    } catch {
      return undefined
    }
  })
}

/** One round of PBKDF2, as iron derives from a long password. */
function withKey<Result>(password: Uint8Array, salt: string, use: (key: Buffer) => Result): Result {
  const key = pbkdf2Sync(password, salt, 1, KEY_BYTES, 'sha1')
  try {
    return use(key)
  } finally {
    wipe(key, 0)
  }
}
