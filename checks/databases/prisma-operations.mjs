// Random operations of Prisma's API, nested ones included, on the models of prisma-schema.mjs.
//
// An operation is written once, with a `Value` where a field is encrypted, and turned into the arguments for the sealed tables and for
// those in clear. `isRefused` is set if the sealed client must refuse it.

/** A value of an encrypted field, and the text that stands for it in clear. */
export class Value {
  constructor(value, isJson) {
    this.value = value
    this.isJson = isJson
  }
  get text() {
    if (typeof this.value === 'string' && !this.isJson) return this.value
    return this.value instanceof Uint8Array
      ? Buffer.from(this.value).toString('base64')
      : JSON.stringify(this.value)
  }
}

/** A key of a new row, which the sealed client makes by itself. */
export class NewKey {
  constructor(value) {
    this.value = value
  }
}

/** The arguments for one side. `onKey` learns the key that the sealed client must make. */
export function argumentsFor(isSealed, given, onKey) {
  if (given instanceof Value) return isSealed ? given.value : given.text
  if (Array.isArray(given)) return given.map(one => argumentsFor(isSealed, one, onKey))
  if (typeof given !== 'object' || given === null) return given
  const entries = Object.entries(given).flatMap(([name, one]) => {
    if (!(one instanceof NewKey)) return [[name, argumentsFor(isSealed, one, onKey)]]
    if (!isSealed) return [[name, one.value]]
    onKey(one.value)
    return []
  })
  return Object.fromEntries(entries)
}

const POOL = { User: 24, Post: 30, Tag: 8 }
const OPERATORS = ['contains', 'startsWith', 'gt', 'lte']

export class Operations {
  #random
  #emails
  #titles
  #serial = 0
  #isRefused = false
  #hasNewKey = false

  /** `random` gives whole numbers below its argument. `onValue` learns every value of an encrypted field. */
  constructor(random, onValue) {
    this.#random = random
    const text = () => Array.from({ length: 4 }, () => random(2 ** 30).toString(36)).join('')
    this.#emails = Array.from({ length: 40 }, () => `${text()}@Example.org`)
    this.#titles = Array.from({ length: 40 }, () => `${text()} 'title' \\ "${text()}"`)
    this.text = text
    this.value = (value, isJson = false) => {
      onValue(value)
      return new Value(value, isJson)
    }
  }

