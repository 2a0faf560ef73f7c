// The command rotate: hostile and misspelt arguments, drivers that are missing or fail, and passwords, which no output may contain.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { project, rotate, writeKeys } from './database.js'
import { type Folder, unnamed } from './program.js'

const PASSWORD = 's3cr3t-Pa55'
const SERVER = ['--table', 'users', '--id', 'id', '--column', 'email', '--keyset', 'keys']
const fromVariable = ['rotate', '--url-env', 'DATABASE_URL', ...SERVER]

function server(...drivers: Parameters<typeof project>): Folder {
  const folder = project(...drivers)
  writeKeys(folder)
  return folder
}

/** Fails if an output contains the password, in a form that a URL or a driver writes. */
async function failing(folder: Folder, status: 1 | 2, args: readonly string[]): Promise<string> {
  for (const json of [[], ['--json']]) {
    const { stdout, stderr } = await folder.run([...args, ...json])
    for (const form of [PASSWORD, encodeURIComponent(PASSWORD), 'Pa55'])
      expect(stdout + stderr).not.toContain(form)
  }
  return await folder.fail(status, args)
}

beforeEach(() => void vi.stubEnv('DATABASE_URL', `postgres://app:${PASSWORD}@db.example.org/app`))
afterEach(() => void vi.unstubAllEnvs())

describe('a misuse', () => {
  const LAST = ['--keyset', 'keys']
  test.each<[string, string[], RegExp]>([
    [
      'no database',
      ['rotate', ...SERVER],
      /^rotate needs a database: a URL, an SQLite file, or --url-env NAME /,
    ],
    ['two databases', [...fromVariable, 'app.db'], /^--url-env cannot be combined with a URL argument /],
    [
      'three words',
      ['rotate', 'a', 'b', ...SERVER.slice(0, -2), ...LAST],
      /^rotate accepts one database, got 2 /,
    ],
    [
      'no table',
      ['rotate', 'app.db', '--id', 'id', '--column', 'a', ...LAST],
      /^rotate needs a table: --table NAME /,
    ],
    [
      'no id',
      ['rotate', 'app.db', '--table', 't', '--column', 'a', ...LAST],
      /^rotate needs the row key: --id COLUMN /,
    ],
    [
      'no column',
      ['rotate', 'app.db', '--table', 't', '--id', 'id', ...LAST],
      /^rotate needs a column: --column COLUMN /,
    ],
    ['no keyset', rotate().slice(0, -2), /^rotate needs a keyset: --keyset FILE /],
    [
      'an id that is empty',
      rotate().map(word => (word === 'id' ? 'a,,b' : word)),
      /^--id has an empty name /,
    ],
    ['a column twice', rotate('--column', 'email'), /^--column names a column twice /],
    [
      'a column without a name',
      rotate('--column', '=b'),
      /^--column must be COLUMN, COLUMN:TYPE or COLUMN=DECLARED, got 2 /,
    ],
    [
      'an unknown type',
      rotate('--column', 'a:byte'),
      /^the type of a --column must be text, json, number, bytes; did you mean bytes\? /,
    ],
    ['columns that differ in case', rotate('--column', 'Email'), /^--id and --column: .*another column has/],
    [
      'a misspelt option',
      rotate('--dry-rnu'),
      /^--dry-rnu is not an option of rotate; did you mean --dry-run\? /,
    ],
    ['--password', rotate('--password', PASSWORD), /^there is no --password: /],
    [
      '--to clear without its words',
      rotate('--to', 'clear'),
      /^--to clear stores these columns as plaintext: confirm it with --confirm /,
    ],
    [
      'other words',
      rotate('--to', 'clear', '--confirm', 'yes'),
      /^--to clear stores these columns as plaintext/,
    ],
    ['these words alone', rotate('--confirm', 'store values in clear text'), /^--confirm needs --to clear /],
    ['another target', rotate('--to', 'plain'), /^--to must be clear /],
    [
      'both directions',
      rotate('--to', 'clear', '--from-clear'),
      /^--from-clear cannot be combined with --to clear /,
    ],
    ['a batch of nothing', rotate('--batch', '0'), /^--batch must be a whole number from 1 to 100000 /],
    ['a time-out', rotate('--lock-timeout', '2s'), /^--lock-timeout must be a whole number from 0 to 86400 /],
    ['--force alone', rotate('--force'), /^--force needs --failures FILE /],
    ['failures to a stream', rotate('--failures', '-'), /^--failures needs a file, not standard output /],
    ['an old key alone', rotate('--old-key', 'key'), /^--old-key needs --old-layout /],
    [
      'a layout without a key',
      rotate('--old-layout', '{iv}{ct}'),
      /^--old-layout needs the key of the old values: /,
    ],
    [
      'U+FFFD in a name',
      rotate().map(word => (word === 'users' ? '\ufffd' : word)),
      /^--table must be UTF-8, /,
    ],
  ])('%s', async (_, args, line) => {
    expect(await failing(server('better-sqlite3'), 2, args)).toMatch(line)
  })
})

