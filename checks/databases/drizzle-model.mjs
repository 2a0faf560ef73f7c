// The plain model beside Drizzle: rows by id as they must be read, and random values for them.
import { isDeepStrictEqual } from 'node:util'
import { Numbers } from './numbers.mjs'

export const byId = (a, b) => (String(a.id) < String(b.id) ? -1 : 1)
/** Indexes stay in a result as opaque objects, so they do not count. */
const withoutIndexes = value =>
  Array.isArray(value)
    ? value.map(withoutIndexes)
    : value?.constructor === Object
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => name !== 'emailIndex')
            .map(([name, part]) => [name, withoutIndexes(part)]),
        )
      : value
export const EMPTY = { name: null, email: null, address: null, age: null, photo: null }

export class Model {
  /** By id: rows as they must be read. */
  users = new Map()
  posts = new Map()
  n = 0
  refusals = 0

  constructor(tables, { opened }, plaintexts) {
    Object.assign(this, { tables, opened, plaintexts })
    this.numbers = new Numbers(`drizzle ${tables.database}`)
  }

  text(kind) {
    const text = `${kind}-${this.numbers.below(2 ** 32).toString(36)}-${this.n}-${this.numbers.pick(['é', '漢', "'", '\\', '"', '😀', '%'])}`
    this.plaintexts.add(text)
    return text
  }

  maybe(value) {
    return this.numbers.below(4) === 0 ? null : value()
  }

  /** Some of the columns of a user. */
  columns() {
    const all = {
      name: () => this.numbers.pick(['Ada', 'Bob', 'Cem']),
      email: () => `${this.numbers.pick(['', ' '])}${this.text('Mail')}@Example.org`,
      address: () => ({ city: this.text('city'), list: [1, -0.5, null, { deep: this.text('deep') }] }),
      age: () => this.numbers.below(100) - 0.5,
      photo: () => Buffer.from(this.text('photo')),
    }
    const some = Object.entries(all).filter(() => this.numbers.below(3) > 0)
    return Object.fromEntries(some.map(([name, value]) => [name, this.maybe(value)]))
  }

  newId = () => `${this.n.toString(36)}-${this.numbers.below(2 ** 32).toString(36)}`
  someId = () => (this.users.size === 0 ? 'nobody' : this.numbers.pick([...this.users.keys()]))

  same(result, expected) {
    const found = withoutIndexes(this.opened(result))
    if (!isDeepStrictEqual(found, expected))
      throw new Error(`a difference: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
  }

  /** `RETURNING`, where Drizzle has it. */
  returning(query) {
    return this.tables.database === 'mariadb' ? query : query.returning()
  }

  async refused(call) {
    this.refusals++
    let error
    try {
      await call()
    } catch (thrown) {
      error = thrown
    }
    if (!String(error?.code).startsWith('ERR_INVALID_ARG')) throw new Error(`not refused: ${call}, ${error}`)
  }

  of(ids) {
    return [...new Set(ids)].flatMap(id => this.users.get(id) ?? []).sort(byId)
  }
}
