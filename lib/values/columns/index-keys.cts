// The keys of blind indexes, and the index of one column under each of them.
import type { KeyObject } from 'node:crypto'
import { define } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { BlindIndex } from '../keyring/blind-index.cjs'

const KEYS = { elements: 'keys', least: 1, most: 8 }

/** The keys of a declaration, from the newest to the oldest. */
export interface IndexKeys {
  readonly given: boolean
  readonly list: readonly unknown[]
}

export function indexKeysOf(argument: string, given: unknown): IndexKeys {
  if (given === undefined) return { given: false, list: [] }
  if (!isList(given)) return { given: true, list: [given] }
  return { given: true, list: elementsOf(argument, given, lengthOfList(argument, given, KEYS)) }
}

/** The index of a column. */
export interface ColumnIndex {
  /** The column that contains it. */
  readonly name: string
  readonly byKey: readonly BlindIndex[]
  readonly normalizer: ((value: never) => unknown) | undefined
}

export function columnIndexOf(
  argument: string,
  purpose: string,
  name: string,
  normalizer: unknown,
  { given, list }: IndexKeys,
): ColumnIndex {
  if (!given)
    throw wrongValue(
      `"options.indexKey" is missing, and "${argument}.index" needs it: BlindIndex.generateKey() makes one`,
    )
  if (normalizer !== undefined && typeof normalizer !== 'function')
    throw wrongType(`"${argument}.normalizer" must be a function, got ${kindOf(normalizer)}`)
  const byKey: BlindIndex[] = []
  for (let i = 0; i < list.length; i++)
    define(byKey, `${i}`, new BlindIndex(list[i] as KeyObject, { purpose }), true)
  return { name, byKey, normalizer: normalizer as ColumnIndex['normalizer'] }
}
