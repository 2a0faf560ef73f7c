/// <reference types="node" />

/**
 * Sessions in sealed cookies, over the web's `Request` and `Headers` and Node's server.
 *
 * @example
 * const session = sealedCookie<{ user: string }>('session', { keyring, maxAge: 7 * 86_400 })
 * session.write(response, { user: 'ada' })
 * session.read(request)?.user // 'ada', or undefined
 *
 * @remarks
 * The browser keeps the session, and the server keeps nothing. The value is JSON, sealed by a {@link Keyring} and bound to the name of
 * the cookie; its expiry is sealed with it (docs/formats.md, "Cookies"). **A missing, forged, expired or renamed cookie is no
 * session: `null`, not an error.** Mistakes of the program throw.
 */

import type { Keyring } from './keyring.d.ts'

/**
 * Contains the cookies of a request: `Request`, `Headers`, Node's `IncomingMessage`, the requests of Express, Fastify and Koa, an event
 * of AWS Lambda (version 1 or 2 of a gateway, a function's URL or a load balancer), or the text of the header `Cookie`.
 */
export type CookieRequest =
  | string
  | { get(name: string): string | null }
  | { readonly headers: { get(name: string): string | null } | { readonly cookie?: string | undefined } }
  | {
      readonly cookies?: readonly string[] | undefined
      readonly multiValueHeaders?:
        | { readonly [name: string]: readonly string[] | undefined }
        | null
        | undefined
    }

/** Receives `Set-Cookie` headers: `Response`, `Headers`, Node's `ServerResponse`, Express' response or Fastify's reply. */
export type CookieResponse =
  | WebHeaders
  | { readonly headers: WebHeaders }
  | { getHeader(name: string): unknown; setHeader(name: string, value: string[]): unknown }
  | {
      getHeader(name: string): unknown
      removeHeader(name: string): unknown
      header(name: string, value: string[]): unknown
    }

interface WebHeaders {
  getSetCookie(): string[]
  delete(name: string): void
  append(name: string, value: string): void
}

/**
 * A cookie of another program, read until its session is renewed.
 *
 * {@link ironSessionCookie} and {@link nextAuthCookie} make two kinds.
 */
export interface OldCookie {
  /** The name of the cookie; a long value may be in the cookies `name.0`, `name.1` and so on. */
  readonly name: string
  /**
   * The session in a cookie, which anyone may have written; undefined or null if it is forged or has expired.
   *
   * @example
   * const old = { name: 'sid', tryOpen: (text: string) => (verified(text) ? { user: userOf(text) } : undefined) }
   *
   * @param now the time in milliseconds since 1970
   */
  tryOpen(text: string, now: number): unknown
  /**
   * When a session that `tryOpen` returned began, in milliseconds since 1970: `maxLifetime` counts from then.
   *
   * Without it, or where it returns undefined, the session begins at each reading of the old cookie. If it returns NaN, there is none.
   *
   * @example
   * const old = { name: 'sid', tryOpen: opened, startedAt: (user: unknown) => (user as { since: number }).since }
   *
   * @param text the text that was passed to `tryOpen`
   */
  startedAt?(session: unknown, text: string): number | null | undefined
  /**
   * Whether `tryOpen` accepts cookies that never expire; default false.
   *
   * `fallbackUntil` is then required.
   */
  readonly endless?: boolean | undefined
}

