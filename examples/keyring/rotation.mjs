// Rotates the key of a column while two servers run: `node rotation.mjs FOLDER` makes a keyset and a
// database in FOLDER, and changes keys. Each server reads the keyset when it starts. So the keyset is
// deployed twice: before any server seals with the new key, every server must know it. Needs
// node:sqlite, which Node has from 22.13 on.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { countColumns, rotateColumns, sqliteRows } from 'hardware-aes-gcm/rotation'
import { operands } from '../arguments.mjs'

const [folder] = operands('node rotation.mjs FOLDER', 1)
const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error(`rotation: node:sqlite needs Node 22.13 or later, this is ${process.version}`)
  process.exit(1)
})
const keys = join(folder, 'keys.json')
const db = new DatabaseSync(join(folder, 'users.db'))
db.exec('CREATE TABLE users (id TEXT PRIMARY KEY, email TEXT NOT NULL)')

/** Runs `npx hardware-aes-gcm keyset …`, and returns its output. */
function keyset(...args) {
  const manifest = createRequire(import.meta.url).resolve('hardware-aes-gcm/package.json')
  const command = join(dirname(manifest), 'dist/cli/main.cjs')
  return execFileSync(process.execPath, [command, 'keyset', ...args], { encoding: 'utf8' }).trim()
}

/** A server as it starts, with the current keys. */
function start() {
  const keyring = Keyring.parse(readFileSync(keys, 'utf8'))
  return encryptedColumns('users', { keyring, rowKey: 'id', columns: { email: 'text' } })
}

const insert = db.prepare('INSERT INTO users (id, email) VALUES (?, ?)')
function add(server, email) {
  const row = server.seal({ id: randomUUID(), email })
  insert.run(row.id, row.email)
  return row.id
}

/** The table as the rotation reads and writes it. */
const source = sqliteRows(db, { table: 'users', key: 'id' })

/** The number of values under a key. */
async function countUnder(server, id) {
  const [{ keys }] = await countColumns(server, source)
  return keys.find(({ keyId }) => keyId === id)?.values ?? 0
}

const old = Number(keyset('new', keys))
let [first, second] = [start(), start()]
db.exec('BEGIN')
for (let n = 0; n < 250; n++) add(first, `user${n}@example.org`)
db.exec('COMMIT')
console.log(`0. ${await countUnder(second, old)} rows under the old key`)

const added = Number(keyset('add', keys))
console.log('1. add: the file has a second key, which no server knows yet')

first = start()
second = start()
console.log('2. deploy: every server opens values of both keys, and seals with the old one')

keyset('promote', keys, '--id', String(added))
first = start()
const late = add(first, 'late@example.org')
const { email } = second.open(db.prepare('SELECT id, email FROM users WHERE id = ?').get(late))
console.log(
  `3. promote, and deploy again: the first server seals with the new key, the second opens ${email}`,
)
second = start()

const { failed, done } = await rotateColumns(second, source)
console.log(`4. rewrite: ${failed} rows did not open`)

const [under, under2] = [await countUnder(second, old), await countUnder(second, added)]
console.log(`5. count: ${under} rows under the old key, ${under2} under the new one`)
if (!done) throw new Error('rows remain under the old key')

keyset('disable', keys, '--id', String(old))
first = start()
const rows = db.prepare('SELECT id, email FROM users').all()
console.log(`6. disable, and deploy: all ${first.openAll(rows).length} rows open without the old key`)
keyset('delete', keys, '--id', String(old))
console.log('7. delete: one key is left; backups of the database still need the old one')
