// A command that runs beside this process and whose output is collected.
import { spawn } from 'node:child_process'

/**
 * Runs a command to its end: { code, stdout, both }. `code` is its exit code or the name of the signal that ended it, `stdout` what it
 * wrote there, and `both` what it wrote there and on standard error, in order, each cut to its last `most` characters. Rejects if the
 * command cannot be started. The command is told to end when this process ends.
 */
export async function collect(command, args, { most = Number.POSITIVE_INFINITY, ...options } = {}) {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const end = () => child.kill()
  process.on('exit', end)
  let [stdout, both] = ['', '']
  const add = (text, chunk) => (text + chunk).slice(-most)
  child.stdout.setEncoding('utf8').on('data', chunk => {
    stdout = add(stdout, chunk)
    both = add(both, chunk)
  })
  child.stderr.setEncoding('utf8').on('data', chunk => {
    both = add(both, chunk)
  })
  try {
    const code = await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => resolve(code ?? signal))
    })
    return { code, stdout, both }
  } finally {
    process.off('exit', end)
  }
}
