// The server of examples/keyring/reload.mjs, or a spoiled copy of it, and what its processes say.
import { spawn } from 'node:child_process'
import { execPath } from 'node:process'

export const PROCESSES = 4
const PATIENCE = 30_000

export class Processes {
  #child
  #lines = []
  #told = () => {}

  constructor(script, file, interval, cwd) {
    this.#child = spawn(execPath, [script, file, String(interval)], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let rest = ''
    const read = chunk => {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop()
      this.#lines.push(...lines)
      this.#told()
    }
    this.#child.stdout.setEncoding('utf8').on('data', read)
    this.#child.stderr.setEncoding('utf8').on('data', read)
    this.#child.on('exit', () => this.#told())
  }

  /** Waits until each process has printed a line like this since `since`; returns the first match. */
  async all(pattern, since = 0) {
    const late = AbortSignal.timeout(PATIENCE)
    for (;;) {
      const found = this.#lines
        .slice(since)
        .map(line => pattern.exec(line))
        .filter(Boolean)
      if (new Set(found.map(([line]) => line.split(' ')[0])).size >= PROCESSES) return found[0]
      if (this.#child.exitCode !== null || late.aborted)
        throw new Error(`not all processes said ${pattern}:\n${this.#lines.slice(since).join('\n')}`)
      await new Promise(resolve => {
        this.#told = resolve
        late.addEventListener('abort', resolve, { once: true })
      })
    }
  }

  get said() {
    return this.#lines.length
  }

  async end() {
    if (this.#child.exitCode !== null) return
    const ended = new Promise(resolve => this.#child.once('exit', resolve))
    this.#child.kill()
    await ended
  }
}
