// Reads the session of a request. An invalid cookie is no session.
import type { OldCookie } from '../../../types/cookie.d.ts'
import { codeOf, floor, max, min, rethrowOverflow, uncurried, unitAt } from '../../cipher/base/builtins.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { tryOpenText } from '../keyring/methods.cjs'
import { MAX_COOKIE } from './attributes.cjs'
import { type Content, contentOf, SKEW } from './content.cjs'
import type { Declaration } from './declaration.cjs'
import { joinedValues, valuesOf } from './header.cjs'
import { MARK, partName } from './parts.cjs'

const slice: (text: string, start: number, end?: number) => string = uncurried(String.prototype.slice)

/** A session that a request has. */
export interface Session extends Content {
  /** The sealed text; undefined for an old cookie. */
  readonly sealed: string | undefined
  /** The old cookie that it comes from. */
  readonly old: OldCookie | undefined
}

const [ZERO, DOT] = [0x30, 0x2e] as const
/** The parts of next-auth's cookies, as long as browsers send headers. */
export const MAX_OLD_PARTS = 16

/** The first valid session in the header `Cookie`. `now` is in seconds. */
export function sessionIn(declaration: Declaration, header: string, now: number): Session | undefined {
  if (header === '') return undefined
  const { name, fallback, fallbackUntil } = declaration
  const values = valuesOf(header, name)
  for (let i = 0; i < values.length; i++) {
    const sealed = wholeOf(declaration, header, values[i] as string)
    const session = sealed === undefined ? undefined : opened(declaration, sealed, now)
    if (session !== undefined) return session
  }
  // In this form, a clock that returns NaN ends them too.
  if (fallback.length === 0 || !(now * 1000 < fallbackUntil)) return undefined
  for (let i = 0; i < fallback.length; i++) {
    const session = openedOld(declaration, fallback[i] as OldCookie, header, now)
    if (session !== undefined) return session
  }
  return undefined
}

/**
 * The sealed text that a cookie begins: itself, or `count.`, a mark and the first part. The others
 * begin with the mark too, which a part that another host tossed does not have.
 */
function wholeOf({ name, parts }: Declaration, header: string, first: string): string | undefined {
  if (first.length > MAX_COOKIE) return undefined
  if (unitAt(first, 1) !== DOT) return first
  const count = unitAt(first, 0) - ZERO
  if (!(count >= 2 && count <= parts)) return undefined
  const mark = slice(first, 2, 2 + MARK)
  if (mark.length < MARK) return undefined
  let text = slice(first, 2 + MARK)
  for (let i = 1; i < count; i++) {
    const [part] = valuesOf(header, partName(name, i), mark)
    if (part === undefined || part.length > MAX_COOKIE) return undefined
    text += slice(part, MARK)
  }
  return text
}

function opened(declaration: Declaration, sealed: string, now: number): Session | undefined {
  const { keyring, aad, maxAge, maxLifetime } = declaration
  const text = textIn(keyring, sealed, aad)
  const content = text === null ? undefined : contentOf(text)
  if (content === undefined) return undefined
  const { started, issued, expires } = content
  // A shorter limit of today holds for cookies of yesterday.
  // In this form, a clock that returns NaN ends all sessions.
  if (!(now < min(expires, issued + maxAge, started + maxLifetime) && issued <= now + SKEW)) return undefined
  return parsed(declaration, content, sealed, undefined)
}

function textIn(keyring: Keyring, sealed: string, aad: Uint8Array): string | null {
  try {
    return tryOpenText(keyring, sealed, aad)
  } catch (error) {
    return nothingIfExhausted(error)
  }
}

/**
 * After 2^32 forgeries, a key opens nothing. That is an event, and no error here: strangers must
 * not be able to make each request with a cookie fail.
 */
export function nothingIfExhausted(error: unknown): null {
  if (codeOf(error) === 'ERR_AESGCM_KEY_EXHAUSTED') return null
  throw error
}

function openedOld(
  declaration: Declaration,
  old: OldCookie,
  header: string,
  now: number,
): Session | undefined {
  // A whole one that another host tossed must not hide the parts.
  return (
    firstOld(declaration, old, valuesOf(header, old.name), now) ??
    firstOld(declaration, old, joinedValues(header, old.name, MAX_OLD_PARTS), now)
  )
}

function firstOld(
  declaration: Declaration,
  old: OldCookie,
  texts: readonly string[],
  now: number,
): Session | undefined {
  for (let i = 0; i < texts.length; i++) {
    const text = texts[i] as string
    const value: unknown = old.tryOpen(text, now * 1000)
    if (value === undefined || value === null) continue
    const started = startOf(old, value, text, now)
    if (!(now < started + declaration.maxLifetime)) continue
    const content = { started, issued: now, expires: endOf(declaration, started, now), value }
    const session = parsed(declaration, content, undefined, old)
    if (session !== undefined) return session
  }
  return undefined
}

/** The seconds at which an old session began: now, if its cookie does not say it. */
function startOf(old: OldCookie, value: unknown, text: string, now: number): number {
  const started: unknown = old.startedAt?.(value, text)
  if (started === undefined || started === null) return now
  // In this form, NaN is no time, and ends the session.
  return typeof started === 'number' ? max(0, min(now, floor(started / 1000))) : NaN
}

/** The session with the value as the program's function parses it: no session if it refuses. */
function parsed(
  { parse }: Declaration,
  { started, issued, expires, value }: Content,
  sealed: string | undefined,
  old: OldCookie | undefined,
): Session | undefined {
  if (parse === undefined) return { started, issued, expires, value, sealed, old }
  try {
    const own = parse(value)
    return own === undefined || own === null
      ? undefined
      : { started, issued, expires, value: own, sealed, old }
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

/** The seconds at which a cookie of now ends. */
export function endOf({ maxAge, maxLifetime }: Declaration, started: number, now: number): number {
  return floor(min(now + maxAge, started + maxLifetime))
}
