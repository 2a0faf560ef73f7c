// The source of rows for PostgreSQL, over `pg`.
import type {
  PgClient,
  PgPool,
  PrefixCount,
  ReadRequest,
  RowBatch,
  RowChange,
  RowSource,
  ServerRowsOptions,
  SourceRow,
} from '../../types/rotation.d.ts'
import { nodeError } from '../base/errors.cjs'
import { kindOf } from '../base/views.cjs'
import {
  advanced,
  type Cursor,
  columnsOf,
  countSql,
  keyIn,
  nowOf,
  type SqlTable,
  START,
  selected,
  sqlTable,
  wanted,
  windowOf,
} from './sql.cjs'

type Held = PgClient & { release?: (destroy?: boolean) => void }

// Of the types of text, only that of fixed length is compared in another way. Without a length, no cast cuts a value.
const TYPES = `SELECT a.attname AS name, CASE WHEN t.typname = 'bpchar' THEN 'bpchar'
  WHEN t.typcategory = 'S' THEN 'text' ELSE format('%I.%I', n.nspname, t.typname) END AS type
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE a.attrelid = $1::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped`

export function postgresqlRows(client: PgPool | PgClient, options: ServerRowsOptions): RowSource {
  if (typeof (client as PgClient | undefined)?.query !== 'function') {
    const what = `"client" must be a Pool or a Client of pg, got ${kindOf(client)}`
    throw nodeError(TypeError, 'ERR_INVALID_ARG_TYPE', what)
  }
  return new PostgresqlRows(client, sqlTable('postgresql', options, true))
}

class PostgresqlRows implements RowSource {
  readonly #given: PgPool | PgClient
  readonly #table: SqlTable
  #held: Held | undefined
  #inTransaction = false
  #types: Map<string, string> | undefined

  constructor(given: PgPool | PgClient, table: SqlTable) {
    this.#given = given
    this.#table = table
  }

