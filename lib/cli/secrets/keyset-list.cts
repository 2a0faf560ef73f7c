// The keys of a keyring as a table, and as objects for --json. Never their bytes.
import type { KeyInfo } from '../../../types/keyring.d.ts'

const HEADINGS = ['id', 'hex', 'type', 'status', 'primary', 'prefix', 'text begins']

export type KeyFacts = Omit<KeyInfo, 'messagesEncrypted' | 'messagesDecrypted'>

/** Facts about a key in a file: without its count, which belongs to a keyring in use. */
export function factsOf({ id, type, status, primary, prefix, textPrefix }: KeyInfo): KeyFacts {
  return { id, type, status, primary, prefix, textPrefix }
}

export function tableOf(keys: readonly KeyInfo[]): string[] {
  const rows = keys.map(({ id, type, status, primary, prefix, textPrefix }) => [
    String(id),
    id.toString(16).padStart(8, '0'),
    type ?? 'not known here',
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
