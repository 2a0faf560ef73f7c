// Runs one frame's work on another thread: checks what can be known before, and turns the binding's callback into a promise.
import type { Buffer } from 'node:buffer'
import type { AsyncOptions } from '../index.d.ts'
import { began, forget, signalOf, watched } from './abort.cjs'
import { define, types } from './builtins.cjs'
import { abortError, detached, mistake, notBytes, shared } from './errors.cjs'
import { load } from './native/binary.cjs'
import type { Job, KeyHandle } from './native/binding.cjs'
import { refusal } from './native/refusal.cjs'
import { reasonOf } from './native/status.cjs'
import { allOf, kindOf, spanOf } from './views.cjs'

const { isSharedArrayBuffer, isUint8Array } = types
const Pending = Promise

/** The arguments of the raw functions, under the names that callers know. */
const NAMES = ['handle', 'frame', 'aad']

/** The memory of `frame` after the work of `job`. A refusal before the transfer leaves `frame` with the caller. */
export function run(
  job: Job,
  key: KeyHandle,
  frame: Uint8Array,
  aad: Uint8Array | null | undefined,
  options: AsyncOptions | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const signal = signalOf(options)
  if (signal?.aborted) throw abortError(signal.signal.reason)
  if (kindOf(aad) === 'object') throw notAad()
  const memory = memoryOf(frame)
  return new Pending((resolve, reject) => {
    const call = signal && watched(signal)
    const done = (status: number, memory: ArrayBuffer) => {
      const whole = allOf(memory)
      if (status >= 0) {
        resolve(whole)
      } else {
        const cancelled = reasonOf(load().reasons, status) === 'Cancelled'
        const error = cancelled ? abortError(call?.reason) : refusal(status, NAMES, key, frame, aad)
        // Not enumerable: it may be plaintext, and loggers print the enumerable properties of errors.
        define(error, 'frame', whole)
        reject(error)
      }
      if (call !== undefined) forget(call)
    }
    let status: number | undefined
    try {
      status = job(key, memory, aad, done)
    } finally {
      if (call !== undefined && !((status as number) >= 0)) forget(call)
    }
    if (!(status >= 0)) throw refusal(status, NAMES, key, frame, aad)
    if (call !== undefined) began(call, status)
  })
}

/** For an object in the place of the AAD. */
function notAad(): Error {
  const what = '"aad" must be a Uint8Array, got object: options are the third argument'
  return mistake(TypeError, 'ERR_INVALID_ARG_TYPE', what)
}

/** The ArrayBuffer that `frame` covers. */
function memoryOf(frame: Uint8Array): ArrayBuffer {
  if (!isUint8Array(frame)) throw notBytes('frame', frame)
  const span = spanOf(frame)
  if (span === 'gone' || span === undefined) throw detached('frame', ', perhaps by an earlier async call')
  if (isSharedArrayBuffer(span.buffer)) throw shared('frame')
  const whole = spanOf(span.buffer)
  if (whole === 'gone' || whole?.length !== span.length) {
    const advice = 'as Buffer.from(new ArrayBuffer(n)) or Buffer.allocUnsafeSlow(n) do'
    const what = `"frame" must cover the whole of an ArrayBuffer of its own, ${advice}`
    throw mistake(TypeError, 'ERR_INVALID_ARG_VALUE', what)
  }
  return span.buffer
}
