// Where a request has its cookies: Request and Headers of the web, IncomingMessage of Node and its
// imitations, and events of AWS Lambda. Any other object is refused: it would end sessions unseen.
import { define, keys, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

type Members = Readonly<Record<string, unknown>>

const join: (list: readonly string[], between: string) => string = uncurried(Array.prototype.join)
const toLowerCase: (text: string) => string = uncurried(String.prototype.toLowerCase)
const NAME = 'cookie'

/** The header `Cookie`; empty without one. `argument` names the request in errors. */
export function cookieHeaderOf(argument: string, request: unknown): string {
  if (typeof request === 'string') return request
  let header: unknown
  try {
    header = isObject(request) ? headerOf(request) : NONE
  } catch (error) {
    throw codedIfRevoked(argument, request, error)
  }
  if (typeof header === 'string') return header
  throw wrong(argument, request)
}

/** A store of cookies, or another object without a header of cookies. */
const NONE = undefined

function headerOf(request: Members): string | undefined {
  // First, because requests of Express have a method `get` too.
  const { headers } = request
  const all = headers === undefined ? request : headers
  if (isObject(all) && typeof all.get === 'function') return ofWeb(request, all)
  if (isObject(headers) && !isList(headers)) return textOf(headers[NAME]) ?? ofEvent(request, headers)
  // A load balancer's event may have no other headers, and a gateway's has null for none.
  return isList(request.cookies) || 'multiValueHeaders' in request ? ofEvent(request, {}) : NONE
}

function ofWeb(request: Members, all: Members): string | undefined {
  // Stores of cookies, forms and queries find a value by its name, and have no headers.
  if (typeof all.getAll === 'function' && typeof all.getSetCookie !== 'function') return NONE
  const header = (all.get as (name: string) => unknown)(NAME)
  if (header !== null) return textOf(header)
  // A Response has headers too, but no cookies of a request.
  return typeof request.status === 'number' ? NONE : ''
}

/** Version 2 of a gateway's event has a list of cookies; version 1 keeps the browser's names. */
function ofEvent({ cookies, multiValueHeaders }: Members, headers: Members): string | undefined {
  if (isList(cookies)) return textOf(cookies)
  const several = isObject(multiValueHeaders) ? memberOf(multiValueHeaders) : undefined
  const header = several ?? memberOf(headers)
  return header === undefined || header === null ? '' : textOf(header)
}

/** The member `cookie`, whatever the case of its name. */
function memberOf(headers: Members): unknown {
  const names = keys(headers)
  for (let i = 0; i < names.length; i++) {
    const name = names[i] as string
    if (name.length === NAME.length && toLowerCase(name) === NAME) return headers[name]
  }
  return undefined
}

/** A text, or the texts of a list as one; undefined for anything else. */
function textOf(header: unknown): string | undefined {
  if (typeof header === 'string') return header
  if (!isList(header)) return undefined
  const texts: string[] = []
  for (let i = 0; i < header.length; i++) {
    if (typeof header[i] !== 'string') return undefined
    define(texts, `${i}`, header[i], true)
  }
  return join(texts, '; ')
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

function wrong(argument: string, request: unknown): Error {
  const what =
    'must be a Request, Headers, an IncomingMessage, an event of AWS Lambda or the value of a Cookie header'
  const help =
    'a store of cookies has no header, so pass the headers (in Next.js, await headers(); in SvelteKit, event.request)'
  const message = `"${argument}" ${what}, got ${kindOf(request)}: ${help}`
  return wrongType(message)
}
