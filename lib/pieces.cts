// A plaintext in pieces: an array of Uint8Arrays, of which every element is read once, in order.
import { isArray, rethrowOverflow, toSpliced, types } from './builtins.cjs'
import { mistake, notBytes } from './errors.cjs'
import { byteLength } from './views.cjs'

const { isUint8Array } = types

const MAX_PIECES = 2 ** 16

/** Whether `plaintext` is an array. A revoked Proxy of an array, for which `isArray` throws, is not. */
export function arePieces(plaintext: unknown): plaintext is readonly Uint8Array[] {
  try {
    return isArray(plaintext)
  } catch (error) {
    rethrowOverflow(error)
    return false
  }
}

/**
 * The elements of an array, in a plain array without getters. Runs no code of the caller, except getters of elements and
 * traps of a Proxy. The binding checks whether the elements are Uint8Arrays.
 */
export function piecesOf(plaintext: readonly Uint8Array[]): readonly Uint8Array[] {
  // For a few elements, a literal takes a fifth of the time of `toSpliced`.
  const { length } = plaintext
  if (length === 3)
    return [plaintext[0] as Uint8Array, plaintext[1] as Uint8Array, plaintext[2] as Uint8Array]
  if (length === 2) return [plaintext[0] as Uint8Array, plaintext[1] as Uint8Array]
  checkNumber(length)
  // Not `slice`, which would use the caller's class, and no assignments to elements, which could run a setter of
  // Array.prototype.
  const pieces = toSpliced(plaintext, 0, 0)
  // A Proxy may tell two lengths.
  checkNumber(pieces.length)
  return pieces
}

function checkNumber(length: number): void {
  if (length <= MAX_PIECES) return
  const what = `"plaintext" must have at most ${MAX_PIECES} pieces, got ${length}`
  throw mistake(RangeError, 'ERR_OUT_OF_RANGE', what)
}

/** The length of a plaintext in pieces. Throws if a piece is not a Uint8Array. */
export function bytesOf(pieces: readonly Uint8Array[]): number {
  let bytes = 0
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] as Uint8Array
    if (!isUint8Array(piece)) throw notBytes(`plaintext[${i}]`, piece)
    bytes += byteLength(piece)
  }
  return bytes
}
