// Says to the tests in a copy of the tree which mutant they meet.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `mode` is `mutant` with its id, `none`, or `reach` with the path of a file, to which tests write the mutants that they reach. */
export function choose(copy, mode, argument) {
  writeFileSync(join(copy, 'chosen'), argument === undefined ? mode : `${mode} ${argument}`)
}
