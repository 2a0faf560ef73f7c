// The sources for SQL: over SQLite itself, and by the statements that they send to connections of other databases.
import { createRequire } from 'node:module'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { mysqlRows, postgresqlRows, rotateColumns, sqliteRows } from 'hardware-aes-gcm/rotation'
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

const REQUEST = { after: undefined, limit: 10, filters: undefined, write: true }

test('SQLite: a composite key, names in quotes, windows without wanted rows, and a write in between', async () => {
  const db = new Database()
  const [table, email] = ['A "t" of `x`', 'E-Mail of `A`']
  const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
  db.exec(
    `CREATE TABLE ${quote(table)} (tenant TEXT, n INTEGER, ${quote(email)} TEXT, PRIMARY KEY (tenant, n))`,
  )
  const keyring = Keyring.generate()
  const users = encryptedColumns('t', { keyring, rowKey: ['tenant', 'n'], columns: { email: 'text' } })
  const insert = (tenant: string, n: number) => {
    const sealed = users.seal({ tenant, n, email: `${tenant}${n}` })
    db.run(`INSERT INTO ${quote(table)} VALUES (?, ?, ?)`, [tenant, n, sealed.email])
  }
  for (let n = 0; n < 40; n++) insert("a'", n)
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  for (let n = 0; n < 200; n++) insert('b', n)
  for (let n = 0; n < 3; n++) db.run(`INSERT INTO ${quote(table)} VALUES (?, ?, ?)`, ['c', n, null])
  const statements: string[] = []
  const database = {
    exec: (sql: string) => {
      statements.push(sql)
      db.exec(sql)
    },
    prepare: (sql: string) => ({
      all: (...values: unknown[]) => db.all(sql, values),
      run: (...values: unknown[]) => db.run(sql, values),
    }),
  }
  const source = sqliteRows(database, { table, key: ['tenant', 'n'], names: { email } })
  const seen: number[] = []
  const result = await rotateColumns(users, source, {
    batchSize: 3,
    onProgress: one => void seen.push(one.seen),
  })
  expect(result).toMatchObject({ done: true, changed: 40, conflicts: 0 })
  expect(result.columns[0]).toMatchObject({ nulls: 3, rest: 0 })
  expect(seen.at(-1)).toBe(243)
  expect(statements.filter(sql => sql === 'BEGIN IMMEDIATE')).toHaveLength(statements.length / 2)
  const rows = db.all(`SELECT tenant, n, ${quote(email)} AS email FROM ${quote(table)}`)
  for (const row of rows.slice(0, 240)) expect(users.open(row).email).toBe(`${row.tenant}${row.n}`)
  // Without the value that was read, nothing is written.
  const columns = ['tenant', 'n', 'email']
  const { rows: read } = await source.read({ ...REQUEST, columns, write: false })
  const change = { row: read[0] as never, old: { email: 'other' }, now: { email: 'x' } }
  expect(await source.write([change])).toEqual([false])
  await source.read({ ...REQUEST, columns: ['email'] })
  await source.end?.()
  expect(statements.at(-1)).toBe('ROLLBACK')
})

/** A connection that answers every statement with no rows. */
function recorder(rows: Record<string, unknown>[] = []) {
  const statements: string[] = []
  const query = async (sql: string) => {
    statements.push(sql)
    const list = sql.includes('pg_index')
      ? [{ isIndexed: true, hasPolicies: false, kinds: 'prr' }]
      : sql.includes('pg_attribute')
        ? []
        : rows
    return Object.assign([list, []] as [unknown, unknown], { rows: list })
  }
  return { statements, query, execute: query }
}