/** Options of {@link sealedCookie}: a plain object. */
export interface SealedCookieOptions<Session> {
  /** The keyring, whose later changes apply at once. */
  keyring: Keyring
  /** Seconds from a write to the end of the session, at most 400 days, which is as long as browsers keep cookies. */
  maxAge: number
  /** Seconds from the first write to the end, however often the session is renewed; default: no such limit. */
  maxLifetime?: number | undefined
  /** Seconds after which {@link SealedCookie.renew} writes a session again; default: a tenth of `maxAge`. */
  renewAfter?: number | undefined
  /** The host that gets the cookie, with all hosts below it; default: the host of the response alone. */
  domain?: string | undefined
  /** The path below which the browser sends the cookie; default '/'. */
  path?: string | undefined
  /** Which requests of other sites carry the cookie; default 'lax': only followed links. */
  sameSite?: 'lax' | 'strict' | 'none' | undefined
  /**
   * Whether the browser sends the cookie over HTTPS alone; default true.
   *
   * Browsers differ in whether they keep such cookies of `http://localhost`: pass `false` in development where one does not.
   */
  secure?: boolean | undefined
  /**
   * Whether the name gets the prefix `__Host-`, or `__Secure-` with a domain or path; default true, and none without `secure`.
   *
   * With `__Host-`, browsers refuse the cookie from any other host of the site.
   */
  prefix?: boolean | undefined
  /**
   * Whether the cookie outlives the browser; default true.
   *
   * The seal ends after `maxAge` in any case.
   */
  persistent?: boolean | undefined
  /**
   * How many cookies may hold one long value, 1 to 8; default 1.
   *
   * Node refuses request headers of over 16 KiB by default.
   */
  parts?: number | undefined
  /**
   * Parses the value of an authentic cookie: its result, which must be a value that JSON can hold, is the session.
   *
   * Default: the value is trusted to be a `Session`. If it throws, or returns null or undefined, there is no session.
   */
  parse?: ((value: unknown) => Session | null | undefined) | undefined
  /**
   * Cookies of other programs, read if there is no valid one of this kind; default: none.
   *
   * Every write deletes them at the path `/` of the host. **One with another path or a domain stays, and becomes the session again
   * when this one ends**: delete it with a `Set-Cookie` header.
   *
   * **An old cookie without `__Host-` can come from any host of the site**, so such a host can start a session of its own choice here,
   * even under a name with `__Host-` (docs/security.md, "Cookies").
   */
  fallback?: OldCookie | readonly OldCookie[] | undefined
  /**
   * When `fallback` ends: from then on, old cookies are deleted and not read; default: never.
   *
   * **A copy of an old cookie begins a session until its own end**, even after its session was renewed. Choose a day when the last old
   * cookie has expired.
   */
  fallbackUntil?: Date | undefined
  /**
   * The clock, in milliseconds since 1970; default `Date.now`.
   *
   * One that returns NaN, or what no Date can hold, ends every session.
   */
  now?: (() => number) | undefined
}

/**
 * A declared cookie, made by {@link sealedCookie}.
 *
 * Methods are synchronous. Other cookies of the response stay; an earlier one of the same name is replaced.
 */
export interface SealedCookie<Session> {
  /** The name with its prefix. */
  readonly name: string

  /**
   * The session of a request; null if there is none.
   *
   * @example
   * const user = session.read(request)?.user
   *
   * @remarks
   * Where the name is repeated, the first of up to four values that opens wins: browsers send the cookie of the longest path first,
   * and another host of the site may have set one that does not open.
   *
   * After 2^32 forgeries under a key, no cookie of this key is a session. `hardware-aes-gcm:key-exhausted` reports it, and a new key
   * that is promoted ends it.
   * @throws `ERR_INVALID_ARG_TYPE` if `request` is no such object, such as a store of cookies, whose `get` finds a cookie and no header,
   * or a `Response`; `ERR_AESGCM_DESTROYED` for a destroyed keyring.
   */
  read(request: CookieRequest): Session | null

  /**
   * Writes a session.
   *
   * With the request, it continues the session there, so `maxLifetime` still counts from the first write. **Leave the request out at a
   * login**, which begins a session.
   *
   * @example
   * session.write(response, { user: 'ada' })
   *
   * @throws `ERR_OUT_OF_RANGE`, with the size, if the value is longer than `parts` cookies can be: nothing was written.
   * @throws `ERR_INVALID_ARG_VALUE` for null and for what JSON would change, such as a Date or NaN; members that are undefined are left
   * out.
   * @throws `ERR_INVALID_ARG_TYPE` for another response; otherwise as `Keyring.sealText` and {@link read}.
   */
  write(response: CookieResponse, value: Session, request?: CookieRequest): void

