// Random bytes from this thread's generator, and facts about it, documented in index.d.ts.
import type { Buffer } from 'node:buffer'
import type { RandomInfo } from '../../../index.d.ts'
import { allocateResult } from '../base/allocate-result.cjs'
import { floor, min, buffer as node, types } from '../base/builtins.cjs'
import { entropySourceDropped } from '../base/diagnostics.cjs'
import { AesGcmError, detached, mustBe, shared, wrongValue } from '../base/errors.cjs'
import { count } from '../base/parse.cjs'
import { allocateOffHeap, bytesOver, copy, spanOf, wipe } from '../base/views.cjs'
import { random, randomInfo as readInfo, reseed as renewSeed } from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'
import { looksRandom } from '../native/self-test.cjs'

const { isSharedArrayBuffer, isUint8Array } = types
/** The longest Buffer of this runtime. */
const { MAX_LENGTH } = node.constants

// V8 keeps a new typed array of up to 64 bytes on its heap. When native code asks for the address
// of the bytes, V8 moves them off the heap, which costs several times as much as generating them.
// So requests of up to 64 bytes are filled in this mailbox, with a view for each length, and
// copied. It is wiped before other code runs.
const SMALL = 64
const memory = new ArrayBuffer(SMALL)
const mailboxes = Array.from({ length: SMALL + 1 }, (_, size) => new Uint8Array(memory, 0, size))

export function randomBytes(size: number): Buffer<ArrayBuffer>
export function randomBytes(size: number, callback?: unknown): Buffer<ArrayBuffer> {
  // A program written for node:crypto would wait forever for the callback.
  if (typeof callback === 'function')
    throw wrongValue('"callback" is not supported: random bytes are returned at once')
  return fresh(count('size', size, 0, MAX_LENGTH))
}

let generatorTested = false

/**
 * Tests the generator before the first request for random bytes. Frames do not need this test:
 * their salts also contain random bytes of the operating system.
 */
function testGeneratorOnce(): void {
  if (generatorTested) return
  if (!looksRandom(view => settle(random(view), view))) {
    const what = 'the self-test failed: the generator does not return random bytes'
    throw new AesGcmError('ERR_AESGCM_SELF_TEST_FAILED', what)
  }
  generatorTested = true
}

/** A new key, in memory that its owner can wipe. */
export function freshKey(size: 16 | 32): Buffer<ArrayBuffer> {
  const key = allocateOffHeap(size)
  fill(key)
  return key
}

/** Fills a view off V8's heap (see the mailbox above). */
export function fill(view: Uint8Array): void {
  testGeneratorOnce()
  settle(random(view), view)
}

/** Random bytes in their own Buffer. */
function fresh(size: number): Buffer<ArrayBuffer> {
  testGeneratorOnce()
  const bytes = allocateResult(size, 'fill a smaller one repeatedly')
  const mailbox = mailboxes[size]
  if (mailbox === undefined) {
    settle(random(bytes), bytes)
    return bytes
  }
  let status: number
  try {
    status = random(mailbox)
    copy(bytes, mailbox)
  } finally {
    wipe(mailbox, 0)
  }
  settle(status, bytes)
  return bytes
}

export function randomFillSync<T extends NodeJS.ArrayBufferView | ArrayBuffer>(
  view: T,
  offset?: number,
  size?: number,
): T {
  testGeneratorOnce()
  const whole = offset === undefined && size === undefined && isUint8Array(view)
  const bytes = whole ? view : part(view, offset, size)
  const status = random(bytes)
  if (status !== 0) settle(status, bytes)
  return view
}

/** The part of a view or ArrayBuffer to fill, as bytes. `offset` and `size` count elements. */
function part(view: unknown, offset: unknown, size: unknown): Uint8Array {
  const span = spanOf(view)
  if (span === undefined) throw mustBe('view', 'an ArrayBuffer or a view of one', view)
  if (span === 'detached') throw detached('view')
  const { buffer, start, length, elementBytes } = span
  if (isSharedArrayBuffer(buffer)) throw shared('view')
  const from = offset === undefined ? 0 : count('offset', offset, 0, length)
  const left = length - from
  // An ArrayBuffer may be longer than any Uint8Array.
  const most = min(left, floor(MAX_LENGTH / elementBytes))
  const some = count('size', size === undefined ? left : size, 0, most)
  return bytesOver(buffer, start + from * elementBytes, some * elementBytes)
}

export function reseed(): void {
  settle(renewSeed())
}

/** Throws a refusal. Publishes that the CPU's entropy source was dropped, if `status` is 1. */
function settle(status: number, view?: Uint8Array): void {
  if (!(status >= 0)) throw refusal(status, ['view'], view)
  if (status > 0) entropySourceDropped(randomInfo().cpuSource)
}

export function randomInfo(): RandomInfo {
  const info = readInfo()
  if (typeof info === 'number') throw refusal(info, [])
  return info
}
