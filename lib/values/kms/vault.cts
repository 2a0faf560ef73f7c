// vaultTransit, documented in types/kms.d.ts: the transit engine of Vault or OpenBao.
import type { KeysetWrapping } from '../../../types/keyring.d.ts'
import type { VaultFetch, VaultTransitOptions } from '../../../types/kms.d.ts'
import { freeze, types, uncurried, urls } from '../../cipher/base/builtins.cjs'
import { ascii, fromEncoded, textIn } from '../../cipher/base/encoded.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { objectOf } from '../../cipher/base/json.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { bytesOfText, textOfBytes } from '../../cipher/base/utf8.cjs'
import { byteLength, viewOf } from '../../cipher/base/views.cjs'
import {
  ask,
  checkKeyset,
  checkWrapped,
  failure,
  garbage,
  type Patience,
  patienceOf,
  textOption,
} from './service.cjs'

const SERVICE = 'Vault'
const OPTIONS = [
  'address',
  'key',
  'token',
  'context',
  'mount',
  'namespace',
  'fetch',
  'timeout',
  'signal',
] as const satisfies (keyof VaultTransitOptions)[]
/** As much as any keyset has; Vault's own limit is 32 MiB a request. */
const MAX_BYTES = 2 ** 21
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

const { encodeURIComponent: encode, JSON: Json } = globalThis
const test: (pattern: RegExp, text: string) => boolean = uncurried(RegExp.prototype.test)
const split: (text: string, by: string) => string[] = uncurried(String.prototype.split as never)
const base64 = (bytes: Uint8Array) =>
  textIn(viewOf(bytes, 0, byteLength(bytes)) as Buffer, 'base64', 0, byteLength(bytes))

type Token = string | (() => string | Promise<string>)

interface Transit {
  readonly root: string
  readonly key: string
  readonly token: Token
  readonly namespace: string | undefined
  readonly associatedData: string
  readonly fetch: VaultFetch
  readonly patience: Patience
}

export function vaultTransit(options: VaultTransitOptions): KeysetWrapping {
  const transit = transitOf(options)
  return freeze({
    __proto__: null,
    wrap: async (keyset: Uint8Array) => {
      const plaintext = base64(checkKeyset(SERVICE, keyset, MAX_BYTES))
      const ciphertext = await call(transit, 'encrypt', { plaintext }, 'ciphertext')
      if (!test(/^vault:v\d+:[\w+/=]+$/, ciphertext)) throw garbage(SERVICE, 'encrypt', 'without ciphertext')
      return ascii(ciphertext)
    },
    unwrap: async (wrapped: Uint8Array) => {
      const ciphertext = textOfBytes(checkWrapped(wrapped)) ?? ''
      const plaintext = await call(transit, 'decrypt', { ciphertext }, 'plaintext')
      const keyset = fromEncoded(plaintext, 'base64')
      if (keyset === undefined || keyset.length === 0) throw garbage(SERVICE, 'decrypt', 'without plaintext')
      return keyset
    },
  } as KeysetWrapping)
}

function transitOf(options: VaultTransitOptions): Transit {
  const own = optionsOf(options, OPTIONS)
  const address = addressOf(textOption(own, 'address'))
  const mount = split(own('mount') === undefined ? 'transit' : textOption(own, 'mount'), '/')
    .map(part => segment('mount', part))
    .join('/')
  const token = own('token') as Token
  if (typeof token !== 'function' && typeof token !== 'string')
    throw mustBe('options.token', 'a string, or a function that returns one', token)
  if (typeof token === 'string' && !isToken(token)) throw wrongValue(`"options.token" must be ${TOKEN}`)
  const fetch = own('fetch', globalThis.fetch) as VaultFetch
  if (typeof fetch !== 'function') throw mustBe('options.fetch', 'a function', fetch)
  return {
    root: `${address}/v1/${mount}`,
    key: segment('key', textOption(own, 'key')),
    token,
    namespace: own('namespace') === undefined ? undefined : textOption(own, 'namespace'),
    associatedData: base64(bytesOfText(textOption(own, 'context'))),
    fetch,
    patience: patienceOf(own),
  }
}

/** The characters of a header. `fetch` quotes a token with others in its error. */
const TOKEN = 'visible ASCII characters, without blanks and line breaks'
const isToken = (value: unknown) => typeof value === 'string' && test(/^[\x21-\x7e]+$/, value)

async function tokenOf(current: () => string | Promise<string>): Promise<string> {
  const token = await current()
  if (isToken(token)) return token
  throw failure(`the function "options.token" must return ${TOKEN}`, undefined)
}

/** One segment of the path. A URL would resolve dots. */
function segment(name: string, text: string): string {
  if (text !== '.' && text !== '..') return encode(text)
  throw wrongValue(`"options.${name}" must not have the segment ${text}`)
}

/** Token and keyset are in the request, so it is encrypted, or stays on this machine. */
function addressOf(text: string): string {
  const url = urls.URL.canParse(text) ? new urls.URL(text) : undefined
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.includes(url.hostname))
  // `fetch` would quote a password in its error.
  if (url !== undefined && isSafe && url.username === '' && url.password === '') {
    const path = url.pathname.replace(/\/+$/, '')
    return `${url.origin}${path}`
  }
  const what =
    '"options.address" must be an https: URL, or an http: URL of this machine, without a user and a password'
  throw wrongValue(what)
}

async function call(transit: Transit, operation: string, input: object, output: string): Promise<string> {
  const { root, key, token, namespace, associatedData, fetch, patience } = transit
  return await ask(SERVICE, operation, patience, async signal => {
    const headers: Record<string, string> = {
      'Content-Type': 'application/json',
      'X-Vault-Request': 'true',
      'X-Vault-Token': typeof token === 'string' ? token : await tokenOf(token),
    }
    if (namespace !== undefined) headers['X-Vault-Namespace'] = namespace
    const response = await fetch(`${root}/${operation}/${key}`, {
      method: 'POST',
      headers,
      body: Json.stringify({ ...input, associated_data: associatedData }),
      // The token is for this address alone.
      redirect: 'error',
      signal,
    })
    const answer = objectOf(await response.text())
    if (!response.ok) throw refused(response.status, answer)
    if (textsIn(answer, 'warnings').some(text => test(/associated_data/, text)))
      throw garbage(SERVICE, operation, 'without the context: its version ignores associated_data')
    const value = (answer?.data as Record<string, unknown> | null | undefined)?.[output]
    if (typeof value !== 'string' || value === '') throw garbage(SERVICE, operation, `without ${output}`)
    return value
  })
}

/** Vault's own words about a refused request, for the cause. */
function refused(status: number, answer: Record<string, unknown> | undefined): Error {
  const texts = textsIn(answer, 'errors')
  const error = new Error(`HTTP ${status}${texts.length > 0 ? `: ${texts.join('; ')}` : ''}`)
  error.name = `HTTP_${status}`
  return error
}

function textsIn(answer: Record<string, unknown> | undefined, name: 'errors' | 'warnings'): string[] {
  const list = types.isProxy(answer) ? undefined : answer?.[name]
  return Array.isArray(list) ? list.filter(one => typeof one === 'string') : []
}
