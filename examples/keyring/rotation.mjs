// Rotates the key of a column while two servers run: `node rotation.mjs FOLDER` makes a keyset and a
// database in FOLDER, and changes keys. Each server reads the keyset when it starts. So the keyset is
// deployed twice: before any server seals with the new key, every server must know it. Needs
// node:sqlite, which Node has from 22.13 on.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { operands } from '../arguments.mjs'
import { Users } from './users.mjs'

const [folder] = operands('node rotation.mjs FOLDER', 1)
const { DatabaseSync } = await import('node:sqlite').catch(() => {
  console.error(`rotation: node:sqlite needs Node 22.13 or later, this is ${process.version}`)
  process.exit(1)
})
const [keys, database] = [join(folder, 'keys.json'), join(folder, 'users.db')]

/** Runs `npx hardware-aes-gcm keyset …`, and returns its output. */
function keyset(...args) {
  const manifest = createRequire(import.meta.url).resolve('hardware-aes-gcm/package.json')
  const command = join(dirname(manifest), 'dist/cli/main.cjs')
  return execFileSync(process.execPath, [command, 'keyset', ...args], { encoding: 'utf8' }).trim()
}

/** A server as it starts, with the current keys. */
const indexKey = BlindIndex.generateKey()
function start() {
  const emails = new BlindIndex(indexKey, { purpose: 'users.email' })
  return new Users(new DatabaseSync(database), Keyring.parse(readFileSync(keys, 'utf8')), emails)
}

const old = Number(keyset('new', keys))
let [first, second] = [start(), start()]
const ids = Array.from({ length: 250 }, () => randomUUID())
first.db.exec('BEGIN')
for (const [n, id] of ids.entries()) first.add(id, `user${n}@example.org`)
first.db.exec('COMMIT')
console.log(`0. ${second.countUnder(old)} rows under the old key`)

const added = Number(keyset('add', keys))
console.log('1. add: the file has a second key, which no server knows yet')

first = start()
second = start()
console.log('2. deploy: every server opens values of both keys, and seals with the old one')

keyset('promote', keys, '--id', String(added))
first = start()
const late = randomUUID()
first.add(late, 'late@example.org')
console.log(
  `3. promote, and deploy again: the first server seals with the new key, the second opens ${second.emailOf(late)}`,
)
second = start()

const wrong = second.renew()
console.log(`4. rewrite: ${wrong.length} rows did not open`)

console.log(
  `5. count: ${second.countUnder(old)} rows under the old key, ${second.countUnder(added)} under the new one`,
)
if (second.countUnder(old) !== 0) throw new Error('rows remain under the old key')

keyset('disable', keys, '--id', String(old))
first = start()
for (const id of [...ids, late]) first.emailOf(id)
keyset('delete', keys, '--id', String(old))
console.log(
  `6. delete: ${start().keyring.keys.length} key is left; backups of the database still need the old one`,
)
