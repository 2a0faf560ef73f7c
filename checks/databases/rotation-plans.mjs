// The part rotation in PostgreSQL: the planner would join a batch with the whole table, and the rotation's settings keep it from that.
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { postgresqlRows, rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect, fill } from './rotation-places.mjs'
import { usersOf } from './rotation-table.mjs'

const [ROWS, BATCH] = [2000, 100]
/** Of each column, at the end. */
export const COUNTS = 2
const SETTINGS = /; SET LOCAL (enable_\w+|jit) = off/g

/** How often a rotation of 20 batches reads the whole table; `isPlain` leaves its settings out. */
export async function wholeReads({ url, isPlain = false }) {
  const place = await connect(url)
  await place.create()
  const keyring = Keyring.generate()
  const users = usersOf(keyring, BlindIndex.generateKey().toString('hex'))
  await fill(place, ROWS, row => users.seal(row))
  await place.all('ANALYZE users')
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const query = (sql, values) => place.client.query(isPlain ? sql.replaceAll(SETTINGS, '') : sql, values)
  const before = await scans(place)
  const source = postgresqlRows({ query }, { table: 'users', key: 'id' })
  const { changed } = await rotateColumns(users, source, { batchSize: BATCH })
  const reads = (await scans(place)) - before
  await place.all('DROP TABLE users, journal')
  await place.close()
  if (changed !== ROWS) throw new Error(`${changed} of ${ROWS} rows were rotated`)
  return reads
}

async function scans({ all }) {
  await all('SELECT pg_stat_force_next_flush()')
  const [{ n }] = await all(`SELECT seq_scan AS n FROM pg_stat_user_tables WHERE relname = 'users'`)
  return Number(n)
}
