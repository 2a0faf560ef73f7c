// The S-box of AES and the field below it, computed by FIPS 197, so that no typing error hides in a pasted table.

/** The product in GF(2^8) (section 4.2). */
export function times(a, b) {
  let product = 0
  for (; b !== 0; b >>= 1) {
    if (b & 1) product ^= a
    a = (a << 1) ^ (a & 0x80 ? 0x11b : 0)
  }
  return product
}

/** Section 5.1.1: the inverse, which is x^254 and 0 for 0, then the affine map. */
export const SBOX = Array.from({ length: 256 }, (_, x) => {
  let inverse = 1
  for (let i = 0; i < 254; i++) inverse = times(inverse, x)
  const twice = inverse | (inverse << 8)
  return (inverse ^ (twice >> 4) ^ (twice >> 5) ^ (twice >> 6) ^ (twice >> 7) ^ 0x63) & 0xff
})

if (SBOX[0x00] !== 0x63 || SBOX[0x53] !== 0xed || SBOX[0xff] !== 0x16)
  throw new Error("This S-box is not AES's: three values of FIPS 197, table 4, are not in it.")
