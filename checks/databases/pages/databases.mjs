// What the blocks of docs/guide/databases.md print.
export const packages = [
  'pg@8.23.1',
  '@types/pg@8.16.0',
  'mysql2@3.24.6',
  '@types/better-sqlite3@7.6.13',
  'kysely@0.28.19',
  'knex@3.3.0',
]
// Version 13 needs Node 22.
export const addons = ['better-sqlite3@12.11.1']

/** What the page says of better-sqlite3 and rotation. Integers of 64 bits are those that SQLite has and numbers cannot be. */
const ROTATION = `
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { rotateColumns, sqliteRows } from 'hardware-aes-gcm/rotation'

const keyring = Keyring.generate()
const notes = encryptedColumns('notes', { keyring, rowKey: 'id', columns: { line: 'text' } })
const old = new Database(':memory:')
old.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, line TEXT)')
const keys = [1, 2, 2n ** 60n + 1n]
for (const id of keys) old.prepare('INSERT INTO notes VALUES (?, ?)').run(id, notes.seal({ id, line: \`line \${id}\` }).line)
keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
const result = await rotateColumns(notes, sqliteRows(old, { table: 'notes', key: 'id' }), { batchSize: 2 })
console.log(result.done, result.changed, result.failed)
for (const row of old.prepare('SELECT * FROM notes').safeIntegers().iterate()) console.log(notes.open(row).line)
`

const READ = { prints: 'Ada@example.com\n' }
const STAYS = { prints: 'values are sealed for the key of their row\n' }
const SAVED = { prints: '1 eve@example.org\n' }
const STREAMED = { prints: 'bob@example.org\n' }
const READ_AND_ROTATED = {
  prints: 'Ada@example.com\ntrue 3 0\nline 1\nline 2\nline 1152921504606846977\n',
  after: ROTATION,
}
export const runs = [
  { prints: '' },
  { prints: '' },
  READ,
  READ,
  READ_AND_ROTATED,
  READ,
  READ,
  STAYS,
  SAVED,
  STREAMED,
]
