// Plants faults in the methods of AesGcm while a function runs, and lists those that the other files of this folder make.
import { AesGcm } from 'hardware-aes-gcm'
import { METHODS } from '../../../tools/support.js'

// biome-ignore lint/suspicious/noExplicitAny: a replacement has the types of the method that it replaces.
export type Any = any
type Call = (this: Any, ...values: Any[]) => Any
export type Replacement = (original: Call, name: string) => Call

/** The prototype that has a member of AesGcm: its own or that of its base class. */
function ownerOf(name: string | symbol): object {
  let owner: object = AesGcm.prototype
  while (!Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)
  return owner
}

/** Replaces methods or getters of AesGcm while `run` runs. */
export function planted(
  names: readonly (string | symbol)[],
  replacement: Replacement,
  run: () => void,
): void {
  const before = names.map(name => {
    const owner = ownerOf(name)
    const descriptor = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
    const kind = descriptor.get ? 'get' : 'value'
    const replaced = replacement(descriptor[kind], String(name))
    Object.defineProperty(owner, name, { ...descriptor, [kind]: replaced })
    return [owner, name, descriptor] as const
  })
  try {
    run()
  } finally {
    for (const [owner, name, descriptor] of before) Object.defineProperty(owner, name, descriptor)
  }
}

/** The fault of the class, a pattern for the cases of which one must fail, the methods, and their replacement. */
export const FAULTS: [string, RegExp, (string | symbol)[], Replacement][] = []
export const fault = (does: string, found: RegExp, name: string | symbol, replacement: Replacement) =>
  FAULTS.push([does, found, name === '*' ? Object.keys(METHODS) : [name], replacement])

/** Gives the result of `otherwise` if the original throws an error with this code. */
export const forgiving =
  (code: string, otherwise: (aes: Any, values: Any[], original: Call) => Any): Replacement =>
  original =>
    function (...values) {
      try {
        return original.apply(this, values)
      } catch (error) {
        if ((error as { code?: string }).code !== code) throw error
        return otherwise(this, values, original)
      }
    }

/** Changes the arguments before the original sees them. */
export const changing =
  (change: (values: Any[], name: string) => Any[]): Replacement =>
  (original, name) =>
    function (...values) {
      return original.apply(this, change(values, name))
    }

/** Calls the original, then `then`, which may change the arguments or the result. */
export const afterwards =
  (then: (result: Any, values: Any[], aes: Any) => Any): Replacement =>
  original =>
    function (...values) {
      return then(original.apply(this, values), values, this)
    }

/** Changes a bit of a byte, if the array has the byte. */
export function flip(bytes: Any, at: number): void {
  if (at < bytes.length) bytes[at] ^= 1
}

export const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
