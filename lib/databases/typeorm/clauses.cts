// Clauses in which an encrypted column has no meaning: the database sees sealed strings.
import { wrongValue } from '../../cipher/base/errors.cjs'
import type { Alias, Builder, ColumnMetadata, Encrypted, Entities } from './parts.cjs'

const patterns = new WeakMap<Encrypted, Map<string, RegExp>>()
const HELP = 'leave it out, or ask by find conditions such as { email }, which use the index'
const ANSWERED = String.raw`\s+IS\s+(?:NULL|NOT\s+NULL|DISTINCT\s+FROM\s+EXCLUDED)\b`

/** Refuses a clause that names an encrypted column of the statement, except to ask for NULL. */
export function refuseMention(
  builder: Builder,
  all: Entities,
  clause: string,
  what: string,
  help = HELP,
): void {
  if (clause === '') return
  // Where a backslash may be an escape, the ends of strings are not known.
  const sql = clause.includes('\\') ? clause : clause.replace(/'(?:[^']|'')*'/g, "''")
  for (const alias of builder.expressionMap.aliases) {
    const encrypted = encryptedOf(alias, all)
    if (encrypted === undefined || !patternOf(encrypted, alias).test(sql)) continue
    throw noClause(encrypted, what, help)
  }
}

function noClause({ metadata }: Encrypted, what: string, help = HELP): Error {
  const said = `${what} names an encrypted column of "${metadata.name}", and the database has sealed strings: `
  return wrongValue(said + help)
}

export function encryptedOf(alias: Alias, all: Entities): Encrypted | undefined {
  return alias.hasMetadata ? all.get(alias.metadata) : undefined
}

/** A position in the list of what is selected, which may be that of an encrypted column. */
const POSITION = /(?:\bBY|,|\()\s*\d+\s*(?:$|[,)]|ASC\b|DESC\b)/i

/** Refuses a clause with an encrypted column's name in the result, or with a position. */
export function refuseResultNames(builder: Builder, all: Entities, clause: string, what: string): void {
  if (clause === '') return
  for (const alias of builder.expressionMap.aliases) {
    const encrypted = encryptedOf(alias, all)
    if (encrypted === undefined) continue
    const { name, metadata } = alias
    const paths = encrypted.fields.map(({ own }) => columnAt(builder, name, own))
    const selects = builder.buildEscapedEntityColumnSelects(name, metadata)
    const names = selects
      .filter(({ selection }) => paths.includes(selection))
      .map(one => escaped(one.aliasName))
    const named = new RegExp(`(?<![\\w$.:])(?:${names.join('|')})(?![\\w$.])`, 'i')
    if (POSITION.test(clause) || (names.length > 0 && named.test(clause))) throw noClause(encrypted, what)
  }
}

/** A column in SQL. */
export function columnAt(builder: Builder, alias: string, { databaseName }: ColumnMetadata): string {
  return `${builder.escape(alias)}.${builder.escape(databaseName)}`
}

function patternOf(encrypted: Encrypted, { name }: Alias): RegExp {
  const known = patterns.get(encrypted) ?? new Map<string, RegExp>()
  patterns.set(encrypted, known)
  let pattern = known.get(name)
  if (pattern === undefined) {
    const { fields, metadata } = encrypted
    const names = fields.flatMap(({ own }) => [own.databaseName, own.propertyPath])
    const table = [name, metadata.tableName].map(escaped).join('|')
    const schema = '(?:["`]?[\\w$]+["`]?\\s*\\.\\s*)*'
    const before = `(?<![\\w$.:"\`])(?:${schema}["\`]?(?:${table})["\`]?\\s*\\.\\s*)?`
    const column = `["\`]?(?:${names.map(escaped).join('|')})["\`]?(?![\\w$"\`]|\\s*\\.|${ANSWERED})`
    pattern = new RegExp(before + column, 'i')
    known.set(name, pattern)
  }
  return pattern
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
}