test('PostgreSQL: limits of the transaction alone, a pool whose client is given back', async () => {
  const released: unknown[] = []
  const { statements, query } = recorder()
  const client = {
    statements,
    query: async (sql: string) => ({ rows: (await query(sql)).rows }),
    release: (destroy?: boolean) => void released.push(destroy),
  }
  const pool = { connect: async () => client, query: client.query, totalCount: 0 }
  const source = postgresqlRows(pool, {
    table: ['a"b', 'users'],
    key: 'id',
    statementTimeout: 7,
    lockTimeout: 0,
  })
  await source.read({ ...REQUEST, columns: ['email'] })
  expect(client.statements[0]).toContain('pg_index')
  expect(client.statements[1]).toContain('pg_attribute')
  const [begin, ...settings] = client.statements[2]?.split('; SET LOCAL ') ?? []
  expect(begin).toBe('BEGIN ISOLATION LEVEL READ COMMITTED')
  expect(settings.slice(0, 2)).toEqual(['statement_timeout = 7', 'lock_timeout = 0'])
  expect(settings).toHaveLength(7)
  for (const setting of settings.slice(2))
    expect(setting).toMatch(/^(enable_(seq|bitmap)scan|enable_(hash|merge)join|jit) = off$/)
  expect(client.statements[3]).toContain('FROM "a""b"."users" WHERE TRUE ORDER BY "id" LIMIT 1 OFFSET 9')
  expect(client.statements[4]).toContain('FROM "a""b"."users" WHERE TRUE ORDER BY "id" LIMIT 10')
  expect(await source.write([])).toEqual([])
  expect(client.statements.at(-1)).toBe('COMMIT')
  await source.count('email')
  const counting = client.statements.slice(-4)
  expect(counting[0]).toContain('row_security_active')
  expect(counting[1]).toBe('BEGIN; SET LOCAL lock_timeout = 0')
  expect(counting[2]).toMatch(/^SELECT CASE /)
  expect(counting[3]).toBe('COMMIT')
  await source.read({ ...REQUEST, columns: ['email'] })
  await source.end?.()
  expect(client.statements.at(-1)).toBe('ROLLBACK')
  await source.read({ ...REQUEST, columns: ['email'] })
  client.query = async () => {
    throw new Error('the connection is lost')
  }
  await source.end?.()
  expect(released).toEqual([false, true])
  await source.end?.()
})

test.each([
  [3, [], [true, true, true]],
  [0, [], [false, false, false]],
  [2, ['3', '2'], [false, true, true]],
])('PostgreSQL: changes of which the database updates %i', async (rowCount, stored, written) => {
  const query = async (sql: string) => {
    if (sql.includes('pg_index')) return { rows: [] }
    if (sql.includes('pg_attribute')) return { rows: ['id', 'email'].map(name => ({ name, type: 'text' })) }
    return { rows: stored.map(i => ({ i })), rowCount }
  }
  const source = postgresqlRows({ query }, { table: 'users', key: 'id' })
  const changes = ['a', 'b', 'c'].map(id => ({
    row: { id, email: 'old' },
    old: { email: 'old' },
    now: { email: 'new' },
  }))
  expect(await source.write(changes)).toEqual(written)
})

test('MySQL and MariaDB: the session has its own limits again in the end', async () => {
  for (const [version, variable, time] of [
    ['10.11.6-MariaDB', 'max_statement_time', 7],
    ['8.4.0', 'max_execution_time', 7000],
  ] as const) {
    const given: string[] = []
    const connection = {
      ...recorder([{ version, t: 5, l: 50, m: 'ANSI' }]),
      release: () => void given.push('released'),
      destroy: () => void given.push('destroyed'),
    }
    const pool = { getConnection: async () => connection }
    const source = mysqlRows(pool, { table: 'users', key: 'id', statementTimeout: 7000, lockTimeout: 1500 })
    await source.read({ ...REQUEST, columns: ['email'] })
    const set = (t: number, l: number, m: string) =>
      `SET SESSION ${variable} = ${t}, SESSION innodb_lock_wait_timeout = ${l}, SESSION sql_mode = '${m}'`
    expect(connection.statements).toContain(set(time, 2, 'STRICT_ALL_TABLES'))
    expect(connection.statements).toContain('SET TRANSACTION ISOLATION LEVEL READ COMMITTED')
    expect(connection.statements.at(-1)).toMatch(/ORDER BY u\.`id` LIMIT 10 FOR UPDATE SKIP LOCKED$/)
    await source.end?.()
    expect(connection.statements.slice(-2)).toEqual(['ROLLBACK', set(5, 50, 'ANSI')])
    expect(given).toEqual(['released'])
  }
})

test('MySQL: bytes of every type are compared as bytes', async () => {
  for (const type of ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob']) {
    const statements: string[] = []
    const execute = async (sql: string, values: unknown[]) => {
      if (sql.includes('information_schema')) return [['id', 'email'].map(name => ({ name, type })), []]
      statements.push(`${sql} ${values}`)
      return [{ affectedRows: 1 }, []]
    }
    const source = mysqlRows({ query: execute, execute } as never, { table: 't', key: 'id' })
    const row = { id: Buffer.of(1, 2), email: 'old' }
    expect(await source.write([{ row, old: { email: 'old' }, now: { email: 'new' } }])).toEqual([true])
    expect(statements[0]).toContain('ON u.`id` = UNHEX(v.k0) SET u.`email` = UNHEX(v.n0)')
    expect(statements[0]).toContain('WHERE CAST(u.`email` AS BINARY) <=> UNHEX(v.o0)')
  }
})

