// Part of the check databases: three processes rotate a table that two others write, all of them killed again and again, and every row is
// right in the end.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { execPath } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { AesGcm } from 'hardware-aes-gcm'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { countColumns, rotateColumns } from 'hardware-aes-gcm/rotation'
import { kinds } from './rotation-kinds.mjs'
import { limits } from './rotation-limits.mjs'
import { modes } from './rotation-modes.mjs'
import { called, startSqlite } from './rotation-node.mjs'
import { connect, fill } from './rotation-places.mjs'
import { COUNTS, wholeReads } from './rotation-plans.mjs'
import { usersOf } from './rotation-table.mjs'
import { tables } from './rotation-tables.mjs'
import { startMariadb, startPostgresql } from './servers.mjs'

const HERE = import.meta.url
const [KEYS, KEYLESS, TENANTS, LOCKS] = ['keys', 'keyless', 'tenants', 'locks'].map(
  name => new URL(`rotation-${name}.mjs`, HERE).href,
)
const WORKER = fileURLToPath(new URL('rotation-worker.mjs', HERE))
const KILLS = { postgresql: [7, 1000], mariadb: [5, 1000], sqlite: [3, 1000] }
const ROWS = 600
/** The processes: two that write, and three that rotate. */
const ROLES = ['write', 'write', 'rotate', 'rotate', 'rotate']
/** Processes of each role that are started already, and wait. */
const SPARE = { write: 1, rotate: 3 }
/** Milliseconds of work before a process is killed, at most. */
const LIFE = 60

export async function* prove({ whole }) {
  for (const start of [startPostgresql, startMariadb, startSqlite]) {
    const server = await start()
    try {
      const { database } = server
      if (database === 'postgresql') yield await ofPlans(server)
      const kills = KILLS[database][whole ? 1 : 0]
      const { rows, problems } = await called(HERE, 'ordeal', server, { kills })
      if (problems.length > 0) throw new Error(`${database}: ${problems.slice(0, 5).join('; ')}`)
      yield `${database}: ${kills} kills of three rotating processes and two writers: ${rows} rows are right, none sealed twice, no index wrong`
      const keys = await called(KEYS, 'keysOfEveryType', server)
      if (keys.problems.length > 0) throw new Error(`${database}: ${keys.problems.slice(0, 5).join('; ')}`)
      yield `${database}: rotated from clear text, three columns and another key, with keys of the kinds ${keys.kinds.join(', ')}`
      const without = await called(KEYLESS, 'keyless', server)
      if (without.problems.length > 0) throw new Error(`${database}: ${without.problems.join('; ')}`)
      yield `${database}: rows whose key is NULL, of ${without.kinds.join(' and ')}, are reported and hide no other`
      const apart = await called(TENANTS, 'tenants', server)
      if (apart.problems.length > 0) throw new Error(`${database}: ${apart.problems.join('; ')}`)
      yield `${database}: three tenants of one table, by a column of ${apart.kinds.join(', ')}, are rotated to a keyring each`
      const locked = await called(LOCKS, 'locks', server)
      if (locked.problems.length > 0) throw new Error(`${database}: ${locked.problems.join('; ')}`)
      yield `${database}: tried again, and done, after ${locked.kinds.join(', ')}`
      if (database === 'sqlite') continue
      if (database === 'postgresql')
        yield `postgresql: ${await kinds(server)} kinds of tables are rotated, or refused`
      if (database === 'mariadb') {
        const { count, problems } = await modes(server)
        if (problems.length > 0) throw new Error(`mariadb: ${problems.slice(0, 5).join('; ')}`)
        const known = await tables(server)
        if (known.problems.length > 0) throw new Error(`mariadb: ${known.problems.join('; ')}`)
        yield `mariadb: ${known.count} kinds of tables are rotated, refused, or reported with what is left`
        yield `mariadb: rotated in sessions of ${count} modes, and no value was cut or became SQL`
      }
      const { code, problems: slow } = await limits(server)
      if (slow.length > 0) throw new Error(`${database}: ${slow.join('; ')}`)
      yield `${database}: a statement over its time ends the run (${code}), without a change or a lock that stays`
    } finally {
      await server.stop()
    }
  }
}

const planted = (start, fault) => async () => {
  const server = await start()
  try {
    return (await called(HERE, 'ordeal', server, { kills: 0, fault })).problems[0]
  } finally {
    await server.stop()
  }
}

export const plants = {
  'an UPDATE without the comparison, and no lock': planted(startPostgresql, 'blind'),
  'a blind index that is not written along': planted(startMariadb, 'no index'),
  'a value sealed twice': planted(startPostgresql, 'twice'),
  'batches without the settings for the planner': async () => {
    const server = await startPostgresql()
    try {
      const reads = await wholeReads({ ...server, isPlain: true })
      return reads > COUNTS ? `${reads} reads of the whole table` : undefined
    } finally {
      await server.stop()
    }
  },
}

