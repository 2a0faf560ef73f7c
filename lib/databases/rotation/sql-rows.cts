// A source of rows over SQL, except for the dialect: windows, one transaction per batch, counts.
import type {
  PrefixCount,
  ReadRequest,
  RowBatch,
  RowChange,
  RowSource,
  SourceRow,
  Written,
} from '../../../types/rotation.d.ts'
import { types } from '../../cipher/base/builtins.cjs'
import { quotedName } from '../../values/columns/condition.cjs'
import {
  advanced,
  type Cursor,
  countSql,
  keyIn,
  NOT_SEALED,
  type SqlTable,
  START,
  selected,
  wanted,
  windowOf,
} from './sql.cjs'

export type Rows = Record<string, unknown>[]

const { isUint8Array } = types
/** How many rows a window has, as a column of its last row. */
const IN_WINDOW = 'n of the window'

export abstract class SqlRows implements RowSource {
  protected readonly table: SqlTable
  inTransaction = false
  /** The passes that write, and whether the rows of a batch are compared after it was written. */
  #passes = 0
  #compares = false

  constructor(table: SqlTable) {
    this.table = table
  }

  /** Connects, and learns the types of the columns, if the dialect needs them. */
  protected abstract prepare(): void | Promise<void>
  /** Begins a transaction with its limits, and sets `inTransaction`. */
  protected abstract begin(): void | Promise<void>
  protected async commit(): Promise<void> {
    await this.all('COMMIT')
  }
  protected abstract all(sql: string, values?: readonly unknown[]): Rows | Promise<Rows>
  /** Writes one change or more, and returns the number of rows it found. */
  protected abstract update(changes: readonly RowChange[]): number | Promise<number>
  /** The positions of the changes that are in the table. */
  protected abstract stored(changes: readonly RowChange[]): Iterable<number> | Promise<Iterable<number>>
  /** The columns of the key that may be NULL. */
  protected nullable(): readonly string[] {
    return this.table.key
  }
  /** Releases the connection, after a rollback if a transaction `isOpen`. */
  protected abstract release(isOpen: boolean): void | Promise<void>
  abstract isTemporary(error: unknown): boolean

  /**
   * Adds a parameter to be compared with a column, or with a text, and returns it as an expression.
   */
  protected abstract parameter(values: unknown[], value: unknown, column?: string): string
  /** The clause that selects a table's history, too; '' if it has none. */
  protected get history(): string {
    return ''
  }
  /** A column as a text, and the first seven characters of the text. */
  protected abstract textOf(column: string): string
  protected abstract startOf(column: string): string
  /** Whether a server writes, while this process goes on. */
  abstract readonly hasServer: boolean
  /** The end of a SELECT that locks rows. */
  protected abstract readonly lock: string

