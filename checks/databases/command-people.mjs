// A table of people for the command, what its rows must contain, and a program that changes them meanwhile.
import { setTimeout } from 'node:timers/promises'
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { number as below, bytes } from '../tools/random.mjs'

/** A name that must be quoted. */
const NAME = '"people of ""us"""'
const SOME = 200

export class People {
  #query
  /** The number of random values so far. */
  #drawn = 0
  #old
  #new
  /** By number: the plaintexts that the row must have. */
  #rows = new Map()
  #newPrefix
  /** The numbers of rows that the writer has changed. */
  #changed = new Set()
  keyset

  constructor(query, count) {
    this.#query = query
    this.count = count
    const keyring = Keyring.generate()
    const declare = () => {
      const copy = Keyring.parse(keyring.export())
      const columns = { email: 'text', note: 'text' }
      return encryptedColumns('Person', { keyring: copy, rowKey: ['tenant', 'number'], columns })
    }
    this.#old = declare()
    keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
    this.#new = declare()
    this.#newPrefix = keyring.keys.find(({ primary }) => primary).textPrefix
    this.keyset = keyring.export()
  }

  async fill() {
    const columns = 'tenant VARCHAR(40), number INTEGER, e_mail TEXT, note TEXT'
    await this.#query(`CREATE TABLE ${NAME} (${columns}, PRIMARY KEY (tenant, number))`)
    for (let at = 0; at < this.count; at += SOME) {
      const numbers = Array.from({ length: Math.min(SOME, this.count - at) }, (_, i) => at + i)
      const values = numbers.flatMap(number => {
        const { tenant, email, note } = this.#old.seal(this.#fresh(number))
        return [tenant, number, email, note]
      })
      await this.#query(`INSERT INTO ${NAME} VALUES ${numbers.map(() => '(?, ?, ?, ?)').join(', ')}`, values)
    }
  }

  /** A row with new plaintexts, which count from now on. */
  #fresh(number) {
    const tenant = `tenant ${number % 3}`
    const email = `${bytes(6, `email ${this.#drawn++}`).toString('hex')}@example.org`
    const row = { tenant, number, email, note: number % 4 === 0 ? null : `of ${number}` }
    this.#rows.set(number, row)
    return row
  }

  /** Whether the command has renewed rows, besides those that the writer has changed. */
  renewed(since = 0) {
    return async () => {
      const sql = `SELECT count(*) AS n FROM ${NAME} WHERE substr(e_mail, 1, 6) = ?`
      const [{ n }] = await this.#query(sql, [this.#newPrefix])
      return Number(n) > this.#changed.size + since
    }
  }

  /** A program that writes random rows under the primary key until `stop`. */
  write() {
    const writer = { times: 0 }
    let isEnding = false
    const work = (async () => {
      while (!isEnding) {
        const number = below(this.count, `row ${this.#drawn++}`)
        this.#changed.add(number)
        const { tenant, email } = this.#new.seal(this.#fresh(number))
        await this.#update('e_mail', email, tenant, number)
        const note = this.#new.seal(this.#rows.get(number)).note
        await this.#update('note', note, tenant, number)
        writer.times++
        await setTimeout(5)
      }
    })()
    writer.stop = () => {
      isEnding = true
      return work
    }
    return writer
  }

  async #update(column, value, tenant, number) {
    const sql = `UPDATE ${NAME} SET ${column} = ? WHERE tenant = ? AND number = ?`
    await this.#query(sql, [value, tenant, number])
  }

  /** Throws unless every row is as it was last written, and under the primary key. */
  async compare() {
    const rows = await this.#all()
    for (const row of rows) {
      this.#equal(this.#new.open(row), row.number)
      for (const value of [row.email, row.note])
        if (value !== null && !value.startsWith(this.#newPrefix))
          throw new Error(`row ${row.number} is under another key`)
    }
  }

  /** The same of rows in clear text. */
  async compareClear() {
    for (const row of await this.#all()) this.#equal(row, row.number)
  }

  async #all() {
    const rows = await this.#query(`SELECT tenant, number, e_mail AS email, note FROM ${NAME}`)
    if (rows.length !== this.count) throw new Error(`${rows.length} rows are there`)
    return rows
  }

  #equal({ email, note }, number) {
    const wanted = this.#rows.get(number)
    if (email !== wanted.email || note !== wanted.note) throw new Error(`row ${number} has other contents`)
  }

  /** Replaces a sealed value by a text, and returns the number of its row. */
  async spoil(text) {
    const number = 1
    await this.#update('e_mail', text, this.#rows.get(number).tenant, number)
    return number
  }

  async restore(number) {
    const { tenant, email } = this.#new.seal(this.#rows.get(number))
    await this.#update('e_mail', email, tenant, number)
  }
}
