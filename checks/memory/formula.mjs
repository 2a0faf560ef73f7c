// Bytes that the check and the examined process both compute, so that only small numbers pass between the two.

/**
 * Fills `bytes` with the key, or the pad, of that number. It writes byte by byte, from small integers, so that no other
 * place ever holds two of these bytes in a row: an engine keeps copies of strings and of many results of library calls.
 */
export function fill(bytes, number) {
  for (let i = 0; i < bytes.length; i++) bytes[i] = at(number, i)
  return bytes
}

/** Writes `bytes` XORed with the pad of that number into `masked`, which may be shown and kept. */
export function mask(masked, bytes, number) {
  for (let i = 0; i < bytes.length; i++) masked[i] = bytes[i] ^ at(number, i)
  return masked
}

/** A Buffer outside of the engine's heap. Small new Buffers lie inside that heap, where a collection leaves copies. */
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