  async read(request: ReadRequest): Promise<RowBatch> {
    await this.prepare()
    if (request.write && !this.inTransaction) await this.begin()
    const begun = (request.after ?? START) as Cursor
    if (request.write && begun === START) {
      this.#passes++
      this.#compares = true
    }
    if (begun.keyless !== undefined) return await this.#keyless(request, begun.keyless)
    const at = await this.#window(request, begun)
    if (at === undefined) return await this.#keyless(request, 0)
    return advanced(this.table, request, at, await this.#rows(request, at))
  }

  /** Writes a part of a batch, whose transaction `write` ends. */
  async writePart(changes: readonly RowChange[]): Promise<readonly Written[]> {
    await this.prepare()
    if (changes.length === 0) return []
    const isAll = (await this.update(changes)) === changes.length
    if (isAll && !this.#compares) return changes.map(() => true)
    const stored = new Set(await this.stored(changes))
    // A trigger that undoes updates does so in the first batch, or in a pass that left something.
    if (stored.size === changes.length && this.#passes <= 1) this.#compares = false
    // Nobody else can have changed a row that this transaction has locked.
    return changes.map((_, i) => stored.has(i) || (this.inTransaction ? 'kept' : false))
  }

  async write(changes: readonly RowChange[]): Promise<readonly Written[]> {
    const written = await this.writePart(changes)
    if (this.inTransaction) await this.commit()
    this.inTransaction = false
    return written
  }

  async count(column: string): Promise<readonly PrefixCount[]> {
    await this.prepare()
    const values: unknown[] = []
    const [text, start] = [this.textOf(column), this.startOf(column)]
    const sql = countSql(this.table, column, text, start, this.history, () => this.#where(values))
    const rows = await this.allOfCount(sql, values)
    const [now, whole] = [countsIn(rows, 0), countsIn(rows, 1)]
    const counts: PrefixCount[] = [...now].map(([prefix, values]) => ({ prefix, values }))
    for (const [prefix, values] of whole)
      counts.push({ prefix, values: values - (now.get(prefix) ?? 0), history: true })
    return counts
  }

  async end(): Promise<void> {
    const isOpen = this.inTransaction
    this.inTransaction = false
    // The run is over, where otherwise it tries a batch again.
    if (!isOpen) this.#passes = 0
    await this.release(isOpen)
  }

  protected async allOfCount(sql: string, values: readonly unknown[]): Promise<Rows> {
    return await this.all(sql, values)
  }

  /** A column as the source returns it. */
  protected returned(column: string): string {
    return `u.${this.table.quoted(column)}`
  }

  /** The comparison of the key with that of a row. */
  protected compare(operator: '>' | '<=', at: readonly unknown[], values: unknown[]): string {
    const { key, quoted } = this.table
    const parts = at.map((part, i) => this.parameter(values, part, key[i] as string))
    return `(${key.map(quoted).join(', ')}) ${operator} (${parts.join(', ')})`
  }

  /** The cursor with a window of rows; undefined after the last row that has a key. */
  async #window(request: ReadRequest, at: Cursor): Promise<Cursor | undefined> {
    if (at.last !== undefined) return at
    const { database, key, name, quoted } = this.table
    const values: unknown[] = []
    const where = `${this.#where(values)}${this.#hasKey()}${this.#compared('>', at.after, values)}`
    const names = key.map(quoted).join(', ')
    const rows = `FROM ${name} WHERE TRUE${where} ORDER BY ${names} LIMIT`
    const size = windowOf(request)
    // Counting would double the time of a window, and most windows are whole.
    const whole = `SELECT ${this.#list(key)} FROM (SELECT ${names} ${rows} 1 OFFSET ${size - 1}) AS u`
    const [last] = await this.all(whole, values)
    if (last !== undefined) return { after: at.after, last: keyIn(this.table, last), left: size }
    const count = `count(*) OVER () AS ${quotedName(IN_WINDOW, database)}`
    const sql = `SELECT ${this.#list(key)}, ${count} FROM (SELECT ${names} ${rows} ${size}) AS u ORDER BY ${this.#order(' DESC')} LIMIT 1`
    const [row] = await this.all(sql, values)
    if (row === undefined) return undefined
    return { after: at.after, last: keyIn(this.table, row), left: Number(row[IN_WINDOW]) }
  }

  async #rows({ columns, filters, limit, write }: ReadRequest, at: Cursor): Promise<SourceRow[]> {
    const values: unknown[] = []
    const where = this.#where(values)
    const after = this.#compared('>', at.after, values)
    const last = this.#compared('<=', at.last, values)
    const filter = this.#wanted(filters, values)
    const list = this.#list(selected(this.table, columns))
    const from = `${this.table.name} AS u WHERE TRUE${where}${this.#hasKey()}${after}${last}${filter}`
    const lock = write ? this.lock : ''
    return await this.all(
      `SELECT ${list} FROM ${from} ORDER BY ${this.#order('')} LIMIT ${limit}${lock}`,
      values,
    )
  }

  /** The condition for the rows of the source. */
  #where(values: unknown[]): string {
    const { quoted, where } = this.table
    const conditions = where.map(({ column, values: wanted }) => {
      const list = wanted.map(value => this.parameter(values, value, column))
      return ` AND ${quoted(column)} IN (${list.join(', ')})`
    })
    return conditions.join('')
  }

  /** Nothing is after a key with NULL, and nothing before it. */
  #hasKey(): string {
    return this.nullable()
      .map(column => ` AND ${this.table.quoted(column)} IS NOT NULL`)
      .join('')
  }

  /** Rows whose key is NULL, from a position on. They are not changed, so they are not locked. */
  async #keyless({ columns, filters, limit }: ReadRequest, from: number): Promise<RowBatch> {
    const nullable = this.nullable()
    if (nullable.length === 0) return { rows: [], next: undefined }
    const values: unknown[] = []
    const lacks = nullable.map(column => `${this.table.quoted(column)} IS NULL`).join(' OR ')
    const condition = this.#where(values)
    const filter = this.#wanted(filters, values)
    const list = this.#list(selected(this.table, columns))
    const where = `WHERE (${lacks})${condition}${filter} LIMIT ${limit} OFFSET ${from}`
    const keyless = await this.all(`SELECT ${list} FROM ${this.table.name} AS u ${where}`, values)
    const isEnd = keyless.length < limit
    return { rows: [], keyless, next: isEnd ? undefined : { ...START, keyless: from + keyless.length } }
  }

  #wanted(filters: ReadRequest['filters'], values: unknown[]): string {
    return wanted(this.table, filters, (column, starts) => {
      const list = starts.map(start => this.parameter(values, start))
      return `${this.startOf(column)} IN (${list.join(', ')})`
    })
  }

  #compared(operator: '>' | '<=', at: Cursor['after'], values: unknown[]): string {
    return at === undefined ? '' : ` AND ${this.compare(operator, at, values)}`
  }

  /** Columns by the names of rows. */
  #list(columns: readonly string[]): string {
    const { database } = this.table
    return columns.map(name => `${this.returned(name)} AS ${quotedName(name, database)}`).join(', ')
  }

  /** Not by the bare names: a column of the result may have the name of another one. */
  #order(direction: string): string {
    return this.table.key.map(name => `u.${this.table.quoted(name)}${direction}`).join(', ')
  }
}

/** The counted values by their beginnings, of the rows alone or `whole` with their history. */
function countsIn(rows: Rows, whole: 0 | 1): Map<string | null, number> {
  const counts = new Map<string | null, number>()
  for (const { prefix, n, whole: is } of rows) {
    if (Number(is) !== whole) continue
    const text = isUint8Array(prefix) ? Buffer.from(prefix).toString('latin1') : (prefix as string | null)
    counts.set(text === NOT_SEALED ? '' : text, Number(n))
  }
  return counts
}
