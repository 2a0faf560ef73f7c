// What the examples of docs/guide/columns.md print, and what holds after them.
import type { Run } from './examples.js'
import { NODE } from './fields.js'

/** The module with the declaration and the table, which others import. */
export const TABLE: Run = { flags: NODE, prints: '' }

/** A row is inserted, found, updated and read; nothing of it is in clear. */
export const ROWS: Run = {
  flags: NODE,
  after: `
    const stored = db.prepare('SELECT * FROM users').all()
    console.log(stored.length, /example|London/i.test(JSON.stringify(stored)))
    const moved = { ...stored[0], id: randomUUID() }
    console.log(users.tryOpen(moved))
    try { insert.run('eve', 'Eve', 'eve@example.org', 'x', null) } catch (error) { console.log(error.message.includes('CHECK')) }`,
  prints: `Ada Ada@example.org { city: 'London', street: 'Dorset Street 1' }
ada@example.com
1 false
null
true
`,
}

/** The server finds a user, and survives garbage. */
export const HANDLER: Run = {
  flags: NODE,
  env: { PORT: '0' },
  after: `
    const ada = users.seal({ id: '1', name: 'Ada', email: 'Ada@example.org' })
    db.prepare('INSERT INTO users (id, name, email, email_index) VALUES (?, ?, ?, ?)').run('1', 'Ada', ada.email, ada.email_index)
    server.on('listening', async () => {
      for (const email of ['ADA@example.org', 'eve@example.org']) {
        const response = await fetch('http://localhost:' + server.address().port + '/?email=' + email)
        console.log(response.status, await response.text())
      }
      // Targets that are no URL by themselves, an address that is none, and a value that was moved to another row.
      const [moved] = users.lookup('email', 'mallory@example.org')
      db.prepare('INSERT INTO users (id, name, email, email_index) VALUES (?, ?, ?, ?)').run('2', 'M', ada.email, moved)
      const { get } = await import('node:http')
      for (const path of ['/', '//', '*', '/?email=%ED%A0%80', '/?email=mallory@example.org'])
        await new Promise(resolve =>
          get({ port: server.address().port, path }, response => {
            console.log(path, response.statusCode)
            response.resume().on('end', resolve)
          }),
        )
      server.close()
    })`,
  prints: `200 {"id":"1","name":"Ada","email":"Ada@example.org"}
404 no such user

/ 404
// 404
* 404
/?email=%ED%A0%80 404
/?email=mallory@example.org 404
`,
}

export const CONDITIONS: Run = {
  prints: `ALTER TABLE patients ADD CHECK (length("diagnosis") >= 44 AND "diagnosis" ~ '^A[Q-Za-f][A-Za-z0-9_-]+$');
ALTER TABLE patients ADD CHECK (CHAR_LENGTH(\`diagnosis\`) >= 44 AND CONVERT(\`diagnosis\` USING utf8mb4) COLLATE utf8mb4_bin REGEXP '^A[Q-Za-f]' AND CONVERT(\`diagnosis\` USING utf8mb4) COLLATE utf8mb4_bin NOT REGEXP '[^A-Za-z0-9_-]');
diagnosis VARCHAR(1394), weight VARCHAR(92)
the value of the column "diagnosis" is not sealed: it is clear text, or another program's
`,
}

export const LOOSE: Run = { prints: 'of the first row null\n' }

export const ROTATION: Run = {
  flags: NODE,
  prints: '1 of 1 rows, 0 s left\n1 of 1 rows, 0 s left\n1 0 true\n',
}

/** The examples of docs/guide/migration.md, in order. */
export const TABLES: Run[] = [
  { flags: NODE, prints: 'ada@example.org\nbob@example.com\nnull\ntrue 1\nada@example.org true\n' },
  { flags: NODE, prints: 'true 1\nsk_live_1234\nsk_live_5678\n' },
  { flags: NODE, prints: 'ada@example.org\ntrue null null ada@example.org\n' },
  {
    flags: NODE,
    prints: '{"id":1,"line":"attack at dawn"}\nrow 2 does not open\nfalse 1 1 attack at dawn\n',
  },
]
