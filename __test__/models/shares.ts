// Shamir's shares on BigInt and node:crypto, written from docs/formats.md and apart from the package: the tests' oracle.
import { createHash, createHmac } from 'node:crypto'

/** An element of GF(2^256): bit n is the coefficient of x^n. */
export type Element = bigint

/** x^256 + x^10 + x^5 + x^2 + 1. */
const MODULUS = (1n << 256n) | 0b100_0010_0101n
const WORD = (1n << 64n) - 1n
/** Bytes of an element. */
const BYTES = 32

/** Bit by bit: the second factor's bits from the highest on, each of which adds the first one, and x times the sum before each. */
export function multiply(a: Element, b: Element): Element {
  let product = 0n
  for (const bit of b.toString(2)) {
    product <<= 1n
    if (product >> 256n) product ^= MODULUS
    if (bit === '1') product ^= a
  }
  return product
}

function degree(a: Element): number {
  const digits = a.toString(16)
  return 4 * (digits.length - 1) + 31 - Math.clz32(Number.parseInt(digits[0] as string, 16))
}

const inverses = new Map<Element, Element>()

/** By the extended Euclidean algorithm; `a` must not be 0. The points of many polynomials have the same differences. */
export function invert(a: Element): Element {
  const known = inverses.get(a)
  if (known !== undefined) return known
  let [u, v, g, h] = [a, MODULUS, 1n, 0n]
  let [degreeOfU, degreeOfV] = [degree(u), 256]
  while (u !== 1n) {
    if (u === 0n) throw new Error('0 has no inverse')
    if (degreeOfU < degreeOfV) [u, v, g, h, degreeOfU, degreeOfV] = [v, u, h, g, degreeOfV, degreeOfU]
    const shift = BigInt(degreeOfU - degreeOfV)
    u ^= v << shift
    g ^= h << shift
    degreeOfU = degree(u)
  }
  const inverse = multiply(1n, g)
  inverses.set(a, inverse)
  return inverse
}

/** Four 64-bit words, the least significant one first, and each big-endian. */
export function bytesOf(element: Element): Buffer {
  const bytes = Buffer.alloc(BYTES)
  for (let word = 0; word < 4; word++) bytes.writeBigUInt64BE((element >> BigInt(64 * word)) & WORD, 8 * word)
  return bytes
}

export function elementOf(bytes: Buffer): Element {
  let element = 0n
  for (let word = 3; word >= 0; word--) element = (element << 64n) | bytes.readBigUInt64BE(8 * word)
  return element
}

/** Random bytes. */
export interface Source {
  bytes(length: number): Buffer
}

export const randomElement = (source: Source): Element => elementOf(source.bytes(BYTES))

export const randomElements = (count: number, source: Source): Element[] =>
  Array.from({ length: count }, () => randomElement(source))

/** The value at x of the polynomial with these coefficients, the constant one first (Horner). */
export const evaluate = (coefficients: readonly Element[], x: Element): Element =>
  coefficients.reduceRight((value, coefficient) => multiply(value, x) ^ coefficient, 0n)

interface Point {
  x: Element
  y: Element
}

/** The value at `at` of the polynomial of the lowest degree through the points (Lagrange). */
export function interpolate(points: readonly Point[], at: Element): Element {
  let sum = 0n
  for (const { x, y } of points) {
    let [numerator, denominator] = [y, 1n]
    for (const { x: other } of points) {
      if (other === x) continue
      numerator = multiply(numerator, other ^ at)
      denominator = multiply(denominator, other ^ x)
    }
    sum ^= multiply(numerator, invert(denominator))
  }
  return sum
}

// Our form.

export const VERSION = 1
export const SHARE_BYTES = 84
/** Where the parts of a binary share begin. */
export const AT = { version: 0, length: 1, threshold: 2, x: 3, check: 4, secret: 20, blind: 52 } as const

export interface Share {
  length: number
  threshold: number
  x: number
  check: Buffer
  secret: Element
  blind: Element
}

/** The secret as an element: zeros follow a secret of 16 bytes. */
const secretElement = (secret: Uint8Array): Element =>
  elementOf(Buffer.concat([secret, Buffer.alloc(BYTES - secret.length)]))

const checkOf = (secret: Element, blind: Element, threshold: number, length: number): Buffer =>
  createHmac('sha256', bytesOf(blind))
    .update(Buffer.concat([Buffer.of(VERSION, threshold, length), bytesOf(secret)]))
    .digest()
    .subarray(0, 16)

export const binary = ({ length, threshold, x, check, secret, blind }: Share): Buffer =>
  Buffer.concat([Buffer.of(VERSION, length, threshold, x), check, bytesOf(secret), bytesOf(blind)])

