// The source of rows for PostgreSQL, over `pg`.
import type { PgClient, PgPool, RowChange, RowSource, ServerRowsOptions } from '../../../types/rotation.d.ts'
import { wrongState } from '../../cipher/base/errors.cjs'
import { isList } from '../../cipher/base/lists.cjs'
import { columnsOf, notATable, notRotated, nowOf, type SqlTable, sqlTable, wrongClient } from './sql.cjs'
import { type Rows, SqlRows } from './sql-rows.cjs'
import { isLock, isLost } from './temporary.cjs'

type Result = { rows: Rows; rowCount?: number | null }
type Held = PgClient & {
  release?: (destroy?: boolean) => void
  on?: (event: 'error', listener: () => void) => unknown
  off?: (event: 'error', listener: () => void) => unknown
}

/** Parameters of a statement for several rows. */
interface Arrays {
  readonly values: unknown[]
  /** Adds the value of each change for a column, and returns it as an expression. */
  add(column: string, value: (change: RowChange) => unknown): string
  /** The rows, as FROM lists them: columns, and then `i`, which counts from 1. */
  list(): string
}

// Of the types of text, only that of fixed length is compared in another way. Without a length, no
// cast cuts a value.
const TYPES = `SELECT a.attname AS name, CASE WHEN t.typname = 'bpchar' THEN 'bpchar'
  WHEN t.typcategory = 'S' THEN 'text' ELSE format('%I.%I', n.nspname, t.typname) END AS type,
  NOT a.attnotnull AS nullable
  FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
  JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
  WHERE a.attrelid = $1::pg_catalog.regclass AND a.attnum > 0 AND NOT a.attisdropped`

/**
 * Whether the first columns of an index are those of the key, in any order; the kinds of the table
 * and of its partitions; and whether policies may hide rows of the table from the account.
 */
const FACTS = `SELECT EXISTS (SELECT FROM pg_catalog.pg_index i
  WHERE i.indrelid = $1::pg_catalog.regclass AND i.indisvalid AND i.indpred IS NULL AND $3::int =
  (SELECT count(*) FROM pg_catalog.pg_attribute a WHERE a.attrelid = i.indrelid AND a.attname = ANY($2::text[])
  AND a.attnum = ANY((i.indkey::int2[])[0:$3::int - 1]))) AS "isIndexed",
  (WITH RECURSIVE part(oid) AS (SELECT $1::pg_catalog.regclass::oid
  UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN part ON i.inhparent = part.oid)
  SELECT string_agg(c.relkind::text, '') FROM pg_catalog.pg_class c JOIN part USING (oid)) AS kinds,
  pg_catalog.row_security_active($1::pg_catalog.regclass) AS "hasPolicies"`

/**
 * A batch finds its rows by this index. A planner that expects to save by joining with the whole
 * table would read it once a batch, and compile statements for longer than they run.
 */
const BY_INDEX = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit']
  .map(setting => `; SET LOCAL ${setting} = off`)
  .join('')

/** What is no table, as the catalog calls it. Partitions and their table are tables. */
const OTHERS: Readonly<Record<string, string>> = {
  f: 'or contains a foreign table',
  m: 'a materialized view',
  v: 'a view',
}

export function postgresqlRows(client: PgPool | PgClient, options: ServerRowsOptions): RowSource {
  const { connect, query, totalCount } = (client ?? {}) as Partial<PgPool & PgClient>
  if (typeof (totalCount === undefined ? query : connect) !== 'function')
    throw wrongClient('client', 'a Pool or a Client of pg', client)
  return new PostgresqlRows(client, sqlTable('postgresql', options, true))
}

class PostgresqlRows extends SqlRows {
  readonly hasServer = true
  protected readonly lock = ' FOR UPDATE SKIP LOCKED'
  readonly #given: PgPool | PgClient
  #held: Held | undefined
  #types: Map<string, string> | undefined
  #nullable: readonly string[] = []
  /** What a batch's transaction sets besides its limits. */
  #settings = ''

  constructor(given: PgPool | PgClient, table: SqlTable) {
    super(table)
    this.#given = given
  }

