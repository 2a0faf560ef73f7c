// The first 24 bytes of a protected key or keyset: its content, and how scrypt derives its key.
//
//   "AGP1" ‖ kind(1) ‖ log2 N(1) ‖ r(1) ‖ p(1) ‖ salt(16)
//
// Everything is checked before scrypt begins: a header from a stranger must cost nothing.
import { AesGcmError } from '../../cipher/base/errors.cjs'
import { OVERHEAD } from '../../cipher/base/sizes.cjs'
import { byteLength } from '../../cipher/base/views.cjs'

export type Kind = 'key' | 'keyset'

/** What the file holds, at the numbers of the format. */
const KINDS: readonly (Kind | undefined)[] = [undefined, 'key', 'keyset']
/** "AGP" and the version, in ASCII. */
export const MAGIC: readonly number[] = [0x41, 0x47, 0x50, 0x31]
export const HEADER_BYTES = 24
export const SALT_BYTES = 16
export const SALT_AT = HEADER_BYTES - SALT_BYTES
/** The block size of new files, as everywhere; a block is 128 r bytes. */
const R = 8

/** The cost of scrypt (RFC 7914). */
export interface Cost {
  readonly logN: number
  readonly r: number
  readonly p: number
}

/** The cost of a new file that needs so much memory: a power of two, in bytes. */
export function costOf(memory: number): Cost {
  return { logN: 31 - Math.clz32(memory / (128 * R)), r: R, p: 1 }
}

/** Whether bytes begin like those of this format, of any version. */
export function isProtected(bytes: Uint8Array): boolean {
  for (let i = 0; i < MAGIC.length - 1; i++) if (bytes[i] !== MAGIC[i]) return false
  return true
}

/** Fills the header of `file` up to the salt. */
export function writeHeader(file: Uint8Array, kind: Kind, { logN, r, p }: Cost): void {
  for (let i = 0; i < MAGIC.length; i++) file[i] = MAGIC[i] as number
  file[4] = KINDS.indexOf(kind)
  file[5] = logN
  file[6] = r
  file[7] = p
}

/** The cost that a file asks for. Throws if the file is malformed, or asks for too much. */
export function readHeader(file: Uint8Array, kind: Kind, maxMemory: number): Cost {
  if (!isProtected(file)) throw malformed(`is not a passphrase-protected ${kind}`)
  if (file[3] !== MAGIC[3]) throw malformed('has a version that this release does not support')
  if (byteLength(file) <= HEADER_BYTES + OVERHEAD) throw malformed('was cut off')
  const other = KINDS[file[4] as number]
  if (other !== kind)
    throw malformed(other === undefined ? 'is malformed' : `holds a ${other}, not a ${kind}`)
  const [logN, r, p] = [file[5] as number, file[6] as number, file[7] as number]
  // RFC 7914 section 2 and 5: N is larger than 1 and less than 2^(128 r / 8).
  if (logN < 1 || r < 1 || p < 1 || logN >= 16 * r) throw malformed('is malformed')
  const bytes = 128 * 2 ** logN * r * p
  if (bytes <= maxMemory) return { logN, r, p }
  throw malformed(
    `requires ${sizeOf(bytes)} of memory for scrypt, more than the ${sizeOf(maxMemory)} allowed`,
  )
}

export function malformed(what: string): AesGcmError {
  return new AesGcmError('ERR_AESGCM_INVALID_KEY_FILE', `the protected file ${what}`)
}

function sizeOf(bytes: number): string {
  return bytes < 2 ** 20 ? `${bytes} bytes` : `${Math.ceil(bytes / 2 ** 20)} MiB`
}
