// Writes headers `Set-Cookie`: to `Response` and `Headers` of the web, to Node's ServerResponse,
// which Express extends, and to Fastify's reply. Cookies of other names stay, those of the same are
// replaced.
import { define, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

/** A header `Set-Cookie`, and the name of its cookie. */
export interface Line {
  readonly name: string
  readonly text: string
}

interface Store {
  get(): unknown
  set(lines: string[]): void
}

interface NodeResponse {
  getHeader(name: string): unknown
  setHeader(name: string, value: string[]): unknown
}
interface FastifyReply {
  getHeader(name: string): unknown
  removeHeader(name: string): unknown
  header(name: string, value: string[]): unknown
}
interface WebHeaders {
  getSetCookie(): string[]
  delete(name: string): void
  append(name: string, value: string): void
}

const NAME = 'set-cookie'
const startsWith: (text: string, start: string) => boolean = uncurried(String.prototype.startsWith)

/** The way to the cookies of a response, which throws for anything else. */
export function storeOf(response: unknown): Store {
  try {
    const store = find(response)
    if (store !== undefined) return store
  } catch (error) {
    throw codedIfRevoked('response', response, error)
  }
  const what = 'must be a Response, Headers, a ServerResponse (of Koa, ctx.res) or a reply of Fastify'
  const help = 'for anything else, write to new Headers() and send what its getSetCookie() returns'
  const message = `"response" ${what}, got ${kindOf(response)}: ${help}`
  throw wrongType(message)
}

function find(response: unknown): Store | undefined {
  if (typeof response !== 'object' || response === null) return undefined
  if (has(response, 'getHeader')) {
    if (has(response, 'setHeader')) {
      const node = response as NodeResponse
      return { get: () => node.getHeader(NAME), set: lines => void node.setHeader(NAME, lines) }
    }
    if (!has(response, 'removeHeader') || !has(response, 'header')) return undefined
    const reply = response as FastifyReply
    return {
      get: () => reply.getHeader(NAME),
      set(lines) {
        // Fastify would append to the others.
        reply.removeHeader(NAME)
        reply.header(NAME, lines)
      },
    }
  }
  const own = has(response, 'getSetCookie') ? response : (response as { headers?: unknown }).headers
  if (typeof own !== 'object' || own === null || !has(own, 'getSetCookie') || !has(own, 'append'))
    return undefined
  const web = own as WebHeaders
  return {
    get: () => web.getSetCookie(),
    set(lines) {
      web.delete(NAME)
      for (let i = 0; i < lines.length; i++) web.append(NAME, lines[i] as string)
    },
  }
}

function has(object: object, name: string): boolean {
  return typeof (object as Record<string, unknown>)[name] === 'function'
}

/** Adds lines to the response. */
export function addLines(store: Store, lines: readonly Line[]): void {
  const before = store.get()
  if (before === undefined && lines.length === 1) {
    store.set([(lines[0] as Line).text])
    return
  }
  const after: string[] = []
  if (typeof before === 'string') keep(before)
  else if (isList(before)) for (let i = 0; i < before.length; i++) keep(`${before[i]}`)
  for (let i = 0; i < lines.length; i++) add((lines[i] as Line).text)
  store.set(after)

  function keep(text: string): void {
    for (let i = 0; i < lines.length; i++) if (startsWith(text, `${(lines[i] as Line).name}=`)) return
    add(text)
  }
  function add(text: string): void {
    define(after, `${after.length}`, text, true)
  }
}
