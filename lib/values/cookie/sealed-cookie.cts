// The function sealedCookie and its objects, documented in types/cookie.d.ts.
import type {
  CookieRequest,
  CookieResponse,
  SealedCookie,
  SealedCookieOptions,
} from '../../../types/cookie.d.ts'
import type { KeyInfo } from '../../../types/keyring.d.ts'
import { define, markAsUncloneable, uncurried } from '../../cipher/base/builtins.cjs'
import { outOfRange, wrongReceiver, wrongValue } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { jsonOf } from '../../cipher/base/lossless-json.cjs'
import type { Keyring } from '../keyring/keyring.cjs'
import { keyIdOf, keysOf, needsRotation, sealText } from '../keyring/methods.cjs'
import { clearLine, MAX_COOKIE, setLine } from './attributes.cjs'
import { secondsOf, textOf } from './content.cjs'
import { type Declaration, declarationOf } from './declaration.cjs'
import { valuesOf } from './header.cjs'
import { endOf, MAX_OLD_PARTS, type Session, sessionIn } from './opening.cjs'
import { MARK, partName } from './parts.cjs'
import { cookieHeaderOf } from './request.cjs'
import { addLines, type Line, storeOf } from './response.cjs'

const { ceil } = Math
const slice: (text: string, start: number, end: number) => string = uncurried(String.prototype.slice)
const startsWith: (text: string, start: string) => boolean = uncurried(String.prototype.startsWith)

export function sealedCookie<Session = unknown>(
  name: string,
  options: SealedCookieOptions<Session>,
): SealedCookie<Session> {
  return new Cookie(declarationOf(name, options)) as never
}

class Cookie {
  readonly #declaration: Declaration

