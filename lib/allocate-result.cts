// The Buffer that a call returns: its allocation can fail at Node's longest Buffer or for want of memory.
import type { Buffer } from 'node:buffer'
import { rethrowOverflow } from './builtins.cjs'
import { mistake } from './errors.cjs'
import { allocate } from './views.cjs'

/** A Buffer over an ArrayBuffer of its own. `alternative` tells the caller how to do without the allocation. */
export function allocateResult(length: number, alternative: string): Buffer<ArrayBuffer> {
  try {
    return allocate(length)
  } catch (cause) {
    rethrowOverflow(cause)
    const what = `there is no Buffer of ${length} bytes to be had; ${alternative}`
    throw mistake(RangeError, 'ERR_OUT_OF_RANGE', what, cause)
  }
}
