// What every other script starts with: the right Node, Rust, npm packages and a fresh build, whatever was there before.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Runs a command in the repository, its output on ours; ends the process with its code if it fails. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (error) stop(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** Runs a JavaScript tool from node_modules with this Node. */
export function tool(path, ...args) {
  run(process.execPath, [join(root, 'node_modules', path), ...args])
}

/** One clear sentence, and the end. */
export function stop(sentence) {
  console.error(sentence)
  process.exit(1)
}

/** Installs what is missing and builds what is stale. */
export async function setup() {
  needNode()
  needRust()
  installPackages()
  const { build } = await import('./build.mjs')
  build()
}

function needNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (!((major === 20 && minor >= 19) || (major === 22 && minor >= 12) || major > 22)) {
    stop(`hardware-aes-gcm needs Node 20.19, 22.12 or later; this is ${process.version}.`)
  }
}

export function needRust() {
  const { error } = spawnSync('cargo', ['--version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error)
    stop('hardware-aes-gcm is built with Rust: install it from https://rustup.rs and run this again.')
}

/** `npm ci`, unless node_modules was made from this very lock file. */
function installPackages() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const stamp = join(root, 'node_modules', '.lock-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  const npm = process.env.npm_execpath
  const args = ['ci', '--no-audit', '--no-fund']
  if (npm === undefined) run('npm', args)
  else run(process.execPath, [npm, ...args])
  writeFileSync(stamp, lock)
}
