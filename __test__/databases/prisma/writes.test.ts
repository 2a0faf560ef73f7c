// Tests what reaches the database when rows are written through the extension: sealed values, at any depth.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { extended } from './client.js'

/** A row whose fields the test knows. */
// biome-ignore lint/suspicious/noExplicitAny: they differ by model
type Row = Record<string, any>
const refused = (words: string) =>
  expect.objectContaining({ code: 'ERR_INVALID_ARG_VALUE', message: expect.stringContaining(words) })
const db = extended()
const opened = ({ id, email }: Row) => db.User.open({ id, email }).email
const post = (id: string) => ({ id, title: `title of ${id}` })
const titleOf = ({ id, title }: Row) => db.Post.open({ id, title }).title

test('a new row is sealed, with its index', async () => {
  const args = {
    data: { id: '1', name: 'Ada', email: 'Ada@example.org', notes: { likes: ['maths'] } },
    select: { id: true },
  }
  const { data, select } = (await db.run('User', 'create', args)) as { data: Row; select: object }
  expect(db.User.open(data)).toEqual(args.data)
  expect([data.emailIndex]).toEqual(db.User.lookup('email', 'ada@example.org'))
  expect(select).toEqual({ id: true })
  expect(args.data.email).toBe('Ada@example.org')
})

test.each(['createMany', 'createManyAndReturn'])('%s seals every row', async operation => {
  const data = [post('1'), post('2')]
  const sent = (await db.run('Post', operation, { data, skipDuplicates: true })) as { data: Row[] }
  expect(sent.data.map(titleOf)).toEqual(data.map(({ title }) => title))
  const one = (await db.run('Post', operation, { data: post('3') })) as { data: Row }
  expect(titleOf(one.data)).toBe('title of 3')
})

test('rows of relations are sealed, at any depth and from models without encrypted fields', async () => {
  const data = {
    label: 'x',
    posts: {
      create: [
        {
          ...post('1'),
          author: { connectOrCreate: { where: { email: 'A' }, create: { id: '2', email: 'B' } } },
        },
        post('2'),
      ],
      connectOrCreate: { where: { id: '3' }, create: post('3') },
      upsert: { where: { id: '4' }, create: post('5'), update: { title: { set: 'new' } } },
      update: [
        {
          where: { id: '6' },
          data: { title: 'newer', author: { update: { posts: { createMany: { data: [post('7')] } } } } },
        },
      ],
      updateMany: { where: { id: { equals: '8' } }, data: { title: 'newest' } },
      set: [{ id: '9' }],
      disconnect: [{ id: '10' }],
      delete: { id: '11' },
      deleteMany: [{ title: null }],
      connect: { id: '12' },
    },
  }
  // biome-ignore lint/suspicious/noExplicitAny: the shape is that of `data`
  const { posts } = (await db.run('Tag', 'update', { where: { id: 1 }, data })).data as any
  expect(posts.create.map(titleOf)).toEqual(['title of 1', 'title of 2'])
  const { where, create } = posts.create[0].author.connectOrCreate
  expect([where.emailIndex]).toEqual(db.User.lookup('email', 'a'))
  expect(opened(create)).toBe('B')
  expect(titleOf(posts.connectOrCreate.create)).toBe('title of 3')
  expect(titleOf(posts.upsert.create)).toBe('title of 5')
  expect(titleOf({ id: '4', ...posts.upsert.update })).toBe('new')
  expect(titleOf({ id: '6', title: posts.update[0].data.title })).toBe('newer')
  expect(titleOf(posts.update[0].data.author.update.posts.createMany.data[0])).toBe('title of 7')
  expect(titleOf({ id: '8', ...posts.updateMany.data })).toBe('newest')
  expect(posts).toMatchObject({
    set: [{ id: '9' }],
    disconnect: [{ id: '10' }],
    delete: { id: '11' },
    connect: { id: '12' },
  })
})

describe('a new row without its key', () => {
  test('is refused if the schema would make it', async () => {
    await expect(db.run('User', 'create', { data: { email: 'a' } })).rejects.toEqual(
      refused('newKey: { User: crypto.randomUUID }'),
    )
  })
  test('is left to Prisma if there is nothing to seal', async () => {
    expect(await db.run('User', 'create', { data: { name: 'Ada', email: null } })).toEqual({
      data: { name: 'Ada', email: null, emailIndex: null },
    })
  })
  test('has one of newKey', async () => {
    const { run, User } = extended(undefined, { newKey: { User: randomUUID } })
    const { data } = (await run('User', 'create', { data: { email: 'a' } })) as { data: Row }
    expect(data.id).toMatch(/^[\da-f-]{36}$/)
    expect(User.open(data).email).toBe('a')
    await expect(run('Post', 'create', { data: { title: 'a' } })).rejects.toEqual(refused("has no 'id'"))
  })
  test('is sealed if its values are bound to no row', async () => {
    const { data } = (await db.run('Log', 'create', { data: { line: 'a' } })) as { data: Row }
    expect((db.Log.open(data) as Row).line).toBe('a')
  })
})

