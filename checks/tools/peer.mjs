// A program next to this one that answers one question after the other, in lines of JSON.
import { spawn } from 'node:child_process'
import { basename } from 'node:path'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pypi } from '../../scripts/pypi.mjs'

export class Peer {
  #name
  #process
  #ended
  #lines

  constructor(command, args, variables) {
    this.#name = basename(args[0] ?? command)
    this.#process = spawn(command, args, {
      env: { ...env, ...variables },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    this.#ended = new Promise(resolve => this.#process.on('close', resolve).on('error', resolve))
    this.#process.stdin.on('error', () => {})
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

/** The arguments of `Peer` for a program in Python, the URL of its file, which imports a package of PyPI. */
export const python = (file, requirements, ...args) => [
  'python3',
  [fileURLToPath(file), ...args.map(String)],
  { PYTHONPATH: pypi(requirements), PYTHONDONTWRITEBYTECODE: '1' },
]
