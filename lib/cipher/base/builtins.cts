// Node's modules, and the built-ins as they were when this file was loaded. Functions for keys,
// data and options use these, because a program may patch the globals later. Other code may use
// globals.
//
// Built-ins outside ECMAScript come from Node's modules everywhere: realms such as Jest's jsdom
// lack them or replace them. Only `process` must exist.
//
// `process.getBuiltinModule` instead of `require`: bundlers that write ES modules keep calls of
// `require`, which throw there.

export const { AsyncResource } = process.getBuiltinModule('node:async_hooks')
export const buffer = process.getBuiltinModule('node:buffer')
export const crypto = process.getBuiltinModule('node:crypto')
export const diagnostics = process.getBuiltinModule('node:diagnostics_channel')
export const { addAbortListener } = process.getBuiltinModule('node:events')
export const fs = process.getBuiltinModule('node:fs')
export const modules = process.getBuiltinModule('node:module')
export const types = process.getBuiltinModule('node:util/types')
export const { clearTimeout, setImmediate, setTimeout } = process.getBuiltinModule('node:timers')
export const { nextTick } = process.getBuiltinModule('node:process')
export const { performance } = process.getBuiltinModule('node:perf_hooks')
export const urls = process.getBuiltinModule('node:url')
export const util = process.getBuiltinModule('node:util')

/** No module of Node has it, but its own realm does. */
export const AbortController: typeof globalThis.AbortController =
  globalThis.AbortController ?? process.getBuiltinModule('node:vm').runInThisContext('AbortController')

/** As above. */
export const structuredClone: typeof globalThis.structuredClone =
  globalThis.structuredClone ?? process.getBuiltinModule('node:vm').runInThisContext('structuredClone')

/** Node cannot load this module while Object.prototype has a property called `value`. */
const threads = ((): Partial<typeof import('node:worker_threads')> => {
  try {
    return process.getBuiltinModule('node:worker_threads')
  } catch {
    return {}
  }
})()

const nothing = () => {}

/** Makes cloning of an object an error. Before Node 22.10, clones are empty objects. */
export const markAsUncloneable: (object: object) => void =
  (threads as { markAsUncloneable?: (object: object) => void }).markAsUncloneable ?? nothing

/** Makes a transfer of memory an error, or on Node 20 a copy. */
export const markAsUntransferable: (memory: ArrayBuffer) => void = threads.markAsUntransferable ?? nothing

/** Values that threads inherit from the thread that starts them. */
export const environmentData = {
  get: (threads.getEnvironmentData ?? nothing) as (name: string) => unknown,
  set: (threads.setEnvironmentData ?? nothing) as (name: string, value: unknown) => void,
}

/** `Symbol.dispose`; a private symbol in realms without it, such as Jest's on Node 20. */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol('dispose')

const { bind } = Function.prototype

/** A method as a function whose first argument is its receiver. */
export const uncurried = bind.bind(Function.prototype.call) as <
  Receiver,
  Parameters extends unknown[],
  Result,
>(
  method: (this: Receiver, ...parameters: Parameters) => Result,
) => (receiver: Receiver, ...parameters: Parameters) => Result

const { defineProperty, getOwnPropertyDescriptor } = Object
export const { freeze, getPrototypeOf, hasOwn, keys } = Object
export const { isArray } = Array
export const { isInteger } = Number
export const { floor, log2, max, min } = Math
export const { parse: parseJson } = JSON
export const { apply, construct, deleteProperty } = Reflect
export const join: (list: readonly string[], separator: string) => string = uncurried(Array.prototype.join)
/** A plain copy of an array without `count` elements from `start`. TypeScript's ES2022 lacks it. */
export const toSpliced: <Element>(
  list: readonly Element[],
  start: number,
  count: number,
) => readonly Element[] = uncurried((Array.prototype as never as { toSpliced: never }).toSpliced)
const startsWith: (text: string, start: string) => boolean = uncurried(String.prototype.startsWith)
export const indexOf: (text: string, part: string, from?: number) => number = uncurried(
  String.prototype.indexOf,
)
export const slice: (text: string, start: number, end?: number) => string = uncurried(String.prototype.slice)
export const toLowerCase: (text: string) => string = uncurried(String.prototype.toLowerCase)
export const trim: (text: string) => string = uncurried(String.prototype.trim)

/** The position of a value in a list, or -1. */
export function positionOf(list: readonly unknown[], value: unknown): number {
  for (let i = 0; i < list.length; i++) if (list[i] === value) return i
  return -1
}

/** The unit of a text at a position; NaN past its end. */
export const unitAt: (text: string, at: number) => number = uncurried(String.prototype.charCodeAt)

/** The first characters of a text. */
export function beginning(text: string, length: number): string {
  return slice(text, 0, length)
}

/**
 * Gives an object its own property. An assignment could run a setter of Object.prototype, and a
 * descriptor with a prototype could inherit a property called `get`.
 */
export function define(object: object, name: string | symbol, value: unknown, enumerable = false): void {
  const descriptor = { __proto__: null, value, configurable: true, enumerable, writable: true }
  defineProperty(object, name, descriptor as PropertyDescriptor)
}

/** The getter of a prototype's property, as a function of the object. */
export function getterOf<Receiver extends object, Result>(prototype: object, name: string | symbol) {
  return uncurried(getOwnPropertyDescriptor(prototype, name)?.get as (this: Receiver) => Result)
}

/** As `getterOf`; undefined where the runtime has no such property. */
export function getterIfAny<Receiver extends object, Result>(prototype: object, name: string) {
  return hasOwn(prototype, name) ? getterOf<Receiver, Result>(prototype, name) : undefined
}

/** The `code` of a thrown value. For a missing module, some runtimes throw a non-Error. */
export function codeOf(thrown: unknown): unknown {
  return typeof thrown === 'object' && thrown !== null ? (thrown as NodeJS.ErrnoException).code : undefined
}

/**
 * Rethrows a stack overflow, which says nothing about the inspected value: the same call succeeds
 * with fewer calls on the stack.
 */
export function rethrowOverflow(error: unknown): void {
  if (types.isNativeError(error) && startsWith(`${error.message}`, 'Maximum call stack')) throw error
}
