// A program in Python beside this one, and lines of JSON both ways.
import { spawn } from 'node:child_process'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pypi } from '../../scripts/pypi.mjs'

export class Python {
  #name
  #process
  #ended
  #lines

  constructor(name, ...args) {
    this.#name = name
    this.#process = spawn('python3', [fileURLToPath(new URL(name, import.meta.url)), ...args.map(String)], {
      env: { ...env, PYTHONPATH: pypi('checks/peers/aioquic.txt'), PYTHONDONTWRITEBYTECODE: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#ended = new Promise(resolve => this.#process.on('close', resolve))
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  /** The next line of its output. */
  async read() {
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`${this.#name} ended with ${await this.#ended}`)
    return JSON.parse(value)
  }

  write(message) {
    this.#process.stdin.write(`${JSON.stringify(message)}\n`)
  }

  async ask(message) {
    this.write(message)
    return this.read()
  }

  async end() {
    this.#process.stdin.end()
    const code = await this.#ended
    if (code !== 0) throw new Error(`${this.#name} ended with ${code}`)
  }
}
