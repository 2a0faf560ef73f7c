// The protected header of a token: what it names, and which type of token it claims to be. As
// base64url, it is the token's additional data.
import type { TokenTypes } from '../../../types/keyring.d.ts'
import {
  hasOwn,
  keys,
  buffer as node,
  positionOf,
  toLowerCase,
  types,
  uncurried,
  unitAt,
  util,
} from '../../cipher/base/builtins.cjs'
import { fromBase64url } from '../../cipher/base/encoded.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { objectOf } from '../../cipher/base/json.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { textOfBytes } from '../../cipher/base/utf8.cjs'
import { byteLength } from '../../cipher/base/views.cjs'
import { digitOf } from './prefix.cjs'

const { isUint8Array } = types
const decoded: (text: string, encoding: 'base64url') => Uint8Array = node.Buffer.from as never
const lenient = new util.TextDecoder()
const decode: (decoder: object, bytes: Uint8Array) => string = uncurried(
  util.TextDecoder.prototype.decode as never,
)
const stringify: (value: string) => string = JSON.stringify
const includes: (text: string, part: string) => boolean = uncurried(String.prototype.includes)

const NAMES = ['typ', 'cty'] as const satisfies (keyof TokenTypes)[]
const [QUOTE, BACKSLASH, BRACE, END_BRACE, COLON] = [0x22, 0x5c, 0x7b, 0x7d, 0x3a] as const
/** Longest `typ` or `cty`, the length of a media type in RFC 6838. */
const MAX_TYPE = 127
/** Longer headers are refused unread: every header is parsed before authentication. */
const MAX_HEADER = 4096
/** The characters of the shortest header, `{"alg":"dir","enc":"A256GCM"}`. */
const MIN_HEADER = 39
/** A key agreed on beforehand: the second part of the token, an encrypted key, is empty. */
const ALGORITHM = 'dir'
/** Types of RFC 7515 and 7519 that say no more than that a token is one. */
const ANY_TOKEN: readonly string[] = ['application/jwt', 'application/jose']

/** The values of characters as Node decodes them: both alphabets, and 64 for what it skips. */
const LENIENT = new Uint8Array(256)
for (let byte = 0; byte < 256; byte++) LENIENT[byte] = digitOf(byte)
LENIENT[0x2b] = 62 // +
LENIENT[0x2f] = 63 // /

const NO_TYPES: TokenTypes = { typ: undefined, cty: undefined }

/** The types that a caller names, else undefined: never those of Object.prototype. */
export function typesOf(types: TokenTypes | undefined, argument: string): TokenTypes {
  if (types === undefined) return NO_TYPES
  const own = optionsOf(types, NAMES, argument)
  const typeIn = (name: (typeof NAMES)[number]) => {
    const value = own(name)
    return value === undefined ? undefined : mediaType(`${argument}.${name}`, value)
  }
  return { typ: typeIn('typ'), cty: typeIn('cty') }
}

function mediaType(name: string, value: unknown): string {
  if (typeof value !== 'string') throw mustBe(name, 'a string', value)
  let isPrintable = value.length >= 1 && value.length <= MAX_TYPE
  for (let i = 0; isPrintable && i < value.length; i++) {
    const code = unitAt(value, i)
    isPrintable = code >= 0x20 && code <= 0x7e
  }
  if (isPrintable) return value
  throw wrongValue(`"${name}" must be 1 to ${MAX_TYPE} printable characters of ASCII, such as 'JWT'`)
}

/** The text of a header. It names the key, so a keyring finds it again. */
export function headerText(enc: string, id: number, { typ, cty }: TokenTypes): string {
  let members = ''
  if (typ !== undefined) members += `,"typ":${stringify(typ)}`
  if (cty !== undefined) members += `,"cty":${stringify(cty)}`
  return `{"alg":"${ALGORITHM}","enc":"${enc}","kid":"${id}"${members}}`
}

/**
 * Algorithm and key id from a header that claims the types `wanted`; undefined for every other one.
 * Refuses any `crit`, which marks extensions that must be understood, and `zip`, since the length
 * of compressed text reveals its content. Ignores other members, as RFC 7516 says.
 */
export function headerOf(
  encoded: string,
  wanted: TokenTypes,
): { enc: string; kid: string | undefined } | undefined {
  if (encoded.length > MAX_HEADER) return undefined
  const json = jsonOf(encoded)
  const header = json === undefined ? undefined : objectOf(json)
  // A repeated name: parsers disagree on which one wins.
  if (header === undefined || keys(header).length !== membersIn(json as string)) return undefined
  if (hasOwn(header, 'crit') || hasOwn(header, 'zip')) return undefined
  const member = (name: string): unknown => (hasOwn(header, name) ? header[name] : undefined)
  const enc = member('enc')
  const kid = member('kid')
  if (member('alg') !== ALGORITHM || (enc !== 'A256GCM' && enc !== 'A128GCM')) return undefined
  if (kid !== undefined && typeof kid !== 'string') return undefined
  if (!isOfType(member('typ'), wanted.typ, ANY_TOKEN)) return undefined
  if (!isOfType(member('cty'), wanted.cty, [])) return undefined
  return { enc, kid }
}

