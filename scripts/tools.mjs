// What the scripts share: the repository's folder, running commands in it, and ending with one clear sentence.
import { spawnSync } from 'node:child_process'
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

export function needRust() {
  const { error } = spawnSync('cargo', ['--version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error)
    stop('hardware-aes-gcm is built with Rust: install it from https://rustup.rs and run this again.')
}
