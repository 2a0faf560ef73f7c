// The length of sealed values.
import { floor, max } from '../../cipher/base/builtins.cjs'
import { count } from '../../cipher/base/parse.cjs'
import { KEY_TYPES } from '../keyring/keyset/key-types.cjs'
import { PREFIX_BYTES } from '../keyring/prefix.cjs'
import type { Column } from './column.cjs'

/** The longest text of a finite number, such as -1.2345678901234567e-308. */
const NUMBER_CHARACTERS = 24
/** The longest string of V8 is 2^29 - 24 characters. */
const MAX_BYTES = 402_653_100

/** Prefix, nonce and tag under a key of any type: keys of other types may follow. */
const AROUND = PREFIX_BYTES + KEY_TYPES.reduce((most, { cipher }) => max(most, cipher.overhead), 0)

/** The characters of a sealed value of at most `bytes` bytes. */
export function lengthOfColumn({ type }: Column, bytes: unknown): number {
  const isFixed = type === 'number' && bytes === undefined
  const length = isFixed ? NUMBER_CHARACTERS : count('bytes', bytes, 0, MAX_BYTES)
  // base64url without padding.
  return floor((4 * (length + AROUND) + 2) / 3)
}