  /** The next operation: { model, operation, args, isRefused }. */
  next() {
    this.#isRefused = false
    this.#hasNewKey = false
    const model = this.#of(['User', 'User', 'User', 'Post', 'Post', 'Tag', 'Profile', 'Log', 'Country'])
    const operation = this.#of(Object.keys(this.#makers))
    const args = this.#makers[operation](model)
    return { model, operation, args, isRefused: this.#isRefused }
  }

  #of = list => list[this.#random(list.length)]
  /** Not `#of` a list of what is made, because what is not chosen may be refused. */
  #perhapsList = make => (this.#chance(50) ? [make()] : make())
  #chance = percent => this.#random(100) < percent

  #makers = {
    findUnique: model => ({ where: this.#unique(model), ...this.#shape(model) }),
    findUniqueOrThrow: model => ({ where: this.#unique(model), ...this.#shape(model) }),
    findFirst: model => this.#query(model),
    findFirstOrThrow: model => this.#query(model),
    findMany: model => this.#query(model),
    create: model => ({ data: this.#created(model, 2), ...this.#shape(model) }),
    createMany: model => ({ data: this.#rows(model), skipDuplicates: this.#chance(50) }),
    createManyAndReturn: model => ({ data: this.#rows(model), skipDuplicates: this.#chance(50) }),
    update: model => {
      const where = this.#unique(model)
      return { where, data: this.#updated(model, 2, where), ...this.#shape(model) }
    },
    updateMany: model => this.#many(model),
    updateManyAndReturn: model => this.#many(model),
    upsert: model => {
      const where = this.#unique(model)
      const create = this.#created(model, 1)
      return { where, create, update: this.#updated(model, 1, where), ...this.#shape(model) }
    },
    delete: model => ({ where: this.#unique(model), ...this.#shape(model, 0) }),
    deleteMany: model => ({ where: { AND: [this.#where(model, 1), this.#identified(model)] } }),
    count: model => ({ where: this.#where(model, 2) }),
    aggregate: model => this.#aggregate(model),
    groupBy: model => this.#groups(model),
  }

  #many(model, depth = 1) {
    // One row at a time, and for models whose values are bound to no row, many.
    const byKey = this.#chance(50)
    const where = byKey ? this.#identified(model, true) : this.#where(model, depth)
    return { where, data: this.#fields(model, byKey, true) }
  }

  #aggregate(model) {
    if (model !== 'User' || this.#chance(60)) return { where: this.#where(model, 1), _count: true }
    this.#isRefused = true
    return { [this.#of(['_min', '_max'])]: { [this.#of(['email', 'notes'])]: true } }
  }

  #groups(model) {
    if (model !== 'User') return { by: [model === 'Profile' ? 'tenant' : 'id'], _count: true }
    const by = this.#of(['name', 'email', 'managerId'])
    if (by === 'email') this.#isRefused = true
    return { by: [by], _count: true, where: this.#where(model, 1) }
  }

  #id = model => `${model}-${this.#random(POOL[model])}`
  #profileKey = () => ({ tenant: this.#of(['a', 'b']), number: this.#random(8) })
  #email = () => this.#of(this.#emails)
  #someEmail = () => (this.#chance(50) ? this.#email() : this.#email().toUpperCase())

  /** The condition that names one row. */
  #unique(model) {
    if (model === 'Profile') return { tenant_number: this.#profileKey() }
    if (model === 'Log') return { id: this.#random(60) }
    if (model === 'Country') return { id: this.#of(['at', 'be']) }
    if (model === 'User' && this.#chance(30)) return { email: this.value(this.#someEmail()) }
    const id = this.#id(model)
    return model === 'User' && this.#chance(15) ? { id, email: this.value(this.#someEmail()) } : { id }
  }

  /** A condition that few rows meet. */
  #identified(model, isExact = false) {
    if (model === 'Profile') return this.#profileKey()
    if (model === 'Log') return { id: this.#random(60) }
    if (model === 'Country') return { id: 'be' }
    const id = this.#id(model)
    return { id: isExact ? this.#of([id, { equals: id }]) : { in: [id, this.#id(model)] } }
  }

  #query(model, depth = 2) {
    const orderBy =
      model === 'Profile' ? [{ tenant: 'asc' }, { number: 'desc' }] : { id: this.#of(['asc', 'desc']) }
    const args = { where: this.#where(model, depth), orderBy, ...this.#shape(model, depth) }
    if (this.#chance(20)) args.take = 1 + this.#random(5)
    if (this.#chance(10)) args.skip = this.#random(3)
    if (model === 'User' && this.#chance(8)) args.cursor = { [this.#of(['id'])]: this.#id('User') }
    if (model === 'User' && this.#chance(2)) {
      this.#isRefused = true
      args.orderBy = this.#of([{ email: 'asc' }, [{ id: 'asc' }, { manager: { age: 'desc' } }]])
    }
    if (model === 'Post' && this.#chance(2)) {
      this.#isRefused = true
      args.distinct = ['title']
    }
    return args
  }

  #relations = {
    User: { manager: 'User', reports: 'User', posts: 'Post', profile: 'Profile', logs: 'Log' },
    Post: { author: 'User', tags: 'Tag' },
    Tag: { posts: 'Post' },
    Profile: { user: 'User' },
    Log: { user: 'User' },
    Country: {},
  }
  #scalars = {
    User: ['id', 'name', 'email', 'notes', 'age', 'managerId'],
    Post: ['id', 'title', 'authorId'],
    Tag: ['id', 'label'],
    Profile: ['tenant', 'number', 'photo'],
    Log: ['id', 'line'],
    Country: ['id', 'name'],
  }
  #isList = name => ['reports', 'posts', 'logs', 'tags'].includes(name)

  /** What is returned: everything, or a selection of fields and relations, often without the key. */
  #shape(model, depth = 2) {
    const kind = this.#random(4)
    if (kind === 0) return {}
    if (kind === 1) return { omit: { [this.#of(this.#scalars[model])]: true } }
    const part = {}
    if (depth > 0)
      for (const [name, target] of Object.entries(this.#relations[model])) {
        if (!this.#chance(35)) continue
        if (this.#chance(20)) {
          part[name] = true
          continue
        }
        const inner = this.#shape(target, depth - 1)
        if (this.#isList(name)) {
          if (this.#chance(50)) inner.where = this.#where(target, 1)
          inner.orderBy = target === 'Profile' ? { number: 'asc' } : { id: 'asc' }
          if (this.#chance(20)) inner.take = 2
        }
        part[name] = Object.keys(inner).length === 0 ? true : inner
      }
    if (model === 'User' && this.#chance(10))
      part._count = { select: { posts: { where: this.#where('Post', 1) } } }
    if (kind === 2) return Object.keys(part).length === 0 ? {} : { include: part }
    for (const name of this.#scalars[model]) if (this.#chance(45)) part[name] = true
    part[this.#of(this.#scalars[model])] = true
    return { select: part }
  }

  #where(model, depth) {
    const kind = this.#random(10)
    if (depth > 0 && kind < 2) return { OR: [this.#where(model, depth - 1), this.#where(model, depth - 1)] }
    if (depth > 0 && kind === 2) return { NOT: this.#perhapsList(() => this.#where(model, depth - 1)) }
    if (depth > 0 && kind === 3)
      return { AND: [this.#where(model, depth - 1), this.#where(model, depth - 1)] }
    const relations = Object.entries(this.#relations[model])
    if (depth > 0 && kind < 7 && relations.length > 0) {
      const [name, target] = this.#of(relations)
      if (!this.#isList(name) && model !== 'Profile' && this.#chance(20)) return { [name]: null }
      const inner = this.#where(target, depth - 1)
      if (this.#isList(name)) return { [name]: { [this.#of(['some', 'none', 'every'])]: inner } }
      return { [name]: this.#of([inner, { is: inner }, { isNot: inner }]) }
    }
    return this.#plain(model)
  }

  /** A condition of fields alone. */
  #plain(model) {
    switch (model) {
      case 'User':
        return this.#of([
          () => ({ email: this.#filter(() => this.#someEmail()) }),
          () => ({ email: this.#filter(() => this.#someEmail()), name: { not: 'a' } }),
          () => ({ age: this.#filter(() => this.#random(30)) }),
          () => ({ notes: this.#of([null, { not: null }, { equals: null }]) }),
          () => this.#identified('User'),
          () => this.#identified('User'),
          () => this.#unsearchable(),
        ])()
      case 'Post':
        return this.#of([
          () => ({ title: this.#filter(() => this.#of(this.#titles), false) }),
          () => this.#identified(model),
        ])()
      case 'Profile':
        return this.#of([{ photo: null }, { photo: { not: null } }, { tenant: 'a' }])
      case 'Log':
        return this.#of([{ line: null }, { id: { gt: this.#random(40) } }])
      case 'Country':
        return {}
      default:
        return this.#identified(model)
    }
  }

  /** What cannot be asked: refused, and rare, since nothing else of the operation happens then. */
  #unsearchable() {
    if (this.#chance(75)) return { name: 'b' }
    this.#isRefused = true
    return this.#of([
      { email: { [this.#of(OPERATORS)]: 'x' } },
      { email: { equals: this.#email(), mode: 'insensitive' } },
      { notes: 'x' },
      { notes: { not: { equals: 'y' } } },
      { email: { not: { not: this.#email() } } },
    ])
  }

  #filter(make, isNullable = true) {
    const value = () => this.value(make())
    const filters = [
      () => value(),
      () => value(),
      () => ({ equals: value() }),
      () => ({ in: [value(), value(), value()] }),
      () => ({ notIn: [value(), value()] }),
      () => ({ not: value() }),
      () => ({ not: { in: [value(), value()] } }),
    ]
    if (isNullable)
      filters.push(
        () => null,
        () => ({ not: null }),
        () => ({ in: [value(), value()], not: null }),
      )
    return this.#of(filters)()
  }

  /** Values of the fields of a row; encrypted ones only if they can be sealed. */
  #fields(model, canSeal, isUpdate) {
    const data = {}
    const put = (name, make, isNullable = true) => {
      if (!this.#chance(60)) return
      if (isNullable && this.#chance(15))
        data[name] = isUpdate && name !== 'notes' && this.#chance(30) ? { set: null } : null
      else if (canSeal || this.#chance(3)) {
        if (!canSeal) this.#isRefused = true
        const value = this.value(make(), name === 'notes')
        data[name] = isUpdate && name !== 'notes' && this.#chance(25) ? { set: value } : value
      }
    }
    if (model === 'User') {
      put('email', this.#email)
      put('notes', () =>
        this.#of([{ [this.text()]: [this.text(), 1, null] }, [this.text()], this.text(), 17, true]),
      )
      put('age', () => this.#random(30))
      if (this.#chance(50)) data.name = this.#of(['a', 'b', null])
    }
    if (model === 'Post') put('title', () => this.#of(this.#titles), false)
    if (model === 'Profile') put('photo', () => Buffer.from(this.text()))
    if (model === 'Log') {
      const wasRefused = this.#isRefused
      put('line', () => `line ${this.text()}`)
      // Its values are bound to no row.
      this.#isRefused = wasRefused
    }
    if (model === 'Tag') data.label = this.#of(['x', 'y'])
    if (model === 'Country') data.name = 'Belgium'
    return data
  }

  #keyOf(model) {
    if (model === 'Profile') return this.#profileKey()
    if (model === 'Log') return {}
    if (model === 'Country') return { id: this.#of(['at', 'be', 'ch']) }
    return { id: this.#id(model) }
  }

  /** A new row, with rows of its relations. */
  #created(model, depth, without) {
    const data = { ...this.#keyOf(model), ...this.#fields(model, true, false) }
    if (model === 'Post') data.title ??= this.value(this.#of(this.#titles))
    if (model === 'User' && depth === 2 && !this.#hasNewKey && this.#chance(30) && this.#needsKey(data)) {
      this.#hasNewKey = true
      data.id = new NewKey(`made-${this.#serial++}`)
    }
    this.#addRelations(model, data, depth, without, false)
    if (model === 'Profile' && without !== 'user') data.user ??= { connect: { id: this.#id('User') } }
    return data
  }

  #needsKey = data => ['email', 'notes', 'age'].some(name => data[name] instanceof Value)

  #addRelations(model, data, depth, without, isUpdate) {
    if (depth === 0) return
    for (const [name, target] of Object.entries(this.#relations[model]))
      if (name !== without && this.#chance(30))
        data[name] = this.#nested(model, name, target, depth - 1, isUpdate)
  }

  /** The rows of a createMany, which has no relations. */
  #rows(model, without) {
    return Array.from({ length: 1 + this.#random(3) }, () => {
      const row = { ...this.#keyOf(model), ...this.#fields(model, true, false) }
      if (model === 'Post') row.title ??= this.value(this.#of(this.#titles))
      if (model === 'Profile' && without !== 'user') row.userId = this.#id('User')
      if (model === 'Post' && without !== 'author' && this.#chance(30)) row.authorId = this.#id('User')
      return row
    })
  }

  /** Changes of the row that the condition names. */
  #updated(model, depth, where, without) {
    const canSeal = model === 'Profile' ? where?.tenant_number !== undefined : where?.id !== undefined
    const data = this.#fields(model, canSeal || model === 'Log', true)
    this.#addRelations(model, data, depth, without, true)
    return data
  }

  /** Relations as they are called on their other side. */
  #backs = {
    'User.manager': 'reports',
    'User.reports': 'manager',
    'User.posts': 'author',
    'User.profile': 'user',
    'User.logs': 'user',
    'Post.author': 'posts',
    'Post.tags': 'posts',
    'Tag.posts': 'tags',
    'Profile.user': 'profile',
    'Log.user': 'logs',
  }

  #nested(model, name, target, depth, isUpdate) {
    const isList = this.#isList(name)
    const back = this.#backs[`${model}.${name}`]
    const unique = () => this.#unique(target)
    const create = () => this.#created(target, depth, back)
    const list = make => (!isList ? make() : this.#chance(30) ? [make(), make()] : this.#perhapsList(make))
    const ways = {
      create: () => list(create),
      connectOrCreate: () => list(() => ({ where: unique(), create: create() })),
    }
    if (target !== 'Profile') ways.connect = () => list(unique)
    if (isList && target !== 'Tag' && model !== 'Tag')
      ways.createMany = () => ({ data: this.#rows(target, back), skipDuplicates: true })
    if (isUpdate)
      Object.assign(
        ways,
        isList
          ? this.#listUpdates(target, depth, unique, create, back)
          : this.#oneUpdates(target, depth, create, name, back),
      )
    const names = Object.keys(ways)
    return Object.fromEntries([this.#of(names)].map(way => [way, ways[way]()]))
  }

  #listUpdates(target, depth, unique, create, back) {
    const update = where => ({ where, data: this.#updated(target, depth, where, back) })
    return {
      update: () => this.#perhapsList(() => update(unique())),
      updateMany: () => this.#perhapsList(() => this.#many(target, 0)),
      upsert: () => {
        const where = unique()
        return { where, create: create(), update: this.#updated(target, depth, where, back) }
      },
      set: () => [unique()],
      disconnect: () => [unique()],
      delete: () => unique(),
      deleteMany: () => this.#perhapsList(() => this.#where(target, 0)),
    }
  }

  #oneUpdates(target, depth, create, name, back) {
    const where = () => (target === 'Profile' ? this.#profileKey() : this.#identified(target, true))
    const withWhere = () => {
      const condition = where()
      const named = target === 'Profile' ? { tenant_number: condition } : condition
      return { where: condition, data: this.#updated(target, depth, named, back) }
    }
    const ways = {
      update: () => (this.#chance(50) ? withWhere() : this.#updated(target, depth, undefined, back)),
      upsert: () => ({ create: create(), update: this.#updated(target, depth, undefined, back) }),
    }
    if (name !== 'user') Object.assign(ways, { disconnect: () => true, delete: () => true })
    return ways
  }
}
