// The bytes to look for, as named blocks of sixteen: a key, its round keys, its hash subkey H and powers of H, computed
// by the book and without the library; and random bytes.
import { createCipheriv } from 'node:crypto'
import { dot, littleEndian, multiply } from '../../__test__/models/ghash.mjs'
import { keysOfNonce } from '../../__test__/models/siv.mjs'
import { derive } from '../../__test__/models/xaes.mjs'
import { SBOX, times } from '../tools/aes.mjs'
import { fill, mask } from './formula.mjs'
import { BITS, NONCE, PAD, ringText, SHORT_NONCE } from './scenarios.mjs'

/** The round keys at the start of an expanded key: fifteen blocks, for AES-128 as well. */
const ROUND_KEYS = 240

/** More powers of H than any backend keeps. */
const POWERS = 40

/** The blocks of the scenarios' expanded keys. */
export const BLOCKS = BITS.flatMap(bits => {
  const key = fill(Buffer.alloc(bits / 8), bits)
  const blocks = blocksOf(key)
  // An element of GF(2^256), as which a key is shared, has its words reversed.
  const element = Buffer.from(key).swap64()
  for (let at = 0; at < key.length; at += 16) blocks.set(`element from ${at}`, element.subarray(at, at + 16))
  return [...blocks].map(([name, block]) => [`${name} of AES-${bits}`, block])
})

/** The key that XAES-256-GCM derives from the scenarios' key of 32 bytes for the message with `NONCE`. */
export const derivedKey = () => derive(fill(Buffer.alloc(32), 256), NONCE).key

/** The blocks of the derived key when it is expanded. */
export const DERIVED = [...blocksOf(derivedKey())].map(([name, block]) => [
  `${name} of the derived key`,
  block,
])

/** Authentication key and encryption key of `SHORT_NONCE` under the scenarios' key of 32 bytes. */
function keysOfShortNonce() {
  const { authentication, encryption } = keysOfNonce(fill(Buffer.alloc(32), 256), SHORT_NONCE)
  return [Buffer.from(authentication), Buffer.from(encryption)]
}

/** That encryption key. */
export const keyOfNonce = () => keysOfShortNonce()[1]

/** These keys, expanded: round keys, powers. */
export const OF_A_NONCE = (() => {
  const [h, key] = keysOfShortNonce()
  const found = expand(key).map((block, i) => [`round key ${i} of a nonce`, block])
  for (let n = 1, power = h; n <= POWERS; n++, power = dot(power, h)) {
    found.push([`H^${n} of a nonce`, power])
    found.push([
      `halves of H^${n} of a nonce`,
      Buffer.alloc(16, xor(power.subarray(0, 8), power.subarray(8))),
    ])
  }
  return found
})()

/** Names of the round keys of AES-256, which are what a key of XAES or SIV keeps between messages. */
export const MAIN = Array.from({ length: 15 }, (_, i) => `round key ${i} of AES-256`)

/**
 * How many powers of H an expanded key of that many bytes holds. A power and the sum of its halves take 32 bytes. There is
 * one for each block of a group, an even number of blocks, and one for the length block. So the number is odd; bytes
 * left over align the powers.
 */
function powersIn(stateBytes) {
  const most = Math.floor((stateBytes - ROUND_KEYS) / 32)
  return most % 2 === 0 ? most - 1 : most
}

/** Names of what an expanded key of each size holds, on a backend where it has that many bytes. */
export function expanded(stateBytes) {
  return BITS.flatMap(bits => {
    const rounds = Array.from({ length: bits / 32 + 7 }, (_, i) => `round key ${i}`)
    const powers = Array.from({ length: powersIn(stateBytes) }, (_, i) => `H^${i + 1}`)
    const names = [...rounds, ...powers, ...powers.map(power => `halves of ${power}`)]
    return names.map(name => `${name} of AES-${bits}`)
  })
}

/** Names of the blocks of an unexpanded key of each size. */
export const RAW = ['round key 0 of AES-128', 'round key 0 of AES-256', 'round key 1 of AES-256']

/** The random bytes that a scenario got, from the last line it printed. */
export function given(said) {
  return said.split(' ').flatMap((hex, which) => {
    const masked = Buffer.from(hex, 'hex')
    const bytes = mask(masked, masked, PAD)
    const starts = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, i) => 16 * i)
    return starts.map(at => [`random bytes ${which} from ${at}`, bytes.subarray(at, at + 16)])
  })
}

/** The blocks of an expanded key. The first one or two round keys are the key itself. */
export function blocksOf(key) {
  const blocks = new Map()
  expand(key).forEach((block, i) => {
    blocks.set(`round key ${i}`, block)
  })
  const cipher = createCipheriv(`aes-${key.length * 8}-ecb`, key, null).setAutoPadding(false)
  const h = cipher.update(Buffer.alloc(16))
  blocks.set('H', h)
  blocks.set('H reversed', Buffer.from(h).reverse())
  const subkey = BigInt(`0x${h.toString('hex')}`)
  for (let n = 1, power = subkey; n <= POWERS; n++, power = multiply(power, subkey)) {
    const kept = littleEndian(timesX(power))
    const halves = Buffer.alloc(16, xor(kept.subarray(0, 8), kept.subarray(8)))
    blocks.set(`H^${n}`, kept)
    blocks.set(`halves of H^${n}`, halves)
  }
  return blocks
}

/** KEYEXPANSION of FIPS 197 5.2, as round keys. */
function expand(key) {
  const length = key.length / 4
  const words = Array.from({ length }, (_, i) => key.subarray(4 * i, 4 * i + 4))
  for (let i = length, constant = 1; i < 4 * (length + 7); i++) {
    let word = words[i - 1]
    if (i % length === 0) {
      word = Buffer.of(word[1], word[2], word[3], word[0]).map(byte => SBOX[byte])
      word[0] ^= constant
      constant = times(constant, 2)
    } else if (length > 6 && i % length === 4) {
      word = word.map(byte => SBOX[byte])
    }
    words.push(xor(words[i - length], word))
  }
  return Array.from({ length: length + 7 }, (_, i) => Buffer.concat(words.slice(4 * i, 4 * i + 4)))
}

/**
 * A power as the library keeps it: mulX_POLYVAL(ByteReverse(H^n)) of RFC 8452 appendix A. A reversed block read from its
 * little end is the block read from its big end.
 */
function timesX(power) {
  const doubled = BigInt.asUintN(128, power << 1n)
  return power >> 127n ? doubled ^ ((0xc2n << 120n) | 1n) : doubled
}

function xor(a, b) {
  return Buffer.from(a.map((byte, i) => byte ^ b[i]))
}

/** The text of keyrings as units of UTF-16. */
export const UNITS = (() => {
  const units = Buffer.from(ringText(), 'utf16le')
  return Array.from({ length: units.length / 16 }, (_, i) => [
    `units ${8 * i}`,
    units.subarray(16 * i, 16 * i + 16),
  ])
})()
