// Random rows and changes of Prisma's API, nested ones included, on the models of prisma-schema.mjs.
import { Conditions } from './prisma-conditions.mjs'
import { BACKS, isList, RELATIONS } from './prisma-schema.mjs'
import { NewKey, Value } from './prisma-values.mjs'

/** Rows that were made with a row of a relation, and are remembered. */
const REMEMBERED = 12

export class Rows extends Conditions {
  serial = 0
  hasNewKey = false
  /** Rows that were made with a row of a relation, which exists unless the operation failed: { model, where, name, target, inner }. */
  pairs = []

  /** `database` is one of prisma-databases.mjs. */
  constructor(numbers, database, onValue) {
    super(numbers, onValue)
    this.database = database
  }

  /** Values of the fields of a row; encrypted ones only if they can be sealed. */
  fields(model, canSeal, isUpdate) {
    const data = {}
    const put = (name, make, isNullable = true) => {
      if (!this.chance(60)) return
      if (isNullable && this.chance(15))
        data[name] = isUpdate && name !== 'notes' && this.chance(30) ? { set: null } : null
      else if (canSeal || this.chance(3)) {
        if (!canSeal) this.isRefused = true
        const value = this.value(make(), name === 'notes')
        data[name] = isUpdate && name !== 'notes' && this.chance(25) ? { set: value } : value
      }
    }
    if (model === 'User') {
      put('email', this.email)
      put('notes', () =>
        this.pick([{ [this.text()]: [this.text(), 1, null] }, [this.text()], this.text(), 17, true]),
      )
      put('age', () => this.below(30))
      if (this.chance(50)) data.name = this.pick(['a', 'b', null])
    }
    if (model === 'Post') put('title', () => this.pick(this.titles), false)
    if (model === 'Profile') put('photo', () => Buffer.from(this.text()))
    if (model === 'Log') {
      const wasRefused = this.isRefused
      put('line', () => `line ${this.text()}`)
      // Its values are bound to no row.
      this.isRefused = wasRefused
    }
    if (model === 'Tag') data.label = this.pick(['x', 'y'])
    if (model === 'Country') data.name = 'Belgium'
    return data
  }

  keyOf(model) {
    if (model === 'Profile') return this.profileKey()
    if (model === 'Log') return {}
    if (model === 'Country') return { id: this.pick(['at', 'be', 'ch']) }
    return { id: this.id(model) }
  }

  /** A new row, with rows of its relations. */
  created(model, depth, without) {
    const data = { ...this.keyOf(model), ...this.fields(model, true, false) }
    if (model === 'Post') data.title ??= this.value(this.pick(this.titles))
    if (model === 'User' && depth === 2 && !this.hasNewKey && this.chance(30) && this.needsKey(data)) {
      this.hasNewKey = true
      data.id = new NewKey(`made-${this.serial++}`)
    }
    this.addRelations(model, data, depth, without, false)
    this.remember(model, data)
    if (model === 'Profile' && without !== 'user') data.user ??= { connect: { id: this.id('User') } }
    return data
  }

  needsKey = data => ['email', 'notes', 'age'].some(name => data[name] instanceof Value)

  addRelations(model, data, depth, without, isUpdate) {
    if (depth === 0) return
    for (const [name, target] of Object.entries(RELATIONS[model]))
      if (name !== without && this.chance(30))
        data[name] = this.nested(model, name, target, depth - 1, isUpdate)
  }

  /** Remembers the rows that are made with a row, so that a later update finds them at their place. */
  remember(model, data) {
    const where = this.namedBy(model, data)
    for (const [name, target] of Object.entries(RELATIONS[model])) {
      const row = data[name]?.create
      const inner = row && !Array.isArray(row) && this.namedBy(target, row)
      if (where && inner) this.pairs.push({ model, where, name, target, inner })
    }
    this.pairs.splice(0, this.pairs.length - REMEMBERED)
  }

  /** The condition that names a new row; undefined if the database or the client makes its key. */
  namedBy(model, { id, tenant, number }) {
    if (model === 'Profile') return { tenant_number: { tenant, number } }
    return typeof id === 'string' ? { id } : undefined
  }

