// Reads the examples of a document: each is a program of its own, in a file that has the name in its first line, if there is one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../tools/support.js'

interface Example {
  /** The name of its file. */
  file: string
  code: string
}

export const read = (document: string) => readFileSync(join(ROOT, document), 'utf8')

export function examplesOf(document: string): Example[] {
  const blocks = [...read(document).matchAll(/```(?:js|ts)\n(.*?)```/gs)].map(([, code]) => code as string)
  return blocks.map((code, i) => ({
    file: /^\/\/ ([\w-]+\.mjs)\b/.exec(code)?.[1] ?? `example-${i + 1}.mjs`,
    code,
  }))
}

/** How an example is run. Nothing stands before it: what it needs is in it, in a file of its document, or in the environment. */
export interface Run {
  /** Code behind it, which looks at what it made. */
  after?: string
  /** Flags of Node. */
  flags?: readonly string[]
  /** What the document lets the command do before. */
  command?: readonly string[]
  /** Variables of the environment, as the document sets them. */
  env?: Readonly<Record<string, string>>
  /** What the program prints, and what it prints as an error. */
  prints: string | RegExp
  warns?: string
}
