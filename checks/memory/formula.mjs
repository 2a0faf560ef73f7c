// The bytes that the check and the process it examines both know, with nothing passed between them but small numbers.

/**
 * Fills `bytes` with the key, or the pad, of that number. Byte by byte, from small integers, so that no place but `bytes`
 * ever holds two of them in a row: an engine keeps copies of every string and of many results of library calls.
 */
export function fill(bytes, number) {
  for (let i = 0; i < bytes.length; i++) bytes[i] = at(number, i)
  return bytes
}

/** Writes `bytes` XORed with the pad of that number into `masked`: what may be shown and kept. */
export function mask(masked, bytes, number) {
  for (let i = 0; i < bytes.length; i++) masked[i] = bytes[i] ^ at(number, i)
  return masked
}

/** A Buffer outside of the engine's own heap. Inside it, where small new ones begin, collection leaves copies behind. */
export function outside(length) {
  return Buffer.from(new ArrayBuffer(length))
}

/** Byte `i` of stream `number`: bits well mixed, of no cryptographic worth. */
function at(number, i) {
  let x = Math.imul(number * 65_537 + i + 1, 0x9e3779b1)
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  return (x ^ (x >>> 16)) & 0xff
}
