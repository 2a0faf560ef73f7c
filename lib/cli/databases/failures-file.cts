// The file of --failures: which values a rotation left as they were, one in a line of JSON. It
// contains the keys of rows, and no value of an encrypted column.

import type { RotationFailure } from '../../../types/rotation.d.ts'
import { buffer as node, types } from '../../cipher/base/builtins.cjs'
import { shownAsJson } from '../frame/text.cjs'

/** Bytes to collect for a write. */
const PIECE = 2 ** 16

export class FailuresFile {
  readonly #write: (bytes: Uint8Array) => Promise<void>
  /** Lines that are in the file: another pass over the table may report a value again. */
  readonly #known = new Set<string>()
  #waiting = ''

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#write = write
  }

  /** Adds a value that was left. `column` is its name in the database. */
  async add({ key, reason }: RotationFailure, column: string): Promise<void> {
    const id = Object.fromEntries(Object.entries(key).map(([name, part]) => [name, plain(part)]))
    const line = `${shownAsJson({ id, column, reason })}\n`
    if (this.#known.has(line)) return
    this.#known.add(line)
    this.#waiting += line
    if (this.#waiting.length >= PIECE) await this.flush()
  }

  async flush(): Promise<void> {
    const bytes = node.Buffer.from(this.#waiting)
    this.#waiting = ''
    await this.#write(bytes)
  }
}

/** A part of a row's key as JSON has it. */
function plain(part: unknown): unknown {
  if (typeof part === 'bigint') return String(part)
  return types.isUint8Array(part) ? node.Buffer.from(part).toString('hex') : part
}
