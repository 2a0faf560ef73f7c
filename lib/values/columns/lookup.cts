// The blind indexes of a value: what is indexed, and the terms of a lookup.
import { apply } from '../../cipher/base/builtins.cjs'
import { nodeError } from '../../cipher/base/errors.cjs'
import type { Column } from './column.cjs'
import { contentOf } from './content.cjs'
import { indexesOf } from './index-keys.cjs'

/** The indexes of a value under the newest key, then under each older one. */
export function lookUp(column: Column, value: unknown): string[] {
  const { index, name } = column
  if (index === undefined) {
    const what = `"column" is '${name}', which has no index: declare one, as { index: '${name}_index' }`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', what)
  }
  if (value === null || value === undefined) {
    const what = `"value" must be a value, got ${value}: NULL has no index, so ask WHERE ${name} IS NULL`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  contentOf(column.type, 'value', value)
  return indexesOf(index, indexContent(column, 'value', value))
}

/** The content of a value after it was normalized. The value is of the column's type. */
export function indexContent(
  { type, index, argument }: Column,
  name: string,
  value: unknown,
): string | Uint8Array {
  const normalizer = index?.normalizer
  const normal = normalizer === undefined ? value : apply(normalizer, undefined, [value as never])
  const content = contentOf(type, normalizer === undefined ? name : `${argument}.normalizer()`, normal)
  // Databases and JavaScript call both zeros equal.
  return type === 'number' && content === '-0' ? '0' : content
}
