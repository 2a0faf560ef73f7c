// The errors of messages that do not open, and of refusals by the binding.
import { define } from '../../cipher/base/builtins.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import { AesGcmError, AuthenticationError, outOfRange } from '../../cipher/base/errors.cjs'
import { load } from '../../cipher/native/binary.cjs'
import { refusalOf } from '../../cipher/native/refusal.cjs'
import { reasonOf, subjectOf } from '../../cipher/native/status.cjs'
import { CHUNK_BYTES } from './sizes.cjs'

/**
 * Publishes the event of a refusal, if any, and returns its error. `first` is the number of the
 * call's first chunk; `values` are the arguments of the raw function, and `names` their names in
 * types/stream.d.ts.
 */
export function chunksRefusal(
  status: number,
  first: number,
  names: readonly string[],
  ...values: readonly unknown[]
): Error {
  switch (reasonOf(load().reasons, status)) {
    case 'Authentication':
      return forged(first + subjectOf(status).detail)
    case 'TooManyChunks':
      return outOfRange('a message must be at most 2^52 - 1 bytes')
    case 'PartialChunk':
    case 'TargetTooShort':
      return resized()
    default:
      return refusalOf(status, names, values)
  }
}

/** For a source whose memory was resized after its length was read. */
export function resized(): RangeError {
  return outOfRange('the memory of an argument was resized during the call')
}

/** Publishes an authentication failure of a chunk, and returns the error. */
export function forged(chunk: number): AuthenticationError {
  authenticationFailed()
  const error = new AuthenticationError()
  define(error, 'position', chunk * CHUNK_BYTES, true)
  return error
}

export function truncated(): AesGcmError {
  const what = 'the encrypted message is truncated: its last chunk is missing'
  return new AesGcmError('ERR_AESGCM_STREAM_TRUNCATED', what)
}

/** For a source to encrypt that another program cut while it was read. */
export function shortened(taken: number, size: number): AesGcmError {
  const what = `the source shrank while it was being read: it had ${size} bytes, and ended after ${taken}`
  return new AesGcmError('ERR_AESGCM_STREAM_TRUNCATED', what)
}

export const FOR_RECIPIENTS = 'it seems to be encrypted to recipients, for a PrivateKeyring'
export const NOT_FOR_RECIPIENTS = 'it is not encrypted to a PublicKeyring'

/** `reason` is a likely one. */
export function wrongKey(reason?: string): AesGcmError {
  const hint = reason === undefined ? '' : `: ${reason}`
  const what = `the message was encrypted with another key or context, or its beginning was damaged${hint}`
  return new AesGcmError('ERR_AESGCM_WRONG_KEY', what)
}
