// New Buffers for results, and plaintexts in pieces, encrypted into frames.
import type { Buffer } from 'node:buffer'
import { allocateResult } from '../base/allocate-result.cjs'
import { max, types } from '../base/builtins.cjs'
import { messageTooLong, notBytes } from '../base/errors.cjs'
import { bytesOf, piecesOf } from '../base/pieces.cjs'
import { allocateCiphertext } from '../base/slab.cjs'
import { byteLength } from '../base/views.cjs'
import type { KeyHandle } from '../native/binding.cjs'
import { encryptPiecesInto } from '../native/calls.cjs'
import type { CipherSpec } from './ciphers.cjs'
import { aeadRefusal, needsSeparate } from './refusal.cjs'

const { isUint8Array } = types

// The arguments of the raw functions, under the names that callers know.
const ENCRYPT_PIECES = ['handle', 'frame', 'aad', 'plaintext']
const ENCRYPT_PIECES_INTO = ['handle', 'target', 'aad', 'plaintext']

export function lengthOf(name: string, value: unknown): number {
  if (!isUint8Array(value)) throw notBytes(name, value)
  return byteLength(value)
}

const IN_PLACE = 'encryptInPlace needs no new Buffer'

/** A new Buffer for the frame of a plaintext of `length` bytes. */
export function frameFor(cipher: CipherSpec, length: number): Buffer<ArrayBuffer> {
  const { overhead, maxMessageBytes, longest } = cipher
  if (length > maxMessageBytes) throw messageTooLong(longest.message)
  return allocateCiphertext(length + overhead, IN_PLACE)
}

/** As `frameFor`, with separate memory. */
export function separateFrameFor({ overhead }: CipherSpec, length: number): Buffer<ArrayBuffer> {
  return allocateResult(length + overhead, IN_PLACE)
}

/** A new Buffer for a frame's plaintext. `instead` is the method to advise if memory runs out. */
export function plaintextFor(
  { overhead }: CipherSpec,
  frame: Uint8Array,
  instead: string,
): Buffer<ArrayBuffer> {
  return allocateResult(max(0, lengthOf('frame', frame) - overhead), `${instead} needs no new Buffer`)
}

export function encryptPieces(
  handle: KeyHandle,
  cipher: CipherSpec,
  plaintext: readonly Uint8Array[],
  aad: unknown,
): Buffer<ArrayBuffer> {
  const pieces = piecesOf(plaintext)
  const length = bytesOf(pieces)
  let frame = frameFor(cipher, length)
  let status = encryptPiecesInto(handle, frame, aad, pieces)
  if (needsSeparate(status)) {
    frame = separateFrameFor(cipher, length)
    status = encryptPiecesInto(handle, frame, aad, pieces)
  }
  if (status !== byteLength(frame))
    throw aeadRefusal(cipher, status, ENCRYPT_PIECES, handle, frame, aad, pieces)
  return frame
}

export function encryptPiecesTo(
  handle: KeyHandle,
  cipher: CipherSpec,
  target: Uint8Array,
  plaintext: readonly Uint8Array[],
  aad: unknown,
): number {
  const pieces = piecesOf(plaintext)
  const status = encryptPiecesInto(handle, target, aad, pieces)
  if (!(status >= 0)) throw aeadRefusal(cipher, status, ENCRYPT_PIECES_INTO, handle, target, aad, pieces)
  return status
}
