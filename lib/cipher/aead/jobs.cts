// Runs one frame's work on another thread, and turns the binding's callback into a promise.
import type { AsyncResource as Resource } from 'node:async_hooks'
import type { Buffer } from 'node:buffer'
import type { AsyncOptions } from '../../../index.d.ts'
import { allocateResult } from '../base/allocate-result.cjs'
import { AsyncResource, define, types, uncurried } from '../base/builtins.cjs'
import { abortError, detached, immutable, notBytes, overlapping, shared, wrongType } from '../base/errors.cjs'
import {
  allOf,
  copy,
  isAttached,
  isImmutable,
  kindOf,
  memoryOf,
  type Span,
  spanOf,
  wipe,
} from '../base/views.cjs'
import { load } from '../native/binary.cjs'
import type { Job, KeyHandle } from '../native/binding.cjs'
import { reasonOf } from '../native/status.cjs'
import { began, forget, signalOf, watched } from './abort.cjs'
import type { CipherSpec } from './ciphers.cjs'
import { aeadRefusal } from './refusal.cjs'

const { isSharedArrayBuffer, isUint8Array } = types
type Done = Parameters<Job>[3]

const Pending = Promise
const Context = AsyncResource
const runIn = uncurried(AsyncResource.prototype.runInAsyncScope) as <Result>(
  context: Resource,
  action: (...values: never[]) => Result,
  self: undefined,
  ...values: unknown[]
) => Result

/** The arguments of the raw functions, under the names that callers know. */
const NAMES = ['handle', 'frame', 'aad']

/** The frame after the work of `job`. If the call is refused, `frame` stays with the caller. */
export function run(
  job: Job,
  key: KeyHandle,
  cipher: CipherSpec,
  frame: Uint8Array,
  aad: Uint8Array | null | undefined,
  options: AsyncOptions | undefined,
): Promise<Buffer<ArrayBuffer>> {
  const signal = signalOf(options)
  if (signal?.aborted) throw abortError(signal.signal.reason)
  if (kindOf(aad) === 'object') throw notAad()
  return new Pending((resolve, reject) => {
    // From Node 24 on, the binding's callback lacks the call's context, which subscribers expect.
    const context = new Context(cipher.name)
    const call = signal && watched(signal)
    const done = (status: number, memory: ArrayBuffer) => {
      const whole = allOf(memory)
      if (status >= 0) {
        resolve(whole)
      } else {
        const cancelled = reasonOf(load().reasons, status) === 'Cancelled'
        const error = cancelled
          ? abortError(call?.reason)
          : runIn(context, aeadRefusal, undefined, cipher, status, NAMES, key, frame, aad)
        // Not enumerable: it may be plaintext, and loggers print enumerable properties.
        define(error, 'frame', whole)
        reject(error)
      }
      if (call !== undefined) forget(call)
    }
    let status: number | undefined
    try {
      status = start(job, key, frame, aad, done)
    } finally {
      if (call !== undefined && !((status as number) >= 0)) forget(call)
    }
    if (!(status >= 0)) throw aeadRefusal(cipher, status, NAMES, key, frame, aad)
    if (call !== undefined) began(call, status)
  })
}

/** Starts the job on a frame's memory, or on a copy if it holds other bytes or cannot be moved. */
function start(
  job: Job,
  key: KeyHandle,
  frame: Uint8Array,
  aad: Uint8Array | null | undefined,
  done: Done,
): number {
  const span = spanOfFrame(frame)
  const whole = spanOf(span.buffer)
  if (whole !== 'detached' && whole?.length === span.length) {
    const status = job(key, span.buffer, aad, done)
    if (status >= 0 || reasonOf(load().reasons, status) !== 'Untransferable') return status
  }
  return startOnCopy(job, key, frame, aad, done)
}

function startOnCopy(
  job: Job,
  key: KeyHandle,
  frame: Uint8Array,
  aad: Uint8Array | null | undefined,
  done: Done,
): number {
  const span = spanOfFrame(frame)
  // The binding cannot see this overlap. Accepting it here would make refusals depend on memory.
  if (isUint8Array(aad) && overlap(span, spanOf(aad))) throw overlapping('frame', 'aad')
  const copied = allocateResult(span.length, 'a frame that is the whole of its ArrayBuffer needs no copy')
  copy(copied, frame)
  try {
    return job(key, memoryOf(copied), aad, done)
  } finally {
    // The copy may be plaintext. It is gone if the job has begun.
    if (isAttached(copied)) wipe(copied, 0)
  }
}

function overlap(a: Span, b: Span | 'detached' | undefined): boolean {
  if (b === 'detached' || b === undefined || a.buffer !== b.buffer) return false
  return a.start < b.start + b.length && b.start < a.start + a.length && a.length * b.length > 0
}

/** For an object instead of the AAD. */
function notAad(): Error {
  return wrongType('"aad" must be a Uint8Array, got object: options are the third argument')
}

/** The span of a frame that no other thread can change, and that may be written. */
function spanOfFrame(frame: Uint8Array): Span {
  if (!isUint8Array(frame)) throw notBytes('frame', frame)
  const span = spanOf(frame)
  if (span === 'detached' || span === undefined) throw detached('frame', ', perhaps by an earlier async call')
  if (isSharedArrayBuffer(span.buffer)) throw shared('frame')
  if (isImmutable(span.buffer)) throw immutable('frame')
  return span
}
