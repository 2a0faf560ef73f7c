// Conditions on declared columns: `{ email: 'ada@example.org' }` becomes one on the blind index.
import { define, types } from '../base/builtins.cjs'
import { nodeError } from '../base/errors.cjs'
import type { Column } from '../columns/column.cjs'
import type { Declaration } from '../columns/declaration.cjs'
import { lookUp } from '../columns/lookup.cjs'
import type { Values } from './parts.cjs'

/** Sequelize's operators are registered symbols. */
const op = (name: string) => Symbol.for(name)
const [AND, OR, NOT] = [op('and'), op('or'), op('not')]
const [EQ, NE, IN, NOT_IN, IS] = [op('eq'), op('ne'), op('in'), op('notIn'), op('is')]

/**
 * The condition, whose names are those of columns. `isDeclared` knows the columns of all models.
 */
export function conditionFor(
  declaration: Declaration | undefined,
  where: unknown,
  isDeclared: (column: string) => boolean,
): unknown {
  if (Array.isArray(where)) return where.map(part => conditionFor(declaration, part, isDeclared))
  // Conditions that a program writes in SQL are instances of classes.
  if (!isPlain(where)) return where
  const condition: Values = {}
  for (const name of Reflect.ownKeys(where)) {
    const value = where[name]
    if (typeof name === 'symbol') {
      condition[name] = conditionFor(declaration, value, isDeclared)
      continue
    }
    const column = declaration?.columns.find(one => one.name === name)
    if (column !== undefined) add(condition, column, value)
    else if (name.startsWith('$') && isDeclared(name.slice(1, -1).split('.').at(-1) ?? ''))
      throw refused(name, 'give the condition to its include')
    else define(condition, name, value, true)
  }
  return condition
}

function add(condition: Values, column: Column, value: unknown): void {
  const { name, index } = column
  if (value === undefined) return
  if (isNull(value)) define(condition, name, value, true)
  else if (index === undefined) lookUp(column, value)
  else if (Object.hasOwn(condition, index.name)) throw refused(name, `"${index.name}" has a condition too`)
  else define(condition, index.name, termsOf(column, value), true)
}

function isNull(value: unknown): boolean {
  if (value === null) return true
  if (!isPlain(value)) return false
  const names = Reflect.ownKeys(value)
  return (
    names.length > 0 &&
    names.every(name => [EQ, NE, IS, NOT].includes(name as symbol) && value[name] === null)
  )
}

/** The condition on the index. */
function termsOf(column: Column, value: unknown): unknown {
  const terms = (values: unknown) =>
    (Array.isArray(values) ? values : [values]).flatMap(one => lookUp(column, one))
  if (!isPlain(value)) return terms(value)
  const names = Reflect.ownKeys(value)
  const [name] = names
  if (names.length !== 1 || typeof name !== 'symbol') throw onlyEqual(column)
  const operand = value[name]
  if (name === EQ || name === IN) return terms(operand)
  if (name === NE || name === NOT_IN || (name === NOT && !isPlain(operand)))
    return { [NOT_IN]: terms(operand) }
  if (name === OR && Array.isArray(operand) && operand.every(one => !isPlain(one))) return terms(operand)
  if (name === AND && Array.isArray(operand) && operand.length === 1) return termsOf(column, operand[0])
  throw onlyEqual(column)
}

function onlyEqual({ name }: Column): Error {
  return refused(name, 'an index answers values, lists, Op.eq, Op.ne, Op.in, Op.notIn and null')
}

function refused(name: string, help: string): Error {
  return nodeError(TypeError, 'ERR_INVALID_ARG_VALUE', `"where.${name}" cannot be asked for: ${help}`)
}

export function isPlain(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
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
