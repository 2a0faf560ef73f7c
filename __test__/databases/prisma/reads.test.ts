// Tests what reaches the database when rows are read through the extension, and what comes back.
import { AuthenticationError } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { extended, severalKeys } from './client.js'

const db = extended()
const [ada, bob] = ['ada', 'bob'].map(email => db.User.lookup('email', email)[0])
const whereOf = async (where: object, model = 'User') => (await db.run(model, 'findMany', { where })).where

test.each([
  [{ email: 'Ada' }, { emailIndex: { in: [ada] } }],
  [{ email: null }, { email: null }],
  [{ email: undefined }, {}],
  [{ email: { equals: 'ADA', mode: 'default' } }, { emailIndex: { in: [ada] }, email: { mode: 'default' } }],
  [{ email: { in: ['ada', 'Bob'] } }, { emailIndex: { in: [ada, bob] } }],
  [{ email: { notIn: ['ada'] } }, { emailIndex: { notIn: [ada] } }],
  [{ email: { not: 'ada' } }, { emailIndex: { notIn: [ada] } }],
  [{ email: { not: null } }, { email: { not: null } }],
  [{ email: { equals: null } }, { email: { equals: null } }],
  [{ email: { not: { in: ['ada'] } } }, { emailIndex: { not: { in: [ada] } } }],
  [
    { email: { not: null, in: ['ada'], notIn: ['bob'] } },
    { email: { not: null }, emailIndex: { in: [ada] }, AND: [{ emailIndex: { notIn: [bob] } }] },
  ],
  [
    { emailIndex: bob, email: 'ada', AND: { name: 'A' } },
    { emailIndex: bob, AND: [{ name: 'A' }, { emailIndex: { in: [ada] } }] },
  ],
  [
    { OR: [{ email: 'ada' }], NOT: { email: 'bob' } },
    { OR: [{ emailIndex: { in: [ada] } }], NOT: { emailIndex: { in: [bob] } } },
  ],
  [{ manager: { email: 'ada' } }, { manager: { emailIndex: { in: [ada] } } }],
  [{ manager: { is: { email: 'ada' } } }, { manager: { is: { emailIndex: { in: [ada] } } } }],
  [
    { manager: null, posts: { none: {} } },
    { manager: null, posts: { none: {} } },
  ],
  [
    { posts: { some: { author: { isNot: { email: 'ada' } } } } },
    { posts: { some: { author: { isNot: { emailIndex: { in: [ada] } } } } } },
  ],
  [{ notes: { not: null } }, { notes: { not: null } }],
])('the condition %j, answered by the index', async (given, sent) => {
  expect(await whereOf(given)).toEqual(sent)
})

