// The part rotation with locks that other programs hold too long, deadlocks and lost connections: the run tries its batch again, and is done.
import { setTimeout } from 'node:timers/promises'
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect, fill } from './rotation-places.mjs'
import { usersOf } from './rotation-table.mjs'

const ROWS = 200
const TABLE = { table: 'users', key: 'id' }
/** Each UPDATE of users waits for a row of another table. */
const TRIGGERS = {
  postgresql: [
    'CREATE TABLE counter (n bigint)',
    'INSERT INTO counter VALUES (0)',
    `CREATE FUNCTION counted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN UPDATE counter SET n = n + 1; RETURN NEW; END'`,
    'CREATE TRIGGER counts BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION counted()',
  ],
  mariadb: [
    'CREATE TABLE counter (n BIGINT)',
    'INSERT INTO counter VALUES (0)',
    'CREATE TRIGGER counts BEFORE UPDATE ON users FOR EACH ROW UPDATE counter SET n = n + 1',
  ],
  sqlite: [],
}

/** Runs a rotation in each of these cases, and says what is wrong. */
export async function locks({ database, url }) {
  const [mine, other] = [await connect(url), await connect(url)]
  await mine.all('DELETE FROM users')
  const keyring = Keyring.generate()
  const users = usersOf(keyring, BlindIndex.generateKey().toString('hex'))
  await fill(mine, ROWS, row => users.seal(row))
  for (const sql of TRIGGERS[database]) await mine.all(sql)
  const problems = []
  for (const [name, disturb] of Object.entries(CASES[database])) {
    keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
    const { source, end } = await disturb({ mine, other })
    const outcome = await rotateColumns(users, source).catch(error => error)
    await end()
    if (outcome.done !== true || outcome.changed !== ROWS || outcome.retries === 0)
      problems.push(`${name}: ${outcome instanceof Error ? outcome.stack : JSON.stringify(outcome)}`)
    if (users.openAll(await mine.all('SELECT * FROM users')).length !== ROWS)
      problems.push(`${name}: rows are lost`)
  }
  await mine.close()
  await other.close()
  return { kinds: Object.keys(CASES[database]), problems }
}

/** A program that holds a lock until the run has failed once. */
const held =
  (begin, lock, options = {}) =>
  async ({ mine, other }) => {
    await other.all(begin)
    await other.all(lock)
    const failed = resolvers()
    const released = failed.promise.then(() => other.all('COMMIT'))
    return { source: telling(mine.source({ ...TABLE, ...options }), failed.resolve), end: () => released }
  }

/** A program that locks the counter, and then waits for a row of the batch, whose transaction waits for the counter. */
const deadlock =
  (before, begin) =>
  async ({ mine, other }) => {
    for (const sql of before) await other.all(sql)
    await other.all(begin)
    // A transaction that wrote more is not the one to end.
    for (let n = 0; n < 100; n++) await other.all('UPDATE counter SET n = n + 1')
    const source = mine.source({ ...TABLE, lockTimeout: 20_000 })
    const real = source.write.bind(source)
    let waited
    source.write = changes => {
      waited ??= setTimeout(50).then(async () => {
        await other.all('UPDATE users SET address = address WHERE id = ?', [changes[0].row.id])
        await other.all('COMMIT')
      })
      return real(changes)
    }
    return { source, end: () => waited }
  }

/** A pool whose connection the server ends after the first batch was read. */
const lost =
  kill =>
  async ({ mine, other }) => {
    const { source, close } = await mine.pool(TABLE)
    const read = source.read.bind(source)
    let isLost = false
    source.read = async request => {
      const batch = await read(request)
      if (!isLost && request.write) await kill(mine, other)
      isLost ||= request.write
      return batch
    }
    return { source, end: close }
  }

const CASES = {
  postgresql: {
    'a lock that is not released in time': held('BEGIN', 'LOCK TABLE users IN ACCESS EXCLUSIVE MODE', {
      lockTimeout: 50,
    }),
    'a deadlock': deadlock([`SET deadlock_timeout = '10s'`], 'BEGIN'),
    'a lost connection of a pool': lost(({ all }) =>
      all(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pool'`),
    ),
  },
  mariadb: {
    'a lock that is not released in time': held('START TRANSACTION', 'UPDATE counter SET n = 0', {
      lockTimeout: 1000,
    }),
    'a deadlock': deadlock([], 'START TRANSACTION'),
    'a lost connection of a pool': lost(async (...known) => {
      const [[mine], [other]] = await Promise.all(known.map(({ all }) => all('SELECT CONNECTION_ID() AS id')))
      const list = await known[0].all(
        'SELECT ID AS id FROM information_schema.PROCESSLIST WHERE ID NOT IN (?, ?)',
        [mine.id, other.id],
      )
      for (const { id } of list) await known[0].all(`KILL ${id}`)
    }),
  },
  sqlite: {
    'a lock that is not released in time': ({ mine, other }) => {
      mine.all('PRAGMA busy_timeout = 10')
      return held('BEGIN IMMEDIATE', `UPDATE users SET address = address`)({ mine, other })
    },
  },
}

/** A source that says when it is asked whether an error is temporary. */
function telling(source, tell) {
  const real = source.isTemporary.bind(source)
  source.isTemporary = error => {
    tell()
    return real(error)
  }
  return source
}

function resolvers() {
  const all = {}
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }))
  return all
}
