// Crates of registries that Cargo has built, copied from one folder of builds to another: node scripts/crates.mjs keep|use
//
// keep: copies those of this clone into the user's cache folder, for each folder of builds that it does not have; about 600 MB. use:
// the reverse, for .ci/run, which would spend minutes on them in each clone. Cargo takes them for its own if their files keep their
// times, and itself compares compiler, features and flags. Crates of this repository are not copied. Whatever fails is printed and
// no failure, since Cargo builds what is missing. To begin anew, delete the folder `crates` of the cache.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commandLine } from './command-line.mjs'
import { cache, root, settle } from './tools.mjs'

/** The names by which Cargo tells the builds of our crates from others: it ends the names of their files with a digest. */
const OURS = /^(?:hardware-aes-gcm|peers)-([0-9a-f]{16})$/

/**
 * Copies what Cargo has built of other crates: from a folder such as target/release, to one that is not there yet. What says that a
 * crate is complete comes first, in case another build runs. Then files may vanish, and Cargo builds the crates again.
 */
export function copyCrates(from, to) {
  if (existsSync(to) || !existsSync(from)) return
  const part = `${to}.${process.pid}`
  try {
    const ours = readdirSync(join(from, '.fingerprint')).flatMap(name => OURS.exec(name)?.[1] ?? [])
    const others = file => {
      const name = basename(file)
      return !name.includes('hardware_aes_gcm') && !ours.some(digest => name.includes(digest))
    }
    for (const name of ['.fingerprint', 'build', 'deps'])
      cpSync(join(from, name), join(part, name), {
        recursive: true,
        preserveTimestamps: true,
        filter: others,
      })
    settle(part, to)
  } catch {
    rmSync(part, { recursive: true, force: true })
  }
}

/** The folders of builds, by their paths in a clone, and by their names in the cache. */
const FOLDERS = [
  'target/debug',
  'target/release',
  'target/arm64/debug',
  'target/arm64/aarch64-unknown-linux-gnu/debug',
  'bench/peers/target/release',
]
const named = folder => folder.replaceAll('/', '+')

const SETTINGS = [
  'Cargo.lock',
  'Cargo.toml',
  'bench/peers/Cargo.lock',
  'bench/peers/Cargo.toml',
  '.cargo/config.toml',
]

/** The folder of the cache for these compilers, crates and settings. */
function kept() {
  const hash = createHash('sha256')
  for (const [compiler, flag] of [
    ['rustc', '-vV'],
    ['cc', '--version'],
  ])
    hash.update(execFileSync(compiler, [flag], { cwd: root }))
  for (const file of SETTINGS) hash.update(readFileSync(join(root, file)))
  return join(cache(), 'crates', hash.digest('hex').slice(0, 16))
}

/** Copies the crates of this clone, and removes those of other compilers and settings. */
function keep(folder) {
  mkdirSync(dirname(folder), { recursive: true })
  for (const other of readdirSync(dirname(folder)))
    if (other !== basename(folder)) rmSync(join(dirname(folder), other), { recursive: true, force: true })
  for (const each of FOLDERS) copyCrates(join(root, each), join(folder, named(each)))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { operands } = commandLine(import.meta.url, { operands: [1, 1], among: ['keep', 'use'] })
  try {
    const folder = kept()
    if (operands[0] === 'keep') keep(folder)
    else for (const each of FOLDERS) copyCrates(join(folder, named(each)), join(root, each))
  } catch (error) {
    console.log(`crates: not copied: ${error.message}`)
  }
}
