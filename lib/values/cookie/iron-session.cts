// Cookies of iron-session 8: `Fe26.2` of iron-webcrypto, then exactly `~2`, which nothing
// authenticates. AES-256-CBC with an HMAC, outside of AES-GCM, so node:crypto reads them.
import type { Buffer } from 'node:buffer'
import type { IronSessionOptions, OldCookie } from '../../../types/cookie.d.ts'
import {
  crypto,
  freeze,
  keys as namesOf,
  parseJson,
  rethrowOverflow,
  uncurried,
} from '../../cipher/base/builtins.cjs'
import { fromBase64url, partsOf } from '../../cipher/base/encoded.cjs'
import { outOfRange, wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { bytesOfText, textOfBytes, wellFormed } from '../../cipher/base/utf8.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import { checkToken } from './attributes.cjs'

const { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } = crypto
const slice: (text: string, start: number, end?: number) => string = uncurried(String.prototype.slice)
const endsWith: (text: string, end: string) => boolean = uncurried(String.prototype.endsWith)
const toNumber = Number

const NAMES = ['name', 'password', 'ttl'] as const
const VERSION = 'Fe26.2'
const SUFFIX = '~2'
/** What iron-session demands of a password. */
const MIN_PASSWORD = 32
const MAX_PASSWORDS = 8
const MAX_TTL = 100 * 366 * 86_400
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
  const given = own('ttl')
  const ttl = given === undefined ? undefined : count('options.ttl', given, 0, MAX_TTL)
  return freeze({
    name,
    endless: ttl === 0,
    tryOpen: (text: string, now: number) => sessionIn(passwords, text, now, ttl === 0),
    startedAt: (_: unknown, text: string) => startOf(text, ttl),
  })
}

/** Passwords by their ids. The id of a lone password is empty or, in iron-session, '1'. */
function passwordsOf(given: unknown): ReadonlyMap<string, Uint8Array> {
  const passwords = new Map<string, Uint8Array>()
  const add = (argument: string, id: string, password: unknown) => {
    if (typeof password !== 'string')
      throw wrongType(`"${argument}" must be a string, got ${kindOf(password)}`)
    if (password.length < MIN_PASSWORD)
      throw wrongValue(
        `"${argument}" must have at least ${MIN_PASSWORD} characters, as iron-session requires`,
      )
    passwords.set(id, bytesOfText(wellFormed(argument, password)))
  }
  if (typeof given !== 'object' || given === null) {
    add('options.password', '1', given)
    return passwords
  }
  const ids = namesOf(given)
  if (ids.length === 0 || ids.length > MAX_PASSWORDS)
    throw outOfRange(`"options.password" must have 1 to ${MAX_PASSWORDS} passwords, got ${ids.length}`)
  const own = optionsOf(given, ids, 'options.password')
  for (let i = 0; i < ids.length; i++) add('options.password', ids[i] as string, own(ids[i] as string))
  return passwords
}

/** The milliseconds at which an authentic cookie was written: only its end is in it. */
function startOf(text: string, ttl: number | undefined): number | undefined {
  const end = partsOf(text, '*', 8)?.[5]
  return end === undefined || end === '' || ttl === undefined || ttl === 0
    ? undefined
    : toNumber(end) - ttl * 1000
}

/** The value of a cookie; undefined if it is forged, expired or no such cookie. */
function sessionIn(
  passwords: ReadonlyMap<string, Uint8Array>,
  text: string,
  now: number,
  mayBeEndless: boolean,
): unknown {
  if (typeof text !== 'string' || text.length > MAX_LENGTH || !endsWith(text, SUFFIX)) return undefined
  const parts = partsOf(slice(text, 0, text.length - SUFFIX.length), '*', 8)
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
  if (version !== VERSION || password === undefined) return undefined
  const isLasting = expiration === '' ? mayBeEndless : toNumber(expiration) > now - SKEW
  if (!isLasting) return undefined
  const [iv, sealed, theirs] = [fromBase64url(ivText), fromBase64url(ciphertext), fromBase64url(mac)]
  if (iv?.length !== IV_BYTES || sealed === undefined || theirs?.length !== KEY_BYTES) return undefined
  const base = `${VERSION}*${id}*${salt}*${ivText}*${ciphertext}*${expiration}`
  if (!timingSafeEqual(macOf(password, macSalt, base), theirs)) return undefined
  const json = decrypted(password, salt, iv, sealed)
  return json === undefined ? undefined : valueIn(json)
}

function valueIn(json: string): unknown {
  try {
    return parseJson(json)
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
