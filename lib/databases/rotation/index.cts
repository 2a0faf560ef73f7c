// The entry `hardware-aes-gcm/rotation`, documented by types/rotation.d.ts; contract/ compares
// both.
import { mysqlRows } from './mysql.cjs'
import { postgresqlRows } from './postgresql.cjs'
import { countColumns, rotateColumns } from './rotate-columns.cjs'
import { sqliteRows } from './sqlite.cjs'

// A plain object, as in lib/index.cts.
export = { countColumns, mysqlRows, postgresqlRows, rotateColumns, sqliteRows } as const
