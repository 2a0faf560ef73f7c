// Recognises Drizzle's objects by the names of their classes, which work across copies of Drizzle.
import { getPrototypeOf, hasOwn, isArray } from '../../cipher/base/builtins.cjs'
import type { Row } from '../../values/columns/row.cjs'
import type { Place } from './stored.cjs'

const KIND = Symbol.for('drizzle:entityKind')
const COLUMNS = Symbol.for('drizzle:Columns')
const EXTRA = Symbol.for('drizzle:ExtraConfigBuilder')

export type Kind = 'Column' | 'Param' | 'Placeholder' | 'SQL' | 'SQL.Aliased' | 'StringChunk' | 'Table'

/** A column of a table: those of this package have the function `mapTo` that made them. */
export interface Column {
  readonly name: string
  readonly mapTo?: unknown
  readonly isUnique?: boolean
  /** The type of its values in rows, such as 'string'. */
  readonly dataType?: string
}

export interface Param {
  readonly value: unknown
  readonly encoder: unknown
}

/** Whether an object is of one of Drizzle's classes, or of a class that extends it. */
export function isA(value: unknown, kind: Kind): boolean {
  if (typeof value !== 'object' || value === null) return false
  let type: unknown = getPrototypeOf(value)?.constructor
  while (typeof type === 'function') {
    if (hasOwn(type, KIND) && (type as unknown as Record<symbol, unknown>)[KIND] === kind) return true
    type = getPrototypeOf(type)
  }
  return false
}

/** The places of the columns that this package has made, by their functions `toDriver`. */
const places = new WeakMap<object, Place>()

export function known(toDriver: object, place: Place): void {
  places.set(toDriver, place)
}

/** The place of a column, even of an alias or a subquery; undefined for everything else. */
export function placeOf(column: unknown): Place | undefined {
  if (!isA(column, 'Column')) return undefined
  const { mapTo } = column as Column
  return typeof mapTo === 'function' ? places.get(mapTo) : undefined
}

/** Whether two places are one column or one index. */
export function isSame(a: Place, b: Place | undefined): boolean {
  return a.column === b?.column && a.isIndex === b.isIndex
}

/** The columns of a table by the names that its rows have. */
export function columnsOf(table: unknown): Record<string, Column> {
  return ((table as Record<symbol, unknown>)[COLUMNS] ?? {}) as Record<string, Column>
}

/** Whether a table declares a unique column or index beside those columns. */
export function hasOtherUnique(table: unknown, key: readonly string[]): boolean {
  for (const [name, { isUnique }] of Object.entries(columnsOf(table)))
    if (isUnique === true && !key.includes(name)) return true
  const build = (table as Record<symbol, unknown>)[EXTRA]
  if (typeof build !== 'function') return false
  const extra: unknown = build(columnsOf(table))
  const list = isArray(extra) ? extra : Object.values(extra as object)
  return list.some(one => isUniqueExtra(one))
}

function isUniqueExtra(extra: { config?: { unique?: unknown } } | undefined): boolean {
  const { name = '' } = (extra as object | undefined)?.constructor ?? {}
  return name.includes('UniqueConstraint') || extra?.config?.unique === true
}

/** A part of a statement as a list of texts and objects. Texts that follow each other are one. */
export function tokensOf(part: unknown, tokens: unknown[] = []): unknown[] {
  if (isA(part, 'StringChunk')) addText(tokens, (part as { value: string[] }).value.join(''))
  else if (isArray(part)) {
    addText(tokens, '(')
    for (const [i, one] of part.entries()) {
      if (i > 0) addText(tokens, ', ')
      tokensOf(one, tokens)
    }
    addText(tokens, ')')
  } else if (isA(part, 'SQL'))
    for (const chunk of (part as { queryChunks: unknown[] }).queryChunks) tokensOf(chunk, tokens)
  else if (part !== undefined) tokens.push(part)
  return tokens
}

function addText(tokens: unknown[], text: string): void {
  if (text === '') return
  const last = tokens.at(-1)
  if (typeof last === 'object' && last !== null && last instanceof Text) last.text += text
  else tokens.push(new Text(text))
}

/** Text of a statement, unlike a string that is a parameter. */
class Text {
  constructor(public text: string) {}
}

/** The text at a position; '' for everything else. */
export function textAt(tokens: readonly unknown[], at: number): string {
  const token = tokens[at]
  return token instanceof Text ? token.text : ''
}

/** The columns or expressions that a statement selects, however deep they are. */
export function fieldsIn(fields: unknown): unknown[] {
  if (typeof fields !== 'object' || fields === null) return []
  for (const kind of ['Column', 'SQL', 'SQL.Aliased', 'Table'] as const)
    if (isA(fields, kind)) return [fields]
  return Object.values(fields as Row).flatMap(fieldsIn)
}

/** The place of the first encrypted column that a subquery selects. */
export function selectedBy(subquery: unknown): Place | undefined {
  if (typeof subquery !== 'object' || subquery === null || isA(subquery, 'Column') || isA(subquery, 'Table'))
    return undefined
  const { _: parts } = subquery as { _?: { selectedFields?: unknown } }
  return fieldsIn(parts?.selectedFields)
    .map(placeOf)
    .find(place => place !== undefined)
}

/** The place of a table's first encrypted column: its name is a whole row as text in PostgreSQL. */
export function rowOf(table: unknown): Place | undefined {
  if (!isA(table, 'Table')) return undefined
  return Object.values(columnsOf(table))
    .map(placeOf)
    .find(place => place !== undefined)
}