/**
 * Whether additional data are a token's header. A value sealed with them would be a token of its
 * key, so no value is.
 *
 * Reads as leniently as other JOSE libraries, which skip characters outside base64 and accept
 * padding, bits after the last byte and a byte order mark. Of a character beyond Latin-1, Node
 * decodes the lower byte. `headerOf` reads no header that this function misses.
 */
export function isHeader(aad: unknown): boolean {
  if (typeof aad === 'string') return aad.length >= MIN_HEADER && isHeaderText(aad)
  if (!isUint8Array(aad)) return false
  const length = byteLength(aad)
  if (length < MIN_HEADER || !beginsInBytes(aad, length)) return false
  const text = textOfBytes(aad)
  return text !== undefined && isHeaderText(text)
}

function isHeaderText(text: string): boolean {
  // Parsing what is no JSON takes 20 µs.
  return beginsInText(text) && !beginsNoHeader(text) && isObject(text)
}

// Whether additional data may be those of an object, by their first two digits: no others are
// decoded. Two loops, since one for both kinds would cost each value 40 ns.

function beginsInText(text: string): boolean {
  let first = -1
  for (let at = 0; at < text.length; at++) {
    const digit = LENIENT[unitAt(text, at) & 0xff] as number
    if (digit === 64) continue
    if (first >= 0) return isBeginning((first << 2) | (digit >> 4))
    first = digit
  }
  return false
}

function beginsInBytes(bytes: Uint8Array, length: number): boolean {
  let first = -1
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number
    // Of another character than ASCII, whose lower byte may be a digit.
    if (byte >= 0x80) return true
    const digit = LENIENT[byte] as number
    if (digit === 64) continue
    if (first >= 0) return isBeginning((first << 2) | (digit >> 4))
    first = digit
  }
  return false
}

/** Whether an object's JSON may begin so: a brace, white space or a byte order mark. */
function isBeginning(byte: number): boolean {
  return byte === BRACE || isSkipped(byte)
}

/** White space, and the first byte of a byte order mark. */
function isSkipped(byte: number): boolean {
  return byte === 0x20 || byte === 0xef || byte === 0x09 || byte === 0x0a || byte === 0x0d
}

/**
 * Whether data that begin with this text are no header, whatever follows: a header begins with a
 * brace and the quotation mark of a name. Names of tables such as Customer begin with white space.
 */
export function beginsNoHeader(text: string): boolean {
  let wanted: number = BRACE
  let [bits, count] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const digit = LENIENT[unitAt(text, at) & 0xff] as number
    if (digit === 64) continue
    bits = ((bits << 6) | digit) & 0x3fff
    count += 6
    if (count < 8) continue
    count -= 8
    const byte = (bits >> count) & 0xff
    // The two other bytes of a byte order mark are no beginning of anything.
    if (isSkipped(byte) || byte === 0xbb || byte === 0xbf) continue
    if (byte !== wanted) return true
    if (wanted === QUOTE) return false
    wanted = QUOTE
  }
  return false
}

/** Whether a text is base64url of an object with the two members that every header has. */
function isObject(text: string): boolean {
  const header = objectOf(decode(lenient, decoded(text, 'base64url')))
  return header !== undefined && hasOwn(header, 'alg') && hasOwn(header, 'enc')
}

/** Whether a token claims the wanted type. Without one, it must claim none, or one of `general`. */
function isOfType(given: unknown, wanted: string | undefined, general: readonly string[]): boolean {
  if (given === undefined) return wanted === undefined
  if (typeof given !== 'string') return false
  const type = wholeType(given)
  return wanted === undefined ? positionOf(general, type) >= 0 : type === wholeType(wanted)
}

/** A media type as RFC 7515 4.1.9 compares it: in lower case, with `application/` if omitted. */
function wholeType(type: string): string {
  const lower = toLowerCase(type)
  return includes(lower, '/') ? lower : `application/${lower}`
}

function jsonOf(encoded: string): string | undefined {
  const bytes = fromBase64url(encoded)
  return bytes === undefined ? undefined : textOfBytes(bytes)
}

/** How many members the object of a valid JSON text has, repeated names included; 0 for arrays. */
function membersIn(json: string): number {
  let depth = 0
  let members = 0
  let isString = false
  for (let i = 0; i < json.length; i++) {
    const code = unitAt(json, i)
    if (code === QUOTE) isString = !isString
    else if (isString) i += code === BACKSLASH ? 1 : 0
    // Only the bit 0x20 distinguishes brackets from braces.
    else if ((code | 0x20) === BRACE) depth++
    else if ((code | 0x20) === END_BRACE) depth--
    else if (code === COLON && depth === 1) members++
  }
  return members
}
