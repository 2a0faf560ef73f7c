// Statements that guarded() of the adapter for Drizzle refuses, and those that it passes.

/** Tables of MySQL with another unique column. */
function unique({ customType, mysqlTable, uniqueIndex, unique, varchar }, encrypted) {
  const key = (name, length = 36) => varchar(name, { length })
  const columns = index => ({
    tenant: key('tenant_id'),
    id: key('id'),
    email: customType(encrypted.column('email'))('email'),
    emailIndex: index(customType(encrypted.index('email'))('email_index')),
  })
  const same = column => column
  return {
    'an upsert beside a unique column': mysqlTable(
      'one',
      columns(column => column.unique()),
    ),
    'an upsert beside a unique index': mysqlTable('two', columns(same), table => [
      uniqueIndex('u').on(table.emailIndex),
    ]),
    'an upsert beside a unique constraint': mysqlTable('three', columns(same), table => [
      unique('v').on(table.emailIndex),
    ]),
  }
}

/** Statements by name, as functions. Each has a key of two columns. */
export function statements({ library, types, encrypted, opened, users, db, database }) {
  const {
    and,
    asc,
    avg,
    between,
    count,
    countDistinct,
    desc,
    eq,
    exists,
    gt,
    inArray,
    isNull,
    like,
    max,
    ne,
    not,
    or,
    sql,
  } = library
  const [a, b] = [1, 2].map(id => ({ tenant: 't', id: `${id}` }))
  const seal = (row, more = {}) => encrypted.seal({ ...row, email: 'ada@example.org', ...more })
  const is = ({ tenant, id }) => and(eq(users.tenant, tenant), eq(users.id, id))
  const update = (set, where) => db.update(users).set(set).where(where)
  const select = (fields = undefined) => (fields === undefined ? db.select() : db.select(fields)).from(users)
  const { tenant, id, ...values } = seal(a)
  const [term] = encrypted.lookup('email', 'ada@example.org')
  const other = types.alias(users, 'other')
  const insert = (...rows) => db.insert(users).values(rows)
  const isMysql = database === 'mariadb'
  const upsert = (target, set, ...rows) =>
    isMysql
      ? insert(...rows).onDuplicateKeyUpdate({ set })
      : insert(...rows).onConflictDoUpdate({ target, set })
  const KEY = [users.tenant, users.id]
  const excluded = isMysql
    ? { email: sql`values(${users.email})`, emailIndex: sql`values(${users.emailIndex})` }
    : { email: sql`excluded.email`, emailIndex: sql.raw('excluded."email_index"') }
  const query = db.query.users
  const refused = {
    'an update of every row': () => db.update(users).set(values),
    'an update by another column': () => update(values, eq(users.name, 'Ada')),
    'an update by a part of the key': () => update(values, eq(users.id, '1')),
    'an update of another row': () => update(values, is(b)),
    'an update of one row or another': () => update(values, or(is(a), is(b))),
    'an update of all other rows': () => update(values, not(is(a))),
    'an update of rows in a list': () => update(values, and(eq(users.tenant, 't'), inArray(users.id, ['1']))),
    'an update by the key of an alias': () => update(values, and(eq(other.tenant, 't'), eq(other.id, '1'))),
    'an update with the key alone in set': () => db.update(users).set(seal(a)),
    'a change of the key': () => update({ id: '2' }, is(a)),
    'a change of the key of any row': () => update({ tenant: 'u' }, eq(users.name, 'Ada')),
    'a change of the key by SQL': () => update({ id: sql`${users.name}` }, is(a)),
    'an index alone': () => update({ emailIndex: values.emailIndex }, is(a)),
    'a column alone': () => update({ email: values.email }, is(a)),
    'NULL without its index': () => update({ email: null }, is(a)),
    'an expression as a value': () => update({ ...values, email: sql`${users.address}` }, is(a)),
    'a column as a value': () => update({ ...values, email: users.email }, is(a)),
    'a ciphertext in a clear column': () => update({ name: users.email }, is(a)),
    'a ciphertext in a clear column, in SQL': () => update({ name: sql`lower(${users.email})` }, is(a)),
    'an index in a clear column': () => update({ name: users.emailIndex }, is(a)),
    'a sealed value for a key that comes later': () =>
      update(values, and(eq(users.tenant, 't'), eq(users.id, sql.placeholder('id')))),
    'a value that comes later for any row': () =>
      update({ email: sql.placeholder('email'), emailIndex: sql.placeholder('index') }, eq(users.name, 'a')),
    'a value of a query': () =>
      update({ email: users.email.mapFromDriverValue('A'), emailIndex: values.emailIndex }, is(a)),
    'an insert with another key': () => insert({ ...seal(a), id: '2' }),
    'a number as a key of text': () => insert({ ...encrypted.seal({ tenant: 't', id: 1, address: 'a' }) }),
    'an insert with a part of the key': () => insert({ ...values, tenant: 't' }),
    'a second row with the values of the first': () => insert(seal(a), { ...values, ...b }),
    'an insert of rows of the table': () => db.insert(users).select(select()),
    'an upsert of other values': () => upsert(KEY, seal(b), seal(a)),
    'an upsert of several rows with the values of one': () => upsert(KEY, values, seal(a), seal(b)),
    'an upsert that changes the key': () => upsert(KEY, { id: '3' }, seal(a)),
    'a condition with like': () => select().where(like(users.email, '%')),
    'a condition with an order': () => select().where(gt(users.email, values.email)),
    'a condition with between': () => select().where(between(users.email, values.email, values.email)),
    'a bare string': () => select().where(sql`${users.emailIndex} = ${'ada@example.org'}`),
    'a bare string in a list': () =>
      select().where(sql`${users.emailIndex} in (${sql.param(term, users.emailIndex)}, ${'x'})`),
    'a bare placeholder': () => select().where(eq(users.emailIndex, sql.placeholder('term'))),
    'a function in a condition': () => select().where(sql`lower(${users.email}) = 'a'`),
    'a function on the right': () => select().where(sql`'a' = lower(${users.email})`),
    'a comparison with another column': () => select().where(eq(users.email, users.address)),
    'a comparison of a ciphertext with itself': () => select().where(eq(users.email, users.email)),
    'an index beside a clear column': () => select().where(eq(users.emailIndex, users.name)),
    'a clear column beside an index': () => select().where(eq(users.name, users.emailIndex)),
    'a value without its row': () => opened([values.email]),
    'a comparison with a clear column': () => select().where(eq(users.name, users.email)),
    'a subquery for a ciphertext': () => select().where(inArray(users.email, select({ email: users.email }))),
    'a subquery of other indexes': () => select().where(inArray(users.emailIndex, select({ n: users.name }))),
    'a subquery of ciphertexts as a value': () => select({ v: max(select({ email: users.email })) }),
    'a condition in a subquery': () =>
      select().where(inArray(users.id, select({ id: users.id }).where(like(users.email, '%')))),
    'a condition of delete': () => db.delete(users).where(like(users.email, '%')),
    'a condition of update': () => update({ name: 'a' }, like(users.email, '%')),
    'a condition of a join': () => select().innerJoin(other, eq(users.email, other.email)),
    'an order': () => select().orderBy(users.email),
    'an ascending order': () => select().orderBy(asc(users.email)),
    'a descending order of indexes': () => select().orderBy(users.id, desc(users.emailIndex)),
    'an order of a subquery': () => {
      const part = select().as('part')
      return db.select().from(part).orderBy(part.email)
    },
    'an order of a union': () => select().union(select()).orderBy(users.email),
    groups: () => select({ n: count() }).groupBy(users.email),
    'groups by a function': () => select({ n: count() }).groupBy(sql`lower(${users.emailIndex})`),
    having: () => select({ n: count() }).groupBy(users.id).having(sql`max(${users.email}) > 'a'`),
    max: () => select({ id: users.id, max: max(users.email) }),
    'min, nested and under an alias': () => select({ a: { b: sql`min(${users.address})`.as('m') } }),
    avg: () => select({ avg: avg(users.emailIndex) }),
    'a ciphertext as it is stored': () => select({ mail: sql`${users.email}` }),
    'a row as a text': () => select({ row: sql`${users}` }),
    'a row in a condition': () => select().where(sql`${users}::text like '%'`),
    'different ciphertexts': () => select({ n: countDistinct(users.email) }),
    'a function in a join': () =>
      db
        .select({ m: sql`upper(${users.email})` })
        .from(other)
        .innerJoin(users, isNull(users.id)),
    'a condition of a relational query': () => query.findMany({ where: like(users.email, '%') }),
    'an order of a relational query': () => query.findMany({ orderBy: desc(users.email) }),
    'an extra of a relational query': () =>
      query.findMany({ extras: { m: sql`lower(${users.email})`.as('m') } }),
    'an extra of a function': () =>
      query.findFirst({ extras: ({ email }) => ({ m: sql`${email}`.as('m') }) }),
    'a count with a condition': () => ({
      toSQL: () => db.dialect.sqlToQuery(db.$count(users, like(users.email, '%')).sql),
    }),
  }
  const passed = {
    'an update by the key': () => update(values, is(a)),
    'an update by the key and more': () =>
      update(seal(a), and(eq(users.name, 'Ada'), is(a), isNull(users.address))),
    'an update by a value in SQL': () =>
      update(values, and(sql`${users.tenant} = ${'t'}`, eq(users.id, '1'))),
    'an update of many rows with NULL': () =>
      db.update(users).set({ email: null, emailIndex: null, address: null }),
    'an update of other columns': () => update({ name: 'a' }, eq(users.name, 'b')),
    'an update of other columns by an expression': () =>
      update({ name: sql`upper(${users.name})` }, isNull(users.email)),
    'an update with the same key': () => update({ ...a, name: 'a' }, is(a)),
    'a prepared update': () =>
      update(
        { email: sql.placeholder('email'), emailIndex: sql.placeholder('index') },
        and(eq(users.tenant, 't'), eq(users.id, sql.placeholder('id'))),
      ),
    inserts: () => insert(seal(a), seal(b), { ...a, name: 'x' }, { ...b, email: null, emailIndex: null }),
    'a prepared insert': () =>
      insert({
        tenant: sql.placeholder('tenant'),
        id: '1',
        email: sql.placeholder('email'),
        emailIndex: sql.placeholder('index'),
      }),
    'an upsert': () => upsert(KEY, seal(a), seal(a)),
    'an upsert of several rows': () => upsert(KEY, excluded, seal(a), seal(b)),
    'an upsert of other columns': () => upsert(KEY, { name: 'x' }, seal(a), seal(b)),
    'terms of lookup': () => select().where(inArray(users.emailIndex, encrypted.lookup('email', 'a'))),
    'a term': () => select().where(and(eq(users.emailIndex, term), ne(users.emailIndex, term))),
    'a placeholder of the column': () =>
      select().where(eq(users.emailIndex, sql.param(sql.placeholder('t'), users.emailIndex))),
    'a list in SQL': () =>
      select().where(
        sql`${users.emailIndex} in (${sql.param(term, users.emailIndex)}, ${sql.param(term, users.emailIndex)})`,
      ),
    NULL: () => select().where(and(isNull(users.email), sql`${users.emailIndex} is not null`)),
    'equal indexes': () =>
      select().innerJoin(other, and(eq(users.emailIndex, other.emailIndex), ne(users.id, other.id))),
    'indexes of a subquery': () => select().where(inArray(users.emailIndex, select({ i: users.emailIndex }))),
    'a subquery that exists': () => select().where(exists(select())),
    'a table after FROM': () =>
      select().where(sql`exists (select 1 from ${users} where ${users.name} = 'a')`),
    'groups of indexes': () =>
      select({ n: count(users.email), m: countDistinct(users.emailIndex) }).groupBy(users.emailIndex),
    'nested columns of a join': () =>
      db
        .select({ one: { email: users.email }, name: other.name })
        .from(users)
        .leftJoin(other, eq(users.id, other.id)),
    'a union in an order': () => select().union(select()).orderBy(users.id),
    'a WITH': () => {
      const named = db.$with('named').as(select())
      return db.with(named).select().from(named)
    },
    'a relational query': () =>
      query.findMany({
        where: eq(users.emailIndex, term),
        orderBy: asc(users.id),
        extras: { n: sql`${users.id}`.as('n') },
      }),
    relations: () => query.findMany({ with: { posts: true } }),
    'a relation of one': () =>
      db.query.posts.findMany({ with: { author: { columns: { id: true, email: true } } } }),
    'a deletion': () => db.delete(users).where(eq(users.emailIndex, term)),
    'a count': () => ({
      toSQL: () => db.dialect.sqlToQuery(db.$count(users, eq(users.emailIndex, term)).sql),
    }),
  }
  if (database === 'postgresql') {
    refused['distinct ciphertexts'] = () => db.selectDistinctOn([users.email]).from(users)
    passed['distinct indexes'] = () => db.selectDistinctOn([users.emailIndex]).from(users)
  }
  if (isMysql) {
    const values = { ...a, email: null, emailIndex: null }
    for (const [name, table] of Object.entries(unique(types, encrypted)))
      refused[name] = () =>
        db
          .insert(table)
          .values({ ...values, ...seal(a) })
          .onDuplicateKeyUpdate({ set: seal(a) })
    return { refused, passed }
  }
  const onIndex = (set, more = {}) =>
    insert(seal(a)).onConflictDoUpdate({ target: users.emailIndex, set, ...more })
  Object.assign(refused, {
    'an upsert on another unique column': () => onIndex(seal(a)),
    'an upsert on another unique column, excluded': () => onIndex(excluded),
    'an upsert on a part of the key': () => upsert(users.id, seal(a), seal(a)),
    'an upsert that takes the key': () => onIndex({ ...a }),
    'an upsert with a condition of ciphertexts': () =>
      onIndex({ name: 'a' }, { setWhere: like(users.email, '%') }),
    'a returned function': () => db.delete(users).returning({ m: sql`max(${users.email})` }),
    'the column of another as excluded': () =>
      upsert(KEY, { ...excluded, email: sql`excluded.address` }, seal(a)),
  })
  Object.assign(passed, {
    'an upsert on another unique column of other columns': () =>
      onIndex({ name: 'a' }, { setWhere: isNull(users.email) }),
    'an upsert that clears': () => onIndex({ email: null, emailIndex: null }),
    'an upsert that does nothing': () => insert(seal(a)).onConflictDoNothing({ target: users.emailIndex }),
    'an upsert in another order of the key': () => upsert([users.id, users.tenant], seal(a), seal(a)),
    'an upsert of an index that is not whole': () =>
      insert(seal(a)).onConflictDoUpdate({ target: KEY, targetWhere: isNull(users.name), set: seal(a) }),
    returning: () => insert(seal(a)).returning(),
  })
  return { refused, passed }
}