  /** A client of a pool may be lost, so the pool's next one is tried. */
  isTemporary(error: unknown): boolean {
    return isLock(error) || ('totalCount' in this.#given && isLost(error))
  }

  protected async prepare(): Promise<void> {
    await this.#client()
    if (this.#types !== undefined) return
    const { key, name, nameOf } = this.table
    this.#settings = (await this.#facts()).isIndexed === true ? BY_INDEX : ''
    const rows = await this.all(TYPES, [name])
    this.#types = new Map(rows.map(({ name, type }) => [String(name), String(type)]))
    const nullable = rows.filter(({ nullable }) => nullable === true).map(({ name }) => name)
    this.#nullable = key.filter(column => nullable.includes(nameOf(column)))
  }

  /** Facts of the table, which is refused if it lacks rows, or hides them from the account. */
  async #facts(): Promise<Record<string, unknown>> {
    const { key, name, nameOf } = this.table
    const [facts = {}] = await this.all(FACTS, [name, key.map(nameOf), key.length])
    const [other] = /[^rp]/.exec(`${facts.kinds ?? ''}`) ?? []
    if (other !== undefined) throw notATable(this.table, OTHERS[other] ?? 'no table')
    if (facts.hasPolicies !== true) return facts
    const why = `row-level security applies to this account and may hide rows of ${name}, which would stay under the old key`
    throw notRotated(`${why}: connect as the owner of the table, or as an account with BYPASSRLS`)
  }

  protected async begin(): Promise<void> {
    const { statementTimeout, lockTimeout } = this.table
    this.inTransaction = true
    const times = `SET LOCAL statement_timeout = ${statementTimeout}; SET LOCAL lock_timeout = ${lockTimeout}`
    await this.all(`BEGIN ISOLATION LEVEL READ COMMITTED; ${times}${this.#settings}`)
  }

  protected async all(sql: string, values?: readonly unknown[]): Promise<Rows> {
    return (await this.#result(sql, values)).rows
  }

  async #result(sql: string, values?: readonly unknown[]): Promise<Result> {
    const client = await this.#client()
    const result: Result | Result[] = await client.query(sql, values as unknown[])
    return isList(result) ? (result[result.length - 1] as Result) : result
  }

  protected override nullable(): readonly string[] {
    return this.#nullable
  }

  protected override async allOfCount(sql: string, values: readonly unknown[]): Promise<Rows> {
    // Policies that were made meanwhile would hide rows from the count, which proves the end.
    await this.#facts()
    if (this.inTransaction) return await this.all(sql, values)
    this.inTransaction = true
    await this.all(`BEGIN; SET LOCAL lock_timeout = ${this.table.lockTimeout}`)
    const rows = await this.all(sql, values)
    await this.commit()
    this.inTransaction = false
    return rows
  }

  protected async release(isOpen: boolean): Promise<void> {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) return
    let isLost = false
    try {
      if (isOpen) await held.query('ROLLBACK')
    } catch {
      // The server ends the transaction of a lost connection.
      isLost = true
    }
    if (held === this.#given) return
    held.off?.('error', ignore)
    held.release?.(isLost)
  }

  async #client(): Promise<Held> {
    const given = this.#given
    if (this.#held !== undefined) return this.#held
    const held: Held = 'totalCount' in given ? await given.connect() : given
    // Without a listener, Node would end the process if the connection is lost. Statements report
    // it.
    if (held !== given) held.on?.('error', ignore)
    this.#held = held
    return held
  }

  protected parameter(values: unknown[], value: unknown, column?: string): string {
    return `$${values.push(value)}::${column === undefined ? 'text' : this.#typeOf(column)}`
  }

  protected textOf(column: string): string {
    return `${this.table.quoted(column)}::text`
  }

  protected startOf(column: string): string {
    return `substr(${this.textOf(column)}, 1, 7)`
  }

  protected async update(changes: readonly RowChange[]): Promise<number> {
    const { name, quoted } = this.table
    const { now, old } = columnsOf(changes)
    const rows = this.#arrays(changes)
    const set = now.map(column => `${quoted(column)} = ${rows.add(column, change => nowOf(change, column))}`)
    const keys = this.#keys(rows)
    const same = old.map(column => {
      const equals = changes.some(({ row }) => row[column] === null) ? 'IS NOT DISTINCT FROM' : '='
      return `u.${quoted(column)} ${equals} ${rows.add(column, ({ row }) => row[column])}`
    })
    const where = [...keys, ...same].join(' AND ')
    const sql = `UPDATE ${name} AS u SET ${set.join(', ')} FROM ${rows.list()} WHERE ${where}`
    return Number((await this.#result(sql, rows.values)).rowCount)
  }

  protected async stored(changes: readonly RowChange[]): Promise<number[]> {
    const { name, quoted } = this.table
    const rows = this.#arrays(changes)
    const keys = this.#keys(rows)
    const same = columnsOf(changes).now.map(
      column =>
        `u.${quoted(column)} IS NOT DISTINCT FROM ${rows.add(column, change => nowOf(change, column))}`,
    )
    const where = [...keys, ...same].join(' AND ')
    const found = await this.all(`SELECT v.i FROM ${name} AS u, ${rows.list()} WHERE ${where}`, rows.values)
    return found.map(({ i }) => Number(i) - 1)
  }

  #keys(rows: Arrays): string[] {
    const { key, quoted } = this.table
    return key.map(column => `u.${quoted(column)} = ${rows.add(column, ({ row }) => row[column])}`)
  }

  /** The changes as parameters: each is an array with a value of every change. */
  #arrays(changes: readonly RowChange[]): Arrays {
    const values: unknown[] = []
    const types: string[] = []
    return {
      values,
      add: (column, value) => {
        types.push(this.#typeOf(column))
        return `v.a${values.push(changes.map(value))}`
      },
      list: () => {
        const arrays = types.map((type, i) => `$${i + 1}::${type}[]`)
        const names = types.map((_, i) => `a${i + 1}`)
        return `unnest(${arrays.join(', ')}) WITH ORDINALITY AS v(${names.join(', ')}, i)`
      },
    }
  }

  #typeOf(column: string): string {
    const { name, nameOf } = this.table
    const type = this.#types?.get(nameOf(column))
    if (type !== undefined) return type
    throw wrongState(`the table ${name} has no column '${nameOf(column)}'`)
  }
}

function ignore(): void {}
