// The keys of a keyring as a table, and as objects for --json. Never their bytes.
import type { HybridKeyInfo } from '../../../types/hybrid.d.ts'
import type { KeyInfo } from '../../../types/keyring.d.ts'

const HEADINGS = ['id', 'hex', 'type', 'status', 'primary', 'prefix', 'text begins']

export type AnyKeyInfo = KeyInfo | HybridKeyInfo
export type KeyFacts = HybridKeyInfo | Omit<KeyInfo, 'messagesEncrypted' | 'messagesDecrypted'>

/** Facts about a key in a file: without its count, which belongs to a keyring in use. */
export function factsOf({ id, type, status, primary, prefix, textPrefix }: AnyKeyInfo): KeyFacts {
  return { id, type, status, primary, prefix, textPrefix } as KeyFacts
}

export function tableOf(keys: readonly AnyKeyInfo[]): string[] {
  const rows = keys.map(({ id, type, status, primary, prefix, textPrefix }) => [
    String(id),
    id.toString(16).padStart(8, '0'),
    type ?? 'unknown',
    status,
    primary ? 'primary' : '',
    prefix,
    textPrefix ?? '-',
  ])
  const all = [HEADINGS, ...rows]
  const widths = HEADINGS.map((_, i) => Math.max(...all.map(row => (row[i] as string).length)))
  const lineOf = (row: string[]) => row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  ')
  return all.map(row => lineOf(row).trimEnd())
}
