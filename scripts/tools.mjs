// Shared by the scripts: the folder of the repository, commands in that folder, and ending with one clear sentence.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { availableParallelism, homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { collect } from './child.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Runs a command in the repository and shows its output. If the command fails, ends the process with its exit code. */
export function run(command, args, options = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options })
  if (error) stop(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status ?? 1)
}

/** As `run`, while this process does other things. */
export async function runShown(command, args, options = {}) {
  const child = spawn(command, args, { cwd: root, stdio: 'inherit', ...options })
  const [status, error] = await new Promise(resolve => {
    child.on('error', error => resolve([1, error]))
    child.on('close', status => resolve([status ?? 1]))
  })
  if (error) stop(`${command} could not be started: ${error.message}`)
  if (status !== 0) process.exit(status)
}

/**
 * Runs a command in the repository beside others. Its output is shown only if it fails, under `title`. Then the process ends,
 * and the other commands are told to end.
 */
export async function runBeside(title, command, args, options = {}) {
  const { code, both, error } = await collect(command, args, { cwd: root, ...options }).catch(error => ({
    error,
  }))
  if (error) stop(`${title}: ${command} could not be started: ${error.message}.`)
  if (code === 0) return
  process.stderr.write(both)
  stop(`${title}: ${command} ended with ${code}.`)
}

/** Does `work` for each of the names, the last one first, and as many at a time as there are CPUs. */
export async function forEachBeside(names, work) {
  const waiting = [...names]
  const rest = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await work(name)
  }
  await Promise.all(Array.from({ length: availableParallelism() }, rest))
}

/** Runs a JavaScript tool from node_modules with this Node. */
export function tool(path, ...args) {
  run(process.execPath, [join(root, 'node_modules', path), ...args])
}

/** Runs the npm that started this script, if any, because the npm on the PATH may be another version. */
export function npm(args, options) {
  const running = process.env.npm_execpath
  if (running?.endsWith('npm-cli.js')) run(process.execPath, [running, ...args], options)
  else run('npm', args, options)
}

/** The folder for downloads: runtimes, linkers, another Rust. Shell scripts name the same folder. */
export function cache() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'hardware-aes-gcm')
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    stop(`The cache folder ${folder} cannot be made (${error.code}): set XDG_CACHE_HOME to another folder.`)
  }
  return folder
}

/** Gives a complete folder of the cache its name, last, so that what has the name is complete. Another process may have done so. */
export function settle(part, folder) {
  try {
    renameSync(part, folder)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
    rmSync(part, { recursive: true })
  }
}

/** Prints one clear sentence and ends the process. Exit code 2 is for wrong arguments. */
export function stop(sentence, code = 1) {
  console.error(sentence)
  process.exit(code)
}

export function needRust() {
  const { error } = spawnSync('cargo', ['--version'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] })
  if (error)
    stop('hardware-aes-gcm is built with Rust: install it from https://rustup.rs and run this again.')
}
