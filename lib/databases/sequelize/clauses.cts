// Refuses clauses that a database would apply to ciphertexts: order, groups, aggregates, aliases.
// Their results would be wrong, contain ciphertexts or send clear text.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Row } from '../../values/columns/row.cjs'
import type { Clauses, Encrypted, Find, Include, Model, Options, Table } from './parts.cjs'
import { type IsDeclared, isPlain, nested } from './where.cjs'

/** Whether a name is an encrypted column's: of the model, or with a prefix, of any model. */
type IsEncrypted = (name: string) => boolean

const DIRECTIONS = /^(?:asc|desc|nulls first|nulls last|(?:asc|desc) nulls (?:first|last))$/i

/** Refuses the clauses of a query, and those of what it includes. */
export function refuseClauses(find: Find, options: Options, table: Table | Model): void {
  const all = namesIn(find, options, table, namesOf)
  if (all.size > 0) refuseIn(find, options, table, all)
}

/** Whether a model of the query declares a column of a name, or has an index of it if asked. */
export function declaredIn(find: Find, options: Options, table: Table | Model): IsDeclared {
  const columns = namesIn(find, options, table, namesOf)
  const indexes = namesIn(find, options, table, hiddenOf)
  return (name, orIndex = false) => columns.has(name) || (orIndex && indexes.has(name))
}

/** The names that the models of a query have. */
function namesIn(
  find: Find,
  options: Clauses,
  table: Table | Model,
  names: (encrypted: Encrypted | undefined) => Iterable<string>,
): Set<string> {
  const all = new Set(names(find(table)))
  for (const include of includesOf(options))
    for (const name of namesIn(find, include, include.model, names)) all.add(name)
  return all
}

/** Refuses SQL of Sequelize's, such as `col('email')`, among the values of a write. */
export function refuseValues(encrypted: Encrypted, values: Row): void {
  for (const value of Object.values(values)) {
    // Plain objects and lists are data, as of a JSON column.
    if (typeof value !== 'object' || value === null || Array.isArray(value) || isPlain(value)) continue
    const own = namesOf(encrypted)
    const found = named(value, name => own.has(name.slice(name.lastIndexOf('.') + 1)))
    if (found !== undefined) throw refused('values', found)
  }
}

function refuseIn(find: Find, options: Options, table: Table | Model, all: Set<string>): void {
  const encrypted = find(table)
  const own = namesOf(encrypted)
  const isAny: IsEncrypted = name => all.has(name.slice(name.lastIndexOf('.') + 1))
  const isEncrypted: IsEncrypted = name => (name.includes('.') ? isAny(name) : own.has(name))
  const check = (clause: string, value: unknown, isOne = isEncrypted) => {
    const found = named(value, isOne)
    if (found !== undefined) throw refused(clause, found)
  }
  for (const one of listOf(options.order)) {
    const list = listOf(one)
    const parts = list.length > 1 && DIRECTIONS.test(String(list.at(-1))) ? list.slice(0, -1) : list
    // Behind models or names of includes, the column is another model's.
    check('order', parts.at(-1), parts.length > 1 ? isAny : isEncrypted)
  }
  for (const one of listOf(options.group)) check('group', one)
  check('having', options.having)
  // Sequelize has made a list of them.
  for (const one of listOf(options.attributes)) {
    if (!Array.isArray(one)) {
      if (typeof one !== 'string') check('attributes', one)
      continue
    }
    const [value, as] = one
    const isOwn = typeof value === 'string' && as === (encrypted?.attributes.get(value) ?? value)
    if (!isOwn && !isCount(value)) check('attributes', value)
  }
  for (const include of includesOf(options)) refuseIn(find, include, include.model, all)
}

/** What a query includes. Sequelize ignores anything but a list by then. */
export function includesOf({ include }: Clauses): readonly Include[] {
  return Array.isArray(include) ? include : []
}

/** Whether an include has attributes of encrypted columns or their indexes. */
export function selectsAny(encrypted: Encrypted | undefined, { attributes }: Clauses): boolean {
  if (encrypted === undefined) return false
  if (!Array.isArray(attributes)) return true
  const names = new Set([...namesOf(encrypted), ...hiddenOf(encrypted)])
  return attributes.some(one => names.has(Array.isArray(one) ? one[0] : one))
}

/** The names of encrypted columns, as the database and as the model have them. */
function namesOf(encrypted: Encrypted | undefined): Set<string> {
  const names = new Set<string>()
  for (const { name } of encrypted?.declaration.columns ?? []) {
    names.add(name)
    names.add(encrypted?.attributes.get(name) ?? name)
  }
  return names
}

function hiddenOf(encrypted: Encrypted | undefined): string[] {
  const { declaration, attributes } = encrypted ?? {}
  return (declaration?.hidden ?? []).flatMap(name => [name, attributes?.get(name) ?? name])
}

/** COUNT of a column, which counts the rows that have a value. */
function isCount(value: unknown): boolean {
  const { fn, args } = (value ?? {}) as { fn?: unknown; args?: unknown }
  if (typeof fn !== 'string' || !/^count$/i.test(fn) || !Array.isArray(args)) return false
  return args.every(one => typeof one === 'string' || typeof (one as { col?: unknown })?.col === 'string')
}

/** The first encrypted column that a clause names, at any depth. SQL of the program is not read. */
function named(value: unknown, isEncrypted: IsEncrypted): string | undefined {
  if (typeof value === 'string') return isEncrypted(value) ? value : undefined
  for (const [name, member] of nested(value)) {
    if (name !== undefined && isEncrypted(name)) return name
    const found = typeof member === 'string' ? undefined : named(member, isEncrypted)
    if (found !== undefined) return found
  }
  return undefined
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}

function refused(clause: string, name: string): Error {
  const help = 'use its index, or read the rows and compare opened values'
  return wrongValue(`"${clause}" has the encrypted '${name}', which is ciphertext in the database: ${help}`)
}
