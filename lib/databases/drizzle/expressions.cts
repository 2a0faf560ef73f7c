// Refuses expressions that read a ciphertext as if it were its value: an order, a function, a
// comparison with anything but values and terms of this package.
import { wrongValue } from '../../cipher/base/errors.cjs'
import {
  fieldsIn,
  isA,
  isSame,
  type Param,
  placeOf,
  rowOf,
  selectedBy,
  textAt,
  tokensOf,
} from './entities.cjs'
import { nameOf, type Place } from './stored.cjs'

/** A condition: each encrypted column in it is compared with its own values, or with NULL. */
export function checkCondition(clause: string, condition: unknown): void {
  if (condition === undefined || condition === null) return
  const tokens = tokensOf(condition)
  for (let i = 0; i < tokens.length; i++) {
    const place = placeOf(tokens[i])
    if (place !== undefined && !isRight(place, tokens, i)) throw refused(clause, place)
    const row = rowOf(tokens[i])
    if (row !== undefined && !/\b(from|join)\s*$/i.test(textAt(tokens, i - 1))) throw refused(clause, row)
    const selected = selectedBy(tokens[i])
    if (selected !== undefined && !isList(selected, tokens, i)) throw refused(clause, selected)
  }
}

/** Selected columns may be encrypted, and expressions may count them. */
export function checkFields(clause: string, fields: unknown): void {
  for (const field of fieldsIn(fields))
    if (!isA(field, 'Column'))
      checkCondition(clause, isA(field, 'SQL.Aliased') ? (field as { sql: unknown }).sql : field)
}

/** `ORDER BY`: neither ciphertexts nor indexes have an order. */
export function checkOrder(clause: string, list: readonly unknown[] | undefined): void {
  for (const one of list ?? []) checkCondition(clause, one)
}

/** `GROUP BY` and `DISTINCT ON`: equal values have equal indexes, and different ciphertexts. */
export function checkGroups(clause: string, list: readonly unknown[] | undefined): void {
  for (const one of list ?? []) if (placeOf(one)?.isIndex !== true) checkCondition(clause, one)
}

function isRight(place: Place, tokens: readonly unknown[], at: number): boolean {
  const [before, after] = [textAt(tokens, at - 1), textAt(tokens, at + 1)]
  if (/^\s*is (not )?null\b/i.test(after)) return true
  if (/\bcount\(\s*(distinct\s+)?$/i.test(before) && after.startsWith(')'))
    return place.isIndex || !/distinct\s+$/i.test(before)
  // The column on the right of one that is the same index.
  if (place.isIndex && /^\s*(=|<>|!=)\s*$/.test(before) && isSame(place, placeOf(tokens[at - 2]))) return true
  if (!/^\s*(=|<>|!=|(not )?in)\s*\(?$/i.test(after)) return false
  for (let i = at + 2; ; i += 2) {
    if (!isOperand(place, tokens[i])) return false
    if (textAt(tokens, i + 1) !== ', ') return true
  }
}

/** Whether a subquery has no value: it lists the indexes for one of the same, or may be empty. */
function isList(selected: Place, tokens: readonly unknown[], at: number): boolean {
  const before = textAt(tokens, at - 1)
  if (/\bexists\s*$/i.test(before)) return true
  const place = placeOf(tokens[at - 2])
  return /\bin\s*$/i.test(before) && place?.isIndex === true && isSame(place, selected)
}

/** Whether a value is converted by the type of the column, or read by a subquery for an index. */
function isOperand(place: Place, operand: unknown): boolean {
  if (isA(operand, 'Param')) return isSame(place, placeOf((operand as Param).encoder))
  if (!place.isIndex || typeof operand !== 'object' || operand === null) return false
  if (isA(operand, 'Column')) return isSame(place, placeOf(operand))
  return isSame(place, selectedBy(operand))
}

function refused(clause: string, place: Place): Error {
  const { name, index } = place.column
  const find = index === undefined ? 'it has no index' : `lookup('${name}', value) finds equal values`
  const what = `"${clause}" uses "${nameOf(place)}", whose values are encrypted: only =, <>, IN and IS NULL are possible, and ${find}`
  return wrongValue(what)
}
