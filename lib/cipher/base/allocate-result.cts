// Allocates a Buffer to return. Fails beyond Node's longest Buffer, or for lack of memory.
import type { Buffer } from 'node:buffer'
import { rethrowOverflow } from './builtins.cjs'
import { nodeError } from './errors.cjs'
import { allocate } from './views.cjs'

/** A Buffer with its own ArrayBuffer. `alternative` is advice for the error message. */
export function allocateResult(length: number, alternative: string): Buffer<ArrayBuffer> {
  try {
    return allocate(length)
  } catch (cause) {
    rethrowOverflow(cause)
    const what = `a Buffer of ${length} bytes cannot be allocated; ${alternative}`
    throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', what, cause)
  }
}