test.each([
  { email: { contains: 'a' } },
  { email: { equals: 'a', mode: 'insensitive' } },
  { email: { not: { not: 'a' } } },
  { email: { not: { in: ['a'], notIn: ['b'] } } },
  { email: { in: 'ada' } },
  { email: { in: [null] } },
  { notes: 'a' },
  { notes: { equals: {} } },
  { name_email: { name: 'a', email: 'a' } },
  { other: 'a' },
  { manager: { is: {}, name: 'a' } },
  { profile: { is: {} } },
])('the condition %j is refused', async where => {
  await expect(whereOf(where)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
})

describe('prisma-index-in-clear: clear text for an index is refused', () => {
  test.each([
    ['findMany', { where: { emailIndex: 'ada@example.org' } }],
    ['findMany', { where: { NOT: [{ emailIndex: { in: [ada, 'ada@example.org'] } }] } }],
    ['findMany', { where: { emailIndex: { not: { startsWith: 'ada' } } } }],
    ['findMany', { where: { manager: { is: { emailIndex: { equals: 'ada' } } } } }],
    ['findUnique', { where: { emailIndex: 'ada@example.org' } }],
    ['findUnique', { where: { name_emailIndex: { name: 'Ada', emailIndex: 'ada@example.org' } } }],
    ['findMany', { cursor: { emailIndex: 'ada@example.org' } }],
    ['groupBy', { by: ['emailIndex'], having: { emailIndex: { contains: 'ada' } } }],
    ['create', { data: { id: '1', email: 'ada', emailIndex: 'ada@example.org' } }],
    ['update', { where: { id: '1' }, data: { emailIndex: { set: 'ada@example.org' } } }],
    ['updateMany', { where: { id: '1' }, data: { emailIndex: 'ada@example.org' } }],
  ])('%s with %j', async (operation, args) => {
    await expect(db.run('User', operation, args)).rejects.toThrow("has clear text: name 'email' instead")
  })
  test('an index passes, and what is no text', async () => {
    for (const where of [
      { emailIndex: ada },
      { emailIndex: { in: [ada, bob], mode: 'insensitive' } },
      { emailIndex: null },
      { emailIndex: { not: null } },
    ])
      expect(await whereOf(where)).toEqual(where)
  })
})

/** Like `prisma.user.fields.email`. */
class FieldRef {
  constructor(
    readonly modelName: string,
    readonly name: string,
  ) {}
}

class DbNull {
  #own = 'an instance without members, as Prisma.DbNull is'
  get own() {
    return this.#own
  }
}

describe('prisma-dropped-condition: what Prisma refuses as a filter never becomes no filter', () => {
  const odd = {
    'a Date': new Date(0),
    'Prisma.DbNull': new DbNull(),
    'a Map': new Map([['equals', 'ada']]),
    'a proxy': new Proxy({}, {}),
  }
  const conditions = Object.entries(odd).flatMap(([about, value]) => [
    [about, { email: value }],
    [about, { email: { not: value } }],
    [about, { AND: value }],
    [about, { OR: [value] }],
    [about, { posts: { some: value } }],
    [about, { posts: { some: { title: value } } }],
    [about, { manager: value }],
  ]) as [string, object][]
  test.each(conditions)('%s in %o', async (_, where) => {
    const { run, sent } = extended()
    for (const operation of ['deleteMany', 'findMany'])
      await expect(run('User', operation, { where })).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_INVALID_ARG_/),
      })
    expect(sent).toEqual([])
  })
})

test.each([
  ['prisma-selected-by-NaN', 'findMany', { include: { posts: Number.NaN } }],
  ['prisma-index-by-toJSON', 'findMany', { where: { emailIndex: { toJSON: () => 'ada@example.org' } } }],
  ['prisma-field-of-a-ciphertext', 'findMany', { where: { name: new FieldRef('User', 'email') } }],
  ['prisma-unique-filter', 'findUnique', { where: { id: '1', email: {} } }],
  ['prisma-set-undefined', 'update', { where: { id: '1' }, data: { email: { set: undefined } } }],
  ['prisma-index-of-another-type', 'create', { data: { id: '1', email: 'a', emailIndex: new Error('a') } }],
])('%s: %s with %o is refused', async (_, operation, args) => {
  const { run, sent } = extended()
  const error = { code: expect.stringMatching(/^ERR_INVALID_ARG_/) }
  await expect(run('User', operation, args)).rejects.toMatchObject(error)
  expect(sent).toEqual([])
})

test('prisma-undefined-condition: undefined reaches Prisma, which may refuse it', async () => {
  expect(await whereOf({ email: undefined, name: undefined })).toStrictEqual({
    email: undefined,
    name: undefined,
  })
  expect(await whereOf({ email: { equals: undefined } })).toStrictEqual({ email: { equals: undefined } })
})

test('a refused condition is named by its place', async () => {
  const where = { AND: [{ name: 'a' }, { email: { contains: 'a' } }] }
  await expect(whereOf(where)).rejects.toThrow('"args.where.AND[1].email.contains" ')
})

test('a field without an index says how it gets one, unless it is JSON', async () => {
  await expect(whereOf({ title: 'a' }, 'Post')).rejects.toThrow("declare one: { index: 'titleIndex' }")
  await expect(whereOf({ notes: 'a' })).rejects.toThrow('store the part to search for in its own field')
})

test('a unique condition has the index itself', async () => {
  const args = { where: { email: 'Ada', name: { not: 'B' } } }
  for (const operation of ['findUnique', 'findUniqueOrThrow', 'update', 'delete', 'upsert'])
    expect((await db.run('User', operation, args)).where).toEqual({ emailIndex: ada, name: { not: 'B' } })
  const cursor = (await db.run('User', 'findMany', { cursor: { email: 'ada' } })).cursor
  expect(cursor).toEqual({ emailIndex: ada })
})

