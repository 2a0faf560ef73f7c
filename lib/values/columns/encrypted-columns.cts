// The function encryptedColumns and its objects, documented in types/columns.d.ts.
import type { Columns, EncryptedColumns, EncryptedColumnsOptions } from '../../../types/columns.d.ts'
import { define, markAsUncloneable } from '../../cipher/base/builtins.cjs'
import { AuthenticationError, wrongReceiver, wrongType } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import { conditionOf } from './condition.cjs'
import { columnOf, type Declaration, declarationOf, factsOf } from './declaration.cjs'
import { lengthOfColumn } from './length.cjs'
import { lookUp } from './lookup.cjs'
import { openRow } from './open-row.cjs'
import type { Row } from './row.cjs'
import { sealRow } from './seal-row.cjs'

const { isExtensible } = Object
const ROWS = { elements: 'rows', least: 0, most: 2 ** 32 - 1 }

export function encryptedColumns<const Declared extends Columns, const Key extends string = never>(
  table: string,
  options: EncryptedColumnsOptions<Declared, Key>,
): EncryptedColumns<Declared, Key> {
  // A class without type parameters has the methods, whose rows and values are checked when called.
  return new Table(declarationOf(table, options)) as never
}

/** The declaration of an object of `encryptedColumns`; undefined for anything else. */
export let declared: (table: unknown) => Declaration | undefined

class Table {
  readonly #declaration: Declaration

  static {
    declared = table =>
      typeof table === 'object' && table !== null && #declaration in table ? table.#declaration : undefined
    showAs(
      Table,
      'EncryptedColumns',
      self => #declaration in self,
      self => factsOf(self.#declaration),
    )
  }

  constructor(declaration: Declaration) {
    markAsUncloneable(this)
    this.#declaration = declaration
  }

  seal(row: unknown): Row {
    return sealRow(Table.#of(this), 'row', row)
  }

  open(row: unknown): Row {
    return openRow(Table.#of(this), 'row', row)
  }

  tryOpen(row: unknown): Row | null {
    const declaration = Table.#of(this)
    try {
      return openRow(declaration, 'row', row)
    } catch (error) {
      if (error instanceof AuthenticationError) return null
      throw error
    }
  }

  openAll(rows: unknown): Row[] {
    const declaration = Table.#of(this)
    if (!isList(rows)) throw wrongType(`"rows" must be an array, got ${kindOf(rows)}`)
    // Every element exists, so an assignment runs no setter of Array.prototype.
    const list = elementsOf('rows', rows, lengthOfList('rows', rows, ROWS)) as Row[]
    for (let i = 0; i < list.length; i++) list[i] = openAt(declaration, list, i)
    return list
  }

  lookup(column: unknown, value: unknown): string[] {
    const declaration = Table.#of(this)
    return lookUp(columnOf(declaration, column), value)
  }

  condition(column: unknown, database: unknown): string {
    const declaration = Table.#of(this)
    return conditionOf(columnOf(declaration, column).name, database)
  }

  length(column: unknown, bytes?: unknown): number {
    const declaration = Table.#of(this)
    return lengthOfColumn(columnOf(declaration, column), bytes)
  }

  /** The declaration of `self`; throws if it is another object. */
  static #of(self: unknown): Declaration {
    const declaration = declared(self)
    if (declaration === undefined) throw wrongReceiver('EncryptedColumns')
    return declaration
  }
}

/** Opens a row of a list. An error names its position. */
function openAt(declaration: Declaration, list: readonly unknown[], i: number): Row {
  try {
    return openRow(declaration, i, list[i])
  } catch (error) {
    // A reader of the caller may throw an error that is frozen.
    if (error instanceof AuthenticationError && isExtensible(error)) define(error, 'index', i, true)
    throw error
  }
}
