// Refuses sealed values under another row's key, and changes of a row's key: none would open.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Declaration } from '../../values/columns/declaration.cjs'
import { type Column, columnsOf, isA, type Param, placeOf, textAt, tokensOf } from './entities.cjs'
import { checkCondition } from './expressions.cjs'
import { demanded, isOne, operandOf, textOfKey, textOfPart } from './row-keys.cjs'
import { contentOf, nameOf } from './stored.cjs'

export type Values = Readonly<Record<string, unknown>>

/** `UPDATE … SET … WHERE`: sealed values need the key of their row in the condition. */
export function checkUpdate(table: unknown, set: Values, where: unknown): void {
  const columns = columnsOf(table)
  for (const encrypted of encryptedOf(table)) {
    const { rowKey } = encrypted.declaration
    const parts = rowKey.map(name => demanded(where, one => isOne(one, columns[name])))
    checkKey(encrypted, columns, set, parts)
    const help = `its key must be in the condition: where(eq(table.${rowKey[0]}, …)), or in an and()`
    checkSealed('set', encrypted, set, { key: keyOf(parts), help })
  }
  checkExpressions('set', table, [set])
}

/** The rows of an `INSERT`, each with its key. */
export function checkInsert(table: unknown, rows: readonly Values[]): void {
  for (const encrypted of encryptedOf(table))
    for (const [i, row] of rows.entries()) {
      const { rowKey } = encrypted.declaration
      const odd = rowKey.find(name => isConverted(columnsOf(table)[name], row[name]))
      const key = odd === undefined ? keyOf(rowKey.map(name => row[name])) : undefined
      const help =
        odd === undefined
          ? 'seal the row with the key with which it is inserted'
          : `"${odd}" must be a string without NUL, as in the table`
      checkSealed(`values[${i}]`, encrypted, row, { key, help })
    }
  checkExpressions('values', table, rows)
}

/** Whether a database may return another key than was sealed: '1.0' for 1, or a text up to NUL. */
function isConverted(column: Column | undefined, value: unknown): boolean {
  const part = operandOf(value)
  if (column?.dataType !== 'string' || !isKnown(part)) return false
  return typeof part !== 'string' || part.includes('\0')
}

/** The `SET` of an upsert. `isKey`: whether the statement finds a row by its key alone. */
export function checkUpsert(
  table: unknown,
  rows: readonly Values[],
  set: Values,
  isKey: (rowKey: readonly string[]) => boolean,
): void {
  for (const encrypted of encryptedOf(table)) {
    const { rowKey } = encrypted.declaration
    const hasKey = rowKey.length === 0 || isKey(rowKey)
    const parts = rowKey.map(name => (hasKey && rows.length === 1 ? rows[0]?.[name] : undefined))
    checkKey(encrypted, columnsOf(table), set, parts)
    const help = hasKey
      ? 'an upsert of several rows sets sql`excluded.…`, or sql`values(…)` in MySQL'
      : `a row found by another unique column keeps its own key: find it first, or upsert by ${rowKey.join(', ')} alone`
    checkSealed('set', encrypted, set, { key: hasKey ? keyOf(parts) : undefined, help, isExcluded: hasKey })
  }
  checkExpressions('set', table, [set])
}

/** Refuses to copy rows in the database: their values would keep the keys of other rows. */
export function checkSelected(table: unknown, fields: readonly unknown[]): void {
  for (const column of [...Object.values(columnsOf(table)), ...fields]) {
    const place = placeOf(column)
    if (place === undefined) continue
    const help = 'whose values belong to their rows: read the rows, seal them, and insert them'
    throw wrongValue(`"select" copies "${nameOf(place)}", ${help}`)
  }
}

/** The columns of one declaration that a table has. */
interface Encrypted {
  readonly declaration: Declaration
  readonly columns: {
    readonly name: string
    readonly column: Column
    /** The name of the index of a column, or of the column of an index. */
    readonly pair: string | undefined
  }[]
}

function encryptedOf(table: unknown): Iterable<Encrypted> {
  const found = new Map<Declaration, Encrypted>()
  const all = Object.entries(columnsOf(table)).map(([name, column]) => ({
    name,
    column,
    place: placeOf(column),
  }))
  for (const { name, column, place } of all) {
    if (place === undefined) continue
    const encrypted = found.get(place.declaration) ?? { declaration: place.declaration, columns: [] }
    found.set(place.declaration, encrypted)
    const pair = all.find(one => one.place?.column === place.column && one.place.isIndex !== place.isIndex)
    encrypted.columns.push({ name, column, pair: pair?.name })
  }
  return found.values()
}