export function parsed(bytes: Uint8Array): Share {
  const all = Buffer.from(bytes)
  const [version, length, threshold, x] = all as unknown as [number, number, number, number]
  if (all.length !== SHARE_BYTES || version !== VERSION) throw new Error('not a share of this form')
  const check = all.subarray(AT.check, AT.secret)
  const secret = elementOf(all.subarray(AT.secret, AT.blind))
  return { length, threshold, x, check, secret, blind: elementOf(all.subarray(AT.blind)) }
}

/** Shares at `xs`, with these coefficients: those of the secret's polynomial but its constant, and those of the other one. */
export function sharesOf(
  secret: Uint8Array,
  threshold: number,
  xs: readonly number[],
  blind: Element,
  coefficients: readonly [readonly Element[], readonly Element[]],
): Buffer[] {
  const { length } = secret
  const constant = secretElement(secret)
  const check = checkOf(constant, blind, threshold, length)
  return xs.map(x => {
    const [secret, other] = [
      evaluate([constant, ...coefficients[0]], BigInt(x)),
      evaluate([blind, ...coefficients[1]], BigInt(x)),
    ]
    return binary({ length, threshold, x, check, secret, blind: other })
  })
}

/** Shares at `xs`, with coefficients from this source. */
export function split(
  secret: Uint8Array,
  threshold: number,
  xs: readonly number[],
  source: Source,
): Buffer[] {
  const coefficients = () => randomElements(threshold - 1, source)
  return sharesOf(secret, threshold, xs, randomElement(source), [coefficients(), coefficients()])
}

/** The values at `at` of both polynomials through the shares. */
export function through(shares: readonly Uint8Array[], at: number): { secret: Element; blind: Element } {
  const all = shares.map(parsed)
  const of = (what: 'secret' | 'blind') =>
    interpolate(
      all.map(share => ({ x: BigInt(share.x), y: share[what] })),
      BigInt(at),
    )
  return { secret: of('secret'), blind: of('blind') }
}

/** The secret of shares that agree with their check, of which all are used. */
export function combine(shares: readonly Uint8Array[]): Buffer {
  const [{ length, threshold, check }] = shares.map(parsed) as [Share]
  const { secret, blind } = through(shares, 0)
  if (!checkOf(secret, blind, threshold, length).equals(check)) throw new Error('the check is wrong')
  if (bytesOf(secret).subarray(length).some(Boolean)) throw new Error('zeros must follow the secret')
  return bytesOf(secret).subarray(0, length)
}

// Our form as text.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
export const PREFIX = 'AGS1-'

/** Base32 (RFC 4648 section 6) without padding. */
export function base32(bytes: Uint8Array): string {
  let [letters, bits, count] = ['', 0, 0]
  for (const byte of bytes) {
    bits = (bits << 8) | byte
    for (count += 8; count >= 5; count -= 5) letters += ALPHABET[(bits >> (count - 5)) & 31]
    bits &= 31 >> (5 - count)
  }
  return count === 0 ? letters : letters + ALPHABET[(bits << (5 - count)) & 31]
}

const sum = (share: Uint8Array) => createHash('sha256').update(share).digest().subarray(0, 4)
export const grouped = (characters: string): string => PREFIX + (characters.match(/.{1,5}/g) ?? []).join('-')

export const text = (share: Uint8Array): string =>
  grouped(base32(Buffer.concat([share.subarray(1), sum(share)])))

/** The binary share of a text in the form in which it is written. */
export function binaryOf(share: string): Buffer {
  let bits = ''
  for (const character of share.slice(PREFIX.length).replaceAll('-', ''))
    bits += ALPHABET.indexOf(character).toString(2).padStart(5, '0')
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map(byte => parseInt(byte, 2)))
  const binary = Buffer.concat([Buffer.of(VERSION), bytes.subarray(0, SHARE_BYTES - 1)])
  if (text(binary) !== share) throw new Error('not the text of a share')
  return binary
}

// horcrux's text.

export const hex = (element: Element): string => bytesOf(element).toString('hex')
export const compact = (x: number, y: Element): string => `${x}|${hex(y)}`
export const random = (x: Element, y: Element): string => `${hex(x)}|${hex(y)}`

/** The point of a share: decimal digits or an element before the bar. */
export function point(share: string): Point {
  const [x, y] = share.split('|') as [string, string]
  const element = (digits: string) => elementOf(Buffer.from(digits, 'hex'))
  return { x: x.length === 2 * BYTES ? element(x) : BigInt(x), y: element(y) }
}
