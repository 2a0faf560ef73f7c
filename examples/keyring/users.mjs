// A table with an encrypted column: each value is bound to its row, names the key that sealed it, and
// can be found by its plaintext.
import { context } from 'hardware-aes-gcm/keyring'

/** The users in a database: a DatabaseSync of node:sqlite, or a Database of better-sqlite3, which has the same methods. */
export class Users {
  /** `emails` is a BlindIndex with a separate key, for the lookup. */
  constructor(db, keyring, emails) {
    db.exec(`CREATE TABLE IF NOT EXISTS users (
      id TEXT PRIMARY KEY,
      email TEXT NOT NULL,        -- sealed
      email_index TEXT NOT NULL   -- equal for equal addresses, so whoever reads it sees which rows are equal
    )`)
    db.exec('CREATE UNIQUE INDEX IF NOT EXISTS users_email ON users (email_index)')
    Object.assign(this, { db, keyring, emails })
  }

  /** The caller makes the id, crypto.randomUUID(), say: it must exist before the value is sealed for its row. */
  add(id, email) {
    const insert = this.db.prepare('INSERT INTO users (id, email, email_index) VALUES (?, ?, ?)')
    insert.run(id, this.keyring.sealText(email, placeOf(id)), this.emails.of(normal(email)))
  }

  /** The address of a user. Throws if the value fails authentication or comes from another row. */
  emailOf(id) {
    const row = this.db.prepare('SELECT email FROM users WHERE id = ?').get(id)
    return this.keyring.openText(row.email, placeOf(id))
  }

  /** The id of the user with this address, if there is one. */
  withEmail(email) {
    return this.db.prepare('SELECT id FROM users WHERE email_index = ?').get(this.emails.of(normal(email)))
      ?.id
  }

  /**
   * Seals again, with the primary key, what older keys sealed, while the program continues. Returns the
   * ids of the rows that do not open, and leaves them unchanged. Rows under a newer key also stay
   * unchanged: it is not yet the primary key of this process.
   */
  renew() {
    const { db, keyring } = this
    const { textPrefix } = keyring.keys.find(key => key.primary)
    const some = db.prepare(
      'SELECT id, email FROM users WHERE id > ? AND substr(email, 1, 6) <> ? ORDER BY id LIMIT 100',
    )
    // Only if nobody has written a new value in the meantime.
    const update = db.prepare('UPDATE users SET email = ? WHERE id = ? AND email = ?')
    const wrong = []
    for (let rows = some.all('', textPrefix); rows.length > 0; rows = some.all(rows.at(-1).id, textPrefix)) {
      const older = rows.filter(({ email }) => keyring.needsRotation(email))
      const renewed = older.map(({ id, email }) => [id, email, keyring.tryOpenText(email, placeOf(id))])
      db.exec('BEGIN')
      for (const [id, email, text] of renewed) {
        if (text === null) wrong.push(id)
        else update.run(keyring.sealText(text, placeOf(id)), id, email)
      }
      db.exec('COMMIT')
    }
    return wrong
  }

  /** The number of values under a key, counted by their first characters: nothing is opened. */
  countUnder(id) {
    const { textPrefix } = this.keyring.keys.find(key => key.id === id)
    return this.db.prepare('SELECT count(*) AS rows FROM users WHERE substr(email, 1, 6) = ?').get(textPrefix)
      .rows
  }
}

/** A value copied to another row or column does not open there. */
const placeOf = id => context('users', 'email', id)

/** Maps addresses that count as one to one string. */
const normal = email => email.trim().toLowerCase()
