// The products of GHASH and POLYVAL, bit by bit.

/**
 * The product in GF(2^128) of SP 800-38D 6.3, algorithm 1: bit 0 of a block is its leftmost, the top bit here.
 * @type {(x: bigint, y: bigint) => bigint}
 */
export function multiply(x, y) {
  let product = 0n
  for (let bit = 127n, z = y; bit >= 0n; bit--, z = divided(z)) if ((x >> bit) & 1n) product ^= z
  return product
}

/** An element times x, which moves its bits to the right. */
const divided = element => (element & 1n ? (element >> 1n) ^ (0xe1n << 120n) : element >> 1n)

/**
 * POLYVAL's product of two blocks, as a product of GHASH (RFC 8452 appendix A).
 * @type {(a: Uint8Array, b: Uint8Array) => Buffer}
 */
export function dot(a, b) {
  const [x, y] = [a, b].map(block => BigInt(`0x${Buffer.from(block).reverse().toString('hex')}`))
  return littleEndian(multiply(x, divided(y)))
}

/** @type {(number: bigint) => Buffer} */
export const littleEndian = number => Buffer.from(number.toString(16).padStart(32, '0'), 'hex').reverse()
