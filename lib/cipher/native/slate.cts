// The short way into native code: a call without arguments, which lie on the slate, an array of
// numbers that this file and src/node/slate.rs both know. It takes half the time of a call with
// arguments, and serves views that a caller uses again and again. The first time, the binding
// remembers the view's ArrayBuffer for this place, and the view's offset and length are written on
// the slate. Later calls only compare the view.
//
// `ELSEWHERE` means that nothing was done. Then the call with arguments decides: about errors,
// other values, shared and large memory, and other runtimes.
//
// The binding trusts no number, so memory is safe whatever they are: see src/node/slate.rs. This
// file answers for their being those of the caller's view:
// - They come from getters that were captured at loading, of a Uint8Array of any class and realm.
// - They are constant. A view keeps its ArrayBuffer for ever, and offset and length as long as the
//   length of that is constant: resizable memory is not remembered. If the ArrayBuffer is detached,
//   in whatever way, the binding finds it empty.
// - Only this file and sealed-calls.cts have the array and the functions, which the binding gives
//   once: to the first copy of this package in a thread. Another copy makes calls with arguments.
// - From the last comparison of views until the status is read, no function of JavaScript is
//   entered. At an entry, V8 may run other code, such as an inspector's, that uses the slate, too.
//   A debugger that evaluates code between two statements is not covered.
import { floor, hasOwn, min, types } from '../base/builtins.cjs'
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
/** The offset of the view at place 0. Its length follows, then the numbers of the next place. */
const VIEWS = 4
export const ENCRYPT_IN_PLACE = 1
export const DECRYPT_IN_PLACE = 2
export const ENCRYPT_DETACHED = 3
export const DECRYPT_DETACHED = 4
/** Added to an operation with additional data. */
const WITH_AAD = 8

/** How many values the lower half of a key's number has. */
const LOW_VALUES = 2 ** 24

/** The status of a call that has done nothing. Those of other calls are zero or less. */
const ELSEWHERE = 1

/** Larger memory is not remembered, because that keeps it alive. */
const MOST_BYTES = 64 << 10

/** A view that served so many calls was worth its place. */
const ENOUGH = 8
const UNTRIED = -1
/** Most calls without a try, after a view that was not. */
const LONGEST_REST = 1024

/** Not a value that a caller can pass. */
const NONE = {}

/** An argument that is a view, and how much use it is to remember views. */
class Place {
  readonly number: number
  /** The view whose numbers are on the slate. */
  view: unknown = NONE
  /** The ArrayBuffer that the binding has for this place. */
  memory: ArrayBuffer | undefined
  /** Calls that the view has served, at most `ENOUGH`; `UNTRIED` after a rest. */
  served = UNTRIED
  /** Calls to come without a try, and the length of the last such rest. */
  rest = 0
  lastRest = 1

  constructor(number: number) {
    this.number = number
  }
}

const FRAME = new Place(0)
const AAD = new Place(1)
const NONCE = new Place(2)
const TAG = new Place(3)

/** The array; undefined before loading, and where there is no short way. */
let words: Int32Array | undefined
let call: ShortWay['call']
let remember: ShortWay['remember']
let askNumber: Binding['numberOf']

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

// Two functions of one shape: together with the nonce and the tag in one function, a call in place
// takes 3 to 8 % longer, because V8 inlines less. Neither shares code with the other, because no
// function may be entered after the last comparison.

export function inPlaceShortly(
  operation: number,
  low: number,
  high: number,
  frame: unknown,
  aad: unknown,
): number {
  if (frame !== FRAME.view) {
    // Here, not in a function: this is all that a caller pays whose views change each time.
    if (FRAME.rest > 0) {
      FRAME.rest--
      return ELSEWHERE
    }
    if (!admit(FRAME, frame)) return ELSEWHERE
  }
  const without = aad === undefined || aad === null
  if (!without && aad !== AAD.view && !admit(AAD, aad)) return ELSEWHERE
  if (frame !== FRAME.view || !(without || aad === AAD.view)) return ELSEWHERE
  if (FRAME.served < ENOUGH) FRAME.served++
  if (!without && AAD.served < ENOUGH) AAD.served++
  const slate = words as Int32Array
  slate[OPERATION] = without ? operation : operation + WITH_AAD
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[STATUS] = ELSEWHERE
  call()
  return slate[STATUS]
}

export function detachedShortly(
  operation: number,
  low: number,
  high: number,
  data: unknown,
  nonce: unknown,
  tag: unknown,
  aad: unknown,
): number {
  if (data !== FRAME.view) {
    if (FRAME.rest > 0) {
      FRAME.rest--
      return ELSEWHERE
    }
    if (!admit(FRAME, data)) return ELSEWHERE
  }
  if (nonce !== NONCE.view && !admit(NONCE, nonce)) return ELSEWHERE
  if (tag !== TAG.view && !admit(TAG, tag)) return ELSEWHERE
  const without = aad === undefined || aad === null
  if (!without && aad !== AAD.view && !admit(AAD, aad)) return ELSEWHERE
  if (data !== FRAME.view || nonce !== NONCE.view || tag !== TAG.view) return ELSEWHERE
  if (!(without || aad === AAD.view)) return ELSEWHERE
  if (FRAME.served < ENOUGH) FRAME.served++
  if (NONCE.served < ENOUGH) NONCE.served++
  if (TAG.served < ENOUGH) TAG.served++
  if (!without && AAD.served < ENOUGH) AAD.served++
  const slate = words as Int32Array
  slate[OPERATION] = without ? operation : operation + WITH_AAD
  slate[KEY_LOW] = low
  slate[KEY_HIGH] = high
  slate[STATUS] = ELSEWHERE
  call()
  return slate[STATUS]
}

/** Makes a value the view of its place, if it can be one and this is worth a try. */
function admit(place: Place, value: unknown): boolean {
  if (place.rest > 0) {
    place.rest--
    return false
  }
  if (place.served >= ENOUGH) {
    place.lastRest = 1
  } else if (place.served !== UNTRIED) {
    // The view before was remembered in vain. If that repeats, trying only costs.
    place.rest = place.lastRest = min(2 * place.lastRest, LONGEST_REST)
    place.served = UNTRIED
    return false
  }
  place.served = 0
  return words !== undefined && typeName(value) === 'Uint8Array' && learn(place, value as Uint8Array)
}

function learn(place: Place, view: Uint8Array): boolean {
  const memory = memoryOf(view)
  const length = byteLength(view)
  const offset = byteOffset(view)
  // An empty view may be detached, or out of bounds.
  if (length === 0 || isSharedArrayBuffer(memory) || memoryLength(memory) > MOST_BYTES) return false
  // The numbers of a view are constant only if the length of its memory is. Immutable memory is
  // never written, and detached memory never becomes immutable.
  if (isResizable(memory) || isImmutable(memory)) return false
  if (memory !== place.memory) {
    place.view = NONE
    place.memory = undefined
    if (!(remember(place.number, memory) >= 0)) return false
    place.memory = memory
  }
  // No call from here on, since one might overflow the stack: view and numbers belong together.
  const slate = words as Int32Array
  const at = VIEWS + 2 * place.number
  slate[at] = offset
  slate[at + 1] = length
  place.view = view
  return true
}
