// One random operation of Drizzle after the other, and the same on a plain model.
import { EMPTY } from './drizzle-model.mjs'
import { Reads } from './drizzle-reads.mjs'
import { attempts } from './drizzle-refusals.mjs'

const NAMES = `
  insertOne insertMany update update upsert remove lookup one join related composed raw preparedInsert
  transaction refuse
`
  .trim()
  .split(/\s+/)

/** Those that Drizzle has for one database. */
const OF_ONE = { sqlite: ['batch'], mariadb: ['iterate'] }

export class Operations extends Reads {
  names = [...NAMES, ...(OF_ONE[this.tables.database] ?? [])]

  async next(n) {
    this.n = n
    const name = this.numbers.pick(this.names)
    try {
      await this[name]()
    } catch (error) {
      throw new Error(
        `operation ${n}, ${name}: ${error.message}${error.cause ? `: ${error.cause.message}` : ''}`,
        { cause: error },
      )
    }
  }

  /** Compares both tables with the model. */
  async compare() {
    await this.all()
    await this.related()
  }

  async insertOne() {
    const { db, users, encrypted } = this.tables
    const row = { id: this.newId(), ...this.columns() }
    const result = await this.returning(db.insert(users).values(encrypted.users.seal(row)))
    this.users.set(row.id, { ...EMPTY, ...row })
    if (this.tables.database !== 'mariadb') this.same(result, [{ ...EMPTY, ...row }])
  }

  async insertMany() {
    const { db, users, posts, encrypted } = this.tables
    const rows = Array.from({ length: 1 + this.numbers.below(4) }, () => ({
      id: this.newId(),
      ...this.columns(),
    }))
    await db.insert(users).values(encrypted.users.seal(rows))
    for (const row of rows) this.users.set(row.id, { ...EMPTY, ...row })
    const own = rows.map((row, i) => ({
      id: this.n * 10 + i,
      author: row.id,
      body: this.maybe(() => this.text('body')),
    }))
    await db.insert(posts).values(encrypted.posts.seal(own))
    for (const post of own) this.posts.set(post.id, post)
  }

  async update() {
    const { db, users, encrypted, drizzle } = this.tables
    const id = this.someId()
    const change = this.columns()
    const query = db
      .update(users)
      .set(encrypted.users.seal({ id, ...change }))
      .where(drizzle.eq(users.id, id))
    const result = await this.returning(query)
    const before = this.users.get(id)
    if (before !== undefined) this.users.set(id, { ...before, ...change })
    if (this.tables.database !== 'mariadb')
      this.same(result, before === undefined ? [] : [this.users.get(id)])
  }

  async upsert() {
    const { db, users, encrypted } = this.tables
    const id = this.numbers.below(2) === 0 ? this.someId() : this.newId()
    const change = this.columns()
    const values = encrypted.users.seal({ id, ...change })
    const insert = db.insert(users).values(values)
    if (this.tables.database === 'mariadb') await insert.onDuplicateKeyUpdate({ set: values })
    else await insert.onConflictDoUpdate({ target: users.id, set: values })
    this.users.set(id, { ...(this.users.get(id) ?? EMPTY), id, ...change })
  }

  async remove() {
    const { db, users, posts, drizzle } = this.tables
    const id = this.someId()
    await db.delete(users).where(drizzle.eq(users.id, id))
    await db.delete(posts).where(drizzle.eq(posts.author, id))
    this.users.delete(id)
    for (const [key, { author }] of this.posts) if (author === id) this.posts.delete(key)
  }

  async preparedInsert() {
    const { db, users, encrypted, drizzle } = this.tables
    const { sql } = drizzle
    const { id, email, emailIndex } = encrypted.users.seal({ id: this.newId(), email: this.text('prepared') })
    const names = {
      id: sql.placeholder('id'),
      email: sql.placeholder('email'),
      emailIndex: sql.placeholder('emailIndex'),
    }
    const insert = db.insert(users).values(names)
    const query = this.tables.database === 'postgresql' ? insert.prepare('insert_user') : insert.prepare()
    await query.execute({ id, email, emailIndex })
    const [row] = this.opened(await db.select().from(users).where(drizzle.eq(users.id, id)))
    this.users.set(id, { ...EMPTY, id, email: row.email })
    if (!row.email.startsWith('prepared-')) throw new Error('a difference')
    await this.refused(() => query.execute({ id: `${id}2`, email: this.text('clear'), emailIndex: null }))
  }

  /** Several statements at once. If one has clear text, none is sent. */
  async batch() {
    const { db, users, encrypted, drizzle } = this.tables
    const row = { id: this.newId(), ...this.columns() }
    const change = this.columns()
    const seal = values => encrypted.users.seal(values)
    const own = drizzle.eq(users.id, row.id)
    await this.refused(() =>
      db.batch([
        db.insert(users).values(seal(row)),
        db
          .update(users)
          .set({ email: this.text('clear') })
          .where(own),
      ]),
    )
    const [inserted, , found] = this.opened(
      await db.batch([
        db.insert(users).values(seal(row)).returning(),
        db
          .update(users)
          .set(seal({ id: row.id, ...change }))
          .where(own),
        db.query.users.findFirst({ where: own }),
      ]),
    )
    this.users.set(row.id, { ...EMPTY, ...row, ...change })
    this.same(inserted, [{ ...EMPTY, ...row }])
    this.same(found, this.users.get(row.id))
  }

  /** A transaction that fails, and the same that does not. */
  async transaction() {
    const { db, users, encrypted } = this.tables
    const row = { id: this.newId(), ...this.columns() }
    for (const isLast of [false, true]) {
      const stop = new Error('stop')
      try {
        await db.transaction(async tx => {
          await tx.insert(users).values(encrypted.users.seal(row))
          if (!isLast) throw stop
        })
      } catch (error) {
        if (error !== stop) throw error
      }
    }
    this.users.set(row.id, { ...EMPTY, ...row })
  }

  /** What cannot be sealed is refused before it is sent. */
  async refuse() {
    const { db, users, drizzle } = this.tables
    const calls = attempts(this.tables, this.text('clear'), this.newId(), this.someId())
    await this.refused(this.numbers.pick(calls))
    // The whole row is needed to open a value.
    const rows = await db
      .select({ email: users.email })
      .from(users)
      .where(drizzle.isNotNull(users.email))
      .limit(1)
    if (rows.length > 0) await this.refused(() => this.opened(rows))
  }
}
