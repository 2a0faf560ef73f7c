// The places of TypeORM's statements that take a value, for the comparison with TypeORM alone (twin.mjs).
import { BUILDERS } from './typeorm-twin-builders.mjs'
import { NEW, ON } from './typeorm-values.mjs'

/** Functions of a transaction and a value. `users` and the like are repositories. */
export const PLACES = {
  ...BUILDERS,
  'find where': ({ users }, value) => users.find({ where: value }),
  'find where email': ({ users }, email) => users.find({ where: { email } }),
  'find where weight': ({ users }, weight) => users.find({ where: { weight } }),
  'find where address': ({ users }, address) => users.find({ where: { address } }),
  'find where name': ({ users }, name) => users.find({ where: { name } }),
  'find where email and name': ({ users }, email) => users.find({ where: { email, name: 'Ada' } }),
  'find where a list': ({ users }, email) => users.find({ where: [{ email }, { name: 'Bob' }] }),
  'find where notes': ({ users }, notes) => users.find({ where: { notes } }),
  'find where a line of notes': ({ users }, line) => users.find({ where: { notes: { line } } }),
  'find notes where the email of the user': ({ notes }, email) => notes.find({ where: { user: { email } } }),
  'find select': ({ users }, select) => users.find({ select }),
  'find select email': ({ users }, email) => users.find({ select: { id: true, email } }),
  'find relations': ({ users }, relations) => users.find({ relations }),
  'find relations notes': ({ users }, notes) => users.find({ relations: { notes } }),
  'find order': ({ users }, order) => users.find({ order }),
  'find order email': ({ users }, email) => users.find({ order: { email } }),
  'find order notes': ({ users }, line) =>
    users.find({ relations: { notes: true }, order: { notes: { line } }, take: 2 }),
  'find order name': ({ users }, name) => users.find({ order: { name } }),
  'find skip': ({ users }, skip) => users.find({ skip, take: 2, order: { id: 'ASC' } }),
  'find take': ({ users }, take) => users.find({ take, relations: { notes: true }, order: { id: 'ASC' } }),
  'find withDeleted': ({ users }, withDeleted) => users.find({ withDeleted }),
  'find options': ({ users }, options) => users.find(options),
  'find in a view': ({ people }, where) => people.find({ where }),
  'find in a view that is not declared': ({ undeclared }, id) => undeclared.find({ where: { id } }),
  findOneBy: ({ users }, where) => users.findOneBy(where),
  'findOneBy email': ({ users }, email) => users.findOneBy({ email }),
  'findAndCount email': ({ users }, email) => users.findAndCount({ where: { email } }),
  'countBy email': ({ users }, email) => users.countBy({ email }),
  'existsBy email': ({ users }, email) => users.exists({ where: { email } }),
  'preload email': ({ users }, email) => users.preload({ id: '1', email }),
  maximum: ({ users }, column) => users.maximum(column, {}),
  minimum: ({ users }, column) => users.minimum(column, {}),
  sum: ({ users }, column) => users.sum(column, {}),
  'average where': ({ users }, where) => users.average('age', where),
  delete: ({ users }, criteria) => users.delete(criteria),
  'delete email': ({ users }, email) => users.delete({ email }),
  'delete weight': ({ users }, weight) => users.delete({ weight }),
  'delete name': ({ users }, name) => users.delete({ name, email: 'ada@example.org' }),
  'softDelete email': ({ users }, email) => users.softDelete({ email }),
  'restore email': ({ users }, email) => users.restore({ email }),
  'update criteria': ({ users }, criteria) => users.update(criteria, { name: 'x' }),
  'update criteria email': ({ users }, email) => users.update({ email }, { name: 'x' }),
  'update criteria and key': ({ users }, criteria) =>
    users.update(criteria, { ...ON, email: 'new@example.org' }),
  'update criteria id': ({ users }, id) =>
    users.update({ tenant: 'a', id }, { ...ON, email: 'new@example.org' }),
  'update criteria tenant': ({ users }, tenant) =>
    users.update({ id: '4', tenant }, { id: '4', tenant: 'a', email: 'new@example.org' }),
  'update values': ({ users }, values) => users.update({ ...ON }, values),
  'update email': ({ users }, email) => users.update({ ...ON }, { ...ON, email }),
  'update weight': ({ users }, weight) => users.update({ ...ON }, { ...ON, weight }),
  'update address': ({ users }, address) => users.update({ ...ON }, { ...ON, address }),
  'update name': ({ users }, name) => users.update({ ...ON }, { ...ON, name, email: 'new@example.org' }),
  'update id': ({ users }, id) => users.update({ id: '6', tenant: 'a' }, { id }),
  'update tenant': ({ users }, tenant) => users.update({ ...ON }, { tenant }),
  'update tenant and email': ({ users }, tenant) =>
    users.update({ ...ON }, { ...ON, tenant, email: 'new@example.org' }),
  'update by a list of ids': ({ users }, id) =>
    users.update(['1', '2'], { id, tenant: 'a', email: 'x@example.org' }),
  'update the user of a note': ({ notes }, userId) => notes.update({ id: 'n1' }, { userId }),
  'update the user object of a note': ({ notes }, user) => notes.update({ id: 'n1' }, { user }),
  'increment column': ({ users }, column) => users.increment({ id: '1' }, column, 1),
  'increment by': ({ users }, by) => users.increment({ id: '1' }, 'age', by),
  'decrement where email': ({ users }, email) => users.decrement({ email }, 'age', 1),
  'insert email': ({ users }, email) => users.insert({ ...ON, id: '9', name: 'New', email }),
  'insert address': ({ users }, address) => users.insert({ ...ON, id: '9', name: 'New', address }),
  'insert weight': ({ users }, weight) => users.insert({ ...ON, id: '9', name: 'New', weight }),
  'insert id': ({ users }, id) => users.insert({ tenant: 'a', id, name: 'New', email: 'new@example.org' }),
  'insert tenant': ({ users }, tenant) =>
    users.insert({ tenant, id: '9', name: 'New', email: 'new@example.org' }),
  insert: ({ users }, values) => users.insert(values),
  'upsert email': ({ users }, email) => users.upsert({ ...ON, name: 'Ada', email }, ['id', 'tenant']),
  'upsert tenant': ({ users }, tenant) => users.upsert({ id: '1', tenant, name: 'Moved' }, ['id']),
  'upsert conflict': ({ users }, paths) =>
    users.upsert({ ...ON, name: 'Ada', email: 'new@example.org' }, paths),
  'upsert name': ({ users }, name) => users.upsert({ ...ON, name }, ['id', 'tenant']),
  'save email': (t, email) => within(t, ({ users }) => users.save({ ...ON, email })),
  'save address': (t, address) => within(t, ({ users }) => users.save({ ...ON, address })),
  'save twice': (t, email) =>
    within(t, async ({ users }) => {
      const user = users.create({ ...NEW, name: 'New', email })
      await users.save(user)
      return users.save(Object.assign(user, { age: 2 }))
    }),
  'save id': (t, id) =>
    within(t, ({ users }) => users.save({ id, tenant: 'a', name: 'New', email: 'new@example.org' })),
  'save tenant': (t, tenant) =>
    within(t, ({ users }) => users.save({ id: '1', tenant, email: 'new@example.org' })),
  'save only the tenant': (t, tenant) => within(t, ({ users }) => users.save({ id: '1', tenant })),
  save: (t, value) => within(t, ({ users }) => users.save(value)),
  'save options': (t, options) => within(t, ({ users }) => users.save({ ...ON, name: 'x' }, options)),
  'save options and email': (t, options) =>
    within(t, ({ users }) => users.save({ ...ON, email: 'new@example.org' }, options)),
  'save options and address': (t, options) =>
    within(t, ({ users }) => users.save({ ...ON, address: { city: 'New' } }, options)),
  'save notes': (t, notes) => within(t, ({ users }) => users.save({ ...ON, notes })),
  'save a line': (t, line) =>
    within(t, ({ users }) => users.save({ ...ON, notes: [{ id: 'n1', userId: '1', line }] })),
  'save the user of a note': (t, user) =>
    within(t, ({ notes }) => notes.save({ id: 'n1', userId: '1', user })),
  'change a loaded user': (t, email) =>
    within(t, async ({ users }) => {
      const user = await users.findOneByOrFail({ id: '1' })
      return users.save(Object.assign(user, { email }))
    }),
  'change a loaded tenant': (t, tenant) =>
    within(t, async ({ users }) => {
      const user = await users.findOneByOrFail({ id: '1' })
      return users.save(Object.assign(user, { tenant }))
    }),
  remove: ({ users }, value) => users.remove(value),
  softRemove: ({ users }, value) => users.softRemove(value),
  'values after a failed update': async ({ users }, email) => {
    const values = { ...ON, email, nonsense: 1 }
    await users.update({ ...ON }, values).catch(() => {})
    // As they are now: a rollback restores them, too.
    return { ...values }
  },
  'relation set': ({ manager }, user) =>
    manager.createQueryBuilder().relation('Note', 'user').of('n1').set(user),
  'relation add': ({ manager }, note) =>
    manager.createQueryBuilder().relation('User', 'notes').of('2').add(note),
  'relation load': ({ manager }, user) =>
    manager.createQueryBuilder().relation('User', 'notes').of(user).loadMany(),
}

/** In a transaction of its own, as a save has without one of the program: what fails changes nothing. */
function within({ manager }, work) {
  return manager.transaction(own =>
    work({ users: own.getRepository('User'), notes: own.getRepository('Note') }),
  )
}
