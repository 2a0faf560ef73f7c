// Runs a program as on a user's machine: nothing on the PATH, no settings of ours, a home of its own.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const execute = promisify(execFile)
const MINUTES = 2

/**
 * Gives the program's output. Throws, with that output, where the program fails, is killed or does not end. `path` lists folders
 * for the PATH.
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
  try {
    const { stdout } = await execute(command, args, {
      cwd,
      env,
      timeout: MINUTES * 60_000,
      killSignal: 'SIGKILL',
    })
    return stdout.trim()
  } catch ({ code, killed, signal, stdout, stderr }) {
    const how = killed ? `took more than ${MINUTES} minutes` : `ended with ${signal ?? code}`
    throw new Error(`${[command, ...args].join(' ')} ${how}:\n${stdout}${stderr}`)
  }
}
