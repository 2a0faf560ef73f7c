// The places of Drizzle's statements that take a value, for drizzle-twin.mjs: functions of a side of the comparison and of a value.

export const KEYS = [
  { tenant: 'a', id: '1' },
  { tenant: 'b', id: '2' },
  { tenant: 'a', id: '3' },
]
const [ADA, BOB, EVE] = KEYS
const NEXT = { tenant: 'n', id: '9' }
const NEW = { ...NEXT, code: 'n9', name: 'New' }

/** `s` is a side: the library's functions, `db` in a transaction, the tables, and what differs between both sides. */
export function placesOf({ database }) {
  const users = s => s.db.select().from(s.users)
  const is = (s, { tenant, id }) => s.and(s.eq(s.users.tenant, tenant), s.eq(s.users.id, id))
  const insert = async (s, rows) => s.opened(await s.db.insert(s.users).values(rows).returning())
  const update = async (s, set, where) =>
    s.opened(await s.db.update(s.users).set(set).where(where).returning())
  const find = async (s, where) => s.opened(await users(s).where(where))
  const upsert = async (s, rows, config) =>
    s.opened(await s.db.insert(s.users).values(rows).onConflictDoUpdate(config).returning())
  const many = async (s, query) => s.opened(await s.db.query.users.findMany(query))
  const keyOf = s => [s.users.tenant, s.users.id]
  const ROW = { ...ADA, code: 'a1', name: 'Ada', email: 'carl@example.org' }
  const places = {
    'insert email': (s, v) => insert(s, s.seal({ ...NEW, email: v })),
    'insert address': (s, v) => insert(s, s.seal({ ...NEW, email: null, address: v })),
    'insert name': (s, v) => insert(s, s.seal({ ...NEW, name: v, email: 'new@example.org' })),
    'insert id': (s, v) => insert(s, s.seal({ ...NEW, id: v, email: 'new@example.org' })),
    'insert tenant, nothing sealed': (s, v) => insert(s, s.seal({ ...NEW, tenant: v })),
    'insert a row': (s, v) => insert(s, s.seal(v)),
    'insert a row of rows': (s, v) => insert(s, s.seal([{ ...NEW, email: 'new@example.org' }, v])),
    'insert an unsealed email': (s, v) => insert(s, { ...NEW, ...s.unsealed(v) }),
    'insert another id': (s, v) => insert(s, { ...s.seal({ ...NEW, email: 'new@example.org' }), id: v }),
    'insert rows without a seal': (s, v) => insert(s, v),
    'insert from': async (s, v) => s.opened(await s.db.insert(s.users).select(v).returning()),
    'set email': (s, v) => update(s, s.change(ADA, { email: v }), is(s, ADA)),
    'set address': (s, v) => update(s, s.change(ADA, { address: v }), is(s, ADA)),
    'set name': (s, v) => update(s, s.change(ADA, { name: v, email: 'new@example.org' }), is(s, ADA)),
    'set id': (s, v) => update(s, { name: 'x', id: v }, is(s, ADA)),
    'set tenant': (s, v) => update(s, { tenant: v }, s.eq(s.users.name, 'Eve')),
    'set code': (s, v) => update(s, { code: v }, is(s, ADA)),
    'set an unsealed email': (s, v) => update(s, s.unsealed(v), is(s, BOB)),
    'set whole': (s, v) => update(s, v, is(s, ADA)),
    'set where whole': (s, v) => update(s, s.change(ADA, { email: 'new@example.org' }), v),
    'set where id': (s, v) =>
      update(
        s,
        s.change(ADA, { email: 'new@example.org' }),
        s.and(s.eq(s.users.tenant, 'a'), s.eq(s.users.id, v)),
      ),
    'set where name': (s, v) =>
      update(s, s.change(BOB, { address: 'new@example.org' }), s.eq(s.users.name, v)),
    'set where and': (s, v) => update(s, s.change(ADA, { email: 'new@example.org' }), s.and(is(s, ADA), v)),
    'set where or': (s, v) => update(s, s.change(ADA, { email: 'new@example.org' }), s.or(is(s, ADA), v)),
    'set where not': (s, v) =>
      update(s, s.change(ADA, { email: 'new@example.org' }), s.not(s.eq(s.users.id, v))),
    'set where a list': (s, v) =>
      update(s, s.change(ADA, { address: 'new@example.org' }), s.inArray(s.users.id, v)),
    'set null where': (s, v) => update(s, s.change(ADA, { email: null, address: null }), v),
    'set name where': (s, v) => update(s, { name: 'x' }, v),
    'upsert email': (s, v) => upsert(s, s.seal(ROW), { target: keyOf(s), set: s.change(ADA, { email: v }) }),
    'upsert address of another': (s, v) =>
      upsert(s, s.seal(ROW), { target: keyOf(s), set: s.change(BOB, { address: v }) }),
    'upsert name': (s, v) => upsert(s, s.seal(ROW), { target: keyOf(s), set: { name: v } }),
    'upsert id': (s, v) => upsert(s, s.seal(ROW), { target: keyOf(s), set: { id: v } }),
    'upsert whole': (s, v) => upsert(s, s.seal(ROW), { target: keyOf(s), set: v }),
    'upsert target': (s, v) =>
      upsert(s, s.seal(ROW), { target: v, set: s.change(ADA, { email: 'new@example.org' }) }),
    'upsert setWhere': (s, v) =>
      upsert(s, s.seal(ROW), {
        target: keyOf(s),
        set: s.change(ADA, { email: 'new@example.org' }),
        setWhere: v,
      }),
    'upsert by code': (s, v) =>
      upsert(s, s.seal({ ...NEW, code: 'b1', email: 'new@example.org' }), {
        target: s.users.code,
        set: s.change(NEXT, { email: v }),
      }),
    'upsert name by code': (s, v) =>
      upsert(s, s.seal({ ...NEW, code: 'b1', email: 'new@example.org' }), {
        target: s.users.code,
        set: { name: v },
      }),
    'upsert id by code': (s, v) =>
      upsert(s, s.seal({ ...NEW, code: 'b1', email: 'new@example.org' }), {
        target: s.users.code,
        set: { tenant: 'n', id: v },
      }),
    'upsert rows': (s, v) =>
      upsert(s, s.seal([ROW, { ...NEW, email: v }]), { target: keyOf(s), set: s.excluded() }),
    'upsert rows by the values of one': (s, v) =>
      upsert(s, s.seal([ROW, { ...BOB, code: 'b1', name: 'Bob', email: v }]), {
        target: keyOf(s),
        set: s.change(ADA, { email: 'new@example.org' }),
      }),
    'upsert nothing': (s, v) =>
      s.db.insert(s.users).values(s.seal(ROW)).onConflictDoNothing({ target: v }).returning(),
    'delete where': async (s, v) => s.opened(await s.db.delete(s.users).where(v).returning()),
    'delete where name': async (s, v) =>
      s.opened(await s.db.delete(s.users).where(s.eq(s.users.name, v)).returning()),
    'delete where email': async (s, v) =>
      s.opened(await s.db.delete(s.users).where(s.byEmail(v)).returning()),
    'delete returning': async (s, v) => s.opened(await s.db.delete(s.users).where(is(s, EVE)).returning(v)),
    'find where': (s, v) => find(s, v),
    'find by lookup': (s, v) => find(s, s.byEmail(v)),
    'find by term': (s, v) => find(s, s.eq(s.search, v)),
    'find by another term': (s, v) => find(s, s.ne(s.search, v)),
    'find by a list of terms': (s, v) => find(s, s.inArray(s.search, v)),
    'find by a list with': (s, v) => find(s, s.inArray(s.search, [s.term('ada@example.org'), v])),
    'find by no list of terms': (s, v) => find(s, s.notInArray(s.search, v)),
    'find eq email': (s, v) => find(s, s.eq(s.users.email, v)),
    'find like email': (s, v) => find(s, s.like(s.users.email, v)),
    'find gt email': (s, v) => find(s, s.gt(s.users.email, v)),
    'find between address': (s, v) => find(s, s.between(s.users.address, v, 'z')),
    'find eq of v and email': (s, v) => find(s, s.eq(v, s.search)),
    'find eq name': (s, v) => find(s, s.eq(s.users.name, v)),
    'find isNull': (s, v) => find(s, s.isNull(v)),
    'find not': (s, v) => find(s, s.not(v)),
    'find and': (s, v) => find(s, s.and(s.isNotNull(s.users.email), v)),
    'find or': (s, v) => find(s, s.or(s.isNull(s.users.email), v)),
    'find exists': (s, v) => find(s, s.exists(s.db.select().from(s.notes).where(v))),
    'find in a subquery': (s, v) =>
      find(s, s.inArray(s.users.id, s.db.select({ id: s.users.id }).from(s.users).where(v))),
    'find sql of email': (s, v) => find(s, s.sql`${s.users.email} = ${v}`),
    'find sql of the term': (s, v) => find(s, s.sql`${s.search} = ${v}`),
    'find sql of a list': (s, v) =>
      find(s, s.sql`${s.search} in (${s.sql.param(s.term('ada@example.org'), s.search)}, ${v})`),
    'find sql of a function': (s, v) => find(s, s.sql`lower(${v}) = 'ada@example.org'`),
    'find sql on the right': (s, v) => find(s, s.sql`${s.users.name} = ${v}`),
    'find sql whole': (s, v) => find(s, s.sql`${v}`),
    'find a placeholder': async (s, v) =>
      s.opened(
        await users(s)
          .where(s.eq(s.users.name, s.sql.placeholder('v')))
          .prepare(s.statement())
          .execute({ v }),
      ),
    'find a placeholder of the term': async (s, v) =>
      s.opened(
        await users(s)
          .where(s.eq(s.search, s.sql.param(s.sql.placeholder('v'), s.search)))
          .prepare(s.statement())
          .execute({ v }),
      ),
    'find orderBy': async (s, v) => s.opened(await users(s).orderBy(v, s.users.id)),
    'find orderBy asc': async (s, v) => s.opened(await users(s).orderBy(s.asc(v), s.users.id)),
    'find limit': async (s, v) => s.opened(await users(s).orderBy(s.users.id).limit(v)),
    'find offset': async (s, v) => s.opened(await users(s).orderBy(s.users.id).limit(5).offset(v)),
    'select field': async (s, v) => s.opened(await s.db.select({ ...s.key(), v }).from(s.users)),
    'select field alone': async (s, v) => s.opened(await s.db.select({ v }).from(s.users)),
    'select nested': async (s, v) => s.opened(await s.db.select({ nested: { ...s.key(), v } }).from(s.users)),
    'select fields': async (s, v) => s.opened(await s.db.select(v).from(s.users)),
    'select max': async (s, v) => s.opened(await s.db.select({ v: s.max(v) }).from(s.users)),
    'select max beside the key': async (s, v) =>
      s.opened(
        await s.db
          .select({ tenant: s.max(s.users.tenant), id: s.max(s.users.id), v: s.max(v) })
          .from(s.users),
      ),
    'select count': async (s, v) => s.opened(await s.db.select({ v: s.count(v) }).from(s.users)),
    'select countDistinct': async (s, v) =>
      s.opened(await s.db.select({ v: s.countDistinct(v) }).from(s.users)),
    'select sql': async (s, v) =>
      s.opened(await s.db.select({ ...s.key(), v: s.sql`${v}`.as('v') }).from(s.users)),
    'select lower': async (s, v) =>
      s.opened(await s.db.select({ ...s.key(), v: s.sql`lower(${v})` }).from(s.users)),
    'select from': async (s, v) => s.opened(await s.db.select().from(v)),
    'select groupBy': async (s, v) => s.opened(await s.db.select({ n: s.count() }).from(s.users).groupBy(v)),
    'select groupBy sql': async (s, v) =>
      s.opened(await s.db.select({ n: s.count() }).from(s.users).groupBy(s.sql`${v}`)),
    'select having': async (s, v) =>
      s.opened(await s.db.select({ id: s.users.id }).from(s.users).groupBy(s.users.id).having(v)),
    'select join on': async (s, v) => s.opened(await users(s).leftJoin(s.notes, v)),
    'select join on equal': async (s, v) =>
      s.opened(await users(s).innerJoin(s.notes, s.eq(s.notes.line, v))),
    'select join of itself': async (s, v) => s.opened(await s.selfJoin(v)),
    'select of a subquery': async (s, v) => {
      const part = users(s).where(s.isNotNull(s.users.email)).as('part')
      return s.opened(await s.db.select().from(part).where(v))
    },
    'select of a subquery by its order': async (s, v) => {
      const part = users(s).as('part')
      const by = v === s.users.email ? part.email : v
      return s.opened(await s.db.select().from(part).orderBy(by, part.id))
    },
    'select of WITH': async (s, v) => {
      const part = s.db.$with('part').as(users(s).where(v))
      return s.opened(await s.db.with(part).select().from(part))
    },
    'select union order': async (s, v) => s.opened(await users(s).unionAll(users(s)).orderBy(v)),
    'query where': (s, v) => many(s, { where: v }),
    'query where function': (s, v) => many(s, { where: (fields, { eq }) => eq(fields.name, v) }),
    'query orderBy': (s, v) => many(s, { orderBy: v }),
    'query orderBy desc': (s, v) => many(s, { orderBy: [s.desc(v)], limit: 2 }),
    'query columns': (s, v) => many(s, { columns: { tenant: true, id: true, email: v } }),
    'query columns whole': (s, v) => many(s, { columns: v }),
    'query extras': (s, v) => many(s, { extras: { v } }),
    'query extras of sql': (s, v) => many(s, { extras: { v: s.sql`lower(${v})`.as('v') } }),
    'query extras whole': (s, v) => many(s, { extras: v }),
    'query with': (s, v) => many(s, { with: { notes: v } }),
    'query with where': (s, v) => many(s, { with: { notes: { where: v } } }),
    'query with orderBy': (s, v) => many(s, { with: { notes: { orderBy: v } } }),
    'query with extras': (s, v) =>
      many(s, { with: { notes: { extras: { v: s.sql`upper(${v})`.as('v') } } } }),
    'query limit': (s, v) => many(s, { orderBy: s.users.id, limit: v }),
    'query first': async (s, v) =>
      s.opened(await s.db.query.notes.findFirst({ where: v, with: { user: true } })),
    count: (s, v) => s.db.$count(s.users, v),
    'count by term': (s, v) => s.db.$count(s.users, s.eq(s.search, v)),
    opened: (s, v) => void s.opened(v),
    lookup: (s, v) => void s.byEmail(v),
  }
  if (database === 'postgresql')
    Object.assign(places, {
      'select distinctOn': async (s, v) => s.opened(await s.db.selectDistinctOn([v]).from(s.users)),
      'update from': async (s, v) =>
        s.opened(
          await s.db.update(s.users).set({ name: 'x' }).from(s.notes).where(v).returning({ id: s.users.id }),
        ),
    })
  return places
}

