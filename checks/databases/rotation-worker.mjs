// A process of the part rotation: writes rows with a journal in the same transaction, or rotates the table again and again. It says when
// it is ready, and begins at a line of its standard input. Its argument is JSON: { url, keys, indexKey, role, fault }.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { argv, stdin, stdout } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns } from 'hardware-aes-gcm/rotation'
import { connect } from './rotation-places.mjs'
import { usersOf } from './rotation-table.mjs'

const { url, keys, indexKey, role, fault } = JSON.parse(argv[2])
const keyring = Keyring.parse(keys)
const users = usersOf(keyring, indexKey)
const place = await connect(url)
const ids = keyring.keys.map(({ id }) => id)
if (role === 'write') await write()
else await rotate()

async function write() {
  const rows = await place.all('SELECT id FROM users ORDER BY id LIMIT 400')
  await ready()
  for (let n = 0; ; n++) {
    // Half of the time, the process is one with the old primary key.
    keyring.promote(ids[n % 2])
    const isNew = n % 10 === 0
    const id = isNew ? randomUUID() : rows[Math.floor(Math.random() * rows.length)].id
    const clear = { id, email: `Writer-${process.pid}-${n}@Example.org`, address: { n } }
    const { email, email_index, address } = users.seal(clear)
    const values = [email, email_index, address, id]
    try {
      await place.transaction(async () => {
        if (isNew)
          await place.all('INSERT INTO users (email, email_index, address, id) VALUES (?, ?, ?, ?)', values)
        else await place.all('UPDATE users SET email = ?, email_index = ?, address = ? WHERE id = ?', values)
        const told = [id, clear.email, JSON.stringify(clear.address)]
        await place.all('INSERT INTO journal (id, email, address) VALUES (?, ?, ?)', told)
      })
    } catch (error) {
      // The transaction is rolled back, and so is its journal.
      if (!/deadlock|lock wait|locked|timeout/i.test(error.message)) throw error
    }
    await setTimeout(1)
  }
}

async function rotate() {
  const source = faulty(place.source())
  await ready()
  for (let n = 0; ; n++) {
    keyring.promote(ids[(n + process.pid) % ids.length])
    // A server writes the larger batches in parts.
    await rotateColumns(users, source, { back: true, batchSize: Math.random() < 0.5 ? 60 : 250 })
  }
}

async function ready() {
  stdout.write('ready\n')
  await once(stdin, 'data')
  stdin.destroy()
}

/** The source, with a planted fault. */
function faulty(source) {
  const { read, write } = { read: source.read.bind(source), write: source.write.bind(source) }
  if (fault === 'blind' || fault === 'unlocked')
    source.read = async request => {
      const batch = await read({ ...request, write: false })
      await setTimeout(20)
      return batch
    }
  if (fault === 'blind') source.write = changes => write(changes.map(change => ({ ...change, old: {} })))
  if (fault === 'no index')
    source.write = changes =>
      write(changes.map(({ now: { email_index: _, ...now }, ...rest }) => ({ ...rest, now })))
  if (fault === 'twice')
    source.write = changes =>
      write(
        changes.map(({ now, ...rest }) => ({
          ...rest,
          now: { ...now, email: keyring.sealText(now.email ?? '') },
        })),
      )
  return source
}
