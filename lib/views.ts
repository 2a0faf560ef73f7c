// What a byte view really is, whatever its class pretends: the built-ins as they were when this was imported.
import { Buffer } from 'node:buffer'
import { isAnyArrayBuffer, isDataView, isProxy, isTypedArray } from 'node:util/types'

const TypedArray = Object.getPrototypeOf(Uint8Array)
const getter = <T>(name: string | symbol): ((view: Uint8Array) => T) =>
  Function.prototype.call.bind(Object.getOwnPropertyDescriptor(TypedArray.prototype, name)?.get as () => T)

const buffer = getter<ArrayBuffer>('buffer')
const byteOffset = getter<number>('byteOffset')
const typeName = getter<string>(Symbol.toStringTag)
const { allocUnsafeSlow, from } = Buffer
const { construct } = Reflect
const Bytes = Uint8Array

/** Refuses a view whose memory is gone, as every method of a typed array does. The binding uses it too. */
export const { at } = TypedArray.prototype
const validate: (view: Uint8Array) => unknown = Function.prototype.call.bind(at)

/** The length of a Uint8Array, past any getter of a subclass. */
export const byteLength = getter<number>('byteLength')

/** Zeros in every byte of a Uint8Array. */
export const wipe: (view: Uint8Array, zero: 0) => unknown = Function.prototype.call.bind(
  TypedArray.prototype.fill,
)

/** Whether the memory of a Uint8Array is there. */
export function isThere(view: Uint8Array): boolean {
  try {
    validate(view)
    return true
  } catch {
    return false
  }
}

/** A Buffer over part of a Uint8Array's memory; none where that memory goes while it is asked for. */
export function viewOf(view: Uint8Array, start: number, length: number): Buffer<ArrayBuffer> | undefined {
  const memory = buffer(view)
  const offset = byteOffset(view) + start
  try {
    return from(memory, offset, length)
  } catch {
    // `Buffer.from` asks for a `byteLength` that the ArrayBuffer may have been given as its own. This does not, and
    // takes longer.
  }
  try {
    return construct(Bytes, [memory, offset, length], Buffer)
  } catch {
    return undefined
  }
}

/** A Buffer over an ArrayBuffer of its own, not a slice of the shared pool. Its bytes are whatever was there. */
export function allocate(length: number): Buffer<ArrayBuffer> {
  return allocUnsafeSlow(length)
}

/** What a value is, for an error message; runs no code of the value's. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value !== 'object') return typeof value
  if (isProxy(value)) return 'Proxy' // before any question that would run its traps
  if (isTypedArray(value)) return typeName(value as Uint8Array)
  if (isDataView(value)) return 'DataView'
  if (isAnyArrayBuffer(value)) return 'ArrayBuffer'
  return Array.isArray(value) ? 'Array' : 'object'
}
