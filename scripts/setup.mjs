// The first step of most scripts: checks Node and Rust, installs npm packages if the lock file changed, and builds.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from './compile.mjs'
import { needRust, npm, root, stop } from './tools.mjs'

/** Installs missing packages and builds. */
export function setup() {
  prepare()
  build()
}

/** Everything before the build: Node and Rust are there, and packages installed. */
export function prepare() {
  needNode()
  needRust()
  installPackages()
}

function needNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
    stop(`hardware-aes-gcm needs Node 20.19, 22.12 or later; this is ${process.version}.`)
  }
}

/** `npm ci`, unless node_modules was made from this very lock file. */
function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules', '.lock-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  npm(['ci', '--include=dev', '--no-audit', '--no-fund'])
  writeFileSync(stamp, lock)
}
