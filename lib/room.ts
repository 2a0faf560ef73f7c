// A Buffer for what a call is to give; Node's own limits and the machine's memory end it.
import type { Buffer } from 'node:buffer'
import { mistake } from './errors.js'
import { allocate } from './views.js'

/** A Buffer over an ArrayBuffer of its own. `instead` says what needs none. */
export function room(length: number, instead: string): Buffer<ArrayBuffer> {
  try {
    return allocate(length)
  } catch (cause) {
    const what = `there is no Buffer of ${length} bytes to be had; ${instead}`
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', what, cause)
  }
}
