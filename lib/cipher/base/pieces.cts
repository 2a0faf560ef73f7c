// A plaintext in pieces: an array of Uint8Arrays, each read once, in order.
import { types } from './builtins.cjs'
import { notBytes } from './errors.cjs'
import { elementsOf, isList, lengthOfList } from './lists.cjs'
import { codedIfRevoked } from './parse.cjs'
import { byteLength } from './views.cjs'

const { isUint8Array } = types

const PIECES = { elements: 'pieces', least: 0, most: 2 ** 16 }

/** Whether `plaintext` is an array. */
export function arePieces(plaintext: unknown): plaintext is readonly Uint8Array[] {
  return isList(plaintext)
}

/** The elements of an array (see lists.cts). The binding checks whether they are Uint8Arrays. */
export function piecesOf(plaintext: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = lengthOfList('plaintext', plaintext, PIECES)
  // For a few elements, a literal is five times as fast as `toSpliced`.
  try {
    if (length === 3)
      return [plaintext[0] as Uint8Array, plaintext[1] as Uint8Array, plaintext[2] as Uint8Array]
    if (length === 2) return [plaintext[0] as Uint8Array, plaintext[1] as Uint8Array]
  } catch (error) {
    throw codedIfRevoked('plaintext', plaintext, error)
  }
  return elementsOf('plaintext', plaintext, length) as readonly Uint8Array[]
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