/** Values that rows have, and parts of statements, by name: functions of a side. */
export const USUAL = {
  'the email of Ada': () => 'ada@example.org',
  'a new email': () => 'new@example.org',
  'the name of Bob': () => 'Bob',
  'the id of Ada': () => '1',
  'the tenant of Ada': () => 'a',
  'a row': () => ({ tenant: 'n', id: '9', code: 'n9', name: 'New', email: 'new@example.org', address: null }),
  'the row of Ada': () => ({ ...ADA, code: 'x', name: 'Ada' }),
  'an email in an object': () => ({ email: 'new@example.org' }),
  'the term of Ada': s => s.term('ada@example.org'),
  'a list of terms': s => [s.term('ada@example.org'), s.term('nobody@example.org')],
  'the sealed email of Ada': s => s.sealedEmail(ADA),
  'the sealed values of Ada': s => s.change(ADA, { email: 'new@example.org', address: 'New Lane' }),
  'the sealed values of Bob': s => s.change(BOB, { email: 'new@example.org', address: 'New Lane' }),
  'the sealed row of Bob': s => s.seal({ ...BOB, code: 'b1', name: 'Bob', email: 'new@example.org' }),
  'the column email': s => s.users.email,
  'the column address': s => s.users.address,
  'the index': s => s.search,
  'the column name': s => s.users.name,
  'the column line': s => s.notes.line,
  'the key': s => [s.users.tenant, s.users.id],
  'the column code': s => s.users.code,
  'the table': s => s.users,
  'the condition of Ada': s => s.and(s.eq(s.users.tenant, 'a'), s.eq(s.users.id, '1')),
  'the condition of Bob': s => s.and(s.eq(s.users.tenant, 'b'), s.eq(s.users.id, '2')),
  'a condition of a name': s => s.eq(s.users.name, 'Eve'),
  'a condition of an index': s => s.byEmail('ada@example.org'),
  'a condition of an email': s => s.eq(s.users.email, s.users.email),
  'a condition of NULL': s => s.isNull(s.users.email),
  'a pattern of an email': s => s.like(s.users.email, '%'),
  'an order of an email': s => s.desc(s.users.email),
  'an order of an id': s => s.desc(s.users.id),
  'the largest email': s => s.max(s.users.email),
  'SQL of an email': s => s.sql`${s.users.email}`,
  'SQL of a name': s => s.sql`upper(${s.users.name})`.as('upper'),
  'a function of an email': s => s.sql`upper(${s.users.email})`,
  'an alias of an email': s => s.sql`${s.users.email}`.as('alias'),
  'a subquery of all rows': s => s.direct.select().from(s.users),
  'a subquery of emails': s => s.direct.select({ email: s.users.email }).from(s.users),
  'a placeholder': s => s.sql.placeholder('v'),
  'a function of fields': () => fields => fields.email,
  'fields of the table': s => ({ tenant: s.users.tenant, id: s.users.id, email: s.users.email }),
}

/** Values in others, by name: functions of a value and a side. */
export const WRAPS = {
  'a list': v => [v],
  'a list of two': v => [v, v],
  'an object of email': v => ({ email: v }),
  'an object of name': v => ({ name: v }),
  'a row': v => ({ tenant: 'n', id: '9', code: 'n9', name: 'New', email: 'new@example.org', address: v }),
  'the key of Ada and': v => ({ ...ADA, address: v }),
  and: (v, s) => s.and(v, v),
  or: (v, s) => s.or(v, s.eq(s.users.id, '1')),
  not: (v, s) => s.not(v),
  SQL: (v, s) => s.sql`${v}`,
  'a function in SQL': (v, s) => s.sql`lower(${v})`,
  'an alias': (v, s) => s.sql`${v}`.as('v'),
  'an order': (v, s) => s.desc(v),
  'a comparison': (v, s) => s.eq(s.users.name, v),
  'a comparison of the term': (v, s) => s.eq(s.search, v),
  'a parameter': (v, s) => s.sql.param(v, s.search),
  'a function': v => () => v,
}
