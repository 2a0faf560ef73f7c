// Refuses to open a row that has a sealed value outside its declared columns. A query that renames
// or nests a column would hand its ciphertext to the program.
//
// A value is told by its prefix, which names a key of the keyring.
import {
  getPrototypeOf,
  isArray,
  positionOf,
  rethrowOverflow,
  types,
  uncurried,
  unitAt,
} from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { byteLength } from '../../cipher/base/views.cjs'
import { type Keyring, tableOf } from '../keyring/keyring.cjs'
import { prefixInBytes, prefixInText, prefixOf } from '../keyring/prefix.cjs'
import type { Declaration } from './declaration.cjs'
import type { Row } from './row.cjs'
import { type RowName, shownRow } from './row-name.cjs'
import { LEAST_CHARACTERS } from './sealed.cjs'

const { isProxy, isUint8Array } = types
const { fromCharCode } = String
const { prototype: ROOT } = Object
const { prototype: DATE } = Date
/** The first character of a sealed text, and the first byte of sealed bytes. */
const [TEXT, BYTES] = [0x41, 1]
/** The characters that have the prefix. */
const PREFIX_CHARACTERS = 7
/** Prefix, nonce and tag. */
const LEAST_BYTES = 33
/** Up to so many properties, V8 reads them faster by name than all of a row in order. */
const FEW = 3
/** Objects that are looked at before they are noted. Most values have fewer. */
const UNNOTED = 32

const Objects = WeakSet<object>
const has: (set: WeakSet<object>, object: object) => boolean = uncurried(Objects.prototype.has)
const add: (set: WeakSet<object>, object: object) => unknown = uncurried(Objects.prototype.add)

/**
 * Throws if one of these properties of an opened row is a sealed value of the keyring, or contains
 * one.
 */
export function refuseSealed(
  declaration: Declaration,
  argument: RowName,
  row: Row,
  names: readonly string[],
): void {
  const { keyring } = declaration
  if (names.length <= FEW) {
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      if (mayHide(row[name]) && hides(keyring, row[name])) throw undeclared(declaration, argument, name)
    }
    return
  }
  for (const name in row)
    if (mayHide(row[name]) && positionOf(names, name) >= 0 && hides(keyring, row[name]))
      throw undeclared(declaration, argument, name)
}

/** Whether a value is a sealed one of the keyring, or contains one. */
export function hidesSealed(keyring: Keyring, value: unknown): boolean {
  return mayHide(value) && hides(keyring, value)
}

function undeclared({ table }: Declaration, argument: RowName, name: string): Error {
  return wrongValue(
    `"${shownRow(argument)}.${name}" has a sealed value, and "${table}" declares no such column: select columns under their declared names, open nested rows themselves, or list '${name}' in "passThrough"`,
  )
}

/** A first test, which most values fail. */
function mayHide(value: unknown): value is string | object {
  if (typeof value === 'string') return value.length >= LEAST_CHARACTERS && unitAt(value, 0) === TEXT
  return typeof value === 'object' && value !== null
}

/** Whether a value that passed the first test is sealed, or contains one that is. */
function hides(keyring: Keyring, value: string | object): boolean {
  if (typeof value === 'string') return isOf(keyring, prefixInText(value))
  try {
    return isNested(value) ? hidesInside(keyring, value) : isSealedBytes(keyring, value)
  } catch (error) {
    rethrowOverflow(error)
    // Code of the caller, such as a getter: the value is no part of a result.
    return false
  }
}

/** Whether an object is an array, or one without a class in any realm. */
function isNested(object: object): boolean {
  const prototype: object | null = getPrototypeOf(object)
  if (prototype === ROOT || prototype === null) return true
  // A Proxy may have any length.
  if (prototype === DATE || isProxy(object)) return false
  return isArray(object) || getPrototypeOf(prototype) === null
}

interface Pending {
  readonly object: object
  readonly next: Pending | undefined
}

/** Looks into arrays and plain objects, however deep. A circle ends, because objects are noted. */
function hidesInside(keyring: Keyring, first: object): boolean {
  let pending: Pending | undefined = { object: first, next: undefined }
  let seen: WeakSet<object> | undefined
  for (let count = 0; pending !== undefined; count++) {
    const { object }: Pending = pending
    pending = pending.next
    if (count >= UNNOTED) {
      seen ??= new Objects()
      if (has(seen, object)) continue
      add(seen, object)
    }
    if (isArray(object)) {
      for (let i = 0; i < object.length; i++) if (isFound(object[i])) return true
    } else {
      for (const name in object) if (isFound((object as Row)[name])) return true
    }
  }
  return false

  /** Notes a nested object for later. */
  function isFound(value: unknown): boolean {
    if (!mayHide(value)) return false
    if (typeof value !== 'object' || !isNested(value)) return hides(keyring, value)
    pending = { object: value, next: pending }
    return false
  }
}

/** Sealed bytes, or text as bytes, as of columns whose collation is binary. */
function isSealedBytes(keyring: Keyring, bytes: object): boolean {
  if (!isUint8Array(bytes) || byteLength(bytes) < LEAST_BYTES) return false
  if (bytes[0] === BYTES) return isOf(keyring, prefixInBytes(bytes))
  if (bytes[0] !== TEXT || byteLength(bytes) < LEAST_CHARACTERS) return false
  let text = ''
  for (let i = 0; i < PREFIX_CHARACTERS; i++) text += fromCharCode(bytes[i] as number)
  return isOf(keyring, prefixInText(text))
}

/** Whether a prefix is that of a key, even of a disabled one, in the form that columns have. */
function isOf(keyring: Keyring, prefix: number): boolean {
  if (prefix < prefixOf(1, 0)) return false
  const key = tableOf(keyring).find(prefix)
  return key !== undefined && prefix === prefixOf(1, key.id)
}
