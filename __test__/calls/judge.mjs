// Makes one call, and throws if it broke a promise that every call gives: an error has a code out of its list, a failed call leaves
// every byte as it was, and a call that succeeds writes only where it may.

import { inspect } from 'node:util'
import { isUint8Array } from 'node:util/types'
import { must } from '../conformance/checks.mjs'
import { trueBuffer } from '../conformance/hostile.mjs'

const FAILED = 'ERR_AESGCM_AUTHENTICATION_FAILED'
/** Memory beyond this is not compared. */
const MOST_BYTES = 2 ** 17

/**
 * A call. `inside`: views inside of lists and options. `codes`: those that it may throw besides `OWN`. `writes`: the views that it may write if it succeeds. `zeroes`: the view
 * that is zero after an authentication failure. `unsettled`: codes after which the bytes may be any. `check`: judges the result;
 * gets copies of the arguments
 * that were bytes, and of `inside`. `failed`: judges an authentication failure.
 * @typedef {{ name: string, run: (...args: any[]) => unknown, args: any[], inside?: Uint8Array[], codes: Set<string>,
 *   writes?: (result: any) => Uint8Array[], zeroes?: () => Uint8Array | undefined, unsettled?: Set<string>,
 *   failed?: (copies: any[]) => void, check?: (result: any, copies: any[], pieces: any[]) => unknown }} Call
 */

/** @type {(call: Call) => Promise<string>} The code of the error, or 'ok'. */
export async function judge(call) {
  const { name, run, args, codes, inside = [] } = call
  const copies = args.map(copyOf)
  const pieces = inside.map(copyOf)
  const memories = memoriesOf([...args, ...inside])
  let outcome = 'ok'
  let result
  try {
    result = run(...args)
    if (result instanceof Promise) result = await result
  } catch (error) {
    outcome = codeOf(error, name)
    must(outcome === 'OWN' || codes.has(outcome), () => `${name} threw ${outcome}: ${inspect(error)}`)
  }
  if (outcome === 'ok') {
    unchanged(name, memories, call.writes?.(result) ?? [])
    await call.check?.(result, copies, pieces)
    return outcome
  }
  if (outcome === FAILED) call.failed?.(copies)
  if (call.unsettled?.has(outcome)) return outcome
  const zeroed = outcome === FAILED ? call.zeroes?.() : undefined
  unchanged(`${name}, which threw ${outcome},`, memories, zeroed === undefined ? [] : [zeroed])
  if (zeroed !== undefined) must(isZero(zeroed), () => `${name} left bytes in its target`)
  return outcome
}

function codeOf(error, name) {
  must(
    error instanceof Error && typeof error.code === 'string',
    () => `${name} threw without a code: ${inspect(error)}`,
  )
  return error.code
}

const { get: offsetOf } = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  'byteOffset',
)
const { get: lengthOf } = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  'byteLength',
)

/** A Buffer over the true bytes of a view whose class may lie. */
export const plain = view => Buffer.from(trueBuffer(view), offsetOf.call(view), lengthOf.call(view))

const isZero = view => view.every(byte => byte === 0)

/** The bytes of an argument; undefined for another value, and if its memory is gone. */
function copyOf(value) {
  if (!isUint8Array(value)) return undefined
  try {
    return Buffer.from(new Uint8Array(value).buffer) // not in the pool, of which `value` may be an unused part
  } catch {
    return undefined
  }
}

/** Every memory that the arguments lie in, with a copy of its bytes. */
function memoriesOf(values) {
  const memories = new Map()
  for (const value of values) {
    if (!isUint8Array(value)) continue
    const buffer = trueBuffer(value)
    if (memories.has(buffer) || buffer.byteLength === 0 || buffer.byteLength > MOST_BYTES) continue
    memories.set(buffer, new Uint8Array(buffer).slice())
  }
  return memories
}

function unchanged(name, memories, writes) {
  for (const [buffer, before] of memories) {
    if (buffer.byteLength === 0) continue // detached by the call, or by code of an argument
    const after = new Uint8Array(buffer)
    for (const view of writes) {
      if (view.buffer !== buffer) continue
      before.set(view, view.byteOffset)
    }
    const same = Buffer.compare(after.subarray(0, before.length), before.subarray(0, after.length)) === 0
    must(same, () => `${name} changed bytes that it may not change`)
  }
}
