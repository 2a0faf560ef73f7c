// All commands, in the order of the help. A new command is a file and a row.
import { combine } from './commands/combine.cjs'
import { decrypt } from './commands/decrypt.cjs'
import { encrypt } from './commands/encrypt.cjs'
import { info } from './commands/info.cjs'
import { inspect } from './commands/inspect.cjs'
import { keygen } from './commands/keygen.cjs'
import { keyset } from './commands/keyset.cjs'
import { open } from './commands/open.cjs'
import { rotate } from './commands/rotate.cjs'
import { seal } from './commands/seal.cjs'
import { split } from './commands/split.cjs'
import type { Command } from './frame/command.cjs'

export const COMMANDS: readonly Command[] = [
  info,
  keygen,
  encrypt,
  decrypt,
  keyset,
  rotate,
  seal,
  open,
  inspect,
  split,
  combine,
]
