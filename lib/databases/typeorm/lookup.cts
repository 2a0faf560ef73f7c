// Conditions on declared columns: `where: { email: 'ada@example.org' }` asks for the blind index.
import { wrongValue } from '../../cipher/base/errors.cjs'
import { lookUp } from '../../values/columns/lookup.cjs'
import { isSame } from './encrypted.cjs'
import type { Builder, Condition, Field } from './parts.cjs'
import { Sealed } from './values.cjs'

/** A term of an index. */
const TERM = /^[\w-]{22}$/
const OPERATORS: readonly unknown[] = [Symbol.for('FindOperator'), Symbol.for('EqualOperator')]

/** A FindOperator, such as `Not('x')`. */
interface Operator {
  readonly type: string
  readonly value: unknown
  readonly child: Operator | undefined
  transformValue(transformer: object): void
}

/** A value in a condition on a declared column. */
export class Lookup {
  readonly #field: Field
  readonly #value: unknown

  constructor(field: Field, value: unknown) {
    this.#field = field
    this.#value = value
  }

  /** Terms of the index. */
  get terms(): string[] {
    return lookUp(this.#field.column, this.#value)
  }

  /** The path of the index, for that of the column. */
  indexAt(path: string): string {
    const { own, index } = this.#field
    return `${path.slice(0, path.length - own.propertyPath.length)}${index?.propertyPath}`
  }

  isOf(value: unknown): boolean {
    return isSame(this.#field.column, this.#value, value)
  }
}

/** The transformer of a column. */
export function transformerOf(field: Field): object {
  // TypeORM transforms the values of a change too, one after the other, and compares the results.
  let last: Lookup | undefined
  const transformer = {
    to(value: unknown): unknown {
      if (value === undefined || value === null) return value
      if (isOperator(value)) {
        // In version 0.3, those in And and Or.
        value.transformValue(transformer)
        return value
      }
      if (value instanceof Sealed || value instanceof Lookup) return value
      if (last?.isOf(value)) return last
      last = new Lookup(field, value)
      queueMicrotask(() => {
        last = undefined
      })
      return last
    },
    from: (value: unknown) => value,
  }
  return transformer
}

/** The transformer of an index: it accepts a term of `lookup`, not the text that it is of. */
export const OF_INDEX = {
  to(value: unknown): unknown {
    // In version 0.3, operators are in And and Or.
    if (isOperator(value)) value.transformValue(OF_INDEX)
    else if (typeof value === 'string' && !TERM.test(value)) {
      throw wrongValue('an index value must come from lookup: use its column instead')
    }
    return value
  },
  from: () => undefined,
}

/**
 * The condition on the index in place of one on the column; undefined for one that has no value
 * of a declared column.
 */
export function conditionOf(builder: Builder, path: string, value: unknown): Condition | undefined {
  if (value instanceof Lookup) return among(builder, path, [value])
  if (!isOperator(value) || !hasLookup(value)) return undefined
  const { type, child, value: values } = value
  const inner = child ?? values
  const on = (one: unknown) => builder.getWherePredicateCondition(path, one)
  if (type === 'not') return { operator: 'not', condition: on(inner) }
  if (type === 'equal' && child === undefined) return on(inner)
  if (Array.isArray(inner)) {
    if (type === 'in') return among(builder, path, inner)
    if (type === 'and' || type === 'or') {
      const parameters = inner.map(one => builder.createWhereConditionExpression(on(one)))
      return { operator: type, parameters }
    }
  }
  throw noCondition()
}

function among(builder: Builder, path: string, values: readonly unknown[]): Condition {
  const lookup = values.find(value => value instanceof Lookup) as Lookup
  const terms = values.flatMap(value => (value instanceof Lookup ? value.terms : [value]))
  const parameters = terms.map(term => builder.createParameter(term))
  return { operator: 'in', parameters: [lookup.indexAt(path), ...parameters] }
}

function isOperator(value: unknown): value is Operator {
  return typeof value === 'object' && value !== null && OPERATORS.includes(Reflect.get(value, '@instanceof'))
}

function hasLookup(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasLookup)
  return value instanceof Lookup || (isOperator(value) && hasLookup(value.child ?? value.value))
}

function noCondition(): Error {
  const what =
    'a condition on an encrypted column must be one value, In, Not, Equal, IsNull, And or Or of these, or an array of conditions'
  return wrongValue(what)
}