test('while the index has several keys, a unique condition needs the key of the row', async () => {
  const { run, User } = extended(severalKeys())
  const indexes = User.lookup('email', 'ada')
  await expect(run('User', 'findUnique', { where: { email: 'ada' } })).rejects.toThrow('use findFirst')
  const { where } = await run('User', 'findUnique', { where: { id: '1', email: 'ada' } })
  expect(where).toEqual({ id: '1', AND: [{ emailIndex: { in: indexes } }] })
  expect((await run('User', 'findFirst', { where: { email: 'ada' } })).where).toEqual({
    emailIndex: { in: indexes },
  })
})

test('conditions in selections and counts are rewritten', async () => {
  const posts = (email: string) => ({
    where: { author: { email } },
    orderBy: { id: 'asc' },
    take: 2,
    select: { title: true },
  })
  const include = {
    posts: posts('ada'),
    _count: { select: { posts: { where: { author: { email: 'bob' } } } } },
  }
  const sent = await db.run('User', 'findMany', { include, omit: { notes: true } })
  expect(sent).toMatchObject({
    include: {
      posts: { where: { author: { emailIndex: { in: [ada] } } }, take: 2 },
      _count: { select: { posts: { where: { author: { emailIndex: { in: [bob] } } } } } },
    },
    omit: { notes: true },
  })
  expect(
    (await db.run('User', 'count', { where: { email: 'ada' }, select: { _all: true, email: true } })).select,
  ).toEqual({ _all: true, email: true })
})

test.each([
  ['findMany', { orderBy: { email: 'asc' } }],
  ['findMany', { orderBy: [{ id: 'asc' }, { manager: { email: 'asc' } }] }],
  ['findMany', { orderBy: { _relevance: { fields: ['email'], search: 'a', sort: 'asc' } } }],
  ['findMany', { orderBy: { _relevance: { fields: ['emailIndex'], search: 'a', sort: 'asc' } } }],
  ['findMany', { distinct: ['email'] }],
  ['findMany', { distinct: 'email' }],
  ['findMany', { include: { posts: { orderBy: { title: 'asc' } } } }],
  ['aggregate', { _max: { email: true } }],
  ['groupBy', { by: ['email'] }],
  ['groupBy', { by: ['name'], having: { AND: [{ email: { not: 'a' } }] } }],
  ['groupBy', { by: ['name'], having: { OR: [{ name: 'a' }, { email: { not: 'a' } }] } }],
  ['groupBy', { by: ['name'], having: { NOT: { email: 'a' } } }],
  ['groupBy', { by: ['name'], orderBy: { _max: { email: 'asc' } } }],
])('%s with %j is refused, because ciphertexts have no order', async (operation, args) => {
  await expect(db.run('User', operation, args)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
})

test.each([
  [
    'findMany',
    { orderBy: [{ emailIndex: 'asc' }, { posts: { _count: 'asc' } }], distinct: ['emailIndex'], skip: 1 },
  ],
  ['aggregate', { _count: { email: true }, _min: { name: true }, _max: { email: false } }],
  [
    'groupBy',
    {
      by: ['emailIndex'],
      _count: true,
      having: { name: { not: 'a' } },
      orderBy: { _count: { email: 'asc' } },
    },
  ],
  ['findMany', { relationLoadStrategy: 'join', select: { id: true, computedByAnother: true } }],
  ['findMany', { where: undefined, take: 1 }],
])('%s with %j passes as it is', async (operation, args) => {
  expect(await db.run('User', operation, args)).toEqual(args)
})

test('computed fields need the key, and open the value of its row', () => {
  const { email, notes } = db.result.user as NonNullable<(typeof db.result)[string]>
  const row = db.User.seal({ id: '1', email: 'Ada', notes: [1] }) as Record<string, unknown>
  expect([email?.needs, notes?.needs]).toEqual([
    { id: true, email: true },
    { id: true, notes: true },
  ])
  expect([email?.compute(row), notes?.compute(row), email?.compute({ id: '1', email: null })]).toEqual([
    'Ada',
    [1],
    null,
  ])
  const refusals = {
    clear: { ...row, email: 'Ada' },
    moved: { ...row, id: '2' },
    column: { ...row, email: row.notes },
    key: { email: row.email },
  }
  for (const [name, given] of Object.entries(refusals)) {
    const error = name === 'key' ? TypeError : AuthenticationError
    expect(() => email?.compute(given), name).toThrow(error)
  }
  expect(Object.keys(db.result.profile ?? {})).toEqual(['photo'])
  expect(db.result.profile?.photo?.needs).toEqual({ tenant: true, number: true, photo: true })
})
