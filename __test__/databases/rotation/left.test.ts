// Rows of SQLite that a rotation cannot change: the run ends, says why, and takes all others to the primary key.
import { createRequire } from 'node:module'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { type RotateColumnsOptions, rotateColumns, sqliteRows } from 'hardware-aes-gcm/rotation'
import { describe, expect, test } from 'vitest'

/** SQLite compiled to WebAssembly, for Node 20, which has no node:sqlite. */
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
  Database: new () => {
    exec(sql: string): void
    run(sql: string, values: unknown[]): unknown
    all(sql: string, values?: unknown[]): Record<string, unknown>[]
  }
}

/** A table `t`, whose key is `k`, with rows of an old key. */
function filled(keys: readonly unknown[][], declared = 'k TEXT PRIMARY KEY', more = '') {
  const keyring = Keyring.generate()
  const table = encryptedColumns('t', { keyring, rowKey: false, columns: { c: 'text', d: 'text' } })
  const db = new Database()
  db.exec(`CREATE TABLE t (${declared}, c TEXT, d TEXT${more})`)
  for (const key of keys) {
    const { c, d } = table.seal({ c: 'c', d: 'd' })
    db.run(`INSERT INTO t VALUES (${key.map(() => '?').join()}, ?, ?)`, [...key, c, d])
  }
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const statements: string[] = []
  const database = {
    exec: (sql: string) => db.exec(sql),
    prepare: (sql: string) => {
      statements.push(sql)
      return {
        all: (...values: unknown[]) => db.all(sql, values),
        run: (...values: unknown[]) => db.run(sql, values),
      }
    },
  }
  const reasons: string[] = []
  const rotated = async (key: string | string[] = 'k', options: RotateColumnsOptions = {}) => {
    const onFailure = ({ column, reason }: { column: string; reason: string }) =>
      void reasons.push(`${column} ${reason}`)
    return await rotateColumns(table, sqliteRows(database, { table: 't', key }), {
      batchSize: 5,
      onFailure,
      ...options,
    })
  }
  const old = () => db.all('SELECT * FROM t').filter(row => keyring.needsRotation(row.c as string))
  return { db, rotated, reasons, old, statements }
}

describe('rotation-null-keys: rows whose key is NULL', () => {
  test('hide no other row, and are reported', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => [n < 100 ? null : `k${n}`])
    const { rotated, reasons, old } = filled(keys)
    expect(await rotated('k', { dryRun: true })).toMatchObject({ changed: 100, failed: 200, done: false })
    const result = await rotated()
    expect(result).toMatchObject({ done: false, changed: 100, failed: 200, conflicts: 0 })
    expect(reasons.slice(-2)).toEqual(['c no-key', 'd no-key'])
    expect(old().map(({ k }) => k)).toEqual(keys.slice(0, 100).map(() => null))
  })

  test('of a composite key, in any of its columns', async () => {
    const keys = Array.from({ length: 60 }, (_, n) => [n % 5 === 0 ? null : n % 3, n % 7 === 0 ? null : n])
    const complete = keys.filter(key => !key.includes(null)).length
    const { rotated, old } = filled(keys, 'a INTEGER, b INTEGER', ', UNIQUE (a, b)')
    const result = await rotated(['a', 'b'], { batchSize: 2 })
    expect(result).toMatchObject({ done: false, changed: complete, failed: 2 * (60 - complete) })
    expect(old()).toHaveLength(60 - complete)
  })

  test('that need nothing do not keep a run from being done', async () => {
    const { db, rotated } = filled([['a'], ['b'], [null]])
    db.exec('UPDATE t SET c = NULL, d = NULL WHERE k IS NULL')
    expect(await rotated()).toMatchObject({ done: true, changed: 2, failed: 0 })
  })
})

describe('rotation-undone-update: a trigger that keeps old values is said to', () => {
  const ALL = Array.from({ length: 12 }, (_, n) => [`k${n}`])
  test.each([
    ['ignores the update', 'BEFORE UPDATE ON t BEGIN SELECT RAISE(IGNORE); END'],
    [
      'writes the old values afterwards',
      'AFTER UPDATE ON t WHEN NEW.c <> OLD.c BEGIN UPDATE t SET c = OLD.c, d = OLD.d WHERE k = OLD.k; END',
    ],
  ])('one that %s', async (_, trigger) => {
    const { db, rotated, reasons, old } = filled(ALL)
    db.exec(`CREATE TRIGGER undo ${trigger}`)
    expect(await rotated()).toMatchObject({ done: false, changed: 0, failed: 24, conflicts: 0 })
    expect(new Set(reasons)).toEqual(new Set(['c kept', 'd kept']))
    expect(old()).toHaveLength(12)
  })

  test('one that undoes some rows, which are not in the first batch', async () => {
    const { db, rotated, reasons, old } = filled(ALL)
    db.exec(
      `CREATE TRIGGER undo AFTER UPDATE ON t WHEN OLD.k = 'k9' AND NEW.c <> OLD.c BEGIN UPDATE t SET c = OLD.c WHERE k = OLD.k; END`,
    )
    expect(await rotated()).toMatchObject({ done: false, failed: 1 })
    expect(reasons).toEqual(['c kept'])
    expect(old()).toHaveLength(1)
  })

  test('without one, only the first batch is read again', async () => {
    const { rotated, statements } = filled(ALL)
    expect(await rotated('k', { batchSize: 4 })).toMatchObject({ done: true, changed: 12 })
    expect(statements.filter(sql => sql.startsWith('SELECT 1 FROM'))).toHaveLength(1)
  })
})