test('mysql-no-backslash-escapes: no value becomes a part of a statement', async () => {
  const sent: string[] = []
  const key = "bob' OR SLEEP(1) -- \\"
  const connection = {
    query: async (...given: unknown[]) => {
      expect(given).toHaveLength(1)
      sent.push(String(given[0]))
      return [[], []]
    },
    execute: async (sql: string) => {
      sent.push(sql)
      if (sql.includes('information_schema'))
        return [['id', 'email'].map(name => ({ name, type: 'varchar', cs: 'utf8mb4', co: 'x' })), []]
      return [/^UPDATE/.test(sql) ? { affectedRows: 0 } : [{ id: key, email: key }], []]
    },
  }
  const source = mysqlRows(connection as never, { table: 't', key: 'id' })
  const after = { after: [key], last: [key], left: 1 }
  const { rows } = await source.read({
    ...REQUEST,
    after,
    columns: ['id', 'email'],
    filters: [{ column: 'email', except: ['AQAAAAA'] }],
  })
  await source.write(rows.map(row => ({ row, old: { email: key }, now: { email: key } })))
  expect(sent.filter(sql => sql.includes('bob'))).toEqual([])
  expect(sent.filter(sql => sql.includes('?')).length).toBeGreaterThan(3)
})

test.each([
  [{ kinds: 'v' }, /^"t" is a view, which may lack rows/],
  [{ kinds: 'm' }, /^"t" is a materialized view/],
  [{ kinds: 'prf' }, /^"t" is or contains a foreign table/],
  [{ kinds: 'S' }, /^"t" is no table/],
  [{ kinds: 'r', hasPolicies: true }, /^row-level security applies to this account .* BYPASSRLS$/],
])(
  'rotation-filtered-view: what PostgreSQL says to be %j is refused before anything is read',
  async (facts, why) => {
    const sent: string[] = []
    const query = async (sql: string) => {
      sent.push(sql)
      return { rows: [facts] }
    }
    const source = postgresqlRows({ query }, { table: 't', key: 'id' })
    const refused = { code: 'ERR_INVALID_STATE', message: expect.stringMatching(why) }
    await expect(source.read({ ...REQUEST, columns: ['email'] })).rejects.toMatchObject(refused)
    await expect(source.count('email')).rejects.toMatchObject(refused)
    expect(sent).toHaveLength(2)
  },
)

test.each([
  [{ kind: 'VIEW', engine: null }, /^`t` is a view/],
  [{ kind: 'SEQUENCE', engine: 'InnoDB' }, /^`t` is a sequence/],
  [{ kind: 'TEMPORARY', engine: 'InnoDB' }, /^`t` is a temporary/],
  [{ kind: 'BASE TABLE', engine: 'MyISAM' }, /^`t` has the engine MyISAM, and a rotation needs InnoDB$/],
  [{ kind: 'SYSTEM VERSIONED', engine: 'Aria' }, /^`t` has the engine Aria/],
])('rotation-filtered-view: what MySQL says to be %j is refused', async (facts, why) => {
  const query = async () => [[facts], []]
  const source = mysqlRows({ query, execute: query } as never, { table: 't', key: 'id' })
  const refused = { code: 'ERR_INVALID_STATE', message: expect.stringMatching(why) }
  await expect(source.count('email')).rejects.toMatchObject(refused)
})

