// The blind indexes of a value: what is indexed, and the terms of a lookup.
import { apply, define, uncurried } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { BlindIndex } from '../keyring/blind-index.cjs'
import type { Column } from './column.cjs'
import { contentOf } from './content.cjs'
import type { ColumnIndex } from './index-keys.cjs'

const indexOf: (index: BlindIndex, value: string | Uint8Array) => string = uncurried(BlindIndex.prototype.of)

/** The indexes of a value under the newest key, then under each older one. */
export function lookUp(column: Column, value: unknown): string[] {
  const { index, name } = column
  if (index === undefined)
    throw wrongValue(`"column" is '${name}', which has no index: declare one, as { index: '${name}_index' }`)
  if (value === null || value === undefined)
    throw wrongType(`"value" must be a value, got ${value}: NULL has no index, so use WHERE ${name} IS NULL`)
  return indexesOf(column, index, 'value', value)
}

/**
 * The indexes of a value, from that of the newest key to that of the oldest. `name` names the value
 * in errors.
 */
export function indexesOf(column: Column, index: ColumnIndex, name: string, value: unknown): string[] {
  contentOf(column.type, name, value)
  const content = indexContent(column, index, name, value)
  const indexes: string[] = []
  for (let i = 0; i < index.byKey.length; i++)
    define(indexes, `${i}`, indexOf(index.byKey[i] as BlindIndex, content), true)
  return indexes
}

/** The index of a value of the column's type, under the newest key. */
export function newestIndexOf(column: Column, index: ColumnIndex, name: string, value: unknown): string {
  return indexOf(index.byKey[0] as BlindIndex, indexContent(column, index, name, value))
}

/** The content of a value after it was normalized. The value is of the column's type. */
function indexContent(
  { type, argument }: Column,
  { normalizer }: ColumnIndex,
  name: string,
  value: unknown,
): string | Uint8Array {
  const normal = normalizer === undefined ? value : apply(normalizer, undefined, [value as never])
  const content = contentOf(type, normalizer === undefined ? name : `${argument}.normalizer()`, normal)
  // Databases and JavaScript call both zeros equal.
  return type === 'number' && content === '-0' ? '0' : content
}
