// AES-GCM-SIV (RFC 8452) on the ECB mode of node:crypto, with POLYVAL from tables: the suite's oracle.
import { createCipheriv } from 'node:crypto'

/** AES with this key, as a function of whole blocks. */
function aes(key) {
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false)
  return blocks => cipher.update(blocks)
}

/**
 * The keys of a nonce (section 4).
 * @type {(key: Uint8Array, nonce: Uint8Array) => { authentication: Uint8Array, encryption: Uint8Array }}
 */
export function keysOfNonce(key, nonce) {
  const count = 2 + key.length / 8
  const blocks = new Uint8Array(16 * count)
  for (let n = 0; n < count; n++) {
    blocks[16 * n] = n
    blocks.set(nonce, 16 * n + 4)
  }
  const whole = aes(key)(blocks)
  const halves = new Uint8Array(8 * count)
  for (let n = 0; n < count; n++) halves.set(whole.subarray(16 * n, 16 * n + 8), 8 * n)
  return { authentication: halves.subarray(0, 16), encryption: halves.subarray(16) }
}

/** These keys, that for encryption as a function of blocks. */
function keysOf(key, nonce) {
  const { authentication, encryption } = keysOfNonce(key, nonce)
  return { authentication, encrypt: aes(encryption) }
}

/** A copy of bytes as words. */
const wordsOf = bytes => new Uint32Array(new Uint8Array(bytes).buffer)

/** The product of the key with each half of a byte at each of its 32 places in a block: four words at 64 * place + 4 * half. */
const products = new Uint32Array(64 * 32)

/** Fills `products`. Each has the factor x^-128 of POLYVAL (section 3). */
function tabulate(key) {
  let [a, b, c, d] = wordsOf(key)
  // The products with x^127 to 1. A division by x first adds the polynomial if the element is odd.
  for (let i = 127; i >= 0; i--) {
    const reduction = a & 1 ? 0xe1000000 : 0
    a = (a >>> 1) | (b << 31)
    b = (b >>> 1) | (c << 31)
    c = (c >>> 1) | (d << 31)
    d = (d >>> 1) ^ reduction
    const place = 64 * (i >> 2)
    const bit = 4 << (i & 3)
    products[place + bit] = a
    products[place + bit + 1] = b
    products[place + bit + 2] = c
    products[place + bit + 3] = d
    // The products of higher bits are there already: add this bit to each.
    for (let at = 2 * bit; at < 64; at += 2 * bit) {
      const [higher, sum] = [place + at, place + at + bit]
      products[sum] = products[higher] ^ a
      products[sum + 1] = products[higher + 1] ^ b
      products[sum + 2] = products[higher + 2] ^ c
      products[sum + 3] = products[higher + 3] ^ d
    }
  }
}

/** POLYVAL (section 3) of whole blocks. */
function polyval(key, blocks) {
  tabulate(key)
  const words = new Uint32Array(blocks.buffer)
  const sum = new Uint32Array(4)
  const bytes = new Uint8Array(sum.buffer)
  for (let at = 0; at < words.length; at += 4) {
    sum[0] ^= words[at]
    sum[1] ^= words[at + 1]
    sum[2] ^= words[at + 2]
    sum[3] ^= words[at + 3]
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let place = 0; place < 16; place++) {
      const low = 128 * place + 4 * (bytes[place] & 15)
      const high = 128 * place + 64 + 4 * (bytes[place] >> 4)
      a ^= products[low] ^ products[high]
      b ^= products[low + 1] ^ products[high + 1]
      c ^= products[low + 2] ^ products[high + 2]
      d ^= products[low + 3] ^ products[high + 3]
    }
    sum[0] = a
    sum[1] = b
    sum[2] = c
    sum[3] = d
  }
  return bytes
}

const padded = length => Math.ceil(length / 16) * 16

function tagOf({ authentication, encrypt }, nonce, plaintext, aad) {
  const [text, lengths] = [padded(aad.length), padded(aad.length) + padded(plaintext.length)]
  const blocks = new Uint8Array(lengths + 16)
  blocks.set(aad)
  blocks.set(plaintext, text)
  new BigUint64Array(blocks.buffer, lengths).set([aad, plaintext].map(({ length }) => 8n * BigInt(length)))
  const sum = polyval(authentication, blocks)
  for (let i = 0; i < 12; i++) sum[i] ^= nonce[i]
  sum[15] &= 0x7f
  return encrypt(sum)
}

/** The text in counter mode (section 4): the first word of the block counts, and does not carry. */
function counted({ encrypt }, tag, text) {
  const words = new Uint32Array(padded(text.length) / 4)
  const [first, second, third, last] = wordsOf(tag)
  for (let at = 0; at < words.length; at += 4) {
    words[at] = first + at / 4
    words[at + 1] = second
    words[at + 2] = third
    words[at + 3] = last | (1 << 31)
  }
  const stream = wordsOf(encrypt(words))
  const result = new Uint8Array(4 * words.length)
  result.set(text)
  const mixed = new Uint32Array(result.buffer)
  for (let i = 0; i < mixed.length; i++) mixed[i] ^= stream[i]
  return Buffer.from(result.buffer, 0, text.length)
}

/** @type {import('../conformance/aead.mjs').Seal} */
export function siv(key, nonce, plaintext, aad) {
  const keys = keysOf(key, nonce)
  const tag = tagOf(keys, nonce, plaintext, aad ?? [])
  return { nonce: Buffer.from(nonce), text: counted(keys, tag, plaintext), tag }
}

/** The plaintext of a message (section 5); undefined if it is not authentic. */
export function openedSiv(key, nonce, text, tag, aad) {
  const keys = keysOf(key, nonce)
  const plaintext = counted(keys, tag, text)
  return Buffer.compare(tagOf(keys, nonce, plaintext, aad ?? []), tag) === 0 ? plaintext : undefined
}
