// The places of TypeORM's statements that take a value, for the comparison with TypeORM alone (twin.mjs).
import { NEW, ON } from './typeorm-values.mjs'

/** Functions of a transaction and a value. `users` and `notes` are repositories. */
export const PLACES = {
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
  'builder where': ({ users }, where) => users.createQueryBuilder('u').where(where).getMany(),
  'builder where email': ({ users }, email) => users.createQueryBuilder('u').where({ email }).getMany(),
  'builder andWhere email': ({ users }, email) =>
    users.createQueryBuilder('u').where({ tenant: 'a' }).andWhere({ email }).getMany(),
  'builder orWhere email': ({ users }, email) =>
    users.createQueryBuilder('u').where({ id: '3' }).orWhere({ email }).getMany(),
  'builder parameter of email': ({ users }, v) =>
    users.createQueryBuilder('u').where('u.email = :v', { v }).getMany(),
  'builder parameter of a quoted email': ({ users }, v) =>
    users.createQueryBuilder().where('email = :v', { v }).getCount(),
  'builder parameter of name': ({ users }, v) =>
    users.createQueryBuilder('u').where('u.name = :v', { v }).getMany(),
  'builder parameter of IN': ({ users }, v) =>
    users.createQueryBuilder('u').where('u.name IN (:...v) AND u.email IS NOT NULL', { v }).getMany(),
  'builder parameters': ({ users }, v) => users.createQueryBuilder('u').where('u.name = :name', v).getMany(),
  'builder orderBy': ({ users }, order) => users.createQueryBuilder('u').orderBy(order).getMany(),
  'builder addOrderBy': ({ users }, order) =>
    users.createQueryBuilder('u').addOrderBy(order, 'DESC').getMany(),
  'builder groupBy': ({ users }, group) =>
    users.createQueryBuilder('u').select('COUNT(*)', 'n').groupBy(group).getRawMany(),
  'builder having': ({ users }, having) =>
    users.createQueryBuilder('u').select('u.name', 'n').groupBy('u.name').having(having).getRawMany(),
  'builder having parameter': ({ users }, v) =>
    users
      .createQueryBuilder('u')
      .select('u.name', 'n')
      .groupBy('u.name')
      .having('u.name = :v', { v })
      .getRawMany(),
  'builder having email': ({ users }, v) =>
    users.createQueryBuilder('u').select('COUNT(*)', 'n').having('MIN(u.email) = :v', { v }).getRawMany(),
  'builder select': ({ users }, select) => users.createQueryBuilder('u').select(select).getRawMany(),
  'builder selected entities': ({ users }, select) => users.createQueryBuilder('u').select(select).getMany(),
  'builder addSelect': ({ users }, select) =>
    users.createQueryBuilder('u').select(['u.id', 'u.tenant']).addSelect(select).getRawMany(),
  'builder raw results': ({ users }, email) =>
    users
      .createQueryBuilder('u')
      .leftJoinAndSelect('u.notes', 'n')
      .where({ email })
      .orderBy('n.id')
      .getRawAndEntities(),
  'builder execute': ({ users }, email) => users.createQueryBuilder('u').where({ email }).execute(),
  'builder select twice': ({ users }, email) =>
    users
      .createQueryBuilder('u')
      .select(['u.id', 'u.tenant'])
      .addSelect('u.email', 'a')
      .addSelect('u.email', 'b')
      .where({ email })
      .getRawMany(),
  'builder distinctOn': ({ users }, on) => users.createQueryBuilder('u').distinctOn(on).getMany(),
  'builder distinct': ({ users }, distinct) =>
    users.createQueryBuilder('u').select(['u.id', 'u.tenant', 'u.weight']).distinct(distinct).getRawMany(),
  'builder distinct lines': ({ logs }, distinct) =>
    logs.createQueryBuilder('l').select('l.line').distinct(distinct).getRawMany(),
  'builder distinctOn lines': ({ logs }, on) => logs.createQueryBuilder('l').distinctOn([on]).getMany(),
  'builder join': ({ users }, condition) =>
    users.createQueryBuilder('u').leftJoinAndSelect('u.notes', 'n', condition).getMany(),
  'builder join parameter': ({ users }, v) =>
    users.createQueryBuilder('u').leftJoinAndSelect('u.notes', 'n', 'n.line = :v', { v }).getMany(),
  'builder join and map': ({ users }, email) =>
    users
      .createQueryBuilder('u')
      .leftJoinAndMapOne('u.one', 'User', 'o', 'o.id = u.id')
      .leftJoinAndMapMany('u.many', 'Note', 'm', 'm.userId = u.id')
      .where({ email })
      .getMany(),
  'builder subquery': ({ users, manager }, column) =>
    users
      .createQueryBuilder('u')
      .where(
        `u.name IN ${manager.createQueryBuilder().subQuery().select(column).from('User', 'v').getQuery()}`,
      )
      .getMany(),
  'builder without listeners': ({ users }, email) =>
    users.createQueryBuilder('u').callListeners(false).where({ email }).getMany(),
  'builder limit': ({ users }, limit) => users.createQueryBuilder('u').orderBy('u.id').limit(limit).getMany(),
  'builder whereInIds': ({ users }, ids) => users.createQueryBuilder('u').whereInIds(ids).getMany(),
  'builder set': ({ users }, values) =>
    users
      .createQueryBuilder()
      .update()
      .set(values)
      .where({ ...ON })
      .execute(),
  'builder set email': ({ users }, email) =>
    users
      .createQueryBuilder()
      .update()
      .set({ ...ON, email })
      .where('id = :id AND tenant = :tenant', ON)
      .execute(),
  'builder set email without listeners': ({ users }, email) =>
    users
      .createQueryBuilder()
      .update()
      .set({ email })
      .where({ ...ON })
      .callListeners(false)
      .execute(),
  'builder set where': ({ users }, where) =>
    users
      .createQueryBuilder()
      .update()
      .set({ ...ON, email: 'new@example.org' })
      .where(where)
      .execute(),
  'builder set where id or': ({ users }, v) =>
    users
      .createQueryBuilder()
      .update()
      .set({ ...NEW, email: 'new@example.org' })
      .where({ ...NEW })
      .orWhere('name = :v', { v })
      .execute(),
  'builder set where a string': ({ users }, v) =>
    users
      .createQueryBuilder()
      .update()
      .set({ ...NEW })
      .where('id = :id AND tenant = :tenant AND age = 1 OR name = :v', { ...NEW, v })
      .execute(),
  'builder set where Carl and': ({ users }, where) =>
    users
      .createQueryBuilder()
      .update()
      .set({ ...NEW })
      .where({ name: 'Carl' })
      .andWhere(where)
      .execute(),
  'builder set returning': ({ users }, returning) =>
    users
      .createQueryBuilder()
      .update()
      .set({ name: 'x' })
      .where({ ...ON })
      .returning(returning)
      .execute(),
  'builder values': ({ users }, values) => users.createQueryBuilder().insert().values(values).execute(),
  'builder values email': ({ users }, email) =>
    users
      .createQueryBuilder()
      .insert()
      .values({ ...ON, id: '9', name: 'New', email })
      .execute(),
  'builder into': ({ users }, columns) =>
    users
      .createQueryBuilder()
      .insert()
      .into('User', columns)
      .values({ ...ON, id: '9', name: 'New', email: 'new@example.org' })
      .execute(),
  'builder orUpdate': ({ users }, columns) => over(users, columns, ['id', 'tenant']),
  'builder orUpdate one': ({ users }, column) => over(users, ['name', column], ['id', 'tenant']),
  'builder orUpdate by the id': ({ users }, columns) => over(users, columns, ['id'], { tenant: 'b' }),
  'builder orUpdate conflict': ({ users }, conflict) => over(users, ['email', 'name'], conflict),
  'builder orUpdate by name': ({ users }, columns) =>
    over(users, columns, ['name'], { id: '9', email: 'new@example.org' }),
  'builder orUpdate options': ({ users }, options) => over(users, ['email'], ['id', 'tenant'], {}, options),
  'builder orUpdate condition': ({ users }, where) =>
    over(users, ['email'], ['id', 'tenant'], {}, { overwriteCondition: { where } }),
  'builder onConflict': ({ users }, clause) =>
    users
      .createQueryBuilder()
      .insert()
      .values({ ...ON, tenant: 'b', name: 'Ada', email: 'new@example.org' })
      .onConflict(clause)
      .execute(),
  'builder old orUpdate': ({ users }, options) =>
    users
      .createQueryBuilder()
      .insert()
      .values({ ...ON, name: 'Ada', email: 'new@example.org' })
      .orUpdate(options)
      .setParameter('email', 'ada@example.org')
      .execute(),
  'values after a failed update': async ({ users }, email) => {
    const values = { ...ON, email, nonsense: 1 }
    await users.update({ ...ON }, values).catch(() => {})
    // As they are now: a rollback restores them, too.
    return { ...values }
  },
  'builder delete': ({ users }, v) =>
    users.createQueryBuilder().delete().where('email = :v', { v }).execute(),
  'builder delete where': ({ users }, where) => users.createQueryBuilder().delete().where(where).execute(),
  'builder softDelete email': ({ users }, email) =>
    users.createQueryBuilder().softDelete().where({ email }).execute(),
  'builder valuesFromSelect': ({ notes }, id) =>
    notes
      .createQueryBuilder()
      .insert()
      .into('Note', ['id', 'userId', 'line'])
      .valuesFromSelect(q => q.select(['u.id', 'u.name', 'u.email']).from('User', 'u').where({ id }))
      .execute(),
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

function over(users, columns, conflict, more = {}, options = undefined) {
  const values = { ...ON, name: 'Ada', email: 'new@example.org', ...more }
  return users.createQueryBuilder().insert().values(values).orUpdate(columns, conflict, options).execute()
}
