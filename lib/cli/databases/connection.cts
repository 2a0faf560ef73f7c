// Connections to databases, through the driver that the user's project has.
import type {
  MysqlConnection,
  PgClient,
  RowSource,
  ServerRowsOptions,
  SqliteDatabase,
} from '../../../types/rotation.d.ts'
import { fs } from '../../base/builtins.cjs'
import { mysqlRows } from '../../rotation/mysql.cjs'
import { postgresqlRows } from '../../rotation/postgresql.cjs'
import { sqliteRows } from '../../rotation/sqlite.cjs'
import { Failure, systemFailure } from '../frame/failure.cjs'
import type { Address } from './address.cjs'
import { databaseFailure, translating } from './database-failure.cjs'
import { driverOf, missing, neededDriver } from './driver.cjs'
import { tlsOf } from './tls.cjs'

/** Milliseconds to wait for a server. */
const PATIENCE = 10_000
/** The longest time that SQLite waits, in milliseconds. */
const UNLIMITED = 2 ** 31 - 1
/** As monitoring of a server shows the connection. */
const NAME = 'hardware-aes-gcm rotate'

interface Connection {
  rows(options: ServerRowsOptions): RowSource
  close(): unknown
}

/** Lends `work` a function that makes sources of rows, and closes the connection. */
export async function withDatabase<Result>(
  address: Address,
  lockTimeout: number,
  work: (rows: (options: ServerRowsOptions) => RowSource) => Promise<Result>,
): Promise<Result> {
  const { rows, close } = await CONNECT[address.kind](address, lockTimeout)
  try {
    return await work(options => translating(rows(options), address))
  } finally {
    // The work is done, so an error of the connection at its end does not matter.
    await Promise.resolve(close()).catch(() => {})
  }
}

const CONNECT = { postgresql, mysql, sqlite }

interface Events {
  on(event: 'error', listener: () => void): unknown
}
type Client = PgClient & Events & { connect(): Promise<unknown>; end(): Promise<void> }
interface Pg {
  Client: new (options: object) => Client
}

async function postgresql(address: Address): Promise<Connection> {
  const { Client } = neededDriver<Pg>('pg', 'pg', 'PostgreSQL')
  return await attempt(address, async () => {
    const client = new Client({
      connectionString: address.target,
      connectionTimeoutMillis: PATIENCE,
      application_name: NAME,
    })
    // The statement that runs fails, too.
    client.on('error', () => {})
    const close = () => client.end()
    await closingUnless(client.connect(), close)
    return { rows: options => postgresqlRows(client, options), close }
  })
}

interface Mysql {
  createConnection(options: object): Promise<MysqlConnection & Events & { end(): Promise<void> }>
}

async function mysql(address: Address): Promise<Connection> {
  const { createConnection } = neededDriver<Mysql>('mysql2/promise', 'mysql2', 'MySQL and MariaDB')
  const tls = tlsOf(address)
  return await attempt(address, async () => {
    const connection = await createConnection({
      ...partsOf(address.target),
      ...tls,
      connectTimeout: PATIENCE,
      supportBigNumbers: true,
    })
    connection.on('error', () => {})
    return { rows: options => mysqlRows(connection, options), close: () => connection.end() }
  })
}

/** The parts of a URL. Its other parameters are those of other programs. */
function partsOf(target: string): object {
  const { hostname, port, username, password, pathname, searchParams } = new URL(target)
  const socketPath = searchParams.get('socketPath') ?? searchParams.get('socket')
  return {
    host: decodeURIComponent(hostname.replace(/^\[(.*)\]$/, '$1')),
    ...(port !== '' && { port: Number(port) }),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)),
    ...(socketPath !== null && { socketPath }),
  }
}

type Sqlite = SqliteDatabase & { close(): void }
type BetterSqlite = new (path: string, options: object) => Sqlite
interface NodeSqlite {
  DatabaseSync: new (path: string, options: object) => Sqlite
}

async function sqlite(address: Address, lockTimeout: number): Promise<Connection> {
  const { target } = address
  const timeout = lockTimeout === 0 ? UNLIMITED : lockTimeout
  refuseNoFile(target)
  const Better = driverOf<BetterSqlite>('better-sqlite3')
  const node = Better === undefined ? nodeSqlite() : undefined
  return await attempt(address, async () => {
    const database =
      Better !== undefined
        ? new Better(target, { timeout, fileMustExist: true })
        : new (node as NodeSqlite).DatabaseSync(target, { timeout })
    return { rows: options => sqliteRows(database, options), close: () => database.close() }
  })
}

/** SQLite would make an empty file. */
function refuseNoFile(path: string): void {
  let facts: import('node:fs').Stats
  try {
    facts = fs.statSync(path)
  } catch (error) {
    throw systemFailure(error, path)
  }
  if (facts.isDirectory()) throw systemFailure({ code: 'EISDIR' }, path)
}

/** Node's own driver, without its warning that it may change. */
function nodeSqlite(): NodeSqlite {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    const found = process.getBuiltinModule('node:sqlite' as 'node:fs') as unknown as NodeSqlite | undefined
    if (found !== undefined) return found
  } finally {
    process.emitWarning = emitWarning
  }
  throw missing('SQLite needs Node 22.13 or the driver better-sqlite3', 'better-sqlite3')
}

async function closingUnless(connected: Promise<unknown>, close: () => Promise<void>): Promise<void> {
  try {
    await connected
  } catch (error) {
    await close().catch(() => {})
    throw error
  }
}

async function attempt(address: Address, connect: () => Promise<Connection>): Promise<Connection> {
  try {
    return await connect()
  } catch (error) {
    throw error instanceof Failure ? error : databaseFailure(error, address, 'connect')
  }
}
