// The package that is examined: the repository's own build, or a copy of it with a binary that has the test faults.
import { copyFileSync, cpSync, mkdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { addon, library } from '../../scripts/compile.mjs'
import { root } from '../../scripts/tools.mjs'

/** Where the loader looks for the binary of a package in that folder. */
export function binaryIn(folder) {
  return join(folder, relative(root, addon()))
}

/**
 * A package in `folder` whose binary has the faults that a scenario may switch on. No such binary is ever shipped. It is as
 * optimised as the binary that ships, since the compiler decides which residues are left.
 */
export function faulty(folder) {
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
  copyFileSync(join(root, 'package.json'), join(folder, 'package.json'))
  mkdirSync(dirname(binaryIn(folder)), { recursive: true })
  copyFileSync(library(['node', 'faults']), binaryIn(folder))
  return folder
}
