// People with secrets, for random operations of a library against a plain model, and the search for their secrets in a dump.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { BlindIndex, Keyring } from 'hardware-aes-gcm/keyring'
import { seed } from '../tools/random.mjs'
import { Numbers } from './numbers.mjs'
import { Plaintexts } from './plaintexts.mjs'

/** The declarations: values of each type, one of them searchable, bound to their rows; and lines of a table without such keys. */
export function declare(rowKey = 'id') {
  const keyring = Keyring.generate()
  const indexKey = [BlindIndex.generateKey(), BlindIndex.generateKey()]
  const normalizer = email => email.trim().toLowerCase()
  const email = { type: 'text', index: 'email_index', normalizer }
  return {
    users: encryptedColumns('users', {
      keyring,
      rowKey,
      indexKey,
      columns: { email, address: 'json', weight: 'number', photo: 'bytes' },
    }),
    notes: encryptedColumns('notes', { keyring, rowKey, columns: { line: 'text' } }),
    logs: encryptedColumns('logs', { keyring, rowKey: false, columns: { line: 'text' } }),
  }
}

export class People extends Numbers {
  /** The plain model: users by id, each with its notes by id. */
  users = new Map()
  #plaintexts = new Plaintexts()

  /** A secret text, which occurs nowhere else. */
  secret() {
    const digit = () => this.below(16).toString(16)
    return this.#keep(`zq${Array.from({ length: 12 }, digit).join('')}`)
  }

  #keep(secret) {
    this.#plaintexts.add(`${secret}`)
    return secret
  }

  #values = {
    email: () => this.pick([`${this.secret()}@example.org`, ` ${this.secret()}@Example.ORG `, null]),
    address: () =>
      this.pick([{ city: this.secret(), floors: [1, -0.5] }, [this.secret(), true], this.secret(), null]),
    weight: () =>
      this.pick([this.#keep(10 ** 14 + this.below(2 ** 32) * 65_536 + this.below(2 ** 16)), null]),
    photo: () => this.pick([Buffer.from(`${this.secret()}\0`), null]),
  }

  /** Values of some columns, or of all. */
  values(all = false) {
    const given = Object.entries(this.#values).filter(() => all || this.below(2) === 0)
    return Object.fromEntries(given.map(([name, value]) => [name, value()]))
  }

  /** A new user, who is not yet in the model. */
  stranger() {
    return { id: randomUUID(), name: `name ${this.below(1000)}`, ...this.values(true) }
  }

  note() {
    return { id: randomUUID(), line: `${this.secret()} – ${this.below(1000)}` }
  }

  /** A user of the model; undefined if there is none. */
  someone() {
    return this.pick([...this.users.values()])
  }

  /** Writes values to the model. */
  write({ notes = [], ...values }) {
    const user = this.users.get(values.id) ?? { notes: new Map() }
    for (const { id, line } of notes) user.notes.set(id, line)
    this.users.set(values.id, { ...user, ...values })
  }

  /** The ids of users with an email that is equal after normalisation. */
  withEmail(email) {
    const normal = email.trim().toLowerCase()
    return [...this.users.values()]
      .filter(user => user.email?.trim().toLowerCase() === normal)
      .map(({ id }) => id)
  }

  /** Holds a loaded user to the model. */
  holds(user) {
    const expected = this.users.get(user.id)
    const names = ['id', 'name', ...Object.keys(this.#values)]
    const part = from => Object.fromEntries(names.map(name => [name, from[name] ?? null]))
    assert.deepEqual(part(user), part(expected), `differs from the model (seed ${seed})`)
    if (user.notes === undefined) return
    const lines = user.notes.map(({ id, line }) => [id, line]).sort()
    assert.deepEqual(lines, [...expected.notes].sort(), `differs from the model (seed ${seed})`)
  }

  /** Holds all loaded users to the model. */
  holdAll(users) {
    assert.equal(users.length, this.users.size, `differs from the model (seed ${seed})`)
    for (const user of users) this.holds(user)
  }

  get written() {
    return this.#plaintexts.size
  }

  /** Throws if a dump has a secret in any form. */
  refuseIn(dump) {
    if (this.#plaintexts.foundIn(dump) === undefined) return
    throw new Error(`the dump has a plaintext (seed ${seed})`)
  }
}

/** Holds that a promise is refused with a coded error, before anything was written. */
export async function refused(promise, code = /^ERR_/) {
  let error
  try {
    await promise
  } catch (thrown) {
    error = thrown
  }
  if (error === undefined) throw new Error(`not refused (seed ${seed})`)
  assert.match(`${error.code}`, code, `${error.stack}`)
  if (/zq[0-9a-f]{12}/i.test(error.message)) throw new Error(`an error shows a plaintext (seed ${seed})`)
}
