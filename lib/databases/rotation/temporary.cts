// Database errors after which the same batch may succeed.
import { codeOf, positionOf } from '../../cipher/base/builtins.cjs'

/** Deadlocks, failures to serialize, and locks that were not released in time. */
const LOCKS = [
  '40001',
  '40P01',
  '55P03',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
]
/** Connections that end, and servers that start or stop, or have no place yet. */
const LOST = [
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  '08000',
  '08001',
  '08003',
  '08006',
  '25P03',
  '53300',
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  'ER_CLIENT_INTERACTION_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_NET_READ_INTERRUPTED',
  'ER_SERVER_SHUTDOWN',
  'PROTOCOL_CONNECTION_LOST',
]
/** MariaDB's number for a connection that was killed, which mysql2 has no code for. */
const KILLED = 1927
/** `pg` and `mysql2` have no code for a statement on a connection that has ended. */
const ENDED =
  /^(Connection terminated|timeout exceeded when trying to connect|Client (has encountered a connection error|was closed)|Can't add new command when connection is in closed state)/
/** The primary codes SQLITE_BUSY and SQLITE_LOCKED. Extended codes set higher bits. */
const [BUSY, LOCKED, PRIMARY] = [5, 6, 0xff]

export function isLock(error: unknown): boolean {
  // node:sqlite reports numbers.
  const { errcode } = Object(error) as { errcode?: unknown }
  const code = typeof errcode === 'number' ? errcode & PRIMARY : undefined
  return code === BUSY || code === LOCKED || positionOf(LOCKS, codeOf(error)) >= 0
}

export function isLost(error: unknown): boolean {
  if ((Object(error) as { errno?: unknown }).errno === KILLED) return true
  return positionOf(LOST, codeOf(error)) >= 0 || (error instanceof Error && ENDED.test(error.message))
}
