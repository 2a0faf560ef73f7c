// One random operation of Drizzle after the other, and the same on a plain model.
import { isDeepStrictEqual } from 'node:util'
import { normalizer } from './drizzle-tables.mjs'
import { Numbers, withoutIndexes } from './drizzle-values.mjs'

const byId = (a, b) => (String(a.id) < String(b.id) ? -1 : 1)
const EMPTY = { name: null, email: null, address: null, age: null, photo: null }

export class Operations {
  /** By id: rows as they must be read. */
  #users = new Map()
  #posts = new Map()
  #numbers
  #tables
  #opened
  #plaintexts
  #n = 0
  refusals = 0

  constructor(tables, { opened }, plaintexts) {
    this.#tables = tables
    this.#opened = opened
    this.#plaintexts = plaintexts
    this.#numbers = new Numbers(tables.database)
  }

  async next(n) {
    this.#n = n
    const name = this.#numbers.pick(NAMES)
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

  // Values

  #text(kind) {
    const text = `${kind}-${this.#numbers.below(2 ** 32).toString(36)}-${this.#n}-${this.#numbers.pick(['é', '漢', "'", '\\', '"', '😀', '%'])}`
    this.#plaintexts.add(text)
    return text
  }

  #maybe(value) {
    return this.#numbers.below(4) === 0 ? null : value()
  }

  /** Some of the columns of a user. */
  #columns() {
    const all = {
      name: () => this.#numbers.pick(['Ada', 'Bob', 'Cem']),
      email: () => `${this.#numbers.pick(['', ' '])}${this.#text('Mail')}@Example.org`,
      address: () => ({ city: this.#text('city'), list: [1, -0.5, null, { deep: this.#text('deep') }] }),
      age: () => this.#numbers.below(100) - 0.5,
      photo: () => Buffer.from(this.#text('photo')),
    }
    const some = Object.entries(all).filter(() => this.#numbers.below(3) > 0)
    return Object.fromEntries(some.map(([name, value]) => [name, this.#maybe(value)]))
  }

  #newId = () => `${this.#n.toString(36)}-${this.#numbers.below(2 ** 32).toString(36)}`
  #someId = () => (this.#users.size === 0 ? 'nobody' : this.#numbers.pick([...this.#users.keys()]))

  #same(result, expected) {
    const found = withoutIndexes(this.#opened(result))
    if (!isDeepStrictEqual(found, expected))
      throw new Error(`a difference: ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`)
  }

  /** `RETURNING`, where Drizzle has it. */
  #returning(query) {
    return this.#tables.database === 'mariadb' ? query : query.returning()
  }

  // Operations

  async insertOne() {
    const { db, users, encrypted } = this.#tables
    const row = { id: this.#newId(), ...this.#columns() }
    const result = await this.#returning(db.insert(users).values(encrypted.users.seal(row)))
    this.#users.set(row.id, { ...EMPTY, ...row })
    if (this.#tables.database !== 'mariadb') this.#same(result, [{ ...EMPTY, ...row }])
  }

  async insertMany() {
    const { db, users, posts, encrypted } = this.#tables
    const rows = Array.from({ length: 1 + this.#numbers.below(4) }, () => ({
      id: this.#newId(),
      ...this.#columns(),
    }))
    await db.insert(users).values(encrypted.users.seal(rows))
    for (const row of rows) this.#users.set(row.id, { ...EMPTY, ...row })
    const own = rows.map((row, i) => ({
      id: this.#n * 10 + i,
      author: row.id,
      body: this.#maybe(() => this.#text('body')),
    }))
    await db.insert(posts).values(encrypted.posts.seal(own))
    for (const post of own) this.#posts.set(post.id, post)
  }

  async update() {
    const { db, users, encrypted, drizzle } = this.#tables
    const id = this.#someId()
    const change = this.#columns()
    const query = db
      .update(users)
      .set(encrypted.users.seal({ id, ...change }))
      .where(drizzle.eq(users.id, id))
    const result = await this.#returning(query)
    const before = this.#users.get(id)
    if (before !== undefined) this.#users.set(id, { ...before, ...change })
    if (this.#tables.database !== 'mariadb')
      this.#same(result, before === undefined ? [] : [this.#users.get(id)])
  }

  async upsert() {
    const { db, users, encrypted } = this.#tables
    const id = this.#numbers.below(2) === 0 ? this.#someId() : this.#newId()
    const change = this.#columns()
    const values = encrypted.users.seal({ id, ...change })
    const insert = db.insert(users).values(values)
    if (this.#tables.database === 'mariadb') await insert.onDuplicateKeyUpdate({ set: values })
    else await insert.onConflictDoUpdate({ target: users.id, set: values })
    this.#users.set(id, { ...(this.#users.get(id) ?? EMPTY), id, ...change })
  }

  async remove() {
    const { db, users, posts, drizzle } = this.#tables
    const id = this.#someId()
    await db.delete(users).where(drizzle.eq(users.id, id))
    await db.delete(posts).where(drizzle.eq(posts.author, id))
    this.#users.delete(id)
    for (const [key, { author }] of this.#posts) if (author === id) this.#posts.delete(key)
  }

  async lookup() {
    const { db, users, encrypted, drizzle } = this.#tables
    const { email } = this.#users.get(this.#someId()) ?? {}
    const wanted = typeof email === 'string' ? normalizer(email).toUpperCase() : 'nobody@example.org'
    const terms = encrypted.users.lookup('email', wanted)
    const expected = [...this.#users.values()].filter(
      user => user.email !== null && normalizer(user.email) === normalizer(wanted),
    )
    const { eq, inArray, sql } = drizzle
    this.#same(
      (await db.select().from(users).where(inArray(users.emailIndex, terms))).sort(byId),
      expected.sort(byId),
    )
    const prepared = db
      .select({ id: users.id, mail: users.email })
      .from(users)
      .where(eq(users.emailIndex, sql.param(sql.placeholder('term'), users.emailIndex)))
    const query = this.#tables.database === 'postgresql' ? prepared.prepare('by_email') : prepared.prepare()
    this.#same(
      (await query.execute({ term: terms[0] })).sort(byId),
      expected.map(({ id, email }) => ({ id, mail: email })),
    )
  }

  async all() {
    const { db, users, posts } = this.#tables
    this.#same((await db.select().from(users)).sort(byId), [...this.#users.values()].sort(byId))
    this.#same((await db.select().from(posts)).sort(byId), [...this.#posts.values()].sort(byId))
  }

  async one() {
    const { db, users, drizzle } = this.#tables
    const id = this.#someId()
    const [row] = await db
      .select({ id: users.id, nested: { id: users.id, age: users.age } })
      .from(users)
      .where(drizzle.eq(users.id, id))
    const user = this.#users.get(id)
    this.#same(row, user === undefined ? undefined : { id, nested: { id, age: user.age } })
  }

  async join() {
    const { db, users, posts, alias, drizzle } = this.#tables
    const writer = alias(users, 'writer')
    const id = this.#someId()
    const rows = await db
      .select()
      .from(posts)
      .leftJoin(writer, drizzle.eq(posts.author, writer.id))
      .where(drizzle.eq(posts.author, id))
    const own = [...this.#posts.values()].filter(({ author }) => author === id)
    this.#same(
      rows.sort((a, b) => byId(a.posts, b.posts)),
      own.sort(byId).map(post => ({ posts: post, writer: this.#users.get(id) ?? null })),
    )
  }

  async related() {
    const { database, db, users, posts, drizzle } = this.#tables
    const id = this.#someId()
    // MariaDB refuses Drizzle's query for the author of each post.
    const hasAuthor = database !== 'mariadb'
    const query = {
      where: drizzle.eq(users.id, id),
      with: { posts: hasAuthor ? { with: { author: true } } : true },
    }
    const found = await db.query.users.findMany(query)
    for (const row of found) row.posts.sort(byId)
    const user = this.#users.get(id)
    const own = [...this.#posts.values()].filter(({ author }) => author === id).sort(byId)
    const inUser = own.map(post => ({ ...post, ...(hasAuthor && { author: user }) }))
    this.#same(found, user === undefined ? [] : [{ ...user, posts: inUser }])
    const first = await db.query.posts.findFirst({
      where: drizzle.eq(posts.author, id),
      columns: { id: true, body: true },
      orderBy: posts.id,
    })
    const [post] = own.sort((a, b) => a.id - b.id)
    this.#same(first, post === undefined ? undefined : { id: post.id, body: post.body })
  }

  async preparedInsert() {
    const { db, users, encrypted, drizzle } = this.#tables
    const { sql } = drizzle
    const { id, email, emailIndex } = encrypted.users.seal({
      id: this.#newId(),
      email: this.#text('prepared'),
    })
    const names = {
      id: sql.placeholder('id'),
      email: sql.placeholder('email'),
      emailIndex: sql.placeholder('emailIndex'),
    }
    const insert = db.insert(users).values(names)
    const query = this.#tables.database === 'postgresql' ? insert.prepare('insert_user') : insert.prepare()
    await query.execute({ id, email, emailIndex })
    const [row] = this.#opened(await db.select().from(users).where(drizzle.eq(users.id, id)))
    this.#users.set(id, { ...EMPTY, id, email: row.email })
    if (!row.email.startsWith('prepared-')) throw new Error('a difference')
    await this.#refused(() => query.execute({ id: `${id}2`, email: this.#text('clear'), emailIndex: null }))
  }

  /** A transaction that fails, and the same that does not. */
  async transaction() {
    const { db, users, encrypted } = this.#tables
    const row = { id: this.#newId(), ...this.#columns() }
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
    this.#users.set(row.id, { ...EMPTY, ...row })
  }

  /** What cannot be sealed is refused before it is sent. */
  async refuse() {
    const { db, users, encrypted, drizzle } = this.#tables
    const { eq, inArray, sql } = drizzle
    const [clear, id] = [this.#text('clear'), this.#newId()]
    const insert = values => db.insert(users).values(values)
    const isMariadb = this.#tables.database === 'mariadb'
    const upsert = set =>
      isMariadb
        ? insert({ id }).onDuplicateKeyUpdate({ set })
        : insert({ id }).onConflictDoUpdate({ target: users.id, set })
    const calls = [
      () => insert({ id, email: clear }),
      () => insert([{ id }, { id, address: { clear } }]),
      () => insert({ id, emailIndex: clear }),
      () => insert(encrypted.users.seal({ email: clear })),
      () => insert(encrypted.users.seal({ id, email: sql`${clear}` })),
      () => db.update(users).set({ email: clear }).where(eq(users.id, this.#someId())),
      () => upsert({ email: clear }),
      () => db.select().from(users).where(eq(users.email, clear)),
      () =>
        db
          .select()
          .from(users)
          .where(inArray(users.email, [clear])),
      () => db.select().from(users).where(eq(users.emailIndex, clear)),
      () =>
        db
          .select()
          .from(users)
          .where(sql`${users.email} = ${sql.param(clear, users.email)}`),
      () => db.transaction(tx => tx.insert(users).values({ id, photo: Buffer.from(clear) })),
    ]
    await this.#refused(this.#numbers.pick(calls))
    // The whole row is needed to open a value.
    const rows = await db
      .select({ email: users.email })
      .from(users)
      .where(sql`${users.email} IS NOT NULL`)
      .limit(1)
    if (rows.length > 0) await this.#refused(() => this.#opened(rows))
  }

  async #refused(call) {
    this.refusals++
    let error
    try {
      await call()
    } catch (thrown) {
      error = thrown
    }
    if (!String(error?.code).startsWith('ERR_INVALID_ARG')) throw new Error(`not refused: ${call}, ${error}`)
  }
}

const NAMES = [
  'insertOne',
  'insertMany',
  'update',
  'update',
  'upsert',
  'remove',
  'lookup',
  'one',
  'join',
  'related',
  'preparedInsert',
  'transaction',
  'refuse',
]
