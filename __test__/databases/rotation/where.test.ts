// A condition on the rows of a rotation: one table with a keyring for each tenant.
import { createRequire } from 'node:module'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import {
  countColumns,
  mysqlRows,
  postgresqlRows,
  rotateColumns,
  type SqlRowsOptions,
  sqliteRows,
} from 'hardware-aes-gcm/rotation'
import { expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'

/** SQLite compiled to WebAssembly, for Node 20, which has no node:sqlite. */
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
  Database: new () => {
    exec(sql: string): void
    run(sql: string, values: unknown[]): unknown
    all(sql: string, values?: unknown[]): Record<string, unknown>[]
  }
}

const TENANTS = ["a' OR 1=1 --", 'b'] as const

function twoTenants() {
  const db = new Database()
  db.exec('CREATE TABLE t (`ten``ant` TEXT, id INT, s TEXT, PRIMARY KEY (`ten``ant`, id))')
  const keyrings = TENANTS.map(() => Keyring.generate())
  const tables = keyrings.map(keyring =>
    encryptedColumns('t', { keyring, rowKey: ['tenant', 'id'], columns: { s: 'text' } }),
  )
  for (const [n, tenant] of TENANTS.entries())
    for (let id = 0; id < 100; id++)
      db.run('INSERT INTO t VALUES (?, ?, ?)', [tenant, id, tables[n]?.seal({ tenant, id, s: 'v' }).s])
  for (const keyring of keyrings) keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const database = {
    exec: (sql: string) => db.exec(sql),
    prepare: (sql: string) => ({
      all: (...values: unknown[]) => db.all(sql, values),
      run: (...values: unknown[]) => db.run(sql, values),
    }),
  }
  const source = (where?: NonNullable<SqlRowsOptions['where']>) =>
    sqliteRows(database, {
      table: 't',
      key: ['tenant', 'id'],
      names: { tenant: 'ten`ant' },
      ...(where && { where }),
    })
  const old = () =>
    db
      .all('SELECT `ten``ant` AS tenant, s FROM t')
      .filter(({ tenant, s }) => keyrings[TENANTS.indexOf(tenant as 'b')]?.needsRotation(s as string)).length
  return { tables, source, old }
}

test('rotation-two-keysets: each tenant of a table is done, under a keyring of its own', async () => {
  const { tables, source, old } = twoTenants()
  const [first, second] = tables as [(typeof tables)[0], (typeof tables)[0]]
  // Without a condition, the values of others do not open.
  expect(await rotateColumns(first, source(), { dryRun: true })).toMatchObject({ failed: 100 })
  const seen: number[] = []
  const result = await rotateColumns(first, source({ tenant: TENANTS[0] }), {
    batchSize: 7,
    onProgress: ({ total, seen: rows }) => void seen.push(total, rows),
  })
  expect(result).toMatchObject({ done: true, changed: 100, failed: 0 })
  expect([Math.max(...seen), old()]).toEqual([100, 100])
  const where = { tenant: [TENANTS[1], 'c'], id: Array.from({ length: 1000 }, (_, id) => id) }
  expect(await rotateColumns(second, source(where))).toMatchObject({ done: true, changed: 100 })
  expect(old()).toBe(0)
  const [{ keys, rest }] = (await countColumns(second, source({ tenant: 'b', id: 3n }))) as [never]
  expect([keys, rest]).toMatchObject([[{ values: 0 }, { values: 1 }], 0])
  expect(await rotateColumns(first, source({ tenant: Buffer.from('b') }))).toMatchObject({ changed: 0 })
})

test('a condition that would take in all rows, or convert its value, is refused', async () => {
  const query = async () => [[{ name: 'n', type: 'int', full: 'int' }], []]
  const clients = [
    (options: object) => postgresqlRows({ query } as never, options as never),
    (options: object) => mysqlRows({ query, execute: query } as never, options as never),
    (options: object) =>
      sqliteRows({ exec: () => {}, prepare: () => ({ all: () => [], run: () => ({}) }) }, options as never),
  ]
  for (const rows of clients) {
    const refused = (where: unknown, code: string) =>
      refuses(() => rows({ table: 't', key: 'id', where }), code)
    for (const where of [undefined, null, 7, 'a', [], new Map([['a', 1]]), new Date()])
      refused(where, 'ERR_INVALID_ARG_TYPE')
    refused({}, 'ERR_INVALID_ARG_VALUE')
    refused({ [Symbol('a')]: 1 }, 'ERR_INVALID_ARG_VALUE')
    refused({ '': 1 }, 'ERR_INVALID_ARG_VALUE')
    for (const value of [
      undefined,
      null,
      Number.NaN,
      0.5,
      2 ** 53,
      true,
      new Date(),
      {},
      () => 1,
      [1, undefined],
      [[1]],
    ])
      refused({ a: value }, 'ERR_INVALID_ARG_TYPE')
    refused({ a: [] }, 'ERR_OUT_OF_RANGE')
  }
  for (const value of ['abc', '', '1.5', 2n ** 63n, '1 OR 1'])
    await expect(
      mysqlRows({ query, execute: query } as never, { table: 't', key: 'id', where: { n: value } }).count(
        's',
      ),
    ).rejects.toMatchObject({ code: 'ERR_INVALID_STATE', message: expect.stringContaining('whole numbers') })
})
