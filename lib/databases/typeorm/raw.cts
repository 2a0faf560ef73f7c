// Raw results of queries, which TypeORM makes entities from: they are opened before that.
import { define } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { openRow } from '../../values/columns/open-row.cjs'
import type { Row } from '../../values/columns/row.cjs'
import { hidesSealed } from '../../values/columns/undeclared.cjs'
import { columnAt, encryptedOf } from './clauses.cjs'
import type { Alias, Builder, ColumnMetadata, Driver, Encrypted, Entities } from './parts.cjs'

/** The names that a column has in raw results. */
type Names = ReadonlyMap<ColumnMetadata, readonly string[]>

/** A reader of the raw rows of a query, which opens them in place. */
export function openerOf(builder: Builder, driver: Driver, all: Entities): (rows: readonly Row[]) => void {
  const told = new Set<string>()
  const readers: ((row: Row) => void)[] = []
  for (const alias of builder.expressionMap.aliases) {
    if (!alias.hasMetadata) continue
    const names = namesOf(builder, alias)
    const encrypted = encryptedOf(alias, all)
    for (const [column, list] of names)
      if (mayBeSealed(alias, encrypted, column)) for (const name of list) told.add(name)
    if (encrypted !== undefined) readers.push(readerOf(encrypted, names, driver))
  }
  const keyrings = [...new Set([...all.values()].map(({ declaration }) => declaration.keyring))]
  return rows => {
    for (const row of rows) {
      for (const name of Object.keys(row))
        if (!told.has(name) && keyrings.some(keyring => hidesSealed(keyring, row[name])))
          throw sealedUnder(name)
      for (const read of readers) read(row)
    }
  }
}

/** Whether a column is declared, or the program may have sealed its values itself. */
function mayBeSealed(
  { metadata }: Alias,
  encrypted: Encrypted | undefined,
  { databaseName }: ColumnMetadata,
): boolean {
  return encrypted === undefined
    ? metadata.tableType !== 'view'
    : encrypted.declaration.names.knows(databaseName)
}

/** For a sealed value of an expression, of the SQL of a program, or of an undeclared column. */
function sealedUnder(name: string): Error {
  const what = `"${name}" of a result is a sealed value: select a declared column by its property, such as 'user.email', with the key of the row, or declare its entity, or list it in "passThrough"`
  return wrongValue(what)
}

function namesOf(builder: Builder, { name, metadata }: Alias): Names {
  const names = new Map<ColumnMetadata, string[]>()
  const selects = builder.buildEscapedEntityColumnSelects(name, metadata)
  for (const column of metadata.columns) {
    const selection = columnAt(builder, name, column)
    const own = selects.filter(select => select.selection === selection)
    const list = own.map(({ aliasName }) => aliasName)
    if (list.length > 0) names.set(column, list)
  }
  return names
}

function readerOf(encrypted: Encrypted, names: Names, driver: Driver): (row: Row) => void {
  const { declaration, fields, keys, metadata } = encrypted
  return row => {
    const sealed: Row = {}
    let any = false
    for (const { column, own } of fields) {
      const [name] = names.get(own) ?? []
      const value = name === undefined ? undefined : row[name]
      if (value === undefined || value === null) continue
      define(sealed, column.name, value, true)
      any = true
    }
    if (!any) return
    for (const key of keys) {
      const [name] = names.get(key) ?? []
      const value = name === undefined ? undefined : row[name]
      define(sealed, key.databaseName, driver.prepareHydratedValue(value, key), true)
    }
    const opened = openRow(declaration, metadata.name, sealed)
    for (const { column, own } of fields)
      if (column.name in sealed) for (const name of names.get(own) ?? []) row[name] = opened[column.name]
  }
}