  async read(request: ReadRequest): Promise<RowBatch> {
    const client = await this.#client()
    if (request.write && !this.#inTransaction) await this.#begin(client)
    const at = await this.#window(client, request)
    if (at === undefined) return { rows: [], next: undefined }
    const rows = await this.#rows(client, request, at)
    return advanced(this.#table, request, at, rows)
  }

  async write(changes: readonly RowChange[]): Promise<readonly boolean[]> {
    const client = await this.#client()
    const written = new Array<boolean>(changes.length).fill(false)
    if (changes.length > 0) {
      const values: unknown[] = []
      const text = await this.#update(client, changes, values)
      const { rows } = await client.query(text, values)
      for (const { i } of rows) written[Number(i)] = true
    }
    if (this.#inTransaction) await client.query('COMMIT')
    this.#inTransaction = false
    return written
  }

  async count(column: string): Promise<readonly PrefixCount[]> {
    const client = await this.#client()
    const text = `${this.#table.quoted(column)}::text`
    const { rows } = await client.query(countSql(this.#table, column, text, `substr(${text}, 1, 7)`))
    return rows.map(({ prefix, n }) => ({ prefix: prefix as string | null, values: Number(n) }))
  }

  async end(): Promise<void> {
    const held = this.#held
    const isOpen = this.#inTransaction
    this.#held = undefined
    this.#inTransaction = false
    if (held === undefined) return
    try {
      if (isOpen) await held.query('ROLLBACK')
      held.release?.()
    } catch {
      // The connection is lost, and the server ends its transaction.
      held.release?.(true)
    }
  }

  async #client(): Promise<Held> {
    const given = this.#given
    this.#held ??= 'totalCount' in given ? await given.connect() : given
    return this.#held
  }

  async #begin(client: PgClient): Promise<void> {
    const { statementTimeout, lockTimeout } = this.#table
    this.#inTransaction = true
    const times = `SET LOCAL statement_timeout = ${statementTimeout}; SET LOCAL lock_timeout = ${lockTimeout}`
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${times}`)
  }

  /** The cursor with a window of rows; undefined at the end of the table. */
  async #window(client: PgClient, request: ReadRequest): Promise<Cursor | undefined> {
    const at = (request.after ?? START) as Cursor
    if (at.last !== undefined) return at
    const { name, key } = this.#table
    const values: unknown[] = []
    const names = key.map(this.#table.quoted).join(', ')
    const where = await this.#compare(client, '>', at.after, values)
    const inner = `SELECT ${names} FROM ${name} WHERE TRUE${where} ORDER BY ${names} LIMIT ${windowOf(request)}`
    const text = `SELECT ${this.#list(key)}, count(*) OVER () AS "n of the window" FROM (${inner}) AS w ORDER BY ${this.#order('DESC')} LIMIT 1`
    const { rows } = await client.query(text, values)
    const row = rows[0]
    if (row === undefined) return undefined
    return { after: at.after, last: keyIn(this.#table, row), left: Number(row['n of the window']) }
  }

  async #rows(client: PgClient, request: ReadRequest, at: Cursor): Promise<SourceRow[]> {
    const { name, quoted } = this.#table
    const values: unknown[] = []
    const after = await this.#compare(client, '>', at.after, values)
    const last = await this.#compare(client, '<=', at.last, values)
    const filter = wanted(this.#table, request.filters, (column, starts) => {
      return `substr(${quoted(column)}::text, 1, 7) = ANY($${values.push(starts)}::text[])`
    })
    const lock = request.write ? ' FOR UPDATE SKIP LOCKED' : ''
    const list = this.#list(selected(this.#table, request.columns))
    const text = `SELECT ${list} FROM ${name} WHERE TRUE${after}${last}${filter} ORDER BY ${this.#order('')} LIMIT ${request.limit}${lock}`
    return (await client.query(text, values)).rows
  }

  /** Columns by the names of rows. */
  #list(columns: readonly string[]): string {
    return columns.map(name => `${this.#table.quoted(name)} AS "${name.replaceAll('"', '""')}"`).join(', ')
  }

  #order(direction: string): string {
    return this.#table.key.map(name => `${this.#table.quoted(name)} ${direction}`).join(', ')
  }

  /** The comparison of the key with that of a row. */
  async #compare(
    client: PgClient,
    operator: string,
    at: Cursor['after'],
    values: unknown[],
  ): Promise<string> {
    if (at === undefined) return ''
    const { key, quoted } = this.#table
    const types = await this.#typesOf(client)
    const parts = at.map(
      (part, i) => `$${values.push(part)}::${typeOf(types, this.#table, key[i] as string)}`,
    )
    return ` AND (${key.map(quoted).join(', ')}) ${operator} (${parts.join(', ')})`
  }

  async #update(client: PgClient, changes: readonly RowChange[], values: unknown[]): Promise<string> {
    const { key, name, quoted } = this.#table
    const types = await this.#typesOf(client)
    const columns = columnsOf(changes)
    const arrays = ['$1::int[]']
    const names = ['i']
    values.push(changes.map((_, i) => i))
    const array = (as: string, column: string, value: (change: RowChange) => unknown) => {
      arrays.push(`$${values.push(changes.map(value))}::${typeOf(types, this.#table, column)}[]`)
      names.push(as)
      return `v.${as}`
    }
    const set = columns.now.map(
      (column, i) => `${quoted(column)} = ${array(`n${i}`, column, change => nowOf(change, column))}`,
    )
    const keys = key.map(
      (column, i) => `u.${quoted(column)} = ${array(`k${i}`, column, ({ row }) => row[column])}`,
    )
    const old = columns.old.map((column, i) => {
      const isNullable = changes.some(({ row }) => row[column] === null)
      const equals = isNullable ? 'IS NOT DISTINCT FROM' : '='
      return `u.${quoted(column)} ${equals} ${array(`o${i}`, column, ({ row }) => row[column])}`
    })
    const from = `unnest(${arrays.join(', ')}) AS v(${names.join(', ')})`
    return `UPDATE ${name} AS u SET ${set.join(', ')} FROM ${from} WHERE ${[...keys, ...old].join(' AND ')} RETURNING v.i`
  }

  async #typesOf(client: PgClient): Promise<Map<string, string>> {
    if (this.#types === undefined) {
      const { rows } = await client.query(TYPES, [this.#table.name])
      this.#types = new Map(rows.map(({ name, type }) => [String(name), String(type)]))
    }
    return this.#types
  }
}

function typeOf(types: Map<string, string>, { name, nameOf }: SqlTable, column: string): string {
  const type = types.get(nameOf(column))
  if (type !== undefined) return type
  const what = `the table ${name} has no column '${nameOf(column)}'`
  throw nodeError(Error, 'ERR_INVALID_STATE', what)
}
