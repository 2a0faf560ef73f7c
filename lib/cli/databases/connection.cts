// Connections to databases, through the driver that the user's project has.
import type {
  MysqlPool,
  PgPool,
  RowSource,
  ServerRowsOptions,
  SqliteDatabase,
} from '../../../types/rotation.d.ts'
import { fs } from '../../cipher/base/builtins.cjs'
import { mysqlRows } from '../../databases/rotation/mysql.cjs'
import { postgresqlRows } from '../../databases/rotation/postgresql.cjs'
import { sqliteRows } from '../../databases/rotation/sqlite.cjs'
import { isLost } from '../../databases/rotation/temporary.cjs'
import { Failure, systemFailure } from '../frame/failure.cjs'
import type { Address } from './address.cjs'
import { databaseFailure, translating } from './database-failure.cjs'
import { driverOf, missing, neededDriver } from './driver.cjs'
import { tlsOf } from './tls.cjs'

const { setTimeout: wait } = process.getBuiltinModule('node:timers/promises')

/** Milliseconds to wait for a server, and between two attempts to reach one that was lost. */
const [PATIENCE, BETWEEN] = [10_000, 250]
/** Milliseconds of attempts at the first connection: an address may be wrong. */
const FIRST = 500
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

type PoolOfPg = PgPool & { on(event: 'error', listener: () => void): unknown; end(): Promise<void> }
interface Pg {
  Pool: new (options: object) => PoolOfPg
}

/** A pool of one connection, after whose loss the source of rows asks for another. */
async function postgresql(address: Address): Promise<Connection> {
  const { Pool } = neededDriver<Pg>('pg', 'pg', 'PostgreSQL')
  return await attempt(address, async () => {
    const pool = new Pool({
      connectionString: address.target,
      connectionTimeoutMillis: PATIENCE,
      application_name: NAME,
      max: 1,
      idleTimeoutMillis: 0,
    })
    // The statement that runs fails, too.
    pool.on('error', () => {})
    const close = () => pool.end()
    await closingUnless(
      patiently(FIRST, () => pool.connect()).then(client => client.release()),
      close,
    )
    const again: PgPool = { totalCount: 1, connect: () => patiently(PATIENCE, () => pool.connect()) }
    return { rows: options => postgresqlRows(again, options), close }
  })
}

interface Mysql {
  createPool(options: object): MysqlPool & { end(): Promise<void> }
}

async function mysql(address: Address): Promise<Connection> {
  const { createPool } = neededDriver<Mysql>('mysql2/promise', 'mysql2', 'MySQL and MariaDB')
  const tls = tlsOf(address)
  return await attempt(address, async () => {
    const pool = createPool({
      ...partsOf(address.target),
      ...tls,
      connectTimeout: PATIENCE,
      supportBigNumbers: true,
      connectionLimit: 1,
    })
    const close = () => pool.end()
    await closingUnless(
      patiently(FIRST, () => pool.getConnection()).then(connection => connection.release()),
      close,
    )
    const again: MysqlPool = { getConnection: () => patiently(PATIENCE, () => pool.getConnection()) }
    return { rows: options => mysqlRows(again, options), close }
  })
}

/** Connects to a server that may be starting again. */
async function patiently<Client>(patience: number, connect: () => Promise<Client>): Promise<Client> {
  for (const began = performance.now(); ; await wait(BETWEEN)) {
    try {
      return await connect()
    } catch (error) {
      if (!isLost(error) || performance.now() - began > patience) throw error
    }
  }
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
