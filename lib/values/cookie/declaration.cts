// A declaration of a cookie, parsed: a mistake in it is found here, before any request.
import type { OldCookie } from '../../../types/cookie.d.ts'
import { floor, freeze, types, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked, count, optionsOf } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { context } from '../keyring/context.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { keyringOf } from '../keyring/methods.cjs'
import { type Attributes, attributesOf, checkToken } from './attributes.cjs'

export interface Declaration extends Attributes {
  readonly keyring: Keyring
  /** Binds values to the name. */
  readonly aad: Uint8Array
  /** Seconds from a write to the end. */
  readonly maxAge: number
  /** Seconds from the first write to the end. */
  readonly maxLifetime: number
  /** Seconds from a write to the next one by `renew`. */
  readonly renewAfter: number
  /** Most cookies for one value. */
  readonly parts: number
  readonly parse: ((value: unknown) => unknown) | undefined
  readonly fallback: readonly OldCookie[]
  /** The milliseconds since 1970 from which `fallback` is read no more. */
  readonly fallbackUntil: number
  readonly now: () => number
}

const NAMES = [
  'keyring',
  'maxAge',
  'maxLifetime',
  'renewAfter',
  'domain',
  'path',
  'sameSite',
  'secure',
  'prefix',
  'persistent',
  'parts',
  'parse',
  'fallback',
  'fallbackUntil',
  'now',
] as const
/** RFC 6265bis, section 5.5: browsers keep no cookie longer. */
const MAX_AGE = 400 * 86_400
const MAX_LIFETIME = 100 * 366 * 86_400
const MAX_PARTS = 8
const COOKIES = { elements: 'cookies', least: 0, most: 8 }
const { now: NOW } = Date
const { isDate } = types
const timeOf: (date: Date) => number = uncurried(Date.prototype.getTime)

export function declarationOf(name: unknown, options: unknown): Declaration {
  const own = optionsOf(options, NAMES)
  const keyring = keyringOf(own('keyring'))
  const attributes = attributesOf(name, own)
  const maxAge = count('options.maxAge', own('maxAge'), 1, MAX_AGE)
  const fallback = fallbackOf(own('fallback', []))
  return freeze({
    ...attributes,
    keyring,
    aad: context('hardware-aes-gcm/cookie', attributes.name),
    maxAge,
    maxLifetime: count('options.maxLifetime', own('maxLifetime', MAX_LIFETIME), maxAge, MAX_LIFETIME),
    renewAfter: count('options.renewAfter', own('renewAfter', floor(maxAge / 10)), 0, maxAge),
    parts: count('options.parts', own('parts', 1), 1, MAX_PARTS),
    parse: functionOf('parse', own('parse')),
    fallback,
    fallbackUntil: untilOf(own('fallbackUntil'), fallback),
    now: (functionOf('now', own('now')) as (() => number) | undefined) ?? NOW,
  })
}

function functionOf(name: string, value: unknown): ((value: unknown) => unknown) | undefined {
  if (value === undefined || typeof value === 'function') return value as never
  throw wrongType(`"options.${name}" must be a function, got ${kindOf(value)}`)
}

function fallbackOf(given: unknown): readonly OldCookie[] {
  const name = 'options.fallback'
  const list = isList(given) ? elementsOf(name, given, lengthOfList(name, given, COOKIES)) : [given]
  for (let i = 0; i < list.length; i++) checkOld(name, list[i])
  return freeze(list as OldCookie[])
}

function untilOf(given: unknown, fallback: readonly OldCookie[]): number {
  const name = '"options.fallbackUntil"'
  if (given === undefined) {
    for (let i = 0; i < fallback.length; i++) {
      const old = fallback[i] as OldCookie
      if (old.endless !== true) continue
      throw wrongValue(
        `${name} is required, because cookies "${old.name}" never expire: a copy would start a session at any later time`,
      )
    }
    return Infinity
  }
  if (!isDate(given)) throw wrongType(`${name} must be a Date, got ${kindOf(given)}`)
  const time = timeOf(given)
  // In this form, a Date that is none is refused.
  if (time >= 0) return time
  throw wrongValue(`${name} must be a valid Date since 1970`)
}

function checkOld(argument: string, cookie: unknown): void {
  if (typeof cookie !== 'object' || cookie === null) throw wrongOld(argument, cookie)
  let name: unknown
  let tryOpen: unknown
  let startedAt: unknown
  try {
    ;({ name, tryOpen, startedAt } = cookie as OldCookie)
  } catch (error) {
    throw codedIfRevoked(argument, cookie, error)
  }
  if (typeof tryOpen !== 'function') throw wrongOld(argument, cookie)
  if (startedAt !== undefined && typeof startedAt !== 'function') throw wrongOld(argument, cookie)
  checkToken(`${argument}.name`, name)
}

function wrongOld(argument: string, cookie: unknown): Error {
  return wrongType(
    `"${argument}" must be an old cookie with a name and a method tryOpen (and startedAt, if any, a method), or an array of them, got ${kindOf(cookie)}`,
  )
}
