// Cookies of next-auth 4: a JWE of "dir" and A256GCM, under a key of the secret.
import type { NextAuthOptions, OldCookie } from '../../../types/cookie.d.ts'
import type { KeyEntry } from '../../../types/keyring.d.ts'
import { crypto, define, freeze, hasOwn, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { objectOf } from '../../cipher/base/json.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { bytesOfText, textOfBytes, wellFormed } from '../../cipher/base/utf8.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import { Keyring } from '../keyring/keyring.cjs'
import { checkToken } from './attributes.cjs'
import { nothingIfExhausted } from './opening.cjs'

const { hkdfSync } = crypto
const tryOpenJwe = uncurried(Keyring.prototype.tryOpenJwe)
const Bytes = Uint8Array

const NAMES = ['name', 'secret'] as const
const NAME = '__Secure-next-auth.session-token'
const INFO = 'NextAuth.js Generated Encryption Key'
const KEY_BYTES = 32
const SECRETS = { elements: 'secrets', least: 1, most: 8 }
/** Seconds that next-auth tolerates. */
const SKEW = 15

export function nextAuthCookie(options: NextAuthOptions): OldCookie {
  const own = optionsOf(options, NAMES)
  const name = own('name', NAME)
  checkToken('options.name', name)
  const keyring = keyringOf(own('secret'))
  return freeze({
    name,
    tryOpen: (text: string, now: number) => claimsOf(keyring, text, now),
    startedAt,
  })
}

function keyringOf(given: unknown): Keyring {
  const name = 'options.secret'
  const list = isList(given) ? elementsOf(name, given, lengthOfList(name, given, SECRETS)) : [given]
  const entries: KeyEntry[] = []
  try {
    for (let i = 0; i < list.length; i++) {
      const secret = list[i]
      if (typeof secret !== 'string')
        throw wrongType(`"${name}" must be a string, or an array of them, got ${kindOf(secret)}`)
      if (secret === '') throw wrongValue(`"${name}" must not be empty`)
      const bytes = bytesOfText(wellFormed(name, secret))
      const key = new Bytes(hkdfSync('sha256', bytes, new Bytes(0), bytesOfText(INFO), KEY_BYTES))
      wipe(bytes, 0)
      define(entries, `${i}`, { key, prefix: 'raw' }, true)
    }
    return new Keyring(entries)
  } finally {
    for (let i = 0; i < entries.length; i++) wipe((entries[i] as { key: Uint8Array }).key, 0)
  }
}

/** next-auth issues a new token at each renewal, and keeps no earlier time. */
function startedAt(claims: unknown): number | undefined {
  const iat = hasOwn(claims as object, 'iat') ? (claims as { iat: unknown }).iat : undefined
  return typeof iat === 'number' ? iat * 1000 : undefined
}

/** The claims of a cookie; undefined if it is forged, expired, endless or no such cookie. */
function claimsOf(keyring: Keyring, text: string, now: number): unknown {
  const payload = payloadOf(keyring, text)
  const json = payload === null ? undefined : textOfBytes(payload)
  const claims = json === undefined ? undefined : objectOf(json)
  if (claims === undefined) return undefined
  const expires = hasOwn(claims, 'exp') ? claims.exp : undefined
  if (!(typeof expires === 'number' && expires + SKEW > now / 1000)) return undefined
  return claims
}

function payloadOf(keyring: Keyring, text: string): Uint8Array | null {
  try {
    return tryOpenJwe(keyring, text)
  } catch (error) {
    return nothingIfExhausted(error)
  }
}
