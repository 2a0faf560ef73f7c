// A Buffer for what a call is to give; Node's own limits and the machine's memory end it.
import type { Buffer } from 'node:buffer'
import { rethrowOverflow } from './builtins.cjs'
import { mistake } from './errors.cjs'
import { allocate } from './views.cjs'

/** A Buffer over an ArrayBuffer of its own. `instead` says what needs none. */
export function room(length: number, instead: string): Buffer<ArrayBuffer> {
  try {
    return allocate(length)
  } catch (cause) {
    rethrowOverflow(cause)
    const what = `there is no Buffer of ${length} bytes to be had; ${instead}`
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', what, cause)
  }
}
