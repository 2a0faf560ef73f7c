// The operations of TypeORM's API that typeorm.mjs runs, each held to the plain model.
import assert from 'node:assert/strict'
import { refused } from './people.mjs'

const some = (people, least = 1) => Array.from({ length: least + people.below(3) }, () => people.stranger())
/** Copies of users: the library must not change values either, which are never changed here. */
const copy = given => (Array.isArray(given) ? given.map(one => ({ ...one })) : { ...given })
/** What a program gave, without what TypeORM adds. With sql.js, it gives objects the ids of other rows. */
const without = ({ id: _, emailIndex: __, deletedAt: ___, ...rest }) => rest
/** Writes users to the model, and holds that the library left the objects as they were. */
function wrote(people, given, before) {
  assert.deepEqual(given.map(without), before.map(without))
  for (const user of before) people.write(user)
}

export const OPERATIONS = {
  async save({ users, people }) {
    const user = people.stranger()
    const before = copy(user)
    await users.save(user)
    wrote(people, [user], [before])
  },
  async saveMany({ users, people }) {
    const given = some(people)
    const before = copy(given)
    await users.save(given.map(user => users.create(user)))
    wrote(people, given, before)
  },
  async insert({ users, people }) {
    const given = some(people)
    const before = copy(given)
    await users.insert(given)
    wrote(people, given, before)
  },
  async insertBuilder({ users, people, type }) {
    const given = some(people)
    const before = copy(given)
    const builder = users.createQueryBuilder().insert().values(given)
    await (type === 'postgres' ? builder.returning(['id', 'name']) : builder).execute()
    for (const user of before) people.write(user)
    for (const { id } of before) people.holds(await users.findOneBy({ id }))
  },
  async change({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const user = await users.findOneByOrFail({ id: someone.id })
    const values = people.values()
    Object.assign(user, values)
    await users.save(user)
    people.write({ id: someone.id, ...values })
    people.holds(user)
  },
  async savePart({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const part = { id: someone.id, ...people.values() }
    await users.save({ ...part })
    people.write(part)
  },
  async update({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const values = { id: someone.id, ...people.values() }
    const before = copy(values)
    await users.update({ id: someone.id }, values)
    wrote(people, [values], [before])
  },
  async updateBuilder({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const values = { id: someone.id, name: 'built', ...people.values() }
    await users.createQueryBuilder().update().set(values).where('id = :id', { id: someone.id }).execute()
    people.write(values)
  },
  async updateByEmail({ users, people }) {
    const email = people.someone()?.email
    if (typeof email !== 'string') return
    await users.update({ email }, { name: 'found' })
    for (const id of people.withEmail(email)) people.write({ id, name: 'found' })
  },
  async upsert({ users, people }) {
    const given = [...some(people), people.someone()].filter(user => user !== undefined)
    const values = given.map(({ id, name }) => ({ id, name, ...people.values(true) }))
    const before = copy(values)
    await users.upsert(values, ['id'])
    wrote(people, values, before)
  },
  async remove({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    if (people.below(2) === 0) await users.delete({ id: someone.id })
    else await users.remove(await users.findOneByOrFail({ id: someone.id }))
    people.users.delete(someone.id)
  },
  async softly({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const user = await users.findOneByOrFail({ id: someone.id })
    await users.softRemove(user)
    assert.equal(await users.findOneBy({ id: someone.id }), null)
    await users.recover(user)
    people.holds(user)
  },
  async find({ users, people, typeorm: { And, Equal, In, IsNull, Not, Or } }) {
    const email = people.pick([people.someone()?.email, people.secret(), undefined]) ?? people.secret()
    const expected = people.withEmail(email).sort()
    const one = [email, email.toUpperCase(), ` ${email}`, Equal(email), In([email, people.secret()])]
    const written = people.pick([...one, Not(Not(email)), And(Equal(email), Not(IsNull())), Or(Equal(email))])
    const found = await users.find({ where: people.pick([{ email: written }, [{ email: written }]]) })
    assert.deepEqual(found.map(({ id }) => id).sort(), expected)
    for (const user of found) people.holds(user)
    const nulls = [...people.users.values()].filter(user => user.email === null).length
    assert.equal(await users.countBy({ email: IsNull() }), nulls)
    assert.equal(await users.countBy({ email: Not(people.secret()) }), people.users.size - nulls)
  },
  async findBuilder({ users, people }) {
    const builder = users.createQueryBuilder('u').leftJoinAndSelect('u.notes', 'n')
    people.holdAll(await builder.getMany())
  },
  async raw({ users, people }) {
    const builder = users.createQueryBuilder('u').select(['u.id', 'u.weight']).addSelect('u.email', 'mail')
    for (const row of await builder.getRawMany()) {
      const { email, weight } = people.users.get(row.u_id)
      assert.deepEqual([row.mail, row.u_weight], [email, weight])
    }
    const { entities, raw } = await users.createQueryBuilder('u').getRawAndEntities()
    people.holdAll(entities)
    for (const row of raw) assert.equal(row.u_email, people.users.get(row.u_id).email)
  },
  async mapped({ users, people }) {
    const builder = users.createQueryBuilder('u')
    const on = ['User', 'other', 'other.id = u.id']
    const found = await builder
      .leftJoinAndMapOne('u.one', ...on)
      .leftJoinAndMapMany('u.many', 'User', 'm', 'm.id = u.id')
      .getMany()
    for (const { id, one, many } of found) {
      const { email, address } = people.users.get(id)
      for (const user of [one, ...many]) assert.deepEqual([user.email, user.address], [email, address])
    }
  },
  async overwrite({ users, people }) {
    const someone = people.someone()
    if (someone === undefined) return
    const { id, name } = someone
    const values = { id, name, email: people.secret() }
    await users
      .createQueryBuilder()
      .insert()
      .values({ ...values })
      .orUpdate(['email'], ['id'])
      .execute()
    people.write(values)
    assert.equal(await users.countBy({ email: values.email }), 1)
    const other = people.stranger()
    await users
      .createQueryBuilder()
      .insert()
      .into('User', ['id', 'name', 'email'])
      .values({ ...other, email: 'listed' })
      .execute()
    assert.ok((await users.findBy({ email: 'listed' })).some(user => user.id === other.id))
    await users.delete(other.id)
  },
  /** A stream has raw rows. On PostgreSQL and SQLite, TypeORM needs further packages for it, or has none. */
  async stream({ users, people, type }) {
    if (type !== 'mariadb') return
    const builder = users.createQueryBuilder('u').select('u.id', 'id').addSelect('u.email', 'email')
    let count = 0
    for await (const row of await builder.stream()) {
      assert.equal(row.email, people.users.get(row.id).email)
      count++
    }
    assert.equal(count, people.users.size)
  },
  async part({ users, people }) {
    const user = people.stranger()
    const written = `${people.secret()}@example.org`
    await users.insert({ ...user, email: written })
    const where = { id: user.id }
    assert.equal((await users.findOne({ select: { email: true }, where })).email, written)
    const [{ weight, email }] = await users.find({ select: { id: true, weight: true }, where })
    assert.deepEqual([weight, email], [user.weight, undefined])
    await users.delete(where)
  },
  async cascade({ users, people }) {
    const user = { ...people.stranger(), notes: [people.note(), people.note()] }
    const before = copy(user)
    await users.save(users.create(user))
    people.write(before)
    const loaded = await users.findOneOrFail({ where: { id: user.id }, relations: { notes: true } })
    people.holds(loaded)
    loaded.notes[0].line = people.secret()
    loaded.notes.push(people.note())
    await users.save(loaded)
    people.write({ id: user.id, notes: loaded.notes })
  },
  async generated({ source, people, typeorm: { Equal } }) {
    const logs = source.getRepository('Log')
    const line = people.secret()
    const [{ id }] = await logs.save([{ entry: { line } }, { entry: { line: people.secret() } }])
    assert.equal((await logs.findOneBy({ id: Equal(id) })).entry.line, line)
    const next = people.secret()
    await logs.update({ id }, { entry: { line: next } })
    const log = await logs.findOneBy({ id })
    assert.equal(log.entry.line, next)
    log.entry.line = line
    await logs.save(log)
    assert.equal((await logs.findOneBy({ id })).entry.line, line)
    await logs.clear()
  },
  async together({ users, people }) {
    const given = some(people, 2)
    const before = copy(given)
    await Promise.all(given.map(user => users.save(user)))
    await Promise.all([users.save(given[0]), users.save(given[0])])
    wrote(people, given, before)
  },
  async transaction({ source, people }) {
    const [user, other] = some(people, 2)
    const before = copy([user, { ...other, name: null }])
    const given = [user, { ...other, name: null }]
    await assert.rejects(source.transaction(manager => manager.save('User', given)))
    assert.deepEqual(
      given.map(({ emailIndex: _, ...rest }) => rest),
      before,
    )
    const failed = source.transaction(async manager => {
      await manager.save('User', user)
      await manager.update('User', { id: user.id }, { id: user.id, ...people.values() })
      throw new Error('of the program')
    })
    await assert.rejects(failed, /of the program/)
    assert.equal(await source.manager.countBy('User', { id: user.id }), 0)
  },
  /** Ways past the seal: each is refused, and the dump at the end has nothing of it. */
  async clear({ users, people, source, type, typeorm: { In, Like, MoreThan } }) {
    const { id, name } = people.stranger()
    const email = `${people.secret()}@example.org`
    const someone = people.someone() ?? { id }
    const ways = [
      () => users.insert({ name, email }),
      () => users.save({ name, email }),
      () => users.save({ id, name, email }, { listeners: false }),
      () => users.update({ id: someone.id }, { email }),
      () => users.createQueryBuilder().insert().values({ id, name, email }).callListeners(false).execute(),
      () => users.createQueryBuilder().update().set({ id, email }).callListeners(false).execute(),
      () =>
        users
          .createQueryBuilder()
          .update()
          .set({ id, email: () => `'${email}'` })
          .execute(),
      () => users.createQueryBuilder().update().set({ emailIndex: email }).execute(),
      () => source.createQueryBuilder().insert().into('users').values({ id, name, email: 5 }).execute(),
      () => users.increment({ id: someone.id }, 'weight', 1),
      () => users.find({ where: { weight: In([1]) } }),
      () => users.find({ order: { email: 'ASC' } }),
      () => users.maximum('email', {}),
      () => users.minimum('weight', {}),
      () => users.sum('weight', {}),
      () => users.average('weight', {}),
      () => users.createQueryBuilder('u').orderBy('u.email').getMany(),
      () => users.createQueryBuilder('u').where('"u"."email" = :email', { email }).getMany(),
      () =>
        users
          .createQueryBuilder('u')
          .select('COUNT(*)')
          .groupBy('u.email')
          .having('u.email > 1')
          .getRawMany(),
      () => users.createQueryBuilder('u').select('u.email').distinct(true).getRawMany(),
      () => users.createQueryBuilder('u').leftJoin('Note', 'n', 'n.line = u.name').getMany(),
      () => users.createQueryBuilder('u').select('UPPER(u.email)', 'up').getRawMany(),
      () => users.createQueryBuilder().delete().where('email = :email', { email }).execute(),
      () => users.update({ id: someone.id }, { id: `${someone.id}x` }),
      () => users.update({ name: 'nobody' }, { id: someone.id, email }),
      () => users.createQueryBuilder().update().set({ id }).where('id = :id OR 1 = 1', { id }).execute(),
      () => users.increment({ id: someone.id }, 'id', 1),
      () =>
        users
          .createQueryBuilder()
          .insert()
          .into('User', ['name', 'email'])
          .values({ id, name, email })
          .execute(),
      () => users.find({ where: { email: Like(`${email}%`) } }),
      () => users.find({ where: { email: MoreThan(email) } }),
      () => users.find({ where: { weight: 1 } }),
      () => users.find({ where: { address: email } }),
      () => users.save({ id, name, address: new Date() }),
      () => users.save({ id, name, weight: Number.NaN }),
      () => users.delete({ address: email }),
    ]
    // MariaDB chooses by any unique column, and there is only the key.
    if (type !== 'mariadb') ways.push(() => users.upsert({ id, name, email }, ['name']))
    // Version 0.3 throws some of the errors at once.
    await refused((async () => people.pick(ways)())())
  },
}