describe('a password', () => {
  const hint = (name: string) =>
    `the URL contains a password, and other users can see arguments: use --url-env ${name}, and change the password if others may have seen it (see hardware-aes-gcm rotate --help)`

  test.each([
    `postgres://app:${PASSWORD}@h/app`,
    `postgresql://:${PASSWORD}@h`,
    `mysql://app:${encodeURIComponent(PASSWORD)}@h/app`,
    `MariaDB://app:${PASSWORD}@h/app`,
    `postgres://h/app?password=${PASSWORD}`,
    `postgres://app@h/app?user=a&sslpassword=${PASSWORD}`,
  ])('in an argument is refused: %s', async url => {
    expect(await failing(server(), 2, ['rotate', url, ...SERVER])).toBe(hint('NAME'))
  })

  test('names the variable that has the same URL', async () => {
    const url = process.env.DATABASE_URL as string
    expect(await failing(server(), 2, ['rotate', url, ...SERVER])).toBe(hint('DATABASE_URL'))
  })

  test.each([
    `postgres://app:${PASSWORD}/x@h/app`,
    `postgres://app:${PASSWORD}#x@h/app`,
    `postgres://app:${PASSWORD}?x@h/app`,
    `mysql://app:12/${PASSWORD}@h/app`,
    `postgres:/app:${PASSWORD}@h/app`,
    `mongodb://app:${PASSWORD}@h/app`,
    `https://app:${PASSWORD}@h/app`,
  ])('that is not encoded, or in no URL of a database, is not shown: %s', async url => {
    expect(await failing(server(), 2, ['rotate', url, ...SERVER])).toMatch(
      /^the database (is not a valid URL: in a user|must be a postgres:)/,
    )
    vi.stubEnv('DATABASE_URL', url)
    expect(await failing(server(), 1, fromVariable)).toMatch(
      /^environment variable DATABASE_URL: (is not a valid URL|must be a)/,
    )
  })

  test.each([
    ['connect', { message: `cannot reach app:${PASSWORD}` }, 'the driver failed'],
    [
      'connect',
      { message: '', code: 'ECONNREFUSED' },
      'connection refused: is the server running? (ECONNREFUSED)',
    ],
    [
      'connect',
      { message: 'password authentication failed', code: '28P01' },
      'rejected this user name or password (28P01)',
    ],
    [
      'query',
      { message: 'relation "users" does not exist', code: '42P01' },
      /^cannot find the table: check --table/,
    ],
    ['query', { message: `a strange failure\nof ${PASSWORD}`, code: 'XX000' }, 'a strange failure (XX000)'],
    [
      'query',
      { message: `at ${encodeURIComponent(PASSWORD)}`, code: `no code ${PASSWORD}` },
      'the driver failed',
    ],
  ])('is not shown by a failure at %s: %j', async (at, error, line) => {
    vi.stubEnv('FAKE_AT', at)
    vi.stubEnv('FAKE_ERROR', JSON.stringify(error))
    for (const [scheme, name] of Object.entries({
      postgres: 'PostgreSQL',
      mysql: 'MySQL',
      mariadb: 'MariaDB',
    })) {
      vi.stubEnv('DATABASE_URL', `${scheme}://app:${PASSWORD}@db.example.org/app`)
      const said = await failing(server('pg', 'mysql2'), 1, fromVariable)
      expect(said.startsWith(`${name} at db.example.org: `)).toBe(true)
      expect(said.slice(`${name} at db.example.org: `.length)).toEqual(
        typeof line === 'string' ? line : expect.stringMatching(line),
      )
    }
  })
})

test.each([
  [1969, undefined, 'a statement exceeded --statement-timeout: use a smaller --batch (ER_STATEMENT_TIMEOUT)'],
  [
    4025,
    'ER_INNODB_AUTOEXTEND_SIZE_OUT_OF_RANGE',
    'a CHECK constraint rejects the new values (ER_CONSTRAINT_FAILED)',
  ],
])('a number of MariaDB, %i, which mysql2 calls %s', async (errno, code, line) => {
  vi.stubEnv('FAKE_AT', 'query')
  vi.stubEnv('FAKE_ERROR', JSON.stringify({ message: 'a value of a row', errno, code }))
  vi.stubEnv('DATABASE_URL', 'mariadb://app@db.example.org/app')
  expect(await failing(server('mysql2'), 1, fromVariable)).toBe(`MariaDB at db.example.org: ${line}`)
})

