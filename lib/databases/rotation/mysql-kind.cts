// Whether a table in MySQL or MariaDB can be rotated: no row is hidden, and transactions work.
import type { MysqlConnection } from '../../../types/rotation.d.ts'
import { executed, schemaOf } from './mysql-types.cjs'
import { notATable, notRotated, type SqlTable } from './sql.cjs'

const VERSIONED = 'SYSTEM VERSIONED'

/** Refuses what is no such table. Returns whether the table keeps the history of its rows. */
export async function mysqlKind(connection: MysqlConnection, table: SqlTable): Promise<boolean> {
  const { where, values } = schemaOf(table)
  const sql = `SELECT TABLE_TYPE AS kind, ENGINE AS engine FROM information_schema.TABLES WHERE ${where}`
  const rows = (await executed(connection, sql, values)) as Record<string, unknown>[]
  for (const { kind, engine } of rows) {
    if (typeof kind !== 'string') continue
    if (kind !== 'BASE TABLE' && kind !== VERSIONED) throw notATable(table, `a ${kind}`.toLowerCase())
    // Without transactions and locks of rows, two runs would write one row.
    if (engine !== 'InnoDB')
      throw notRotated(`${table.name} has the engine ${engine}, and a rotation needs InnoDB`)
  }
  return rows.some(({ kind }) => kind === VERSIONED)
}
