// Caller-supplied keys: their bytes, copied once, and errors for values that are not keys.
import type { Buffer } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import { crypto, getPrototypeOf, getterOf, rethrowOverflow, types, uncurried } from '../base/builtins.cjs'
import { wrongType, wrongValue } from '../base/errors.cjs'
import { shown } from '../base/parse.cjs'
import { allocateOffHeap, byteLength, copy, kindForBytes } from '../base/views.cjs'

const { isCryptoKey, isKeyObject, isProxy, isUint8Array } = types

// Node does not export the class that has the method `export`.
const keyType = getterOf<KeyObject, string>(crypto.KeyObject.prototype, 'type')
const exportKey: (key: KeyObject) => Buffer = uncurried(
  getPrototypeOf(crypto.createSecretKey(new Uint8Array(1))).export,
)

// V8 keeps the bytes of a typed array of up to 64 bytes on its heap. When native code asks for
// their address, V8 moves them off the heap, but leaves a copy that cannot be wiped. So native code
// gets keys in these Buffers, which are off the heap and wiped before other code runs.
const copyOfShortKey = allocateOffHeap(16)
const copyOfLongKey = allocateOffHeap(32)

/** Copies a key of 16 or 32 bytes, which is so read once; returns other keys unchanged. */
export function copied(key: Uint8Array): Uint8Array {
  const length = byteLength(key)
  if (length !== 16 && length !== 32) return key
  const place = length === 16 ? copyOfShortKey : copyOfLongKey
  copy(place, key)
  return place
}

/**
 * The bytes of a key: the Uint8Array itself, or a KeyObject's copy, which the caller wipes. For
 * the error, `wanted` names the kinds of keys that the caller accepts.
 */
export function bytesOfKey(key: unknown, name = 'key', wanted = 'a Uint8Array or KeyObject'): Uint8Array {
  const bytes = isUint8Array(key) ? key : secretBytes(key, name)
  if (isUint8Array(bytes)) return bytes
  throw wrongType(`"${name}" must be ${wanted}, got ${kindOfKey(bytes)}`)
}

/** A copy of a secret KeyObject's bytes; undefined if inspecting `key` throws. Others unchanged. */
function secretBytes(key: unknown, name: string): unknown {
  let type: string
  try {
    if (isProxy(key) || !isKeyObject(key)) return key
    type = keyType(key)
    if (type === 'secret') return exportKey(key)
  } catch (error) {
    rethrowOverflow(error)
    return undefined
  }
  const got = shown(type)
  throw wrongValue(`"${name}" must be a secret KeyObject, its type is ${got}`)
}

/** The kind of a value that is not a key, with advice on making a key of it. */
function kindOfKey(value: unknown): string {
  if (typeof value === 'string') {
    const decode = "decode it, as in Buffer.from(text, 'base64') or Buffer.from(text, 'hex')"
    return `string: ${decode}; a password is not a key, but crypto.scrypt derives a key from one`
  }
  if (!isProxy(value) && isCryptoKey?.(value)) return 'CryptoKey: pass KeyObject.from(key)'
  return kindForBytes(value)
}
