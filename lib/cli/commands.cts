// All commands, in the order of the help. A new command is a file and a row.
import { combine } from './combine.cjs'
import type { Command } from './command.cjs'
import { decrypt } from './decrypt.cjs'
import { encrypt } from './encrypt.cjs'
import { info } from './info.cjs'
import { inspect } from './inspect.cjs'
import { keygen } from './keygen.cjs'
import { keyset } from './keyset.cjs'
import { open } from './open.cjs'
import { seal } from './seal.cjs'
import { split } from './split.cjs'

export const COMMANDS: readonly Command[] = [
  info,
  keygen,
  encrypt,
  decrypt,
  keyset,
  seal,
  open,
  inspect,
  split,
  combine,
]
