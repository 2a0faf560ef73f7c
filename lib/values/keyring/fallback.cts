// The fallback of `openText`: readers of other formats.
import type { OpenTextOptions, TextReader } from '../../../types/keyring.d.ts'
import { uncurried } from '../../cipher/base/builtins.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked, optionsOf } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { AeadTable } from './key-table.cjs'
import { type OpenFailure, toError } from './opening.cjs'
import { checkArguments, OPEN_TEXT } from './refusal.cjs'

const NAMES = ['fallback'] as const satisfies (keyof OpenTextOptions)[]
const READERS = { elements: 'readers', least: 0, most: 255 }
const NAME = 'options.fallback'

type TryOpen = TextReader['tryOpen']
const call = uncurried as (method: TryOpen) => (reader: unknown, sealed: unknown, aad: unknown) => unknown

/** The readers of the options of `openText`; undefined without options. */
export function readersOf(options: unknown): readonly unknown[] | undefined {
  return options === undefined ? undefined : readersAmong(optionsOf(options, NAMES))
}

/** The readers among options, in a plain array. `argument` names the option. */
export function readersAmong(own: (name: 'fallback') => unknown, argument = NAME): readonly unknown[] {
  const fallback = own('fallback')
  if (fallback === undefined || fallback === null) return []
  const readers = isList(fallback)
    ? elementsOf(argument, fallback, lengthOfList(argument, fallback, READERS))
    : [fallback]
  for (let i = 0; i < readers.length; i++) methodOf(readers[i], argument)
  return readers
}

function methodOf(reader: unknown, argument: string): TryOpen {
  const isObject = (typeof reader === 'object' && reader !== null) || typeof reader === 'function'
  const method = isObject ? tryOpenOf(reader as TextReader, argument) : undefined
  if (typeof method === 'function') return method
  const what = `must be a reader of hardware-aes-gcm/legacy, or an array of readers, got ${kindOf(reader)}`
  throw wrongType(`"${argument}" ${what}`)
}

function tryOpenOf(reader: TextReader, argument: string): TryOpen | undefined {
  try {
    return reader.tryOpen
  } catch (error) {
    throw codedIfRevoked(argument, reader, error)
  }
}

/** The text that a reader of another format makes of a value which did not open. */
export function readOrThrow(
  table: AeadTable,
  text: OpenFailure,
  readers: readonly unknown[] | undefined,
  sealed: string,
  aad: unknown,
): string {
  const read = readByOthers(text, readers, sealed, aad)
  if (read !== null) return read
  throw toError(table, text, OPEN_TEXT, [undefined, 0, sealed, aad])
}

/** As `readOrThrow`, but null for a text that no reader reads. */
export function readByOthers(
  text: OpenFailure,
  readers: readonly unknown[] | undefined,
  sealed: string,
  aad: unknown,
): string | null {
  if (readers === undefined || !text.isForgery) return null
  // A key that was tried has checked them.
  if (text.key === undefined) checkArguments(OPEN_TEXT, sealed, aad)
  return textByReaders(readers, sealed, aad)
}

/**
 * The text that the first reader makes of a value which can read it; null if no reader can. A value
 * is an object if its parts are in several columns.
 */
export function textByReaders(
  readers: readonly unknown[],
  sealed: string | object,
  aad: unknown,
): string | null {
  for (let i = 0; i < readers.length; i++) {
    const text = unpublished(() => textBy(readers[i], sealed, aad))
    if (typeof text === 'string') return text
    if (text !== null) throw wrongType(`"${NAME}" must return a string or null, got ${kindOf(text)}`)
  }
  return null
}

function textBy(reader: unknown, sealed: string | object, aad: unknown): unknown {
  const method = methodOf(reader, NAME)
  try {
    return call(method)(reader, sealed, aad)
  } catch (error) {
    throw codedIfRevoked(NAME, method, error)
  }
}