async function ofPlans(server) {
  const reads = await wholeReads(server)
  if (reads === COUNTS) return 'postgresql: a batch reads its own rows alone'
  throw new Error(`postgresql: ${reads} reads of the whole table, and ${COUNTS} counts`)
}

/** Fills the table, lets the processes work and kills them, and says what is wrong in the end. */
export async function ordeal({ url, kills, fault }) {
  const keyring = Keyring.generate()
  keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  const old = Keyring.parse(keyring.export())
  old.promote(keyring.keys[0].id)
  const indexKey = BlindIndex.generateKey().toString('hex')
  const [users, stale] = [usersOf(keyring, indexKey), usersOf(old, indexKey)]
  const place = await connect(url)
  await place.create()
  let n = 0
  // Every tenth row has the index of another key.
  await fill(place, ROWS, row => ({
    ...stale.seal(row),
    ...(n++ % 10 === 0 ? { email_index: 'stale' } : {}),
  }))
  const start = role => work({ url, keys: keyring.export(), indexKey, role, fault })
  const spare = { write: [], rotate: [] }
  /** A process that works at once; another one is started in its place. */
  const worker = async role => {
    while (kills > 0 && spare[role].length < SPARE[role]) spare[role].push(start(role))
    const child = await (spare[role].shift() ?? start(role))
    child.stdin.end('go\n')
    return child
  }
  const roles = fault === undefined ? ROLES : ['write', 'rotate']
  const workers = await Promise.all(roles.map(worker))
  for (let kill = 0; kill < kills; kill++) {
    const at = kill % 8 === 7 ? kill % 2 : 2 + (kill % 3)
    await setTimeout(Math.random() * LIFE)
    await ended(workers[at])
    workers[at] = await worker(at < 2 ? 'write' : 'rotate')
  }
  await setTimeout(fault === undefined ? LIFE : 20 * LIFE)
  await Promise.all([...workers, ...(await Promise.all(Object.values(spare).flat()))].map(ended))
  const problems = []
  if (fault !== undefined) {
    const rows = await wrongs(place, keyring, users, problems)
    await place.close()
    return { rows, problems }
  }
  const { done, columns } = await rotateColumns(users, place.source())
  if (!done) problems.push(`the last run is not done: ${JSON.stringify(columns)}`)
  const rows = await wrongs(place, keyring, users, problems)
  await staleWriter(place, users, stale, problems)
  await place.close()
  return { rows, problems }
}

async function work(argument) {
  const child = spawn(execPath, ['--no-warnings', WORKER, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.gone = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), child.gone])
  if (child.exitCode !== null) throw new Error(`a process that should ${argument.role} ended by itself`)
  return child
}

async function ended(child) {
  if (child.exitCode !== null) throw new Error('a process ended by itself')
  child.kill('SIGKILL')
  await child.gone
}

/** Compares every row with its last entry in the journal. */
async function wrongs(place, keyring, users, problems) {
  const last = new Map()
  for (const { id, email, address } of await place.all('SELECT id, email, address FROM journal ORDER BY n'))
    last.set(id, { email, address })
  const rows = await place.all('SELECT id, email, email_index, address FROM users')
  if (rows.length !== last.size) problems.push(`${rows.length} rows, and ${last.size} in the journal`)
  for (const row of rows) {
    const open = users.tryOpen(row)
    const { email, address } = last.get(row.id) ?? {}
    if (open === null) problems.push(`row ${row.id} does not open`)
    else if (keyring.keyIdOf(open.email) !== null) problems.push(`row ${row.id} is sealed twice`)
    else if (open.email !== email || JSON.stringify(open.address) !== address)
      problems.push(`row ${row.id} has lost a write`)
    else if (row.email_index !== users.lookup('email', email)[0])
      problems.push(`row ${row.id} has another index`)
  }
  return rows.length
}

/** A process with the old primary key writes after the end, which the next count finds. */
async function staleWriter(place, users, stale, problems) {
  const [{ id }] = await place.all('SELECT id FROM users ORDER BY id LIMIT 1')
  const { email, email_index } = stale.seal({ id, email: 'Stale@Example.org' })
  await place.all('UPDATE users SET email = ?, email_index = ? WHERE id = ?', [email, email_index, id])
  const [{ rest }] = await countColumns(users, place.source())
  if (rest !== 1) problems.push(`a stale writer was counted as ${rest}`)
  const { done } = await rotateColumns(users, place.source())
  if (!done) problems.push('the value of a stale writer was not renewed')
}
