// All commands, in the order of the help. A new command is a file and a row.
import type { Command } from './frame/command.cjs'

/**
 * Each file exports its command under the name of the row. It is loaded when it is needed: loading
 * all of them takes longer than most commands run.
 */
const FILES: Readonly<Record<string, () => Readonly<Record<string, Command>>>> = {
  info: () => require('./commands/info.cjs'),
  keygen: () => require('./commands/keygen.cjs'),
  encrypt: () => require('./commands/encrypt.cjs'),
  decrypt: () => require('./commands/decrypt.cjs'),
  keyset: () => require('./commands/keyset.cjs'),
  rotate: () => require('./commands/rotate.cjs'),
  seal: () => require('./commands/seal.cjs'),
  open: () => require('./commands/open.cjs'),
  inspect: () => require('./commands/inspect.cjs'),
  split: () => require('./commands/split.cjs'),
  combine: () => require('./commands/combine.cjs'),
}

export const NAMES: readonly string[] = Object.keys(FILES)

export function commandNamed(name: string): Command | undefined {
  return Object.hasOwn(FILES, name) ? FILES[name]?.()[name] : undefined
}

/** For the help, and for hints at slips: all files are loaded. */
export function allCommands(): readonly Command[] {
  return NAMES.map(name => commandNamed(name) as Command)
}
