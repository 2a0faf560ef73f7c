// Attributes of a cookie, checked where it is declared: nothing of a request reaches them.
import { floor, positionOf, uncurried, unitAt } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { shown } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { isPartName } from './parts.cjs'
import type { Line } from './response.cjs'

const startsWith: (text: string, start: string) => boolean = uncurried(String.prototype.startsWith)
const toLowerCase: (text: string) => string = uncurried(String.prototype.toLowerCase)
const slice: (text: string, start: number, end: number) => string = uncurried(String.prototype.slice)
const toUTCString: (date: Date) => string = uncurried(Date.prototype.toUTCString)
const DateClass = Date

/** RFC 6265bis, section 5.6: browsers ignore a longer attribute. */
const MAX_ATTRIBUTE = 1024
/** RFC 6265bis, section 5.7: browsers ignore a cookie whose name and value are longer. */
export const MAX_COOKIE = 4096
const MAX_NAME = 256
const HOST = '__Host-'
const SECURE = '__Secure-'
const SITES = ['lax', 'strict', 'none'] as const
const MARKS = "!#$%&'*+-.^_`|~"

export interface Attributes {
  /** The name with its prefix. */
  readonly name: string
  /** The attributes of every cookie, from `; Path` on. */
  readonly text: string
  readonly persistent: boolean
}

type Own = (
  name: 'domain' | 'path' | 'persistent' | 'prefix' | 'sameSite' | 'secure',
  otherwise?: unknown,
) => unknown

export function attributesOf(name: unknown, own: Own): Attributes {
  const secure = flag('secure', own('secure', true))
  const persistent = flag('persistent', own('persistent', true))
  const domain = own('domain')
  const path = own('path', '/')
  const site = own('sameSite', 'lax')
  if (domain !== undefined) checkDomain(domain)
  checkPath(path)
  if (positionOf(SITES, site) < 0)
    throw wrongValue(`"options.sameSite" must be one of 'lax', 'strict', 'none', got ${shown(site)}`)
  if (site === 'none' && !secure)
    throw wrongValue(`"options.sameSite" may be 'none' only with "secure": browsers refuse it otherwise`)
  const isHost = secure && domain === undefined && path === '/'
  const full = nameOf(name, { prefix: flag('prefix', own('prefix', true)), secure, isHost })
  const kind = { lax: 'Lax', strict: 'Strict', none: 'None' }[site as 'lax']
  let text = `; Path=${path}`
  if (domain !== undefined) text += `; Domain=${domain}`
  text += `; HttpOnly${secure ? '; Secure' : ''}; SameSite=${kind}`
  return { name: full, text, persistent }
}

/** The name with the strictest prefix that browsers accept with these attributes. */
function nameOf(
  given: unknown,
  { prefix, secure, isHost }: { prefix: boolean; secure: boolean; isHost: boolean },
): string {
  checkToken('name', given)
  if (isPartName(given))
    throw wrongValue(
      '"name" must not end with ~ and a digit from 1 to 7, as the names of parts of long values do',
    )
  const lower = toLowerCase(slice(given, 0, SECURE.length))
  const hasHost = startsWith(lower, toLowerCase(HOST))
  if (hasHost && !isHost)
    throw wrongValue(`"name" begins with ${HOST}, which needs "secure", the path '/' and no domain`)
  if (hasHost) return given
  if (startsWith(lower, toLowerCase(SECURE))) {
    if (secure) return given
    throw wrongValue(`"name" begins with ${SECURE}, which needs "secure"`)
  }
  if (!prefix || !secure) return given
  return `${isHost ? HOST : SECURE}${given}`
}

/** A cookie's name: a token of RFC 9110. */
export function checkToken(argument: string, name: unknown): asserts name is string {
  if (typeof name !== 'string') throw wrongType(`"${argument}" must be a string, got ${kindOf(name)}`)
  if (name.length === 0 || name.length > MAX_NAME)
    throw wrongValue(`"${argument}" must have 1 to ${MAX_NAME} characters, got ${name.length}`)
  for (let i = 0; i < name.length; i++) {
    const unit = unitAt(name, i)
    if (isLetterOrDigit(unit) || positionOfMark(unit)) continue
    throw wrongValue(`"${argument}" may contain only letters, digits and ${MARKS}, as names of cookies do`)
  }
}

function positionOfMark(unit: number): boolean {
  for (let i = 0; i < MARKS.length; i++) if (unitAt(MARKS, i) === unit) return true
  return false
}

function isLetterOrDigit(unit: number): boolean {
  const lower = unit | 0x20
  return (unit >= 0x30 && unit <= 0x39) || (lower >= 0x61 && lower <= 0x7a)
}

function checkDomain(domain: unknown): void {
  checkText('options.domain', domain)
  for (let i = 0; i < domain.length; i++) {
    const unit = unitAt(domain, i)
    const isMark = unit === 0x2d || (unit === 0x2e && i > 0)
    if (!isLetterOrDigit(unit) && !isMark)
      throw wrongValue(
        `"options.domain" must be the name of a host without a leading dot, got ${shown(domain)}`,
      )
  }
}

function checkPath(path: unknown): void {
  checkText('options.path', path)
  if (unitAt(path, 0) !== 0x2f) throw wrongValue(`"options.path" must begin with '/', got ${shown(path)}`)
  for (let i = 0; i < path.length; i++) {
    const unit = unitAt(path, i)
    // No control, blank or character that would end the attribute.
    if (unit <= 0x20 || unit >= 0x7f || unit === 0x3b)
      throw wrongValue('"options.path" must have no spaces, semicolons, controls or characters outside ASCII')
  }
}

function checkText(argument: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrongType(`"${argument}" must be a string, got ${kindOf(value)}`)
  if (value.length === 0 || value.length > MAX_ATTRIBUTE)
    throw wrongValue(`"${argument}" must have 1 to ${MAX_ATTRIBUTE} characters, got ${value.length}`)
}

export function flag(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw wrongType(`"options.${name}" must be a boolean, got ${kindOf(value)}`)
}

/** The line that sets a cookie, which ends at `expires` if it is to outlive the browser. */
export function setLine(
  { text, persistent }: Attributes,
  name: string,
  value: string,
  now: number,
  expires: number,
): Line {
  const until = persistent ? `; Max-Age=${expires - now}; Expires=${dateOf(expires)}` : ''
  return { name, text: `${name}=${value}${text}${until}` }
}

/** The line that deletes a cookie. Browsers find it by name, domain and path. */
export function clearLine(name: string, text: string): Line {
  return { name, text: `${name}=${text}; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT` }
}

/** The last date that was written: it is the same for all cookies of a second. */
let last = { seconds: -1, text: '' }

function dateOf(seconds: number): string {
  if (last.seconds !== seconds) last = { seconds, text: toUTCString(new DateClass(floor(seconds) * 1000)) }
  return last.text
}
