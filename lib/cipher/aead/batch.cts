// Batches: many frames in one call of the binding, and errors that list the frames that failed.
import type { BatchOptions } from '../../../index.d.ts'
import { define, toSpliced, types } from '../base/builtins.cjs'
import { authenticationFailed } from '../base/diagnostics.cjs'
import { AesGcmError, AuthenticationError, wrongType } from '../base/errors.cjs'
import { count, optionsOf } from '../base/parse.cjs'
import type { KeyHandle } from '../native/binding.cjs'
import { decryptBatchInPlace, encryptBatchInPlace } from '../native/calls.cjs'
import { failuresExhausted } from '../native/refusal.cjs'
import type { CipherSpec } from './ciphers.cjs'
import { aeadRefusal } from './refusal.cjs'

const { isUint8Array } = types
const Words = Uint32Array

const BATCH = ['handle', 'frames', 'ends', 'aad', 'aadEnds']
const NAMES = ['aad', 'aadEnds'] as const satisfies (keyof BatchOptions)[]

export function encryptBatch(
  handle: KeyHandle,
  cipher: CipherSpec,
  frames: unknown,
  ends: unknown,
  options: unknown,
): void {
  const { aad, aadEnds } = read(ends, options)
  sealBatch(handle, cipher, frames, ends, aad, aadEnds)
}

/** `encryptBatch` with parsed options. */
export function sealBatch(
  handle: KeyHandle,
  cipher: CipherSpec,
  frames: unknown,
  ends: unknown,
  aad: unknown,
  aadEnds: unknown,
): void {
  const status = encryptBatchInPlace(handle, frames, ends, aad, aadEnds)
  if (!(status >= 0)) throw aeadRefusal(cipher, status, BATCH, handle, frames, ends, aad, aadEnds)
}

export function decryptBatch(
  handle: KeyHandle,
  cipher: CipherSpec,
  frames: unknown,
  ends: unknown,
  options: unknown,
): void {
  const failed = tryDecryptBatch(handle, cipher, frames, ends, options)
  if (failed.length > 0) throw telling(new AuthenticationError(), failed)
}

/** The indexes of the frames that fail authentication. */
export function tryDecryptBatch(
  handle: KeyHandle,
  cipher: CipherSpec,
  frames: unknown,
  ends: unknown,
  options: unknown,
): Uint32Array {
  const { aad, aadEnds } = read(ends, options)
  return openBatch(handle, cipher, frames, ends, aad, aadEnds)
}

/** `tryDecryptBatch` with parsed options. */
export function openBatch(
  handle: KeyHandle,
  cipher: CipherSpec,
  frames: unknown,
  ends: unknown,
  aad: unknown,
  aadEnds: unknown,
): Uint32Array {
  const result = decryptBatchInPlace(handle, frames, ends, aad, aadEnds)
  if (result === 0) return new Words(0)
  if (typeof result !== 'object') {
    const error = aeadRefusal(cipher, result, BATCH, handle, frames, ends, aad, aadEnds)
    const exhausted = error instanceof AesGcmError && error.code === 'ERR_AESGCM_KEY_EXHAUSTED'
    throw exhausted ? telling(error, [], 0) : error
  }
  const last = result.length - 1
  const failed = new Words(last)
  const stoppedAt = result[last] as number
  for (let i = 0; i < last; i++) failed[i] = result[i] as number
  for (let i = 0; i < last; i++) authenticationFailed()
  if (stoppedAt > 0) throw telling(failuresExhausted(), failed, stoppedAt)
  return failed
}

/** The options, each read once. A number of `ends` is checked here; the binding checks an array. */
function read(ends: unknown, options: unknown) {
  if (typeof ends === 'number') count('ends', ends, 1, 2 ** 53)
  if (isUint8Array(options)) throw wrongType('"options" must be an object, got Uint8Array: pass { aad }')
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  return { aad: own('aad'), aadEnds: own('aadEnds') }
}

/** Gives a batch's error the indexes that failed and, if the batch stopped early, where. */
export function telling<Told extends Error>(
  error: Told,
  failed: ArrayLike<number>,
  stoppedAt?: number,
): Told {
  // A plain array, made without code of the caller (see pieces.cts).
  define(error, 'failed', toSpliced(failed as readonly number[], 0, 0), true)
  if (stoppedAt !== undefined) define(error, 'stoppedAt', stoppedAt, true)
  return error
}
