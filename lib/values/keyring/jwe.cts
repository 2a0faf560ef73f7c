// Tokens that other JOSE libraries read: JWE in compact form (RFC 7516) with `alg` "dir" and `enc`
// "A256GCM" or "A128GCM", and no other algorithm. docs/formats.md has the bytes. The class Keyring
// supplies the keys.
import type { Buffer } from 'node:buffer'
import type { TokenTypes } from '../../../types/keyring.d.ts'
import { floor, isArray, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import { ascii, base64url, fromBase64url, partsOf } from '../../cipher/base/encoded.cjs'
import {
  AuthenticationError,
  mustBe,
  notTextOrBytes,
  outOfRange,
  wrongState,
} from '../../cipher/base/errors.cjs'
import { NONCE_BYTES, OVERHEAD, TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { bytesOfText, wellFormed } from '../../cipher/base/utf8.cjs'
import { allocate, copy, wipe } from '../../cipher/base/views.cjs'
import { headerOf, headerText, typesOf } from './jwe-header.cjs'

const { isUint8Array } = types

/** A key for tokens. Its methods work on frames of AES-GCM without a prefix. */
export interface JweKey {
  readonly id: number
  /** The algorithm that tokens name; null for a key of another cipher than AES-GCM. */
  readonly enc: 'A256GCM' | 'A128GCM' | null
  seal(plaintext: Uint8Array, aad: Uint8Array): Buffer<ArrayBuffer>
  /**
   * The plaintext; undefined if authentication fails; a function that makes the error, if the key
   * has seen too many failures. Another key may open the frame in both cases.
   */
  open(frame: Uint8Array, aad: Uint8Array): Buffer<ArrayBuffer> | (() => Error) | undefined
}

const toNumber = Number
/** The highest id of a key. */
const MAX_ID = 2 ** 32 - 1
/** Bytes whose token is still a string in V8, with the longest header. */
const MAX_PAYLOAD = 3 * 2 ** 27 - 1024

/** The token of a payload. */
export function sealJwe(key: JweKey, payload: string | Uint8Array, header?: TokenTypes): string {
  const { enc, id } = key
  if (enc === null)
    throw wrongState('a token needs a key of AES-256-GCM or AES-128-GCM, and this key is of another type')
  const first = base64url(ascii(headerText(enc, id, typesOf(header, 'header'))))
  const frame = sealed(key, payload, ascii(first))
  const end = frame.length - TAG_BYTES
  return `${first}..${base64url(frame, 0, NONCE_BYTES)}.${base64url(frame, NONCE_BYTES, end)}.${base64url(frame, end)}`
}

function sealed(key: JweKey, payload: string | Uint8Array, aad: Uint8Array): Buffer {
  if (typeof payload === 'string') {
    const bytes = bytesOfText(wellFormed('payload', payload))
    try {
      refuseLong(bytes.length)
      return key.seal(bytes, aad)
    } finally {
      wipe(bytes, 0)
    }
  }
  if (!isUint8Array(payload)) throw notTextOrBytes('payload', payload)
  refuseLong(lengthOf('payload', payload))
  return key.seal(payload, aad)
}

function refuseLong(length: number): void {
  if (length <= MAX_PAYLOAD) return
  throw outOfRange('"payload" is too long: the token would have more than 2^29 - 24 characters')
}

/**
 * The payload of a token of the types `expected`. `find` returns the key, or the keys to try, for
 * the id in the token, undefined if there is none. It may throw for an unknown id, once the token
 * is known to be well-formed. Other faults look alike.
 */
export function openJwe(
  token: string,
  find: (kid: string | undefined) => JweKey | readonly JweKey[],
  expected?: TokenTypes,
): Buffer<ArrayBuffer> {
  if (typeof token !== 'string') throw mustBe('token', 'a string', token)
  const parsed = parse(token, typesOf(expected, 'expected'))
  if (parsed === undefined) throw refused()
  const { enc, kid, frame, aad } = parsed
  const found = find(kid)
  const list = isArray(found) ? (found as readonly JweKey[]) : [found as JweKey]
  let limit: (() => Error) | undefined
  for (let i = 0; i < list.length; i++) {
    const key = list[i] as JweKey
    if (key.enc !== enc) continue
    const opened = key.open(frame, aad)
    if (typeof opened === 'function') limit = opened
    else if (opened !== undefined) return opened
  }
  throw limit === undefined ? refused() : limit()
}

/** The error of a token that no key opens, with its event. */
function refused(): AuthenticationError {
  authenticationFailed()
  return new AuthenticationError()
}

interface Parsed {
  readonly enc: string
  readonly kid: string | undefined
  readonly frame: Uint8Array
  readonly aad: Uint8Array
}

/** The parts of a token; undefined for a token of another form, type or algorithm. */
function parse(token: string, wanted: TokenTypes): Parsed | undefined {
  const parts = partsOf(token, '.', 5)
  if (parts === undefined) return undefined
  const first = parts[0] as string
  const header = headerOf(first, wanted)
  if (header === undefined || parts[1] !== '') return undefined
  const iv = fromBase64url(parts[2] as string)
  const ciphertext = fromBase64url(parts[3] as string)
  const tag = fromBase64url(parts[4] as string)
  if (iv?.length !== NONCE_BYTES || ciphertext === undefined || tag?.length !== TAG_BYTES) return undefined
  const frame = allocate(OVERHEAD + ciphertext.length)
  copy(frame, iv)
  copy(frame, ciphertext, NONCE_BYTES)
  copy(frame, tag, frame.length - TAG_BYTES)
  return { ...header, frame, aad: ascii(first) }
}

/** The id that `kid` is in decimal; undefined for text that this package did not write. */
export function idOfKid(kid: string): number | undefined {
  const id = toNumber(kid)
  return id >= 0 && id <= MAX_ID && floor(id) === id && `${id}` === kid ? id : undefined
}
