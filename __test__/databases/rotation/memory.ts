// A table in memory as a source of rows, whose functions can be told to misbehave; and a declaration with old keys.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'
import type { PrefixCount, ReadRequest, RowBatch, RowChange, RowSource } from 'hardware-aes-gcm/rotation'

export type Stored = Record<string, unknown>

const SEALED = /^A[Q-Za-f][A-Za-z0-9_-]{42,}$/

/** Rows by number, which stand in the order of their numbers. */
export class MemoryRows implements RowSource {
  readonly rows: Stored[]
  readonly calls: string[] = []
  /** Called between a read and the write after it. */
  between: (() => void) | undefined
  ended = 0

  constructor(rows: Stored[]) {
    this.rows = rows
  }

  read({ after, limit, columns, filters }: ReadRequest): RowBatch | Promise<RowBatch> {
    this.calls.push('read')
    const start = (after as number | undefined) ?? 0
    const found: Stored[] = []
    let at = start
    for (; at < this.rows.length && found.length < limit; at++) {
      const row = this.rows[at] as Stored
      const isWanted = filters?.some(filter => {
        const value = row[filter.column]
        if (value === null || value === undefined) return false
        const begins = (starts: readonly string[]) => starts.some(start => String(value).startsWith(start))
        return 'only' in filter ? begins(filter.only) : !begins(filter.except)
      })
      if (isWanted === false) continue
      found.push({ at, ...Object.fromEntries(columns.map(name => [name, row[name] ?? null])) })
    }
    this.between?.()
    return { rows: found, next: at < this.rows.length ? at : undefined, seen: at - start }
  }

  write(changes: readonly RowChange[]): readonly boolean[] | Promise<readonly boolean[]> {
    this.calls.push('write')
    return changes.map(change => this.swap(change))
  }

  swap({ row, old, now }: RowChange): boolean {
    const stored = this.rows[row.at as number]
    if (stored === undefined || Object.entries(old).some(([name, value]) => (stored[name] ?? null) !== value))
      return false
    Object.assign(stored, now)
    return true
  }

  count(column: string): readonly PrefixCount[] | Promise<readonly PrefixCount[]> {
    this.calls.push('count')
    return this.rows.map(row => {
      const value = row[column] ?? null
      const prefix = value === null ? null : SEALED.test(String(value)) ? String(value).slice(0, 7) : ''
      return { prefix, values: 1 }
    })
  }

  end(): void {
    this.ended++
  }
}

/** A keyring whose primary key is the newest of `count`. */
export function keyringOf(count: number): Keyring {
  const keyring = Keyring.generate()
  for (let i = 1; i < count; i++) keyring.promote(keyring.add({ key: AesGcm.generateKey() }))
  return keyring
}

/** The keyring of a process that has not learnt of the newest primary key. */
export function staleOf(keyring: Keyring): Keyring {
  const stale = Keyring.parse(keyring.export())
  const older = stale.keys.filter(({ primary }) => !primary)
  stale.promote(older.at(-1)?.id as number)
  return stale
}

export const lower = (text: string) => text.trim().toLowerCase()

/** A table with one searchable column and one of JSON. */
export function usersOf(keyring: Keyring, indexKey: Uint8Array | readonly Uint8Array[]) {
  return encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey,
    columns: { email: { type: 'text', index: 'email_index', normalizer: lower }, address: 'json' },
  })
}
