// Random operations of Prisma's API, on the models of prisma-schema.mjs.
//
// An operation is written once, with a `Value` where a field is encrypted, and turned into the arguments for the sealed tables and for
// those in clear. `isRefused` is set if the sealed client must refuse it.
import { Rows } from './prisma-rows.mjs'
import { isList, RELATIONS, SCALARS } from './prisma-schema.mjs'

export class Operations extends Rows {
  makers = {
    findUnique: model => ({ where: this.unique(model), ...this.shape(model) }),
    findUniqueOrThrow: model => ({ where: this.unique(model), ...this.shape(model) }),
    findFirst: model => this.query(model),
    findFirstOrThrow: model => this.query(model),
    findMany: model => this.query(model),
    create: model => ({ data: this.created(model, 2), ...this.shape(model) }),
    createMany: model => ({ data: this.rows(model), ...this.skipping(this.chance(50)) }),
    createManyAndReturn: model => ({ data: this.rows(model), ...this.skipping(this.chance(50)) }),
    update: model => {
      const pair = this.chance(50) ? this.updatedPair(model) : undefined
      if (pair !== undefined) return { ...pair, ...this.shape(model) }
      const where = this.unique(model)
      return { where, data: this.updated(model, 2, where), ...this.shape(model) }
    },
    updateMany: model => this.many(model),
    updateManyAndReturn: model => this.many(model),
    upsert: model => {
      const where = this.unique(model)
      const create = this.created(model, 1)
      return { where, create, update: this.updated(model, 1, where), ...this.shape(model) }
    },
    delete: model => ({ where: this.unique(model), ...this.shape(model, 0) }),
    deleteMany: model => ({ where: { AND: [this.where(model, 1), this.identified(model)] } }),
    count: model => ({ where: this.where(model, 2) }),
    aggregate: model => this.aggregate(model),
    groupBy: model => this.groups(model),
  }

  /** Those that Prisma has on this database. */
  names = Object.keys(this.makers).filter(name => this.database.canReturn || !name.endsWith('AndReturn'))

  /** The next operation: { model, operation, args, isRefused }. */
  next() {
    this.isRefused = false
    this.hasNewKey = false
    const model = this.pick(['User', 'User', 'User', 'Post', 'Post', 'Tag', 'Profile', 'Log', 'Country'])
    const operation = this.pick(this.names)
    const args = this.makers[operation](model)
    return { model, operation, args, isRefused: this.isRefused }
  }

  aggregate(model) {
    if (model !== 'User' || this.chance(60)) return { where: this.where(model, 1), _count: true }
    this.isRefused = true
    return { [this.pick(['_min', '_max'])]: { [this.pick(['email', 'notes'])]: true } }
  }

  groups(model) {
    if (model !== 'User') return { by: [model === 'Profile' ? 'tenant' : 'id'], _count: true }
    const by = this.pick(['name', 'email', 'managerId'])
    if (by === 'email') this.isRefused = true
    return { by: [by], _count: true, where: this.where(model, 1) }
  }

  query(model, depth = 2) {
    const orderBy =
      model === 'Profile' ? [{ tenant: 'asc' }, { number: 'desc' }] : { id: this.pick(['asc', 'desc']) }
    const args = { where: this.where(model, depth), orderBy, ...this.shape(model, depth) }
    if (this.chance(20)) args.take = 1 + this.below(5)
    if (this.chance(10)) args.skip = this.below(3)
    if (model === 'User' && this.chance(8)) args.cursor = { [this.pick(['id'])]: this.id('User') }
    if (model === 'User' && this.chance(2)) {
      this.isRefused = true
      args.orderBy = this.pick([{ email: 'asc' }, [{ id: 'asc' }, { manager: { age: 'desc' } }]])
    }
    if (model === 'Post' && this.chance(2)) {
      this.isRefused = true
      args.distinct = ['title']
    }
    return args
  }

  /** What is returned: everything, or a selection of fields and relations, often without the key. */
  shape(model, depth = 2) {
    const kind = this.below(4)
    if (kind === 0) return {}
    if (kind === 1) return { omit: { [this.pick(SCALARS[model])]: true } }
    const part = {}
    if (depth > 0)
      for (const [name, target] of Object.entries(RELATIONS[model])) {
        if (!this.chance(35)) continue
        if (this.chance(20)) {
          part[name] = true
          continue
        }
        const inner = this.shape(target, depth - 1)
        if (isList(name)) {
          if (this.chance(50)) inner.where = this.where(target, 1)
          inner.orderBy = target === 'Profile' ? { number: 'asc' } : { id: 'asc' }
          if (this.chance(20)) inner.take = 2
        }
        part[name] = Object.keys(inner).length === 0 ? true : inner
      }
    if (model === 'User' && this.chance(10))
      part._count = { select: { posts: { where: this.where('Post', 1) } } }
    if (kind === 2) return Object.keys(part).length === 0 ? {} : { include: part }
    for (const name of SCALARS[model]) if (this.chance(45)) part[name] = true
    part[this.pick(SCALARS[model])] = true
    return { select: part }
  }
}