  /**
   * Reads the session, and writes it again if `renewAfter` has passed, its key is not the primary one, or its cookie is an old one.
   *
   * A session too long to be written again stays in its cookie. A primary key without a prefix does not recognise its own cookies,
   * so they are written again after `renewAfter` alone.
   *
   * @example
   * const user = session.renew(request, response)?.user
   *
   * @throws as {@link read} and {@link write}.
   */
  renew(request: CookieRequest, response: CookieResponse): Session | null

  /**
   * Deletes the cookie and its parts, and the old cookies of `fallback`; with the request, also the parts of those.
   *
   * **A copy of the cookie still opens until it expires**: a server that keeps nothing cannot revoke it (docs/security.md).
   *
   * @example
   * session.clear(response)
   *
   * @throws `ERR_INVALID_ARG_TYPE` for another response or request.
   */
  clear(response: CookieResponse, request?: CookieRequest): void
}

/** Passwords of iron-session by their numbers. */
type PasswordsById = { readonly [id: string]: string }

/** Options of {@link ironSessionCookie}: a plain object. */
export interface IronSessionOptions {
  /** The option `cookieName` of iron-session. */
  name: string
  /** The password, or passwords by their numbers, as iron-session accepts them. */
  password: string | PasswordsById
  /**
   * The option `ttl` of iron-session, in seconds.
   *
   * A cookie has its end and no start, which is `ttl` before the end: without this option, `maxLifetime` counts from each reading of
   * the old cookie. **Cookies without an end, which iron-session writes with `ttl: 0`, are read only if this is 0.** `fallbackUntil`
   * is then required.
   */
  ttl?: number | undefined
}

/** Options of {@link nextAuthCookie}: a plain object. */
export interface NextAuthOptions {
  /**
   * The name of the cookie; default `'__Secure-next-auth.session-token'`.
   *
   * Over plain HTTP, next-auth leaves out the prefix `__Secure-`.
   */
  name?: string | undefined
  /** The secret, or at most eight of them. */
  secret: string | readonly string[]
}

/**
 * The cookie of iron-session 8, exactly as it was written.
 *
 * @example
 * const fallback = ironSessionCookie({ name: 'sid', password: process.env.SESSION_PASSWORD })
 *
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a password that is not a string or has under 32 characters;
 * `ERR_OUT_OF_RANGE` for a `ttl` that is negative or no whole number.
 */
export declare function ironSessionCookie(options: IronSessionOptions): OldCookie

/**
 * The session cookie of next-auth 4, whose claims are the value.
 *
 * The session begins at the claim `iat`. A cookie without the claim `exp`, which next-auth always writes, is no session.
 *
 * Early versions of next-auth 4 sealed cookies of unfinished logins in the same way, so check a claim such as `sub` in `parse`.
 *
 * @example
 * const fallback = nextAuthCookie({ secret: process.env.NEXTAUTH_SECRET })
 *
 * @throws `ERR_INVALID_ARG_TYPE` or `ERR_INVALID_ARG_VALUE` for a secret that is empty, or not a string.
 */
export declare function nextAuthCookie(options: NextAuthOptions): OldCookie

/**
 * Declares a cookie.
 *
 * @example
 * const session = sealedCookie('session', { keyring, maxAge: 7 * 86_400, maxLifetime: 30 * 86_400 })
 *
 * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` or `ERR_OUT_OF_RANGE` for a mistake in the declaration: an option that does not
 * exist, a name or attribute with other characters, a name that ends with `~` and a digit from 1 to 7, as those of parts do, attributes
 * that browsers refuse together, or a `fallback` of cookies without an end and no `fallbackUntil`.
 */
export declare function sealedCookie<Session = unknown>(
  name: string,
  options: SealedCookieOptions<Session>,
): SealedCookie<Session>