  /** An update of a row that was made with another one, through that one; undefined without such rows. */
  updatedPair(model) {
    const pair = this.pick(this.pairs.filter(one => one.model === model))
    if (pair === undefined) return undefined
    const { where, name, target, inner } = pair
    const data = this.updated(target, 0, inner)
    const one = target === 'Profile' ? inner.tenant_number : inner
    const hasMany = isList(name)
    const ways = [{ update: { where: hasMany ? inner : one, data } }]
    if (hasMany)
      ways.push(
        { updateMany: { where: one, data: this.fields(target, true, true) } },
        {
          upsert: { where: inner, create: this.created(target, 0, BACKS[`${model}.${name}`]), update: data },
        },
      )
    return { where, data: { [name]: this.pick(ways) } }
  }

  /** The rows of a createMany, which has no relations. */
  rows(model, without) {
    return Array.from({ length: 1 + this.below(3) }, () => {
      const row = { ...this.keyOf(model), ...this.fields(model, true, false) }
      if (model === 'Post') row.title ??= this.value(this.pick(this.titles))
      if (model === 'Profile' && without !== 'user') row.userId = this.id('User')
      if (model === 'Post' && without !== 'author' && this.chance(30)) row.authorId = this.id('User')
      return row
    })
  }

  /** Changes of the row that the condition names. */
  updated(model, depth, where, without) {
    const canSeal = model === 'Profile' ? where?.tenant_number !== undefined : where?.id !== undefined
    const data = this.fields(model, canSeal || model === 'Log', true)
    this.addRelations(model, data, depth, without, true)
    return data
  }

  nested(model, name, target, depth, isUpdate) {
    const hasMany = isList(name)
    const back = BACKS[`${model}.${name}`]
    const unique = () => this.unique(target)
    const create = () => this.created(target, depth, back)
    const list = make => (!hasMany ? make() : this.chance(30) ? [make(), make()] : this.perhapsList(make))
    const ways = {
      create: () => list(create),
      connectOrCreate: () => list(() => ({ where: unique(), create: create() })),
    }
    if (target !== 'Profile') ways.connect = () => list(unique)
    if (hasMany && target !== 'Tag' && model !== 'Tag')
      ways.createMany = () => ({ data: this.rows(target, back), ...this.skipping(true) })
    if (isUpdate)
      Object.assign(
        ways,
        hasMany
          ? this.listUpdates(target, depth, unique, create, back)
          : this.oneUpdates(target, depth, create, name, back),
      )
    const names = Object.keys(ways)
    return Object.fromEntries([this.pick(names)].map(way => [way, ways[way]()]))
  }

  listUpdates(target, depth, unique, create, back) {
    const update = where => ({ where, data: this.updated(target, depth, where, back) })
    return {
      update: () => this.perhapsList(() => update(unique())),
      updateMany: () => this.perhapsList(() => this.many(target, 0)),
      upsert: () => {
        const where = unique()
        return { where, create: create(), update: this.updated(target, depth, where, back) }
      },
      set: () => [unique()],
      disconnect: () => [unique()],
      delete: () => unique(),
      deleteMany: () => this.perhapsList(() => this.where(target, 0)),
    }
  }

  oneUpdates(target, depth, create, name, back) {
    const where = () => (target === 'Profile' ? this.profileKey() : this.identified(target, true))
    const withWhere = () => {
      const condition = where()
      const named = target === 'Profile' ? { tenant_number: condition } : condition
      return { where: condition, data: this.updated(target, depth, named, back) }
    }
    const ways = {
      update: () => (this.chance(50) ? withWhere() : this.updated(target, depth, undefined, back)),
      upsert: () => ({ create: create(), update: this.updated(target, depth, undefined, back) }),
    }
    if (name !== 'user') Object.assign(ways, { disconnect: () => true, delete: () => true })
    return ways
  }

  /** One row at a time, and for models whose values are bound to no row, many. */
  many(model, depth = 1) {
    const byKey = this.chance(50)
    const where = byKey ? this.identified(model, true) : this.where(model, depth)
    return { where, data: this.fields(model, byKey, true) }
  }

  /** An argument that Prisma does not have on SQLite. */
  skipping(skipDuplicates) {
    return this.database.canSkip ? { skipDuplicates } : {}
  }
}
