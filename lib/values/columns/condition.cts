// Conditions in SQL by which databases refuse values that are not sealed. The form of those that
// are is in sealed.cts.
import type { Database } from '../../../types/columns.d.ts'
import { join, positionOf } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { shown } from '../../cipher/base/parse.cjs'

const DATABASES: readonly Database[] = ['postgresql', 'mysql', 'mariadb', 'sqlite']

/** The condition for a column of this name. */
export function conditionOf(column: string, database: unknown): string {
  if (positionOf(DATABASES, database) < 0)
    throw wrongValue(`"database" must be one of '${join(DATABASES, "', '")}', got ${shown(database)}`)
  return conditionFor(quotedName(column, database as Database), database as Database)
}

/** A name in the quotes of a database. */
export function quotedName(name: string, database: Database): string {
  // A name in double quotes that names no column is a string in SQLite, so the quotes are MySQL's.
  return quoted(name, database === 'postgresql' ? '"' : '`')
}

/** The condition for an expression in SQL. */
export function conditionFor(name: string, database: Database): string {
  // PostgreSQL is seven times as fast without a bound for the repetition.
  if (database === 'postgresql') return `length(${name}) >= 44 AND ${name} ~ '^A[Q-Za-f][A-Za-z0-9_-]+$'`
  if (database === 'sqlite') {
    // Not `= 'text'`, which is false for NULL.
    const isText = `typeof(${name}) <> 'blob' AND instr(${name}, char(0)) = 0`
    const digits = `${name} GLOB 'A[Q-Za-f]*' AND ${name} NOT GLOB '*[^A-Za-z0-9_-]*'`
    return `${isText} AND length(${name}) >= 44 AND ${digits}`
  }
  // Without a binary collation, case would not count. `$` would match in front of a line break.
  const text = `CONVERT(${name} USING utf8mb4) COLLATE utf8mb4_bin`
  const digits = `${text} REGEXP '^A[Q-Za-f]' AND ${text} NOT REGEXP '[^A-Za-z0-9_-]'`
  return `CHAR_LENGTH(${name}) >= 44 AND ${digits}`
}

/** A name in quotes, which are doubled inside it. */
function quoted(name: string, quote: string): string {
  let text = quote
  for (let i = 0; i < name.length; i++) text += name[i] === quote ? quote + quote : name[i]
  return text + quote
}
