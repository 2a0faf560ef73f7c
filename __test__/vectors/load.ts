// Reads the vectors of a JSON file of this folder.
import { readFileSync } from 'node:fs'

type Reviver = (name: string, value: unknown) => unknown

export const load = (name: string, reviver?: Reviver) =>
  JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'), reviver)

/** The same, where a text of hex digits is bytes. */
export const loadBytes = (name: string) =>
  load(name, (_, value) =>
    typeof value === 'string' && /^([0-9a-f]{2})+$/.test(value) ? Buffer.from(value, 'hex') : value,
  )
