// The row key in a statement: of its sealed values, and in its condition.
import { isArray, types } from '../../cipher/base/builtins.cjs'
import { uuidInSmallLetters } from '../../values/columns/uuid.cjs'
import { type Column, isA, type Param, textAt, tokensOf } from './entities.cjs'

const { isUint8Array } = types
const NAME = Symbol.for('drizzle:Name')

/** The parts of a key as a text; equal for parts that are one key, such as 17 and `17n`. */
export function textOfKey(parts: readonly unknown[]): string {
  return JSON.stringify(parts.map(textOfPart))
}

export function textOfPart(part: unknown): string {
  if (isUint8Array(part)) return `bytes ${Buffer.from(part).toString('hex')}`
  return uuidInSmallLetters(String(part))
}

/** The value of a parameter, or of a bare value in SQL; undefined for everything else. */
export function operandOf(operand: unknown): unknown {
  const value = isA(operand, 'Param') ? (operand as Param).value : operand
  if (typeof value !== 'object') return value
  return isUint8Array(value) ? value : undefined
}

/**
 * The value that a condition demands of a column, by `eq` alone or in an `and`; undefined if it
 * accepts others, too. `isColumn` recognises the column.
 */
export function demanded(condition: unknown, isColumn: (column: unknown) => boolean): unknown {
  if (!isA(condition, 'SQL')) return undefined
  const chunks = (condition as { queryChunks: unknown[] }).queryChunks.filter(
    chunk => chunk !== undefined && !isEmpty(chunk),
  )
  const [first, second, third] = chunks
  if (chunks.length === 1) return demanded(first, isColumn)
  if (chunks.length === 3 && isText(first, '(') && isText(third, ')')) return demanded(second, isColumn)
  if (chunks.length === 3 && isText(second, ' = ')) return isColumn(first) ? third : undefined
  for (let i = 1; i < chunks.length; i += 2) if (!isText(chunks[i], ' and ')) return undefined
  for (let i = 0; i < chunks.length; i += 2) {
    const value = demanded(chunks[i], isColumn)
    if (value !== undefined) return value
  }
  return undefined
}

/** Whether a column belongs to a table, under any alias that keeps the table's name. */
export function isOne(column: unknown, wanted: Column | undefined): boolean {
  if (column === wanted) return wanted !== undefined
  return isA(column, 'Column') && isA(wanted, 'Column') && sameNames(column as Column, wanted as Column)
}

function sameNames(one: Column, other: Column): boolean {
  const name = (of: Column) => (of as unknown as { table: Record<symbol, unknown> }).table[NAME]
  return one.name === other.name && name(one) === name(other)
}

function isEmpty(chunk: unknown): boolean {
  return isA(chunk, 'StringChunk') && tokensOf(chunk).length === 0
}

function isText(chunk: unknown, text: string): boolean {
  return !isArray(chunk) && isA(chunk, 'StringChunk') && textAt(tokensOf(chunk), 0) === text
}
