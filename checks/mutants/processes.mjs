// Processes with a time limit, ended together with those that they start: commands, and the runner of TypeScript tests.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const running = new Set()
const endAll = () => {
  for (const child of running) end(child)
}
process.on('exit', endAll)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

function start(command, args, options) {
  // A group of its own, which ends as a whole.
  const child = spawn(command, args, { ...options, detached: true })
  running.add(child)
  child.on('close', () => running.delete(child))
  child.on('error', () => running.delete(child))
  return child
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {} // it has ended
}

/** Runs a command: { code, output, seconds }; `code` is 'timeout' if the command took longer than `limit` seconds. */
export function command(name, args, { limit, cwd, env }) {
  const began = performance.now()
  const child = start(name, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => output.push(chunk))
  return new Promise(resolve => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      end(child)
    }, limit * 1000)
    const finish = code => {
      clearTimeout(timer)
      end(child) // what it left behind
      const seconds = (performance.now() - began) / 1000
      resolve({ code: late ? 'timeout' : code, output: Buffer.concat(output).toString(), seconds })
    }
    child.on('error', finish)
    child.on('close', (code, signal) => finish(code ?? signal))
  })
}

/** A process of runner.mjs in the copy `cwd` of the tree, started when it is needed, and again after a file that took too long. */
export class Runner {
  #cwd
  #child
  #lines

  constructor(cwd) {
    this.#cwd = cwd
  }

  /**
   * Runs the test file `name` without its tests `failing`: { passed, failed, seconds }. A file that takes longer than `limit` seconds
   * fails by 'timeout'.
   */
  async run({ name, failing }, limit) {
    if (!this.#child) {
      const env = { ...process.env, CI: 'true', NO_COLOR: '1', FORCE_COLOR: '0' }
      this.#child = start(process.execPath, ['checks/mutants/runner.mjs'], {
        cwd: this.#cwd,
        env,
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]()
    }
    const began = performance.now()
    const child = this.#child
    let late = false
    const timer = setTimeout(() => {
      late = true
      end(child)
    }, limit * 1000)
    child.stdin.write(`${JSON.stringify({ name, failing })}\n`)
    for (;;) {
      const { value, done } = await this.#lines.next()
      const seconds = (performance.now() - began) / 1000
      if (!done && !value.startsWith('answer ')) continue
      clearTimeout(timer)
      if (!done) return { ...JSON.parse(value.slice('answer '.length)), seconds }
      this.#child = undefined
      return { passed: 0, failed: [late ? 'timeout' : 'the runner ended'], seconds }
    }
  }

  end() {
    if (this.#child) end(this.#child)
  }
}
