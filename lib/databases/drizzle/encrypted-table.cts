// The function encryptedTable, documented in types/drizzle.d.ts.
import type { Columns, EncryptedColumns } from '../../../types/columns.d.ts'
import type { EncryptedTable } from '../../../types/drizzle.d.ts'
import { define, hasOwn, unitAt } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongReceiver, wrongValue } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { kindOf } from '../../cipher/base/views.cjs'
import type { Column } from '../../values/columns/column.cjs'
import { columnOf, type Declaration, factsOf } from '../../values/columns/declaration.cjs'
import { declared } from '../../values/columns/encrypted-columns.cjs'
import { lookUp } from '../../values/columns/lookup.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { sealRow } from '../../values/columns/seal-row.cjs'
import { looksSealed } from '../../values/columns/sealed.cjs'
import { isDigit } from '../../values/keyring/prefix.cjs'
import { known } from './entities.cjs'
import { textOfKey } from './row-keys.cjs'
import { contentOf, nameOf, type Place, Stored } from './stored.cjs'

const ROWS = { elements: 'rows', least: 0, most: 2 ** 32 - 1 }
const INDEX_CHARACTERS = 22
const INDEX_TYPE = `varchar(${INDEX_CHARACTERS})`

export function encryptedTable<Declared extends Columns, Key extends string>(
  columns: EncryptedColumns<Declared, Key>,
): EncryptedTable<Declared, Key> {
  const declaration = declared(columns)
  if (declaration !== undefined) return new Table(declaration) as never
  throw mustBe('columns', 'what encryptedColumns() returns', columns)
}

/** Functions for Drizzle's customType. */
interface ColumnType {
  dataType(): string
  toDriver(value: unknown): unknown
  fromDriver(value: unknown): Stored
}

class Table {
  readonly #declaration: Declaration
  /** The places of the columns, and those of their indexes. */
  readonly #values = new Map<Column, Place>()
  readonly #indexes = new Map<Column, Place>()

  static {
    showAs(
      Table,
      'EncryptedTable',
      self => #declaration in self,
      self => factsOf(self.#declaration),
    )
  }

  constructor(declaration: Declaration) {
    this.#declaration = declaration
    for (const column of declaration.columns) {
      this.#values.set(column, { declaration, column, isIndex: false })
      if (column.index !== undefined) this.#indexes.set(column, { declaration, column, isIndex: true })
    }
  }

  column(name: unknown, dataType: unknown = 'text'): ColumnType {
    const self = Table.#of(this)
    return typeOf(self.#values.get(columnOf(self.#declaration, name)) as Place, dataType)
  }

  index(name: unknown, dataType: unknown = INDEX_TYPE): ColumnType {
    const self = Table.#of(this)
    const place = self.#indexes.get(columnOf(self.#declaration, name))
    if (place !== undefined) return typeOf(place, dataType)
    throw wrongValue(`"column" is '${name}', which has no index: declare one, as { index: '${name}_index' }`)
  }

  seal(given: unknown): Row | Row[] {
    const self = Table.#of(this)
    if (!isList(given)) return self.#sealed('row', given)
    const rows = elementsOf('rows', given, lengthOfList('rows', given, ROWS)) as Row[]
    for (let i = 0; i < rows.length; i++) rows[i] = self.#sealed(`rows[${i}]`, rows[i])
    return rows
  }

  lookup(name: unknown, value: unknown): Stored[] {
    const self = Table.#of(this)
    const column = columnOf(self.#declaration, name)
    const indexes: unknown[] = lookUp(column, value)
    const place = self.#indexes.get(column) as Place
    for (let i = 0; i < indexes.length; i++) indexes[i] = new Stored(place, indexes[i])
    return indexes as Stored[]
  }

  /** A sealed copy of a row. Strings in it become values that the types of columns accept. */
  #sealed(argument: string, given: unknown): Row {
    const row = sealRow(this.#declaration, argument, given)
    const key = textOfKey(this.#declaration.rowKey.map(name => (hasOwn(row, name) ? row[name] : undefined)))
    for (const [{ name }, place] of this.#values) wrap(row, name, place, key)
    for (const [{ index }, place] of this.#indexes) wrap(row, index?.name as string, place, key)
    return row
  }

  /** `self`, if it is an encrypted table. */
  static #of(self: unknown): Table {
    if (typeof self === 'object' && self !== null && #declaration in self) return self
    throw wrongReceiver('EncryptedTable')
  }
}

function wrap(row: Row, name: string, place: Place, key: string): void {
  const content = hasOwn(row, name) ? row[name] : undefined
  if (typeof content === 'string') define(row, name, new Stored(place, content, key), true)
}

function typeOf(place: Place, dataType: unknown): ColumnType {
  if (typeof dataType !== 'string') throw mustBe('dataType', 'a string', dataType)
  const toDriver = (value: unknown) => (value === null ? null : driverValue(place, value))
  known(toDriver, place)
  return { dataType: () => dataType, toDriver, fromDriver: value => new Stored(place, value) }
}

/** Whether a value that was read has the form of a blind index. */
function looksIndexed(value: unknown): boolean {
  if (typeof value !== 'string' || value.length !== INDEX_CHARACTERS) return false
  for (let i = 0; i < value.length; i++) if (!isDigit(unitAt(value, i))) return false
  return true
}

/** The content of a value of this place, for the database; refuses every other value. */
function driverValue(place: Place, value: unknown): unknown {
  const stored = contentOf(value)
  if (stored?.place.column === place.column && stored.place.isIndex === place.isIndex) {
    if ((place.isIndex ? looksIndexed : looksSealed)(stored.content)) return stored.content
    throw wrongValue(`"${nameOf(place)}" is not sealed in the database, so it is not written again`)
  }
  const got = stored === undefined ? kindOf(value) : `that of "${nameOf(stored.place)}"`
  const { name, index } = place.column
  const find = index === undefined ? 'has no index' : `is found by lookup('${name}', value)`
  const help = place.isIndex ? find : `is sealed by seal(row), and ${find}`
  throw wrongValue(`"${nameOf(place)}" must be an encrypted value, got ${got}: '${name}' ${help}`)
}
