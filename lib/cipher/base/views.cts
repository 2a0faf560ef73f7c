// Facts about a byte view that its class and own properties cannot forge.
import type { Buffer } from 'node:buffer'
import {
  apply,
  construct,
  getPrototypeOf,
  getterIfAny,
  getterOf,
  isArray,
  buffer as node,
  rethrowOverflow,
  structuredClone,
  types,
  uncurried,
} from './builtins.cjs'

const { isAnyArrayBuffer, isDataView, isProxy, isSharedArrayBuffer, isTypedArray, isUint8Array } = types
const TypedArray = getPrototypeOf(Uint8Array)
const getter = <T,>(name: string | symbol, of: object = TypedArray.prototype) =>
  getterOf<Uint8Array, T>(of, name)

const buffer = getter<ArrayBuffer>('buffer')
/** The beginning of a Uint8Array in its memory, in bytes. */
export const byteOffset = getter<number>('byteOffset')
const elements = getter<number>('length')
/** The name of a typed array's class in ECMAScript; undefined for any other value. */
export const typeName = getter<string | undefined>(Symbol.toStringTag) as (
  value: unknown,
) => string | undefined
const dataView = {
  buffer: getter<ArrayBuffer>('buffer', DataView.prototype),
  byteOffset: getter<number>('byteOffset', DataView.prototype),
  byteLength: getter<number>('byteLength', DataView.prototype),
}
/** The length of an ArrayBuffer. Throws for shared memory. */
export const memoryLength = getterOf<ArrayBuffer, number>(ArrayBuffer.prototype, 'byteLength')
const Class = node.Buffer
const { allocUnsafeSlow } = Class
const Bytes = Uint8Array
const Memory = ArrayBuffer

/** Throws for a detached view, as every method of a typed array does. The binding calls it too. */
export const { at } = TypedArray.prototype
const validate: (view: Uint8Array) => unknown = uncurried(at)

/** The length of a Uint8Array, even of a subclass with other getters. */
export const byteLength = getter<number>('byteLength')

type BufferClass = new (memory: ArrayBuffer, start: number, length: number) => Buffer<ArrayBuffer>
/** The class behind `Buffer`, which makes Buffers in Node and Deno. Bun has none. */
const Own = classOfBuffers()
/** The class behind `Buffer`, unless a program replaces it. */
const Parent = Own && getPrototypeOf(Own)
/** Has the prototype of Buffers, whatever a program makes of `Buffer.prototype`. */
function Made(): void {}
Made.prototype = Class.prototype

/** Tries the class first: a program may have replaced it before this file was loaded. */
function classOfBuffers(): BufferClass | undefined {
  try {
    const Own = (Class as unknown as { [Symbol.species]: BufferClass })[Symbol.species]
    if (Own === (Class as unknown)) return undefined
    const memory = new Memory(8)
    const part: unknown = new Own(memory, 2, 5)
    const isPart = isUint8Array(part) && buffer(part) === memory && byteOffset(part) === 2
    return isPart && byteLength(part) === 5 && getPrototypeOf(part) === Class.prototype ? Own : undefined
  } catch {
    return undefined
  }
}

/** Zeroes a Uint8Array. Pass the 0: V8 is slower if the argument is missing. */
export const wipe: (view: Uint8Array, zero: 0) => unknown = uncurried(TypedArray.prototype.fill)

/** Copies `source` to the beginning of `target`, or to `at`. */
export const copy: (target: Uint8Array, source: Uint8Array, at?: number) => void = uncurried(
  TypedArray.prototype.set,
)

/** Fills a few bytes of `target` from `source` at `at`. A view for `copy` would take longer. */
export function copyShort(target: Uint8Array, source: Uint8Array, at: number): void {
  for (let i = 0; i < target.length; i++) target[i] = source[at + i] as number
}

/** A view's place. `length` counts elements, as in node:crypto's options; `start` counts bytes. */
export interface Span {
  buffer: ArrayBuffer
  start: number
  length: number
  elementBytes: number
}

/** The span of a view or an ArrayBuffer, unless detached; undefined for any other value. */
export function spanOf(value: unknown): Span | 'detached' | undefined {
  try {
    if (isAnyArrayBuffer(value)) {
      const memory = buffer(new Bytes(value, 0, 0))
      // For shared memory, which callers refuse, the getter throws.
      const length = isSharedArrayBuffer(memory) ? 0 : memoryLength(memory)
      return { buffer: memory, start: 0, length, elementBytes: 1 }
    }
    const view = value as Uint8Array
    if (isTypedArray(view)) {
      validate(view)
      const length = elements(view)
      return {
        buffer: buffer(view),
        start: byteOffset(view),
        length,
        elementBytes: byteLength(view) / length || 1,
      }
    }
    if (!isDataView(view)) return undefined
    const { byteOffset: start, byteLength: length } = dataView
    return { buffer: dataView.buffer(view), start: start(view), length: length(view), elementBytes: 1 }
  } catch (error) {
    rethrowOverflow(error)
    return 'detached'
  }
}

/** A Uint8Array over part of `memory`, which must not be detached. */
export function bytesOver(memory: ArrayBuffer, start: number, length: number): Uint8Array {
  return new Bytes(memory, start, length)
}

/** The memory under a Uint8Array. */
export function memoryOf(view: Uint8Array): ArrayBuffer {
  return buffer(view)
}

/** Whether a Uint8Array is on a SharedArrayBuffer. */
export function isShared(view: Uint8Array): boolean {
  return isSharedArrayBuffer(buffer(view))
}

const resizable = getterIfAny<ArrayBuffer, boolean>(ArrayBuffer.prototype, 'resizable')

