// The short way into native code: a call without arguments, which lie on the slate, an array of
// numbers that this file and src/node/slate.rs both know. It serves the views of a caller that
// passes the same ones again and again: then the call only compares them. The first time, the
// binding remembers their ArrayBuffers, and their offsets and lengths are written on the slate.
//
// `ELSEWHERE` means that nothing was done. Then the call with arguments decides: about errors,
// other values, shared and large memory, and other runtimes.
//
// The binding trusts no number, so memory is safe whatever they are: see src/node/slate.rs. This
// file guarantees that they describe the caller's views:
// - They come from getters that were captured at loading, of a Uint8Array of any class and realm.
// - They are constant. A view keeps its ArrayBuffer for ever, and offset and length as long as the
//   length of that is constant: resizable memory is not remembered. If the ArrayBuffer is detached,
//   in whatever way, the binding finds it empty.
// - Only this file and sealed-calls.cts have the array and the functions, which the binding returns
//   once: to the first copy of this package in a thread. Another copy makes calls with arguments.
// - From the comparison of the views, or the binding's answer that it remembers them, until the
//   status is read, no function of JavaScript is entered. At an entry, V8 may run other code, such
//   as an inspector's, that uses the slate, too. A debugger that evaluates code between two
//   statements is not covered.
import { floor, hasOwn, types } from '../base/builtins.cjs'
import {
  byteLength,
  byteOffset,
  isImmutable,
  isResizable,
  memoryLength,
  memoryOf,
  typeName,
} from '../base/views.cjs'
import type { Binding, KeyHandle, KeyNumber, SealingNumbers, ShortWay } from './binding.cjs'
import { openSealedCalls } from './sealed-calls.cjs'

const { isSharedArrayBuffer } = types

// Positions in the array, and operations.
const STATUS = 0
const OPERATION = 1
const KEY_LOW = 2
const KEY_HIGH = 3
/** The offset of the frame. Its length follows. */
const FRAME = 6
/** The same of the additional data; the length is zero if there are none. */
const AAD = 8
export const ENCRYPT = 1
export const DECRYPT = 2

/** How many values the lower half of a key's number has. */
const LOW_VALUES = 2 ** 24

/** The status of a call that has done nothing. Those of other calls are zero or less. */
const ELSEWHERE = 1

/** Larger memory is not remembered, because that keeps it alive. */
const MOST_BYTES = 64 << 10

/** Calls with other views that pass between two tries to remember some. */
const REST = 1024

/** The array; undefined before loading, and where there is no short way. */
let words: Int32Array | undefined
let call: ShortWay['call']
let remember: ShortWay['remember']
let askNumber: Binding['numberOf']

/** The views whose numbers are on the slate; before the first, what no caller can pass. */
let knownFrame: unknown = {}
let knownAad: unknown
/** Calls with other views to come without a try. */
let rest = 0

/** Takes what `validateWith` returned: a number if another copy of this package was first. */
export function openSlate(binding: Binding, short: ShortWay | number): void {
  // Others have rules of their own for memory, which nobody has measured.
  if (typeof short === 'number' || hasOwn(process.versions, 'bun') || hasOwn(process.versions, 'deno')) return
  words = short.words
  call = short.call
  remember = short.remember
  askNumber = binding.numberOf
  openSealedCalls(short)
}

/** The number of a key, for the calls below. */
export function numberOf(key: KeyHandle): KeyNumber {
  // Without a slate, no call looks at it.
  const number = words === undefined ? 0 : askNumber(key)
  return { low: number % LOW_VALUES, high: floor(number / LOW_VALUES) }
}

/** The numbers of a key whose values begin with `prefix`. */
export function sealingNumbersOf(key: KeyHandle, prefix: number): SealingNumbers {
  const { low, high } = numberOf(key)
  return { low, high, prefixLow: prefix | 0, prefixHigh: floor(prefix / 2 ** 32) }
}

/** The status of a call over these views; `ELSEWHERE` means that the call at length decides. */
export function inPlaceShortly(
  operation: number,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  if (frame !== knownFrame || aad !== knownAad) {
    // Here, not in a function: this is all that a caller pays whose views change each time.
    if (rest > 0) {
      rest--
      return ELSEWHERE
    }
    if (!learn(frame, aad)) return ELSEWHERE
  }
  const slate = words as Int32Array
  slate[OPERATION] = operation
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[STATUS] = ELSEWHERE
  call()
  return slate[STATUS]
}

/** Writes the numbers of these views on the slate, if they can be remembered. */
function learn(frame: unknown, aad: unknown): boolean {
  rest = REST
  const slate = words
  const memory = constantMemoryOf(frame)
  const without = aad === undefined || aad === null
  const aadMemory = without ? memory : constantMemoryOf(aad)
  if (slate === undefined || memory === undefined || aadMemory === undefined) return false
  const frameAt = byteOffset(frame as Uint8Array)
  const frameLength = byteLength(frame as Uint8Array)
  const aadAt = without ? 0 : byteOffset(aad as Uint8Array)
  const aadLength = without ? 0 : byteLength(aad as Uint8Array)
  knownFrame = slate
  if (!(remember(memory, aadMemory) >= 0)) return false
  // No call from here on, since one might overflow the stack: views and numbers belong together.
  slate[FRAME] = frameAt
  slate[FRAME + 1] = frameLength
  slate[AAD] = aadAt
  slate[AAD + 1] = aadLength
  knownFrame = frame
  knownAad = aad
  return true
}

/** The memory of a view that can be remembered; undefined for other values. */
function constantMemoryOf(view: unknown): ArrayBuffer | undefined {
  if (typeName(view) !== 'Uint8Array') return undefined
  const memory = memoryOf(view as Uint8Array)
  // An empty view may be detached, or out of bounds.
  if (byteLength(view as Uint8Array) === 0 || isSharedArrayBuffer(memory)) return undefined
  // The numbers of a view are constant only if the length of its memory is. Immutable memory is
  // never written, and detached memory never becomes immutable.
  const isConstant = memoryLength(memory) <= MOST_BYTES && !isResizable(memory) && !isImmutable(memory)
  return isConstant ? memory : undefined
}
