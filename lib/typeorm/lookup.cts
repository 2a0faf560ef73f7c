// Conditions on declared columns: `where: { email: 'ada@example.org' }` asks for the blind index.
import { lookUp } from '../columns/lookup.cjs'
import { isSame } from './encrypted.cjs'
import type { Field } from './parts.cjs'
import { Sealed, Unopened } from './values.cjs'

const OPERATOR = Symbol.for('FindOperator')
const PREFIX = 'hardware_aes_gcm_'
let count = 0

/** A FindOperator as TypeORM's Raw makes it. Its terms are computed when TypeORM asks for them. */
export class Lookup {
  readonly '@instanceof' = OPERATOR
  readonly type = 'raw'
  readonly useParameter = true
  readonly multipleParameters = false
  readonly value = undefined
  readonly child = undefined
  readonly #field: Field
  readonly #value: unknown
  readonly #name = `${PREFIX}${count++}`

  constructor(field: Field, value: unknown) {
    this.#field = field
    this.#value = value
  }

  get objectLiteralParameters(): Record<string, string[]> {
    return { [this.#name]: lookUp(this.#field.column, this.#value) }
  }

  /** The condition, in place of one on the column of this path. */
  get getSql(): (path: string) => string {
    return path => {
      const { own, index } = this.#field
      const alias = path.slice(0, path.length - own.propertyPath.length)
      return `${alias}${index?.propertyPath} IN (:...${this.#name})`
    }
  }

  isOf(value: unknown): boolean {
    return isSame(this.#field.column, this.#value, value)
  }
}

/** The transformer of a column. */
export function transformerOf(field: Field): object {
  // TypeORM transforms the values of a change too, one after the other, and compares the results.
  let last: Lookup | undefined
  return {
    to(value: unknown): unknown {
      if (value === undefined || value === null) return value
      if (value instanceof Sealed || value instanceof Unopened || value instanceof Lookup) return value
      if (last?.isOf(value)) return last
      last = new Lookup(field, value)
      queueMicrotask(() => {
        last = undefined
      })
      return last
    },
    from(stored: unknown): unknown {
      if (stored === undefined || stored === null || stored instanceof Unopened) return stored
      return new Unopened(stored)
    },
  }
}

/** The name of a parameter with terms that the statement does not use, if there is one. */
export function unusedTerms(sql: string, parameters: Record<string, unknown>): string | undefined {
  return Object.keys(parameters).find(name => name.startsWith(PREFIX) && !sql.includes(`:...${name})`))
}
