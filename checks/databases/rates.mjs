// Prints how many rows a second one process rotates, beside the same statements with texts made before. It runs only if it is named.
//
// Both take turns on one table, of which every row is under an old key at the beginning of each. A rate is that of the whole call, with the
// count at its end. Since CPUs change their speed, the two of a round are compared with each other, and each round begins with the other
// one. The column `email` has a blind index, which the database indexes too; `address` is JSON without one.
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { called, startSqlite } from './rotation-node.mjs'
import { connect, fill } from './rotation-places.mjs'
import { usersOf } from './rotation-table.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'

const [SAMPLE, WHOLE] = [
  { rows: 5000, rounds: 1 },
  { rows: 100_000, rounds: 6 },
]
/** As the databases do by themselves, sooner or later. */
const TIDY = {
  postgresql: ['VACUUM ANALYZE users'],
  mariadb: ['ANALYZE TABLE users'],
  sqlite: ['ANALYZE', 'PRAGMA wal_checkpoint(TRUNCATE)'],
}

export async function* prove({ whole }) {
  for (const start of [startPostgresql, startMariadb, startSqlite]) {
    const server = await start()
    try {
      const rates = await called(import.meta.url, 'ratesOf', server, whole ? WHOLE : SAMPLE)
      for (const [column, { rotation, ready }] of Object.entries(rates)) {
        const shares = rotation.map((rate, i) => Math.round((rate / ready[i]) * 100)).sort((a, b) => a - b)
        const best = Math.round((Math.max(...rotation) / Math.max(...ready)) * 100)
        yield `${server.database}, ${column}: ${rotation.join(', ')} rows a second; with texts made before ${ready.join(', ')}: ${shares.join(', ')}% in a round, median ${median(shares)}%, ${best}% of the best`
      }
    } finally {
      await server.stop()
    }
  }
}

/** Of an even number of rounds, the lower one in the middle. */
const median = sorted => sorted[(sorted.length - 1) >> 1]

/** The rates of each column in each round. */
export async function ratesOf({ database, url, rows, rounds }) {
  const keyring = Keyring.generate()
  const users = usersOf(keyring, BlindIndex.generateKey().toString('hex'))
  const place = await connect(url)
  await place.create()
  await place.all('CREATE INDEX users_email ON users (email_index)')
  await fill(place, rows, row => users.seal(row))
  const rates = {}
  for (let round = 0; round < rounds; round++)
    for (const column of ['address', 'email']) {
      rates[column] ??= { rotation: [], ready: [] }
      const turns = Object.entries({ rotation, ready })
      for (const [name, prepare] of round % 2 === 0 ? turns : turns.reverse()) {
        keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
        for (const sql of TIDY[database]) await place.all(sql)
        const run = await prepare(users, place, column)
        const began = performance.now()
        const changed = await run()
        rates[column][name].push(Math.round((rows / (performance.now() - began)) * 1000))
        if (changed !== rows) throw new Error(`${changed} of ${rows} rows were written`)
      }
    }
  users.openAll(await place.all('SELECT id, email, email_index, address FROM users'))
  await place.close()
  return rates
}

function rotation(users, place, column) {
  return async () => (await rotateColumns(users, place.source(), { columns: [column] })).changed
}

/** What the rotation asks its source for, with the values to write at hand. */
async function ready(users, place, column) {
  let asked
  const asking = {
    count: () => [],
    read: request => {
      asked = { ...request, write: true }
      return { rows: [], next: undefined }
    },
    write: () => [],
  }
  await rotateColumns(users, asking, { columns: [column], dryRun: true })
  const texts = new Map()
  for (const row of users.openAll(await place.all(`SELECT id, ${column} FROM users`)))
    texts.set(row.id, users.seal(row)[column])
  const source = place.source()
  return async () => {
    let changed = 0
    for (let after; ; ) {
      const { rows, next } = await source.read({ ...asked, after })
      const changes = rows.map(row => ({
        row,
        old: { [column]: row[column] },
        now: { [column]: texts.get(row.id) },
      }))
      for (const isWritten of await source.write(changes)) changed += isWritten
      after = next
      if (after === undefined) break
    }
    await source.count(column)
    await source.end()
    return changed
  }
}
