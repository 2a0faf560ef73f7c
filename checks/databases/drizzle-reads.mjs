// Queries of Drizzle's API, whose results must be those of the plain model.
import { byId, Model } from './drizzle-model.mjs'
import { normalizer } from './drizzle-tables.mjs'

export class Reads extends Model {
  async lookup() {
    const { db, users, encrypted, drizzle } = this.tables
    const { email } = this.users.get(this.someId()) ?? {}
    const wanted = typeof email === 'string' ? normalizer(email).toUpperCase() : 'nobody@example.org'
    const terms = encrypted.users.lookup('email', wanted)
    const expected = [...this.users.values()].filter(
      user => user.email !== null && normalizer(user.email) === normalizer(wanted),
    )
    const { eq, inArray, sql } = drizzle
    this.same(
      (await db.select().from(users).where(inArray(users.emailIndex, terms))).sort(byId),
      expected.sort(byId),
    )
    const prepared = db
      .select({ id: users.id, mail: users.email })
      .from(users)
      .where(eq(users.emailIndex, sql.param(sql.placeholder('term'), users.emailIndex)))
    const query = this.tables.database === 'postgresql' ? prepared.prepare('by_email') : prepared.prepare()
    this.same(
      (await query.execute({ term: terms[0] })).sort(byId),
      expected.map(({ id, email }) => ({ id, mail: email })),
    )
  }

  async all() {
    const { db, users, posts } = this.tables
    this.same((await db.select().from(users)).sort(byId), [...this.users.values()].sort(byId))
    this.same((await db.select().from(posts)).sort(byId), [...this.posts.values()].sort(byId))
  }

  async one() {
    const { db, users, drizzle } = this.tables
    const id = this.someId()
    const [row] = await db
      .select({ id: users.id, nested: { id: users.id, age: users.age } })
      .from(users)
      .where(drizzle.eq(users.id, id))
    const user = this.users.get(id)
    this.same(row, user === undefined ? undefined : { id, nested: { id, age: user.age } })
  }

  async join() {
    const { db, users, posts, alias, drizzle } = this.tables
    const writer = alias(users, 'writer')
    const id = this.someId()
    const rows = await db
      .select()
      .from(posts)
      .leftJoin(writer, drizzle.eq(posts.author, writer.id))
      .where(drizzle.eq(posts.author, id))
    const own = [...this.posts.values()].filter(({ author }) => author === id)
    this.same(
      rows.sort((a, b) => byId(a.posts, b.posts)),
      own.sort(byId).map(post => ({ posts: post, writer: this.users.get(id) ?? null })),
    )
  }

  async related() {
    const { database, db, users, posts, drizzle } = this.tables
    const id = this.someId()
    // MariaDB refuses Drizzle's query for the author of each post.
    const hasAuthor = database !== 'mariadb'
    const query = {
      where: drizzle.eq(users.id, id),
      with: { posts: hasAuthor ? { with: { author: true } } : true },
    }
    const found = await db.query.users.findMany(query)
    for (const row of found) row.posts.sort(byId)
    const user = this.users.get(id)
    const own = [...this.posts.values()].filter(({ author }) => author === id).sort(byId)
    const inUser = own.map(post => ({ ...post, ...(hasAuthor && { author: user }) }))
    this.same(found, user === undefined ? [] : [{ ...user, posts: inUser }])
    const first = await db.query.posts.findFirst({
      where: drizzle.eq(posts.author, id),
      columns: { id: true, body: true },
      orderBy: posts.id,
    })
    const [post] = own.sort((a, b) => a.id - b.id)
    this.same(first, post === undefined ? undefined : { id: post.id, body: post.body })
  }

  /** Rows of SQL have sealed strings. */
  async raw() {
    const { database, db, declarations, drizzle } = this.tables
    const id = this.someId()
    const query = drizzle.sql`SELECT id, email FROM users WHERE id = ${id}`
    const result = await (database === 'sqlite' ? db.all(query) : db.execute(query))
    const rows = { postgresql: result.rows, mariadb: result[0], sqlite: result }[database]
    const opened = declarations.users.openAll(rows)
    this.same(
      opened,
      this.of([id]).map(({ email }) => ({ id, email })),
    )
  }

  /** Rows one after the other, as the database sends them. */
  async iterate() {
    const { db, users, drizzle } = this.tables
    const ids = [this.someId(), this.someId()]
    const rows = []
    for await (const row of db.select().from(users).where(drizzle.inArray(users.id, ids)).iterator())
      rows.push(row)
    this.same(rows.sort(byId), this.of(ids))
  }

  /** A subquery, a union and a WITH. */
  async composed() {
    const { db, users, drizzle } = this.tables
    const { eq, inArray } = drizzle
    const ids = [this.someId(), this.someId()]
    const one = id => db.select().from(users).where(eq(users.id, id))
    const part = db.select().from(users).where(inArray(users.id, ids)).as('part')
    this.same((await db.select().from(part)).sort(byId), this.of(ids))
    this.same((await one(ids[0]).union(one(ids[1]))).sort(byId), this.of(ids))
    const named = db.$with('named').as(one(ids[0]))
    this.same(await db.with(named).select().from(named), this.of([ids[0]]))
  }
}
