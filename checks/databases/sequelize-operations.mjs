// The operations of Sequelize's API that sequelize.mjs runs, each held to the plain model.
import assert from 'node:assert/strict'
import { refused } from './people.mjs'

const some = (people, least = 1) => Array.from({ length: least + people.below(3) }, () => people.stranger())
const NAMES = ['email', 'address', 'weight', 'photo']
/** Holds that instances have the values that were given, in all of their views. */
function wrote(people, instances, given) {
  for (const user of given) people.write(user)
  for (const [i, instance] of instances.entries()) {
    for (const name of NAMES) {
      if (given[i][name] === undefined) continue
      assert.deepEqual(instance[name] ?? null, given[i][name])
      assert.deepEqual(instance.previous(name) ?? null, given[i][name])
    }
    assert.equal(instance.changed(), false)
    assert.equal(instance.emailIndex ?? null, null)
  }
}

export const OPERATIONS = {
  async create({ User, people }) {
    const user = people.stranger()
    wrote(people, [await User.create(user, { returning: people.below(2) === 0 })], [user])
  },
  async build({ User, people }) {
    const user = people.stranger()
    const built = User.build(user)
    wrote(people, [await built.save({ hooks: false, validate: false })], [user])
  },
  async bulkCreate({ User, people }) {
    const given = some(people)
    const options = { individualHooks: people.below(2) === 0, validate: people.below(2) === 0 }
    wrote(people, await User.bulkCreate(given, options), given)
  },
  async overwrite({ User, people }) {
    const given = [...some(people), people.someone()].filter(user => user !== undefined)
    const values = given.map(({ id, name }) => ({ id, name, ...people.values(true) }))
    await User.bulkCreate(values, { updateOnDuplicate: ['name', ...NAMES] })
    for (const user of values) people.write(user)
  },
  async change({ User, people }) {
    const id = people.someone()?.id
    if (id === undefined) return
    const user = await User.findByPk(id)
    const values = people.values()
    user.set(values)
    await user.save({ returning: people.below(2) === 0 })
    wrote(people, [user], [{ id, ...values }])
    await user.reload()
    people.holds(user)
  },
  async fields({ User, people }) {
    const id = people.someone()?.id
    if (id === undefined) return
    const user = await User.findByPk(id)
    const email = people.pick([`${people.secret()}@example.org`, null])
    await user.update({ email, name: 'not saved' }, { fields: ['email'] })
    people.write({ id, email })
  },
  async update({ User, people, database }) {
    const id = people.someone()?.id
    if (id === undefined) return
    const values = people.values()
    const options = people.pick([{}, { individualHooks: true }, { validate: false }, { hooks: false }])
    const returning = database === 'postgresql' && people.below(2) === 0
    const [, instances] = await User.update(values, { where: { id }, ...options, returning })
    people.write({ id, ...values })
    if (returning) for (const user of instances ?? []) people.holds(user)
  },
  async updateByEmail({ User, people }) {
    const email = people.someone()?.email
    if (typeof email !== 'string') return
    await User.update({ name: 'found' }, { where: { email } })
    for (const id of people.withEmail(email)) people.write({ id, name: 'found' })
  },
  async upsert({ User, people }) {
    for (const { id, name } of [people.stranger(), people.someone()].filter(user => user !== undefined)) {
      const values = { id, name, ...people.values(true) }
      const [user] = await User.upsert(values)
      people.write(values)
      if (user.name !== undefined) people.holds(user)
    }
  },
  async remove({ User, people, library: { Op } }) {
    const someone = people.someone()
    if (someone === undefined) return
    const way = people.below(3)
    if (way === 0) await User.destroy({ where: { id: someone.id } })
    else if (way === 1) await (await User.findByPk(someone.id)).destroy()
    else {
      if (typeof someone.email !== 'string') return
      await User.destroy({ where: { [Op.and]: [{ id: someone.id }, { email: someone.email }] } })
    }
    people.users.delete(someone.id)
  },
  async find({ User, people, library: { Op } }) {
    const email = people.pick([people.someone()?.email, people.secret(), undefined]) ?? people.secret()
    const expected = people.withEmail(email).sort()
    const written = people.pick([
      email,
      [email],
      { [Op.eq]: email.toUpperCase() },
      { [Op.in]: [` ${email}`] },
    ])
    const where = people.pick([
      { email: written },
      { [Op.or]: [{ email: written }] },
      { [Op.and]: [{ email: written }] },
    ])
    const raw = people.below(3) === 0
    const all = await User.findAll({ where, raw })
    assert.deepEqual(all.map(({ id }) => id).sort(), expected)
    for (const user of all) people.holds(user)
    const nulls = [...people.users.values()].filter(user => user.email === null).length
    assert.equal(await User.count({ where: { email: null } }), nulls)
    assert.equal(
      await User.count({ where: { email: { [Op.ne]: people.secret() } } }),
      people.users.size - nulls,
    )
    assert.equal(await User.count({ where: { [Op.not]: { email: null } } }), people.users.size - nulls)
  },
  async part({ User, people }) {
    const user = people.stranger()
    await User.create({ ...user, email: `${people.secret()}@example.org` })
    const where = { id: user.id }
    await refused(User.findAll({ attributes: ['email'], where }))
    for (const raw of [false, true]) {
      const [{ weight, email }] = await User.findAll({ attributes: ['id', 'weight'], where, raw })
      assert.deepEqual([weight, email], [user.weight, undefined])
    }
    await User.destroy({ where })
  },
  async include({ User, Note, people }) {
    people.holdAll(
      await User.findAll({ include: [{ model: Note, as: 'notes', separate: people.below(2) === 0 }] }),
    )
    const email = people.someone()?.email
    if (typeof email !== 'string') return
    const notes = await Note.findAll({ include: [{ model: User, as: 'user', where: { email } }] })
    for (const { user } of notes) assert.equal(user.email, people.users.get(user.id).email)
  },
  async findOrCreate({ User, people }) {
    const { id, name } = people.stranger()
    const email = `${people.secret()}@example.org`
    for (const isNew of [true, false]) {
      const [user, created] = await User.findOrCreate({ where: { email }, defaults: { id, name } })
      assert.equal(created, isNew)
      assert.equal(user.email, email)
    }
    people.write({ id, name, email })
  },
  async nested({ User, Note, people }) {
    const user = { ...people.stranger(), notes: [people.note(), people.note()] }
    const created = await User.create(user, { include: [{ model: Note, as: 'notes' }] })
    people.write(user)
    people.holds(created)
    const [note] = await created.getNotes()
    const line = people.secret()
    await note.update({ line })
    people.write({ id: user.id, notes: [{ id: note.id, line }] })
    const more = people.note()
    assert.equal((await created.createNote(more)).line, more.line)
    people.write({ id: user.id, notes: [more] })
  },
  async generated({ Log, people }) {
    const line = people.secret()
    const log = await Log.create({ line })
    assert.equal((await Log.findByPk(log.id)).line, line)
    await Log.update({ line: people.secret() }, { where: {} })
    await Log.destroy({ where: {} })
  },
  async transaction({ User, db, people }) {
    const user = User.build(people.stranger())
    const before = NAMES.map(name => user[name])
    const failed = db.transaction(async transaction => {
      await user.save({ transaction })
      await User.update(people.values(), { where: { id: user.id }, transaction })
      throw new Error('of the program')
    })
    await assert.rejects(failed, /of the program/)
    assert.deepEqual(
      NAMES.map(name => user[name]),
      before,
    )
    assert.equal(await User.count({ where: { id: user.id } }), 0)
    const nameless = User.build({ ...people.stranger(), name: null })
    const values = NAMES.map(name => nameless[name])
    await assert.rejects(nameless.save({ validate: false }))
    assert.deepEqual(
      NAMES.map(name => nameless[name]),
      values,
    )
  },
  /** Ways past the seal: each is refused, and the dump at the end has nothing of it. */
  async clear({ User, db, people, database, library: { Op } }) {
    const { id, name } = people.stranger()
    const email = `${people.secret()}@example.org`
    const ways = [
      () => User.update({ email }, { where: { name } }),
      () => User.update({ email }, { where: { id: [id, name] } }),
      () => User.update({ email, id: name }, { where: { id }, validate: false }),
      () => User.update({ email: db.literal(`'${email}'`) }, { where: { id } }),
      () => User.create({ id, name, email: db.fn('concat', email) }),
      () => User.create({ id: null, name, email }, { validate: false }),
      () => User.create({ id, name, emailIndex: email }),
      () => User.bulkCreate([{ id, name, email: 5 }]),
      () => User.increment('weight', { where: { id } }),
      () => User.findAll({ where: { email: { [Op.like]: `${email}%` } } }),
      () => User.findAll({ where: { email: { [Op.gt]: email } } }),
      () => User.findAll({ where: { weight: 1 } }),
      () => User.findAll({ where: { address: email } }),
      () => User.findAll({ where: { '$notes.line$': email }, include: 'notes' }),
      () => User.create({ id, name, address: new Date() }),
      () => User.create({ id, name, weight: Number.NaN }),
      () => User.destroy({ where: { address: email } }),
      () => db.getQueryInterface().bulkInsert('users', [{ name, email }]),
    ]
    const other = () => User.upsert({ id, name, email }, { conflictFields: ['email_index'] })
    if (database === 'postgresql') ways.push(other)
    const way = people.pick(ways)
    await refused(way()).catch(error => {
      throw new Error(`${way}: ${error.message}`, { cause: error })
    })
  },
}
