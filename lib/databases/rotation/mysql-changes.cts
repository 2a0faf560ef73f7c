// The statement that writes a batch in MySQL or MariaDB: the rows are one parameter, as JSON.
import type { RowChange } from '../../../types/rotation.d.ts'
import { types } from '../../cipher/base/builtins.cjs'
import { wrongState } from '../../cipher/base/errors.cjs'
import type { MysqlColumn } from './mysql-types.cjs'
import { columnsOf, nowOf, type SqlTable } from './sql.cjs'

export interface Changes {
  readonly update: string
  /** Selects the numbers of the changes that are in the table. */
  readonly stored: string
  readonly json: string
}

const { isUint8Array } = types
/** A row of a table in memory has fewer bytes; larger ones are written to a disk. */
const MOST_BYTES = 60_000
/** Four bytes of each of twice as many characters are the longest VARCHAR. */
const MOST_ROUNDED = 8000

export function changesSql(
  table: SqlTable,
  columns: Map<string, MysqlColumn>,
  changes: readonly RowChange[],
): Changes {
  const { key, name, nameOf, quoted } = table
  const { old, now } = columnsOf(changes)
  const rows: unknown[][] = changes.map((_, i) => [i])
  const paths: { as: string; column: MysqlColumn; longest: number; isKey: boolean }[] = []
  const path = (as: string, given: string, isKey: boolean, value: (change: RowChange) => unknown) => {
    const column = columns.get(nameOf(given))
    if (column === undefined) throw wrongState(`the table ${name} has no column '${nameOf(given)}'`)
    let longest = 1
    changes.forEach((change, i) => {
      const text = textOf(value(change))
      longest = Math.max(longest, text?.length ?? 0)
      rows[i]?.push(text)
    })
    paths.push({ as, column, longest: rounded(longest), isKey })
    return column.kind === 'binary' ? `UNHEX(v.${as})` : `v.${as}`
  }
  const keys = key.map(
    (column, i) => `u.${quoted(column)} = ${path(`k${i}`, column, true, ({ row }) => row[column])}`,
  )
  const compared = old.map((column, i) => {
    return same(
      table,
      columns,
      column,
      path(`o${i}`, column, false, ({ row }) => row[column]),
    )
  })
  const given = now.map((column, i) => ({
    column,
    value: path(`n${i}`, column, false, change => nowOf(change, column)),
  }))
  const isLong = paths.reduce((sum, { longest }) => sum + 4 * longest, 0) > MOST_BYTES
  const list = paths.map(({ as, column, longest, isKey }, i) => {
    return `${as} ${typeOf(column, longest, isLong, isKey)} PATH '$[${i + 1}]'`
  })
  const from = `JSON_TABLE(?, '$[*]' COLUMNS (i INT PATH '$[0]', ${list.join(', ')})) AS v`
  const set = given.map(({ column, value }) => `u.${quoted(column)} = ${value}`).join(', ')
  const are = given.map(({ column, value }) => same(table, columns, column, value))
  const on = keys.join(' AND ')
  return {
    update: `UPDATE ${name} AS u JOIN ${from} ON ${on} SET ${set} WHERE ${compared.join(' AND ')}`,
    stored: `SELECT v.i AS i FROM ${name} AS u JOIN ${from} ON ${on} WHERE ${are.join(' AND ')}`,
    json: JSON.stringify(rows),
  }
}

/** A comparison of bytes: collations ignore spaces at the end, and many of them case. */
function same(
  { nameOf, quoted }: SqlTable,
  columns: Map<string, MysqlColumn>,
  column: string,
  value: string,
): string {
  const name = `u.${quoted(column)}`
  if (columns.get(nameOf(column))?.kind === 'binary') return `CAST(${name} AS BINARY) <=> ${value}`
  return `CAST(CONVERT(${name} USING utf8mb4) AS BINARY) <=> CAST(${value} AS BINARY)`
}

/** The type of a value in JSON: that of the column where an index must serve. */
function typeOf(
  { kind, unsigned, collation }: MysqlColumn,
  longest: number,
  isLong: boolean,
  isKey: boolean,
): string {
  if (kind === 'integer' && isKey) return unsigned ? 'BIGINT UNSIGNED' : 'BIGINT'
  const set = kind === 'text' && isKey ? collation : 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'
  return isLong && !isKey ? `LONGTEXT ${set}` : `VARCHAR(${longest}) ${set}`
}

/**
 * The server keeps a prepared statement of each text, and all of its clients share one limit. So
 * the texts of batches may not differ by every length.
 */
function rounded(length: number): number {
  return length > MOST_ROUNDED ? length : 2 ** Math.ceil(Math.log2(length))
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return isUint8Array(value) ? Buffer.from(value).toString('hex') : `${value}`
}
