// Failures of databases, as a user would say them.
//
// Most messages of a database are shown, unless they contain a secret of the URL. A message about
// rows to write is not, because it may contain a value: of the key that is not unique, or of the
// column that is too short.
import type { RowSource } from '../../../types/rotation.d.ts'
import { codeOf } from '../../cipher/base/builtins.cjs'
import { Failure } from '../frame/failure.cjs'
import type { Address } from './address.cjs'

type Stage = 'connect' | 'read' | 'write'

const REFUSED = 'rejected this user name or password'
const NO_TABLE = 'cannot find the table: check --table and --schema'
const NO_COLUMN = 'cannot find a column: check --id, --column and --where'
const NO_RIGHT = 'this user may not read or update the table: grant SELECT and UPDATE'
const CHECKED = 'a CHECK constraint rejects the new values'
const SHORT = 'a column is too short for the new values'
const UNIQUE = 'a UNIQUE index rejects the new values'
const SLOW = 'a statement exceeded --statement-timeout: use a smaller --batch'
const LOCKED = 'another program held a lock for longer than --lock-timeout'
const DEADLOCK = 'a deadlock with another program'
const FULL = 'the disk is full'
const LOST = 'the connection was lost'
const SILENT = 'did not answer in time'

/** Codes of the system, of PostgreSQL (five characters), MySQL and MariaDB (ER_), and SQLite. */
const KNOWN: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused: is the server running?',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'the host name cannot be resolved now',
  ETIMEDOUT: SILENT,
  EHOSTUNREACH: SILENT,
  ECONNRESET: LOST,
  EPIPE: LOST,
  PROTOCOL_CONNECTION_LOST: LOST,
  '57P01': LOST,
  '57P02': LOST,
  '57P03': 'is not accepting connections now',
  '53300': 'has too many connections',
  ER_CON_COUNT_ERROR: 'has too many connections',
  '28000': REFUSED,
  '28P01': REFUSED,
  ER_ACCESS_DENIED_ERROR: REFUSED,
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: REFUSED,
  ER_DBACCESS_DENIED_ERROR: 'denies this user access to the database',
  '3D000': 'has no database with this name',
  ER_BAD_DB_ERROR: 'has no database with this name',
  ER_NO_DB_ERROR: 'the URL must name a database',
  '42P01': NO_TABLE,
  '3F000': NO_TABLE,
  ER_NO_SUCH_TABLE: NO_TABLE,
  '42703': NO_COLUMN,
  ER_BAD_FIELD_ERROR: NO_COLUMN,
  '42501': NO_RIGHT,
  ER_TABLEACCESS_DENIED_ERROR: NO_RIGHT,
  ER_COLUMNACCESS_DENIED_ERROR: NO_RIGHT,
  '25006': 'is read-only',
  ER_OPTION_PREVENTS_STATEMENT: 'is read-only',
  SQLITE_READONLY: 'is read-only',
  '23514': CHECKED,
  ER_CONSTRAINT_FAILED: CHECKED,
  ER_CHECK_CONSTRAINT_VIOLATED: CHECKED,
  SQLITE_CONSTRAINT_CHECK: CHECKED,
  '22001': SHORT,
  ER_DATA_TOO_LONG: SHORT,
  '23505': UNIQUE,
  ER_DUP_ENTRY: UNIQUE,
  SQLITE_CONSTRAINT_UNIQUE: UNIQUE,
  '57014': SLOW,
  ER_QUERY_TIMEOUT: SLOW,
  ER_STATEMENT_TIMEOUT: SLOW,
  '55P03': LOCKED,
  ER_LOCK_WAIT_TIMEOUT: LOCKED,
  SQLITE_BUSY: LOCKED,
  SQLITE_LOCKED: LOCKED,
  '40P01': DEADLOCK,
  ER_LOCK_DEADLOCK: DEADLOCK,
  '53100': FULL,
  ER_DISK_FULL: FULL,
  ER_RECORD_FILE_FULL: FULL,
  SQLITE_FULL: FULL,
  SQLITE_NOTADB: 'is not an SQLite database',
  SQLITE_CANTOPEN: 'cannot be opened',
  SQLITE_CORRUPT: 'is damaged',
}

/** Codes of SQLite as numbers, which is what node:sqlite reports. */
const SQLITE: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  8: 'SQLITE_READONLY',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
  275: 'SQLITE_CONSTRAINT_CHECK',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
}
/** Numbers of MariaDB, which mysql2 does not know, or knows by MySQL's names. */
const MARIADB: Readonly<Record<number, string>> = {
  1969: 'ER_STATEMENT_TIMEOUT',
  4025: 'ER_CONSTRAINT_FAILED',
}
/** SQLite has one code for both. */
const NO_SUCH: readonly (readonly [RegExp, string])[] = [
  [/^no such table/, NO_TABLE],
  [/^no such column/, NO_COLUMN],
]

/** The failure of a driver's error. */
export function databaseFailure(error: unknown, { shown, kind, secrets }: Address, stage: Stage): Failure {
  const message = error instanceof Error ? error.message : ''
  const { errcode = -1, errno = -1 } = Object(error) as { errcode?: number; errno?: number }
  const byNumber = kind === 'mysql' ? MARIADB[errno] : (SQLITE[errcode] ?? SQLITE[errcode & 0xff])
  const given = byNumber ?? codeOf(error)
  const code = typeof given === 'string' && /^[A-Z\d_]+$/.test(given) ? given : undefined
  const known = kind === 'sqlite' ? NO_SUCH.find(([like]) => like.test(message))?.[1] : undefined
  const what = known ?? KNOWN[code ?? ''] ?? KNOWN[code?.match(/^SQLITE_[A-Z]+/)?.[0] ?? '']
  const about = kind === 'sqlite' ? { about: shown } : {}
  const said = what ?? (stage === 'write' ? 'the write failed' : withoutSecrets(message, secrets))
  const end = code === undefined ? '' : ` (${code})`
  const start = kind === 'sqlite' ? '' : `${shown}: `
  return new Failure(code ?? 'ERR_DATABASE', `${start}${said}${end}`, about)
}

/** A message that shows no secret; a general one if it would. */
function withoutSecrets(message: string, secrets: readonly string[]): string {
  const line = message.split('\n')[0] as string
  return line === '' || secrets.some(secret => line.includes(secret)) ? 'the driver failed' : line
}

/** A source whose errors are failures. */
export function translating(source: RowSource, address: Address): RowSource {
  const errors = new WeakMap<object, unknown>()
  const attempt = async <Result,>(stage: Stage, call: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (error) {
      if (isOurs(error)) throw error
      const failure = databaseFailure(error, address, stage)
      errors.set(failure, error)
      throw failure
    }
  }
  return {
    read: request => attempt('read', () => source.read(request)),
    write: changes => attempt('write', () => source.write(changes)),
    count: column => attempt('read', () => source.count(column)),
    // Some errors of a driver have no code, but a message that no failure shows.
    isTemporary: failure => source.isTemporary?.(errors.get(failure as object) ?? failure) ?? false,
    end: () => attempt('read', () => source.end?.()),
  }
}

/** Errors of this package say what a caller must change, in their own words. */
function isOurs(error: unknown): boolean {
  const code = codeOf(error)
  return error instanceof Failure || (typeof code === 'string' && /^ERR_(AESGCM|INVALID|OUT_OF)_/.test(code))
}