/** Stands for the key of a prepared statement. */
const LATER = 'the values of placeholders'

/** The key with these parts; undefined unless all of them are known, or known later. */
function keyOf(parts: readonly unknown[]): string | undefined {
  const values = parts.map(operandOf)
  if (values.every(isKnown)) return textOfKey(values)
  return parts.every((part, i) => isKnown(values[i]) || isA(innerOf(part), 'Placeholder')) ? LATER : undefined
}

function isKnown(value: unknown): boolean {
  return value !== undefined && value !== null
}

function innerOf(value: unknown): unknown {
  return isA(value, 'Param') ? (value as Param).value : value
}

/** Refuses values that change the key of a row; `parts` are the known parts of the key. */
function checkKey(
  { declaration: { rowKey, table } }: Encrypted,
  columns: Record<string, Column>,
  set: Values,
  parts: readonly unknown[],
): void {
  for (const [i, name] of rowKey.entries()) {
    if (innerOf(set[name]) === undefined) continue
    const [after, before] = [operandOf(set[name]), operandOf(parts[i])]
    const isText = !isConverted(columns[name], set[name])
    if (isKnown(after) && isKnown(before) && isText && textOfPart(after) === textOfPart(before)) continue
    const help = 'so that their values would no longer open: leave it out, or demand the same key'
    throw wrongValue(`"set.${name}" changes the key of rows of "${table}", ${help}`)
  }
}

interface Target {
  /** The key of the rows that are written; undefined if it is unknown. */
  readonly key: string | undefined
  /** What to do with a value of another row. */
  readonly help: string
  /** Whether an expression may take the value of the row to insert. */
  readonly isExcluded?: boolean
}

function checkSealed(argument: string, { columns }: Encrypted, values: Values, target: Target): void {
  for (const { name, column, pair } of columns) {
    const value = values[name]
    if (innerOf(value) === undefined) continue
    if (pair !== undefined && innerOf(values[pair]) === undefined)
      throw wrongValue(`"${argument}.${name}" is written together with "${pair}": pass the result of seal`)
    checkOne(`${argument}.${name}`, column, value, target)
  }
}

function checkOne(
  argument: string,
  { name }: Column,
  value: unknown,
  { key, help, ...target }: Target,
): void {
  if (!isA(value, 'Param')) {
    if (target.isExcluded === true && isExcluded(value, name)) return
    throw wrongValue(`"${argument}" is an expression, which cannot be sealed: pass the result of seal`)
  }
  const given = innerOf(value)
  const stored = contentOf(given)
  // The type of the column refuses every other value.
  if (stored === undefined && !isA(given, 'Placeholder')) return
  if (stored !== undefined && stored.key === undefined)
    throw wrongValue(`"${argument}" is a value of a query, which has no key: open its row, and seal it`)
  if (key !== undefined && (stored === undefined || stored.key === key)) return
  throw wrongValue(`"${argument}" is sealed for one row, and would not open in another: ${help}`)
}

/** Whether an expression is the value that the row to insert has in this column. */
function isExcluded(value: unknown, name: string): boolean {
  const tokens = tokensOf(value)
  const [before, after] = [textAt(tokens, 0), textAt(tokens, 2)]
  if (tokens.length === 1) return /^\s*excluded\s*\.\s*"?(\w+)"?\s*$/i.exec(before)?.[1] === name
  if (tokens.length !== 3 || !/^\s*values\s*\($/i.test(before) || after.trim() !== ')') return false
  return isA(tokens[1], 'Column') && (tokens[1] as Column).name === name
}

/** Expressions for columns in clear must not copy a ciphertext there. */
function checkExpressions(argument: string, table: unknown, rows: readonly Values[]): void {
  for (const [name, column] of Object.entries(columnsOf(table))) {
    if (placeOf(column) !== undefined) continue
    for (const row of rows)
      if (row[name] !== undefined && !isA(row[name], 'Param'))
        checkCondition(`${argument}.${name}`, row[name])
  }
}
