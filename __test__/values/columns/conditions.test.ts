// Conditions by which a database refuses clear text: SQLite judges every kind of value, and the others' texts are fixed here.
import { createRequire } from 'node:module'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { forms, isSealed, one, sealed } from './forms.mjs'
import { keyring, users } from './tables.js'

/** SQLite compiled to WebAssembly, for Node 20, which has no node:sqlite. */
const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as {
  Database: new () => {
    exec(sql: string): void
    run(sql: string, values: unknown[]): unknown
    all(sql: string): Record<string, unknown>[]
    close(): void
  }
}
const random = new Random('conditions')

describe('SQLite', () => {
  const db = new Database()
  db.exec(`CREATE TABLE t (id INTEGER, value ANY CHECK (${condition('value', 'sqlite')}))`)
  const accepts = (value: unknown) => {
    try {
      // The binding ends a text at a zero, so SQL puts it there.
      const parts = typeof value === 'string' ? value.split('\0') : [value]
      db.run(`INSERT INTO t VALUES (1, ${parts.map(() => '?').join(' || char(0) || ')})`, parts)
      return true
    } catch (error) {
      expect(String(error)).toContain('CHECK constraint failed')
      return false
    }
  }

  test('accepts sealed values and NULL', () => {
    for (const value of sealed) expect(accepts(value)).toBe(true)
    const stored = users.seal({ id: 1, email: '', age: 1, photo: Buffer.alloc(0), address: [] })
    for (const name of ['email', 'age', 'photo', 'address'] as const) expect(accepts(stored[name])).toBe(true)
    expect(accepts(null)).toBe(true)
  })

  test('judges changed and other texts as the format does', () => {
    for (const value of forms) expect([value, accepts(value)]).toEqual([value, isSealed(value)])
    for (let n = 0; n < 500; n++) {
      const value = random
        .bytes(random.below(80))
        .toString(random.pick(['latin1', 'hex', 'base64', 'base64url']))
      expect([value, accepts(value)]).toEqual([value, isSealed(value)])
    }
  })

  test('refuses numbers and bytes', () => {
    for (const value of [0, 17, 1.5, Buffer.from('clear'), Buffer.from(one)])
      expect(accepts(value)).toBe(false)
  })

  test('with names that need quotes', () => {
    for (const name of ['select', 'a b', 'a"b', 'a`b', 'ä', "a'b"]) {
      const other = new Database()
      const quoted = `"${name.replaceAll('"', '""')}"`
      other.exec(`CREATE TABLE t (${quoted} TEXT CHECK (${condition(name, 'sqlite')}))`)
      other.run('INSERT INTO t VALUES (?)', [one])
      expect(() => other.run('INSERT INTO t VALUES (?)', ['clear'])).toThrow('CHECK constraint failed')
      other.close()
    }
  })
})

/** The condition for a column of this name. */
function condition(name: string, database: 'postgresql' | 'mysql' | 'mariadb' | 'sqlite'): string {
  return encryptedColumns('t', { keyring, rowKey: 'id', columns: { [name]: 'text' } }).condition(
    name,
    database,
  )
}

test('PostgreSQL, MySQL and MariaDB', () => {
  expect(condition('email', 'postgresql')).toBe(
    `length("email") >= 44 AND "email" ~ '^A[Q-Za-f][A-Za-z0-9_-]+$'`,
  )
  expect(condition('a"b', 'postgresql')).toMatch(/^length\("a""b"\) >= 44 AND "a""b" ~/)
  const text = 'CONVERT(`email` USING utf8mb4) COLLATE utf8mb4_bin'
  for (const database of ['mysql', 'mariadb'] as const) {
    expect(condition('email', database)).toBe(
      `CHAR_LENGTH(\`email\`) >= 44 AND ${text} REGEXP '^A[Q-Za-f]' AND ${text} NOT REGEXP '[^A-Za-z0-9_-]'`,
    )
    expect(condition('a`b', database)).toContain('CHAR_LENGTH(`a``b`)')
  }
})

test('lengths are enough for every type of key, and for every number', () => {
  for (let bytes = 0; bytes < 300; bytes++) {
    const text = Keyring.generate('XAES-256-GCM').sealText('x'.repeat(bytes))
    expect(users.length('email', bytes)).toBe(text.length)
  }
  expect(users.length('age')).toBe(users.length('age', 24))
  const longest = [-1.2345678901234567e-308, -Number.MAX_VALUE, Number.MIN_VALUE, -1.5e21]
  for (const age of longest) expect(String(age).length).toBeLessThanOrEqual(24)
  expect(users.length('email', 402_653_100)).toBeLessThanOrEqual(2 ** 29)
})
