// Reads examples.txt: what the examples of the manuals need, and what holds after each.
import { readFileSync } from 'node:fs'

interface Example {
  before: string
  /** An expression that is true after the example. */
  holds: string
}

/** A named part of the code, or an example with what runs before it, which may be nothing. */
const ROW = /^(?:([A-Z_]+) = (.+(?:\n .+)*)|([\w.#]+): (.+)((?:\n .+)*))$/gm

/** The examples by symbol. A test holds this table to the manuals. */
export const EXAMPLES: Record<string, Example> = {}

const parts: Record<string, string> = {}
const whole = (code = '') => code.replace(/\$\{([A-Z_]+)\}/g, (_, name) => parts[name] ?? `no ${name}`)
for (const [, name, code, symbol, holds, before] of readFileSync(
  new URL('examples.txt', import.meta.url),
  'utf8',
).matchAll(ROW))
  if (name !== undefined) parts[name] = whole(code)
  else EXAMPLES[symbol as string] = { before: whole(before), holds: whole(holds) }
