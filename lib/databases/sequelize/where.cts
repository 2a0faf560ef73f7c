// Conditions on declared columns: `{ email: 'ada@example.org' }` becomes one on the blind index.
import { define } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Column } from '../../values/columns/column.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { lookUp } from '../../values/columns/lookup.cjs'
import type { Values } from './parts.cjs'

/** Sequelize's operators are registered symbols. */
const op = (name: string) => Symbol.for(name)
const [AND, OR, NOT, COL] = [op('and'), op('or'), op('not'), op('col')]
const [EQ, NE, IN, NOT_IN, IS] = [op('eq'), op('ne'), op('in'), op('notIn'), op('is')]

/** 16 bytes in base64url. */
const INDEX = /^[\w-]{22}$/

/** Whether a model of the statement declares a column of a name, or has an index of it if asked. */
export type IsDeclared = (name: string, orIndex?: boolean) => boolean

/** The condition, with the names of columns. */
export function conditionFor(
  declaration: Declaration | undefined,
  where: unknown,
  isDeclared: IsDeclared,
): unknown {
  if (Array.isArray(where)) return where.map(part => conditionFor(declaration, part, isDeclared))
  if (!isPlain(where)) {
    refuseNamed(isDeclared, where)
    return where
  }
  const condition: Values = {}
  for (const name of Reflect.ownKeys(where)) {
    const value = where[name]
    if (typeof name === 'symbol') {
      condition[name] = conditionFor(declaration, value, isDeclared)
      continue
    }
    const column = declaration?.columns.find(one => one.name === name)
    if (column !== undefined) add(condition, column, value)
    else if (name.startsWith('$') && isDeclared(name.slice(1, -1).split('.').at(-1) ?? '', true))
      throw refused(name, 'move the condition to its include')
    else if (isPartOf(declaration, name)) throw refused(name, 'ciphertexts have no parts and no other types')
    else {
      refuseNamed(isDeclared, value)
      if (declaration?.hidden.includes(name)) refuseClear(name, value)
      define(condition, name, value, true)
    }
  }
  return condition
}

/** Refuses texts that are no blind index in a condition on one: the program meant the column. */
function refuseClear(name: string, value: unknown): void {
  if (typeof value === 'string' && !INDEX.test(value))
    throw refused(name, 'its values are blind indexes: put the condition on the column')
  for (const [, member] of nested(value)) refuseClear(name, member)
}

/** Whether a name is a declared column's with a path into JSON or a cast. */
function isPartOf(declaration: Declaration | undefined, name: string): boolean {
  const [column = ''] = name.split(/\.|::/)
  return column !== name && (declaration?.columns.some(one => one.name === column) ?? false)
}

/**
 * Refuses what Sequelize turns into SQL, such as `col('email')`, if it names a declared column.
 * `literal(…)` is the program's own SQL, which is not parsed.
 */
function refuseNamed(isDeclared: IsDeclared, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of nested(value)) {
    const column = name?.slice(name.lastIndexOf('.') + 1)
    if (column !== undefined && isDeclared(column))
      throw refused(column, 'inside SQL, it would be compared as ciphertext: compare it with a value')
    refuseNamed(isDeclared, member)
  }
}

/**
 * The members of a condition, of a list, of a model's attribute, or of what Sequelize makes SQL of.
 * The name is there if it is that of a column.
 */
export function nested(value: unknown): (readonly [name: string | undefined, member: unknown])[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.map(one => [undefined, one] as const)
  const { _modelAttribute, fieldName, field } = value as Values
  if (_modelAttribute === true) return [fieldName, field].map(name => [`${name}`, undefined] as const)
  if (isPlain(value))
    return Reflect.ownKeys(value).map(name => {
      const member = value[name]
      if (name === COL && typeof member === 'string') return [member, undefined] as const
      const column = typeof name === 'string' ? name.replace(/^\$|\$$/g, '') : undefined
      return [column, member] as const
    })
  const { col, args, val, attribute, logic, conditions, path } = value as Values
  const members: (readonly [string | undefined, unknown])[] = [args, val, attribute, logic, conditions]
    .filter(one => typeof one === 'object')
    .map(one => [undefined, one] as const)
  for (const name of [col, path, attribute]) if (typeof name === 'string') members.push([name, undefined])
  // A path into JSON begins with the column.
  if (typeof path === 'string') members.push([path.split('.')[0], undefined])
  return members
}

function add(condition: Values, column: Column, value: unknown): void {
  const { name, index } = column
  // Sequelize refuses undefined. Without the condition, the statement would concern all rows.
  if (value === undefined || isNull(value)) define(condition, name, value, true)
  else if (index === undefined) lookUp(column, value)
  else if (Object.hasOwn(condition, index.name)) throw refused(name, `"${index.name}" has a condition too`)
  else define(condition, index.name, termsOf(column, value), true)
}

function isNull(value: unknown): boolean {
  if (value === null) return true
  if (!isPlain(value)) return false
  return Reflect.ownKeys(value).every(
    name => [EQ, NE, IS, NOT].includes(name as symbol) && value[name] === null,
  )
}

/** The condition on the index. */
function termsOf(column: Column, value: unknown): unknown {
  const term = (one: unknown) => lookUp(column, one)
  const terms = (values: unknown) => (Array.isArray(values) ? values.flatMap(term) : term(values))
  if (!isPlain(value)) return terms(value)
  const [name = '', ...others] = Reflect.ownKeys(value)
  if (others.length > 0) throw onlyEqual(column)
  const operand = value[name]
  // Op.in and Op.notIn need a list, which Op.eq and Op.ne refuse.
  if (Array.isArray(operand) ? name === EQ || name === NE : name === IN || name === NOT_IN)
    throw onlyEqual(column)
  if (name === EQ || name === IN) return terms(operand)
  if (name === NE || name === NOT_IN || name === NOT) return { [NOT_IN]: terms(operand) }
  if (name === OR && Array.isArray(operand) && operand.length > 0) return terms(operand)
  if (name === AND && Array.isArray(operand) && operand.length === 1) return termsOf(column, operand[0])
  throw onlyEqual(column)
}

function onlyEqual({ name }: Column): Error {
  return refused(name, 'an index supports values, lists, Op.eq, Op.ne, Op.in, Op.notIn and null')
}

function refused(name: string, help: string): Error {
  return wrongValue(`"where.${name}" is not supported: ${help}`)
}

export function isPlain(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null) return false
  const prototype: object | null = Object.getPrototypeOf(value)
  // Of any realm, as Sequelize accepts them.
  return (
    prototype === null ||
    (Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'constructor'))
  )
}

/** The value that a condition says a column has; undefined if it says anything else. */
export function valueIn(where: unknown, column: string): unknown {
  if (!isPlain(where)) return undefined
  const value = where[column]
  if (isPlain(value) && Reflect.ownKeys(value).length === 1) return value[EQ] ?? undefined
  const list: unknown = where[AND]
  if (value === undefined && Array.isArray(list))
    return list.map(part => valueIn(part, column)).find(part => part !== undefined)
  return Array.isArray(value) ? (value.length === 1 ? value[0] : undefined) : value
}
