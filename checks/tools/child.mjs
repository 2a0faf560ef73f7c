// Runs a program as on a user's machine: nothing on the PATH, no settings of ours, a separate home.
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { collect } from '../../scripts/child.mjs'

const MINUTES = 5

/**
 * Returns the program's output. Throws, with that output, if the program fails, is killed or does not end. `path` lists folders for the
 * PATH.
 */
export async function child(command, args, cwd, path = []) {
  // An empty folder for a PATH: no cargo, no compiler, no other Node.
  const empty = join(cwd, 'no-tools')
  const env = {
    PATH: [empty, ...path].join(delimiter),
    HOME: join(cwd, 'home'),
    NO_COLOR: '1',
    DENO_NO_UPDATE_CHECK: '1',
  }
  if (existsSync(empty)) throw new Error(`${empty} must not exist: it stands for an empty PATH.`)
  const began = performance.now()
  const options = { cwd, env, timeout: MINUTES * 60_000, killSignal: 'SIGKILL' }
  const { code, stdout, both } = await collect(command, args, options)
  if (code === 0) return stdout.trim()
  const isLate = performance.now() - began >= options.timeout
  const how = isLate ? `took more than ${MINUTES} minutes` : `ended with ${code}`
  throw new Error(`${[command, ...args].join(' ')} ${how}:\n${both}`)
}
