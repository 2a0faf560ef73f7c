// Rows of callers, each read once into a new object.
import { getPrototypeOf, hasOwn, keys as namesOf, types } from '../../cipher/base/builtins.cjs'
import { wrongType, wrongValue } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Column } from './column.cjs'
import type { Declaration } from './declaration.cjs'
import { type RowName, shownRow } from './row-name.cjs'

const { isView } = ArrayBuffer
const { isProxy } = types
const { prototype: ROOT } = Object

export type Row = Record<string, unknown>

/**
 * The row as `{ ...row }` copies it: its own, enumerable properties, which are read once and become
 * plain ones; without those of the names `left`. Refuses rows in which a declared column would be
 * overlooked.
 */
export function copyOf(
  declaration: Declaration,
  argument: RowName,
  row: unknown,
  left: readonly string[],
): Row {
  if (typeof row !== 'object' || row === null || isView(row) || isList(row)) throw noRow(argument, row)
  const { names } = declaration
  let copy: Row
  let own: readonly string[]
  try {
    copy = withoutAny(row as Row, left)
    own = namesOf(copy)
    // Such a row has every declared column itself.
    if (names.isWholeAgain(own)) return copy
    refuseInherited(declaration, argument, row, copy)
  } catch (error) {
    throw codedIfRevoked(shownRow(argument), row, error)
  }
  names.check(argument, own)
  return copy
}

/** A copy without some properties. Deleting one would slow down every access to the copy. */
export function withoutAny(row: Row, names: readonly string[]): Row {
  let copy = row
  for (let i = 0; i < names.length; i++) {
    const { [names[i] as string]: _, ...rest } = copy
    copy = rest
  }
  return names.length === 0 ? { ...row } : copy
}

/**
 * Refuses a declared column that is a property of the row's class, such as a getter of Sequelize's
 * models: the copy lacks it, and has what is behind it. The prototype of all objects is no class.
 */
function refuseInherited({ columns }: Declaration, argument: RowName, row: object, copy: Row): void {
  let prototype: object | null = getPrototypeOf(row)
  while (prototype !== null && prototype !== ROOT) {
    const next: object | null = getPrototypeOf(prototype)
    if (next === null && !isProxy(prototype)) return
    for (let i = 0; i < columns.length; i++) {
      const { name } = columns[i] as Column
      if (!hasOwn(prototype, name) || hasOwn(copy, name)) continue
      throw wrongValue(
        `"${shownRow(argument)}.${name}" is a property of the row's class: pass a plain object with the columns`,
      )
    }
    prototype = next
  }
}

function noRow(argument: RowName, row: unknown): Error {
  let help = ''
  if (row === undefined || row === null) help = ': the query found no row'
  else if (isList(row)) help = ': openAll opens an array of rows'
  return wrongType(`"${shownRow(argument)}" must be an object, got ${kindOf(row)}${help}`)
}