describe('an update', () => {
  const many = [{ where: { id: '1' } }, { where: { id: { equals: '1' }, name: 'Ada' } }]
  test.each(many)('seals for the row that %j names', async ({ where }) => {
    const { data } = (await db.run('User', 'updateMany', { where, data: { email: { set: 'a' } } })) as {
      data: Row
    }
    expect(Object.keys(data)).toEqual(['email', 'emailIndex'])
    expect(opened({ id: '1', ...data })).toBe('a')
  })
  test('seals for the row that a key of two fields names', async () => {
    const where = { tenant_number: { tenant: 'a', number: 1 } }
    const { data } = (await db.run('Profile', 'update', { where, data: { photo: Buffer.of(1) } })) as {
      data: Row
    }
    expect((db.Profile.open({ tenant: 'a', number: 1, ...data }) as Row).photo).toEqual(Buffer.of(1))
  })
  test.each([
    {},
    { where: {} },
    { where: { name: 'Ada' } },
    { where: { id: { in: ['1'] } } },
    { where: { id: { equals: '1', mode: 'insensitive' } } },
    { where: { id: undefined } },
    { where: { OR: [{ id: '1' }] } },
    { where: { OR: { id: '1' } } },
    { where: { AND: { id: '1' } } },
    { where: { NOT: { id: '1' } } },
    { where: { manager: { id: '1' } } },
  ])('of values is refused for %j, and of NULL is not', async args => {
    const error = refused("does not name 'id'")
    await expect(db.run('User', 'updateMany', { ...args, data: { email: 'a' } })).rejects.toEqual(error)
    await expect(db.run('User', 'updateManyAndReturn', { ...args, data: { notes: 0 } })).rejects.toEqual(
      error,
    )
    expect((await db.run('User', 'updateMany', { ...args, data: { email: { set: null } } })).data).toEqual({
      email: null,
      emailIndex: null,
    })
  })
  test('of many rows is sealed once if values are bound to no row', async () => {
    const { data } = (await db.run('Log', 'updateMany', { data: { line: 'a' } })) as { data: Row }
    expect((db.Log.open({ id: 7, ...data }) as Row).line).toBe('a')
  })
  test.each([{ id: '2' }, { id: { set: '1' } }])("of the row's key to %j is refused", async data => {
    await expect(db.run('User', 'update', { where: { id: '1' }, data })).rejects.toEqual(
      refused("is the row's key"),
    )
  })
  test('of a relation to null passes', async () => {
    const args = { where: { id: '1' }, data: { author: null } }
    expect(await db.run('Post', 'update', args)).toEqual(args)
  })
  test("with the row's key as it is passes", async () => {
    expect(
      (await db.run('User', 'update', { where: { id: '1' }, data: { id: '1', name: 'A' } })).data,
    ).toEqual({ id: '1', name: 'A' })
  })
  test('of a relation to one row is refused without its key, and sealed with it', async () => {
    const update = (author: object) =>
      db.run('Post', 'update', { where: { id: '1' }, data: { author: { update: author } } })
    await expect(update({ email: 'a' })).rejects.toEqual(refused("does not name 'id'"))
    // biome-ignore lint/suspicious/noExplicitAny: the shape is that of the arguments
    const sent = (await update({ where: { id: '7' }, data: { email: 'a' } })).data as any
    expect(opened({ id: '7', ...sent.author.update.data })).toBe('a')
  })
})

test.each([
  ['an operation', 'mergeMany', {}],
  ['an argument', 'create', { rows: [] }],
  ['a field', 'create', { data: { e_mail: 'a' } }],
  ['a nested operation', 'update', { where: { id: '1' }, data: { posts: { merge: [] } } }],
  [
    'a part of a nested operation',
    'update',
    { where: { id: '1' }, data: { posts: { createMany: { rows: [] } } } },
  ],
  ['an index alone', 'create', { data: { id: '1', emailIndex: 'x' } }],
  ['an ambiguous form of JSON', 'update', { where: { id: '1' }, data: { notes: { set: 1 } } }],
  ['a field called data', 'update', { where: { id: '1' }, data: { profile: { update: { data: {} } } } }],
])('%s that nobody knows is refused', async (_, operation, args) => {
  const { sent, run } = extended()
  await expect(run('User', operation, args)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_VALUE' })
  expect(sent).toEqual([])
})

test('values of a wrong type are refused, and what is sealed already', async () => {
  for (const email of [1, {}, { set: 1 }, { push: 'a' }, new Date()])
    await expect(db.run('User', 'update', { where: { id: '1' }, data: { email } })).rejects.toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
    })
  const sealed = db.User.seal({ id: '1', email: 'a' })
  await expect(db.run('User', 'create', { data: { id: '1', email: sealed.email } })).rejects.toEqual(
    refused('already sealed'),
  )
})

test('models from which no encrypted field can be reached are left alone', async () => {
  const args = { anything: 1 }
  expect(await db.run('Country', 'anything', args)).toBe(args)
})