  static {
    showAs(
      Cookie,
      'SealedCookie',
      self => #declaration in self,
      self => ({ name: self.#declaration.name, maxAge: self.#declaration.maxAge }),
    )
  }

  constructor(declaration: Declaration) {
    markAsUncloneable(this)
    this.#declaration = declaration
  }

  get name(): string {
    return Cookie.#of(this).name
  }

  read(request: CookieRequest): unknown {
    const declaration = Cookie.#of(this)
    const header = cookieHeaderOf('request', request)
    return sessionIn(declaration, header, secondsOf(declaration.now))?.value ?? null
  }

  write(response: CookieResponse, value: unknown, request?: CookieRequest): void {
    const declaration = Cookie.#of(this)
    const store = storeOf(response)
    const json = jsonOf('value', value)
    if (json === 'null') throw nothing()
    const now = secondsOf(declaration.now)
    const header = request === undefined ? '' : cookieHeaderOf('request', request)
    const before = sessionIn(declaration, header, now)
    const lines = linesOf(declaration, json, now, before, header)
    if (typeof lines === 'number') throw tooLong(declaration, lines)
    addLines(store, lines)
  }

  renew(request: CookieRequest, response: CookieResponse): unknown {
    const declaration = Cookie.#of(this)
    const store = storeOf(response)
    const now = secondsOf(declaration.now)
    const header = cookieHeaderOf('request', request)
    const session = sessionIn(declaration, header, now)
    if (session === undefined) return null
    if (!isDue(declaration, session, now)) return session.value
    const lines = linesOf(declaration, jsonOf('value', session.value), now, session, header)
    // A session that is too long now, such as an old one, is kept: the browser sent it.
    if (typeof lines !== 'number') addLines(store, lines)
    return session.value
  }

  clear(response: CookieResponse, request?: CookieRequest): void {
    const declaration = Cookie.#of(this)
    const store = storeOf(response)
    const header = request === undefined ? '' : cookieHeaderOf('request', request)
    addLines(store, ended(declaration, header))
  }

  /** The declaration of `self`; throws if it is another object. */
  static #of(self: unknown): Declaration {
    if (typeof self === 'object' && self !== null && #declaration in self) return self.#declaration
    throw wrongReceiver('SealedCookie')
  }
}

/** Whether `renew` writes the session again. */
function isDue(declaration: Declaration, { issued, started, sealed }: Session, now: number): boolean {
  const { keyring, renewAfter } = declaration
  if (sealed === undefined || isOfOldKey(keyring, sealed)) return true
  // Not if the absolute limit leaves nothing to extend.
  return now - issued >= renewAfter && endOf(declaration, started, now) > endOf(declaration, started, issued)
}

/**
 * Whether the primary key should re-encrypt a session. One without a prefix does not know its own
 * values, and would renew each of them at every request: then, only a value that names another key
 * is an old one.
 */
function isOfOldKey(keyring: Keyring, sealed: string): boolean {
  if (!needsRotation(keyring, sealed)) return false
  const named = keyIdOf(keyring, sealed)
  const keys = keysOf(keyring)
  for (let i = 0; i < keys.length; i++) {
    const { id, primary, prefix } = keys[i] as KeyInfo
    if (prefix !== 'raw' && (primary || id === named)) return true
  }
  return false
}

/**
 * The lines of a session that continues `before`, or that begins. A number is the bytes of a sealed
 * text that is too long.
 */
function linesOf(
  declaration: Declaration,
  json: string,
  now: number,
  before: Session | undefined,
  header: string,
): readonly Line[] | number {
  const { keyring, aad, name, parts } = declaration
  const started = before?.started ?? now
  const end = endOf(declaration, started, now)
  // A clock without a time ends every session, so also the one that is written.
  if (!(end > now)) return ended(declaration, header)
  const sealed = sealText(keyring, textOf(started, now, end, json), aad)
  const room = MAX_COOKIE - name.length
  const lines = sealed.length <= room ? [setLine(declaration, name, sealed, now, end)] : split()
  if (lines === undefined) return sealed.length
  clearParts(declaration, lines, lines.length, parts)
  clearOld(declaration, lines, header)
  return lines

  function split(): Line[] | undefined {
    const mark = slice(sealed, sealed.length - MARK, sealed.length)
    const part = room - 2 - MARK
    const count = ceil(sealed.length / part)
    if (count > parts) return undefined
    const several: Line[] = []
    for (let i = 0; i < count; i++) {
      const own = i === 0 ? name : partName(name, i)
      const text = `${mark}${slice(sealed, i * part, (i + 1) * part)}`
      push(several, setLine(declaration, own, i === 0 ? `${count}.${text}` : text, now, end))
    }
    return several
  }
}

/** The lines that end the session in a browser. */
function ended(declaration: Declaration, header: string): readonly Line[] {
  const { name, text, parts } = declaration
  const lines = [clearLine(name, text)]
  clearParts(declaration, lines, 1, parts)
  clearOld(declaration, lines, header)
  return lines
}

/** Deletes the parts that an earlier, longer value may have left. */
function clearParts({ name, text }: Declaration, lines: Line[], from: number, to: number): void {
  for (let i = from; i < to; i++) push(lines, clearLine(partName(name, i), text))
}

/**
 * Deletes the cookies of other programs at the path '/', and the parts of them that a request has.
 * Else one would be the session again when this one ends.
 */
function clearOld({ name, fallback }: Declaration, lines: Line[], header: string): void {
  for (let k = 0; k < fallback.length; k++) {
    const old = fallback[k]?.name as string
    const isSecure = startsWith(old, '__Secure-') || startsWith(old, '__Host-')
    const text = `; Path=/${isSecure ? '; Secure' : ''}`
    if (old !== name) push(lines, clearLine(old, text))
    for (let i = 0; i < MAX_OLD_PARTS && valuesOf(header, `${old}.${i}`).length > 0; i++)
      if (`${old}.${i}` !== name) push(lines, clearLine(`${old}.${i}`, text))
  }
}

function push(lines: Line[], line: Line): void {
  define(lines, `${lines.length}`, line, true)
}

function tooLong({ name, parts }: Declaration, length: number): Error {
  const size = name.length + length
  const help =
    parts === 1
      ? 'store less, or allow more cookies with the option "parts"'
      : `"parts" allows ${parts} cookies`
  return outOfRange(
    `the cookie "${name}" would have ${size} bytes with its name, and browsers accept ${MAX_COOKIE}: ${help}`,
  )
}

function nothing(): Error {
  return wrongValue('"value" must not be null, which read returns for no session: call clear to end one')
}
