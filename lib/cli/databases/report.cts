// The report of a rotation: values by the keys that they name, as a table and for --json.
import type { ColumnCount, RotationResult } from '../../../types/rotation.d.ts'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import { PROGRAM } from '../frame/help.cjs'
import { grouped } from '../frame/progress.cjs'
import type { TableWords } from './table-options.cjs'

const HEADINGS = ['column', 'key', 'status', 'values']
/** The headings in front of numbers are aligned to the right. */
const NUMBERS = 3

/** The keys that the columns no longer need: enabled, not primary, and named by no value. */
export function unneeded({ done, columns }: RotationResult, keyring: Keyring): number[] {
  if (!done) return []
  const named = new Set(columns.flatMap(({ keys }) => keys.filter(({ values }) => values > 0)).map(idOf))
  return keyring.keys
    .filter(({ status, primary, id }) => status === 'enabled' && !primary && !named.has(id))
    .map(({ id }) => id)
}

const idOf = ({ keyId }: { keyId: number }) => keyId

/** The counts with the names of the database. */
export function namedCounts(columns: readonly ColumnCount[], words: TableWords): ColumnCount[] {
  const byDeclared = new Map(words.columns.map(({ name, declared }) => [declared, name]))
  return columns.map(one => ({ ...one, column: byDeclared.get(one.column) ?? one.column }))
}

/** Whether the database has counted no row. */
export function isEmpty(counts: readonly ColumnCount[]): boolean {
  return counts.every(
    ({ keys, notSealed, nulls }) => notSealed + nulls === 0 && keys.every(({ values }) => values === 0),
  )
}

export function tableOf(counts: readonly ColumnCount[], keyring: Keyring): string[] {
  const rows = counts.flatMap(({ column, keys, notSealed, nulls, history }) => [
    ...keys.map(({ keyId, values }) => [column, String(keyId), statusOf(keyring, keyId), grouped(values)]),
    ...(notSealed > 0 ? [[column, '', 'not sealed', grouped(notSealed)]] : []),
    ...(nulls > 0 ? [[column, '', 'NULL', grouped(nulls)]] : []),
    ...(history > 0 ? [[column, '', 'history', grouped(history)]] : []),
  ])
  const all = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, i) => Math.max(...all.map(row => (row[i] as string).length)))
  const cell = (text: string, i: number) =>
    i === NUMBERS ? text.padStart(widths[i] as number) : text.padEnd(widths[i] as number)
  return all.map(row => row.map(cell).join('  '))
}

function statusOf(keyring: Keyring, id: number): string {
  const key = keyring.keys.find(key => key.id === id)
  if (key === undefined) return 'not in the keyset'
  return key.primary ? 'primary' : key.status
}

/** The next steps of the user, if every value is under the primary key. */
export function advice(ids: readonly number[], keyset: string, { table, where }: TableWords): string[] {
  if (ids.length === 0) return []
  const commands = ids.map(id => `  ${PROGRAM} keyset disable ${keyset} --id ${id}`)
  const key = ids.length === 1 ? 'this key' : 'these keys'
  const [rows, all] =
    where === undefined ? ['', 'every table'] : [' in these rows', 'all rows, of every table,']
  return [
    `No value of ${table}${rows} needs ${key} now. Once that is so of ${all} and every program has the new keyset:`,
    ...commands,
  ]
}
