// Temporary errors of a database, after which a batch is tried again.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import {
  mysqlRows,
  postgresqlRows,
  type RowChange,
  rotateColumns,
  sqliteRows,
} from 'hardware-aes-gcm/rotation'
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { keyringOf, MemoryRows, type Stored, staleOf } from './memory.js'

const random = new Random('temporary errors')
const keyring = keyringOf(2)
const tableOf = (keys: typeof keyring) =>
  encryptedColumns('t', { keyring: keys, rowKey: 'id', columns: { a: 'text' } })
const table = tableOf(keyring)
const stale = tableOf(staleOf(keyring))
const filled = (count: number) =>
  Array.from({ length: count }, (_, id): Stored => ({ ...stale.seal({ id, a: `a${id}` }) }))
const opened = (source: MemoryRows) => table.openAll(source.rows).map(({ a }) => a)
const expected = (count: number) => Array.from({ length: count }, (_, id) => `a${id}`)

/** A transaction in memory: a batch is in the table after `write`, and an end before it rolls back. */
class Transactions extends MemoryRows {
  readonly temporary = new Error('a deadlock')
  /** The calls that fail, by their numbers. */
  failing = new Set<number>()
  called = 0
  #before: Stored[] | undefined

  isTemporary(error: unknown): boolean {
    return error === this.temporary
  }

  #call(): void {
    if (this.failing.has(++this.called)) throw this.temporary
  }

  override async read(request: Parameters<MemoryRows['read']>[0]) {
    if (request.write) this.#before = this.rows.map(row => ({ ...row }))
    this.#call()
    return super.read(request)
  }

  override async write(changes: readonly RowChange[]): Promise<boolean[]> {
    await new Promise(setImmediate)
    const written = changes.map(change => this.swap(change))
    this.#call()
    this.#before = undefined
    return written
  }

  override async count(column: string) {
    this.#call()
    return super.count(column)
  }

  override end(): void {
    super.end()
    if (this.#before !== undefined) this.rows.splice(0, this.rows.length, ...this.#before)
    this.#before = undefined
  }
}

test('a batch is tried again after a temporary error, and is counted once', async () => {
  const runs = Array.from({ length: 8 }, async () => {
    const source = new Transactions(filled(620))
    while (source.failing.size < 2) source.failing.add(1 + random.below(6))
    const result = await rotateColumns(table, source, { batchSize: 310 })
    expect(result).toMatchObject({ done: true, changed: 620, conflicts: 0, failed: 0, retries: 2 })
    expect(result.renewed).toEqual({ sealed: 620, fallback: 0, clearText: 0 })
    expect(source.ended).toBe(3)
    expect(opened(source)).toEqual(expected(620))
  })
  await Promise.all(runs)
})

test('after six attempts, or another error, the run ends', async () => {
  const source = new Transactions(filled(10))
  const from = (first: number) => new Set(Array.from({ length: 20 }, (_, n) => first + n))
  source.failing = from(4)
  const seen: number[] = []
  const options = { batchSize: 5, onProgress: ({ changed }: { changed: number }) => void seen.push(changed) }
  const other = new Transactions(filled(10))
  other.failing = from(4)
  other.isTemporary = () => false
  await Promise.all([
    expect(rotateColumns(table, source, options)).rejects.toBe(source.temporary),
    expect(rotateColumns(table, other, { batchSize: 5 })).rejects.toBe(other.temporary),
  ])
  expect([source.called, source.ended, seen]).toEqual([9, 6, [5]])
  expect([other.called, other.ended]).toEqual([4, 1])
  expect(source.rows.filter(({ a }) => !keyring.needsRotation(a as string))).toHaveLength(5)
  expect(opened(source)).toEqual(expected(10))
  await expect(rotateColumns(table, { ...source, isTemporary: 1 } as never)).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_TYPE',
  })
})

test('a run that is aborted before it begins asks the source for nothing', async () => {
  const source = new Transactions(filled(5))
  const options = { signal: AbortSignal.abort(), onProgress: () => {} }
  await expect(rotateColumns(table, source, options)).rejects.toMatchObject({ code: 'ABORT_ERR' })
  expect(source.calls).toEqual([])
})

test('an abort ends the pause before an attempt', async () => {
  const source = new Transactions(filled(5))
  source.failing.add(2)
  const controller = new AbortController()
  source.isTemporary = () => {
    controller.abort()
    return true
  }
  await expect(rotateColumns(table, source, { signal: controller.signal })).rejects.toMatchObject({
    code: 'ABORT_ERR',
  })
})

test('the errors that the sources call temporary', () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  const query = async () => ({ rows: [] })
  const options = { table: 't', key: 'id' }
  const pools = [
    postgresqlRows({ query, connect: query, totalCount: 0 } as never, options),
    mysqlRows({ getConnection: query } as never, options),
  ]
  const clients = [postgresqlRows({ query }, options), mysqlRows({ query, execute: query } as never, options)]
  const sqlite = sqliteRows({ exec: () => {}, prepare: () => ({ all: () => [], run: () => ({}) }) }, options)
  const said = (error: unknown) => [...pools, ...clients, sqlite].map(source => source.isTemporary?.(error))
  const all = [true, true, true, true, true]
  for (const code of ['40001', '40P01', '55P03', 'ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT'])
    expect(said(coded(code))).toEqual(all)
  for (const code of ['SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT', 'SQLITE_LOCKED'])
    expect(said(coded(code))).toEqual(all)
  for (const errcode of [5, 6, 261, 517, 262])
    expect(said(Object.assign(new Error('x'), { errcode }))).toEqual(all)
  const lost = [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03'].map(coded),
    ...['ER_SERVER_SHUTDOWN', 'PROTOCOL_CONNECTION_LOST', '25P03', '53300', 'EAI_AGAIN'].map(coded),
    Object.assign(new Error('Connection was killed'), { errno: 1927 }),
    new Error('timeout exceeded when trying to connect'),
    new Error('Connection terminated unexpectedly'),
    new Error('Client was closed and is not queryable'),
    new Error("Can't add new command when connection is in closed state"),
  ]
  for (const error of lost) expect(said(error)).toEqual([true, true, false, false, false])
  const lasting = [
    coded('57014'),
    coded('ER_STATEMENT_TIMEOUT'),
    { errcode: 13 },
    { errcode: '5' },
    undefined,
    5,
  ]
  for (const error of lasting) expect(said(error)).toEqual([false, false, false, false, false])
})

test('a client of a pool has a listener for errors until it is given back', async () => {
  const calls: string[] = []
  const client = {
    query: async () => ({ rows: [] }),
    on: (event: string) => void calls.push(`on ${event}`),
    off: (event: string) => void calls.push(`off ${event}`),
    release: (destroy?: boolean) => void calls.push(`release ${destroy}`),
  }
  const pool = { connect: async () => client, query: client.query, totalCount: 0 }
  const source = postgresqlRows(pool, { table: 't', key: 'id' })
  await source.count('a')
  await source.end?.()
  expect(calls).toEqual(['on error', 'off error', 'release false'])
})
