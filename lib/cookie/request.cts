// Where a request has its cookies: `Request` and `Headers` of the web, and Node's IncomingMessage,
// which Express and Fastify extend or imitate.
import { nodeError } from '../base/errors.cjs'
import { codedIfRevoked } from '../base/parse.cjs'
import { kindOf } from '../base/views.cjs'

interface WebHeaders {
  get(name: string): unknown
}

/** The header `Cookie`; empty without one. `argument` names the request in errors. */
export function cookieHeaderOf(argument: string, request: unknown): string {
  if (typeof request === 'string') return request
  let header: unknown
  try {
    header = read(request)
  } catch (error) {
    throw codedIfRevoked(argument, request, error)
  }
  if (typeof header === 'string') return header
  if (header === undefined || header === null) return ''
  throw wrong(argument, request)

  function read(given: unknown): unknown {
    if (typeof given !== 'object' || given === null) throw wrong(argument, given)
    // First, since Express gives requests a method `get` too.
    const { headers } = given as { headers?: unknown }
    const all = headers === undefined ? given : headers
    if (typeof all !== 'object' || all === null) throw wrong(argument, given)
    if (typeof (all as WebHeaders).get === 'function') return (all as WebHeaders).get('cookie')
    if (headers === undefined) throw wrong(argument, given)
    return (all as { cookie?: unknown }).cookie
  }
}

function wrong(argument: string, request: unknown): Error {
  const what = 'must be a Request, Headers, an IncomingMessage or the value of a Cookie header'
  return nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', `"${argument}" ${what}, got ${kindOf(request)}`)
}
