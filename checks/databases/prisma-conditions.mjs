// Random conditions of Prisma's API, on the models of prisma-schema.mjs.
import { isList, RELATIONS } from './prisma-schema.mjs'
import { Value } from './prisma-values.mjs'

const POOL = { User: 24, Post: 30, Tag: 8 }
const OPERATORS = ['contains', 'startsWith', 'gt', 'lte']

/** `isRefused` is set by each condition that the sealed client must refuse. */
export class Conditions {
  isRefused = false

  /** `onValue` learns every value of an encrypted field. */
  constructor(numbers, onValue) {
    this.numbers = numbers
    const text = () => Array.from({ length: 4 }, () => this.below(2 ** 30).toString(36)).join('')
    this.emails = Array.from({ length: 40 }, () => `${text()}@Example.org`)
    this.titles = Array.from({ length: 40 }, () => `${text()} 'title' \\ "${text()}"`)
    this.text = text
    this.value = (value, isJson = false) => {
      onValue(value)
      return new Value(value, isJson)
    }
  }

  below = most => this.numbers.below(most)
  pick = list => this.numbers.pick(list)
  chance = percent => this.below(100) < percent
  /** Not `pick` of a list of what is made, because what is not chosen may be refused. */
  perhapsList = make => (this.chance(50) ? [make()] : make())

  id = model => `${model}-${this.below(POOL[model])}`
  profileKey = () => ({ tenant: this.pick(['a', 'b']), number: this.below(8) })
  email = () => this.pick(this.emails)
  someEmail = () => (this.chance(50) ? this.email() : this.email().toUpperCase())

  /** The condition that names one row. */
  unique(model) {
    if (model === 'Profile') return { tenant_number: this.profileKey() }
    if (model === 'Log') return { id: this.below(60) }
    if (model === 'Country') return { id: this.pick(['at', 'be']) }
    if (model === 'User' && this.chance(30)) return { email: this.value(this.someEmail()) }
    const id = this.id(model)
    return model === 'User' && this.chance(15) ? { id, email: this.value(this.someEmail()) } : { id }
  }

  /** A condition that few rows meet. */
  identified(model, isExact = false) {
    if (model === 'Profile') return this.profileKey()
    if (model === 'Log') return { id: this.below(60) }
    if (model === 'Country') return { id: 'be' }
    const id = this.id(model)
    return { id: isExact ? this.pick([id, { equals: id }]) : { in: [id, this.id(model)] } }
  }

  where(model, depth) {
    const kind = this.below(10)
    if (depth > 0 && kind < 2) return { OR: [this.where(model, depth - 1), this.where(model, depth - 1)] }
    if (depth > 0 && kind === 2) return { NOT: this.perhapsList(() => this.where(model, depth - 1)) }
    if (depth > 0 && kind === 3) return { AND: [this.where(model, depth - 1), this.where(model, depth - 1)] }
    const relations = Object.entries(RELATIONS[model])
    if (depth > 0 && kind < 7 && relations.length > 0) {
      const [name, target] = this.pick(relations)
      if (!isList(name) && model !== 'Profile' && this.chance(20)) return { [name]: null }
      const inner = this.where(target, depth - 1)
      if (isList(name)) return { [name]: { [this.pick(['some', 'none', 'every'])]: inner } }
      return { [name]: this.pick([inner, { is: inner }, { isNot: inner }]) }
    }
    return this.plain(model)
  }

  /** A condition of fields alone. */
  plain(model) {
    switch (model) {
      case 'User':
        return this.pick([
          () => ({ email: this.filter(() => this.someEmail()) }),
          () => ({ email: this.filter(() => this.someEmail()), name: { not: 'a' } }),
          () => ({ age: this.filter(() => this.below(30)) }),
          () => ({ notes: this.pick([null, { not: null }, { equals: null }]) }),
          () => this.identified('User'),
          () => this.identified('User'),
          () => this.unsearchable(),
        ])()
      case 'Post':
        return this.pick([
          () => ({ title: this.filter(() => this.pick(this.titles), false) }),
          () => this.identified(model),
        ])()
      case 'Profile':
        return this.pick([{ photo: null }, { photo: { not: null } }, { tenant: 'a' }])
      case 'Log':
        return this.pick([{ line: null }, { id: { gt: this.below(40) } }])
      case 'Country':
        return {}
      default:
        return this.identified(model)
    }
  }

  /** What cannot be asked: refused, and rare, since nothing else of the operation happens then. */
  unsearchable() {
    if (this.chance(75)) return { name: 'b' }
    this.isRefused = true
    return this.pick([
      { email: { [this.pick(OPERATORS)]: 'x' } },
      { email: { equals: this.email(), mode: 'insensitive' } },
      { notes: 'x' },
      { notes: { not: { equals: 'y' } } },
      { email: { not: { not: this.email() } } },
    ])
  }

  filter(make, isNullable = true) {
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
    return this.pick(filters)()
  }
}