/** Whether unshared memory can change its length. */
export const isResizable: (memory: ArrayBuffer) => boolean = resizable ?? (() => false)

const immutable = getterIfAny<ArrayBuffer, boolean>(ArrayBuffer.prototype, 'immutable')

/**
 * Whether memory is immutable, in the sense of the ECMAScript proposal (Node 26:
 * `--js-immutable-arraybuffer`). Native code can still write it, and Node-API does not report it.
 * Where no memory is immutable, the question costs nothing.
 */
export const isImmutable: (memory: ArrayBuffer) => boolean =
  immutable === undefined ? () => false : memory => !isSharedArrayBuffer(memory) && immutable(memory)

/** Whether a value is a Uint8Array on immutable memory. */
export const liesOnImmutable: (value: unknown) => boolean =
  immutable === undefined ? () => false : value => isUint8Array(value) && isImmutable(buffer(value))

/** Whether the memory of a Uint8Array is there. */
export function isAttached(view: Uint8Array): boolean {
  try {
    validate(view)
    return true
  } catch (error) {
    rethrowOverflow(error)
    return false
  }
}

// No code of a program runs while a Buffer is made: callers have read lengths, which it could
// change. The class behind `Buffer` would run its parent, which a program can replace. `construct`
// makes the same Buffers, but each has a hidden class of its own, which slows down all code that
// reads one.

/** As `partOf`, for part of a view's memory. */
export function viewOf(view: Uint8Array, start: number, length: number): Buffer<ArrayBuffer> | undefined {
  return partOf(buffer(view), byteOffset(view) + start, length)
}

/** A Buffer over part of `memory`; undefined if detached. `length` must not be negative. */
export function partOf(memory: ArrayBuffer, start: number, length: number): Buffer<ArrayBuffer> | undefined {
  try {
    return bufferOver(memory, start, length)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

function bufferOver(memory: ArrayBuffer, start: number, length: number): Buffer<ArrayBuffer> {
  return Own !== undefined && getPrototypeOf(Own) === Parent
    ? new Own(memory, start, length)
    : construct(Bytes, [memory, start, length], Made)
}

/** A Buffer with its own ArrayBuffer, not a slice of the shared pool. Not initialised. */
export function allocate(length: number): Buffer<ArrayBuffer> {
  return Own !== undefined && getPrototypeOf(Own) === Parent
    ? allocUnsafeSlow(length)
    : construct(Bytes, [length], Made)
}

/** Most bytes of a view whose memory V8 puts on its heap. */
const ON_HEAP = 64

/** A Buffer of zeros off V8's heap, even for few bytes: the collector does not copy them. */
export function allocateOffHeap(length: number): Buffer<ArrayBuffer> {
  if (length <= ON_HEAP) return bufferOver(new Memory(length), 0, length)
  const bytes = allocate(length)
  wipe(bytes, 0)
  return bytes
}

/** A Buffer over all of `memory`, which must not be detached. */
export function allOf(memory: ArrayBuffer): Buffer<ArrayBuffer> {
  return bufferOver(memory, 0, memoryLength(memory))
}

/** As many arguments as fill 32 KiB of the stack. */
const ROOM = new Array<number>(4096).fill(0)
const nothing = () => {}

/**
 * Detaches `memory`, and returns its bytes in a new ArrayBuffer without a copy; another value if
 * the runtime cannot. The binding calls this function, checks the result, and relies on being the
 * only one to get it.
 */
export function transfer(memory: ArrayBuffer): unknown {
  try {
    // Node 20 sends the memory and then receives it. A stack overflow in between would lose it, so
    // a nearly full stack overflows here.
    apply(nothing, undefined, ROOM)
    return structuredClone(memory, { __proto__: null, transfer: [memory] } as { transfer: ArrayBuffer[] })
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
}

/** Whether a value is a revoked Proxy, or a Proxy around one. Runs no code of the value. */
export function isRevoked(value: unknown): boolean {
  try {
    isArray(value)
    return false
  } catch (error) {
    rethrowOverflow(error)
    return true
  }
}

/** The kind of a value, for error messages; runs no code of the value. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  if (isProxy(value)) return 'Proxy' // before any question that would run its traps
  if (isTypedArray(value)) return typeName(value) as string
  if (isDataView(value)) return 'DataView'
  if (isAnyArrayBuffer(value)) return 'ArrayBuffer'
  return isArray(value) ? 'Array' : 'object'
}

const { prototype: BLOB } = node.Blob

/** The kind of a value given for a Uint8Array, with how to make one. Runs no code of the value. */
export function kindForBytes(value: unknown): string {
  return `${kindOf(value)}${helpFor(value)}`
}

function helpFor(value: unknown): string {
  if (typeof value !== 'object' || value === null || isProxy(value)) return ''
  if (isAnyArrayBuffer(value)) return ': new Uint8Array(buffer) is a view of it'
  if (isTypedArray(value) || isDataView(value))
    return ': new Uint8Array(view.buffer, view.byteOffset, view.byteLength) is a view of the same bytes'
  if (isArray(value)) return ': if it holds numbers, Uint8Array.from(array)'
  return isBlob(value) ? ': new Uint8Array(await blob.arrayBuffer()) has the bytes of a Blob' : ''
}

/** Whether a non-Proxy is a Blob or File. `instanceof` would run traps of a Proxy prototype. */
function isBlob(value: object): boolean {
  const prototype = getPrototypeOf(value) as object | null
  return (
    prototype === BLOB || (prototype !== null && !isProxy(prototype) && getPrototypeOf(prototype) === BLOB)
  )
}