test.each([
  ['postgres', 'pg', 'index.js', { message: 'Connection terminated unexpectedly' }],
  ['postgres', 'pg', 'index.js', { message: 'x', code: '57P01' }],
  ['mariadb', 'mysql2', 'promise.js', { message: 'x', code: 'PROTOCOL_CONNECTION_LOST' }],
  ['mariadb', 'mysql2', 'promise.js', { message: 'Connection was killed', errno: 1927 }],
] as const)(
  'rotate-lost-connection: %s connects again after %s %s %j',
  async (scheme, driver, file, error) => {
    const folder = server(driver)
    folder.write(
      `node_modules/${driver}/${file}`,
      `let connections = 0
    class Pool {
      totalCount = 0
      on() {}
      async end() {}
      async connect() {
        const n = ++connections
        const query = async () => { throw Object.assign(new Error(), n < 4 ? ${JSON.stringify(error)} : { message: 'connection ' + n, code: 'XX000' }) }
        return { on() {}, off() {}, release() {}, destroy() {}, query, execute: query }
      }
      getConnection() { return this.connect() }
    }
    module.exports = { Pool, createPool: () => new Pool() }`,
    )
    vi.stubEnv('DATABASE_URL', `${scheme}://app@db.example.org/app`)
    // The first connection is a test of the address, and two more are lost.
    expect(await folder.fail(1, fromVariable)).toMatch(/: connection 4 \(XX000\)$/)
  },
)

test('a variable that does not exist', async () => {
  vi.stubEnv('DATABASE_URLS', '')
  vi.stubEnv('DATABASE_URLS', undefined)
  const args = (name: string) => ['rotate', '--url-env', name, ...SERVER]
  expect(await failing(server(), 1, args('DATABASE_URLS'))).toBe(
    '--url-env (a name of 13 characters): no environment variable has this name; did you mean DATABASE_URL?',
  )
  vi.stubEnv('DATABASE_URL', '')
  expect(await failing(server(), 1, fromVariable)).toMatch(
    /^environment variable DATABASE_URL: must be a postgres:/,
  )
  expect(await failing(server(), 1, args(PASSWORD))).toMatch(
    /^--url-env \(a name of 11 characters\): no environment variable/,
  )
})

test.each([
  ['postgres', 'PostgreSQL needs the driver pg', 'pg'],
  ['mysql', 'MySQL and MariaDB needs the driver mysql2', 'mysql2'],
])('a driver of %s that is missing is named, with the way to install it', async (scheme, what, name) => {
  vi.stubEnv('DATABASE_URL', `${scheme}://app:${PASSWORD}@127.0.0.1/app`)
  expect(await failing(server(), 1, fromVariable)).toBe(
    `${what}, which this project does not have: npm install ${name}`,
  )
})

test('a driver that does not load, and one of Node', async () => {
  const folder = server('better-sqlite3')
  folder.write('app.db', '')
  folder.write(
    'node_modules/better-sqlite3/index.js',
    "throw new Error('was built for another version\\nat x')",
  )
  expect(await failing(folder, 1, rotate())).toBe(
    "this project's driver better-sqlite3 failed to load: was built for another version",
  )
})

test('a file of SQLite that does not exist is not made', async () => {
  const folder = server('better-sqlite3')
  expect(await failing(folder, 1, rotate())).toBe(unnamed('FILE', 'app.db'))
  expect(
    await failing(
      folder,
      1,
      rotate().map(word => (word === 'app.db' ? 'node_modules' : word)),
    ),
  ).toBe('node_modules: is a folder, not a file')
  expect(folder.names).toEqual(['keys', 'node_modules'])
})

test('TLS that a URL of MySQL asks for in a way that is not understood is not left out', async () => {
  vi.stubEnv('DATABASE_URL', `mysql://app:${PASSWORD}@db/app?sslca=x`)
  expect(await failing(server('mysql2'), 1, fromVariable)).toBe(
    'MySQL at db: its URL has an unsupported TLS parameter; use ssl={"rejectUnauthorized":true}',
  )
})

test.each([
  ['', 'undefined'],
  ['?connection_limit=5', 'undefined'],
  ['?ssl-mode=REQUIRED', '{"rejectUnauthorized":false}'],
  ['?sslaccept=strict', '{}'],
  ['?ssl={"rejectUnauthorized":true}', '{"rejectUnauthorized":true}'],
  ['?ssl-mode=DISABLED', 'undefined'],
])('TLS of MySQL with %j', async (query, tls) => {
  const folder = server('mysql2')
  folder.write(
    'node_modules/mysql2/promise.js',
    'exports.createPool = options => ({ getConnection: async () => { throw new Error(String(JSON.stringify(options.ssl))) }, end: async () => {} })',
  )
  vi.stubEnv('DATABASE_URL', `mysql://app@db/app${query}`)
  expect(await failing(folder, 1, fromVariable)).toBe(`MySQL at db: ${tls}`)
})