test('MariaDB: the history of a table is counted apart', async () => {
  const sent: string[] = []
  const execute = async (sql: string) => {
    sent.push(sql)
    if (sql.includes('.TABLES')) return [[{ kind: 'SYSTEM VERSIONED', engine: 'InnoDB' }], []]
    if (sql.includes('.COLUMNS')) return [[{ name: 'id', type: 'int', full: 'int' }], []]
    const counts = [
      { prefix: 'AQAAAAA', n: 3, whole: 0 },
      { prefix: '-', n: 9, whole: 1 },
      { prefix: 'AQAAAAA', n: 5, whole: 1 },
    ]
    return [counts, []]
  }
  const source = mysqlRows({ query: execute, execute } as never, { table: ['a', 't'], key: 'id' })
  expect(await source.count('email')).toEqual([
    { prefix: 'AQAAAAA', values: 3 },
    { prefix: '', values: 9, history: true },
    { prefix: 'AQAAAAA', values: 2, history: true },
  ])
  expect(sent.at(-1)).toMatch(
    /FROM `a`\.`t` WHERE TRUE GROUP BY 1\) UNION ALL .* FROM `a`\.`t` FOR SYSTEM_TIME ALL WHERE TRUE GROUP BY 1\)$/,
  )
})

test('rotation-filtered-view: SQLite refuses views and virtual tables', async () => {
  const db = new Database()
  db.exec('CREATE TABLE t (k TEXT PRIMARY KEY, c TEXT)')
  db.exec("CREATE VIEW `a 'view\"` AS SELECT * FROM t WHERE k <> 'b'")
  db.exec('CREATE VIRTUAL TABLE f USING fts5(c)')
  const database = {
    exec: (sql: string) => db.exec(sql),
    prepare: (sql: string) => ({
      all: (...values: unknown[]) => db.all(sql, values),
      run: (...values: unknown[]) => db.run(sql, values),
    }),
  }
  const count = async (table: string | [string, string]) =>
    sqliteRows(database, { table, key: 'k' }).count('c')
  const refused = { code: 'ERR_INVALID_STATE' }
  for (const name of ['a \'view"', 'F'] as const) {
    await expect(count(name)).rejects.toMatchObject(refused)
    await expect(count(['main', name])).rejects.toMatchObject(refused)
  }
  expect(await count(['main', 'T'])).toEqual([])
  // A temporary view comes before the table of the same name.
  db.exec('CREATE TEMP VIEW t AS SELECT 1 AS k, 2 AS c')
  await expect(count('t')).rejects.toMatchObject(refused)
})

test('mysql-question-mark-table: a name with a question mark is refused', () => {
  const client = recorder()
  const refused = (options: {
    table: string | [string, string]
    key: string
    names?: Record<string, string>
  }) => refuses(() => mysqlRows(client, options), 'ERR_INVALID_ARG_VALUE')
  refused({ table: 'what?', key: 'id' })
  refused({ table: ['app?', 't'], key: 'id' })
  refused({ table: 't', key: 'id?' })
  refused({ table: 't', key: 'id', names: { email: 'e?' } })
})

test('arguments that are wrong', () => {
  const client = recorder()
  for (const rows of [postgresqlRows, mysqlRows] as const) {
    for (const one of [undefined, {}, 7])
      refuses(() => rows(one as never, { table: 't', key: 'id' }), 'ERR_INVALID_ARG_TYPE')
    const refused = (options: unknown, code: string) =>
      refuses(() => rows(client as never, options as never), code)
    refused(undefined, 'ERR_INVALID_ARG_TYPE')
    refused({ table: 't' }, 'ERR_INVALID_ARG_TYPE')
    refused({ table: '', key: 'id' }, 'ERR_INVALID_ARG_VALUE')
    refused({ table: 'a\0b', key: 'id' }, 'ERR_INVALID_ARG_VALUE')
    refused({ table: ['a', 'b', 'c'], key: 'id' }, 'ERR_OUT_OF_RANGE')
    refused({ table: 't', key: [] }, 'ERR_OUT_OF_RANGE')
    refused({ table: 't', key: ['id', 7] }, 'ERR_INVALID_ARG_TYPE')
    refused({ table: 't', key: 'id', names: { a: 7 } }, 'ERR_INVALID_ARG_TYPE')
    refused({ table: 't', key: 'id', lockTimeout: -1 }, 'ERR_OUT_OF_RANGE')
    refused({ table: 't', key: 'id', timeout: 1 }, 'ERR_INVALID_ARG_VALUE')
  }
  for (const one of [undefined, {}, 7])
    refuses(() => sqliteRows(one as never, { table: 't', key: 'id' }), 'ERR_INVALID_ARG_TYPE')
  const database = { exec: () => {}, prepare: () => ({ all: () => [], run: () => ({}) }) }
  refuses(
    () => sqliteRows(database, { table: 't', key: 'id', lockTimeout: 1 } as never),
    'ERR_INVALID_ARG_VALUE',
  )
})
