// Memory for ciphertexts: short results are parts of one ArrayBuffer, the slab, because an
// ArrayBuffer for each takes several times as long as the encryption.
//
// Slabs contain only ciphertexts, because `result.buffer` shows the neighbours of a result, and
// `postMessage(result)` sends them. A slab begins as zeros, each part is returned once, and no file
// of lib/ writes a plaintext to a slab.
import type { Buffer } from 'node:buffer'
import { allocateResult } from './allocate-result.cjs'
import { markAsUntransferable, rethrowOverflow } from './builtins.cjs'
import { allocateOffHeap, memoryOf, partOf, spanOf, transfer } from './views.cjs'

/** A kept result keeps its slab alive, so a slab is small. */
const SLAB_BYTES = 2 ** 15
/** The longest result from a slab. */
const LONGEST = 2 ** 12
/** Views of every class of typed arrays can begin where a part begins. */
const ALIGNMENT = 8

let slab: ArrayBuffer | undefined
/** The bytes of the slab that were returned. */
let used = SLAB_BYTES
/** Whether a transfer leaves marked memory in place. */
let staysIfMarked = false

/** A Buffer for a ciphertext, which the caller fills. `alternative` is as in `allocateResult`. */
export function allocateCiphertext(length: number, alternative: string): Buffer<ArrayBuffer> {
  return (length <= LONGEST ? partOfSlab(length) : undefined) ?? allocateResult(length, alternative)
}

function partOfSlab(length: number): Buffer<ArrayBuffer> | undefined {
  if (used + length > SLAB_BYTES) replaceSlab()
  const memory = slab
  if (memory === undefined) return undefined
  const part = partOf(memory, used, length)
  // If a caller detached the slab, the next call makes another.
  used = part === undefined ? SLAB_BYTES : (used + length + ALIGNMENT - 1) & -ALIGNMENT
  return part
}

/** Makes a new slab; none without memory, or if this runtime could not keep it in place. */
function replaceSlab(): void {
  slab = undefined
  used = SLAB_BYTES
  if (!staysIfMarked) return
  try {
    slab = untransferable(SLAB_BYTES)
    used = 0
  } catch (error) {
    rethrowOverflow(error)
  }
}

/** Memory that stays if a result is transferred, which would detach its neighbours. */
function untransferable(length: number): ArrayBuffer {
  const memory = memoryOf(allocateOffHeap(length))
  markAsUntransferable(memory)
  return memory
}

/**
 * Finds out whether this runtime can have slabs. Once, before the first encryption, because a
 * transfer may run code of the program, for which no encryption may wait.
 */
export function tryMark(): void {
  const memory = untransferable(ALIGNMENT)
  transfer(memory)
  staysIfMarked = spanOf(memory) !== 'detached'
}
