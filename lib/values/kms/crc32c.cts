// CRC-32C (RFC 3720 appendix B.4), with which Google Cloud KMS detects transmission errors.
import { byteLength } from '../../cipher/base/views.cjs'

/** Castagnoli's polynomial, bits reversed. */
const POLYNOMIAL = 0x82f63b78

export function crc32c(bytes: Uint8Array): number {
  let crc = -1
  const length = byteLength(bytes)
  for (let i = 0; i < length; i++) {
    crc ^= bytes[i] as number
    // Without a table, whose index would be a byte of a key.
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (POLYNOMIAL & -(crc & 1))
  }
  return ~crc >>> 0
}
