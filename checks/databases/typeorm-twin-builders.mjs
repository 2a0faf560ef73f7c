// The places of statements that TypeORM's query builders make, for the comparison with TypeORM alone (twin.mjs).
import { NEW, ON } from './typeorm-values.mjs'

/** Functions of a transaction and a value. `users` and the like are repositories. */
export const BUILDERS = {
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
  'builder common table': ({ users, manager }, column) =>
    users
      .createQueryBuilder('u')
      .addCommonTableExpression(manager.createQueryBuilder().select(column).from('User', 'v'), 'c')
      .where('u.name IN (SELECT * FROM c)')
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
}

function over(users, columns, conflict, more = {}, options = undefined) {
  const values = { ...ON, name: 'Ada', email: 'new@example.org', ...more }
  return users.createQueryBuilder().insert().values(values).orUpdate(columns, conflict, options).execute()
}
