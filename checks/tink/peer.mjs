// Tink as a process, which is asked one question after the other: that for Python, and that for Go.
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { pypi } from '../../scripts/pypi.mjs'
import { cache, run, stop } from '../../scripts/tools.mjs'

const here = name => fileURLToPath(new URL(name, import.meta.url))

export function pythonPeer() {
  return new Peer('python3', [here('peer.py')], { ...env, PYTHONPATH: pypi('checks/tink/tink.txt') })
}

/** The versions and hashes stand in go.mod and go.sum, from which the build does not depart. */
export function goPeer() {
  if (spawnSync('go', ['version']).status !== 0) stop('--go needs Go 1.25 or later: https://go.dev/dl')
  const program = join(cache(), 'tink-go-peer')
  const options = { ...env, GOFLAGS: '-mod=readonly -buildvcs=false', GOTOOLCHAIN: 'local' }
  run('go', ['build', '-o', program, '.'], { cwd: here('go'), env: options })
  return new Peer(program, [], env)
}

class Peer {
  #process
  #ended
  #lines

  constructor(command, args, env) {
    this.#process = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#ended = new Promise(resolve => this.#process.on('close', resolve).on('error', resolve))
    this.#process.stdin.on('error', () => {})
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]()
  }

  /** The answer: `ok`, or the peer's `error`. */
  async ask(operation, request) {
    this.#process.stdin.write(`${JSON.stringify({ operation, ...request })}\n`)
    const { value, done } = await this.#lines.next()
    if (done) throw new Error(`the peer ended with ${await this.#ended}`)
    return JSON.parse(value)
  }

  /** The answer of a peer that must do it. */
  async must(operation, request) {
    const { ok, error } = await this.ask(operation, request)
    if (ok === undefined) throw new Error(`${operation}: the peer refuses: ${error}`)
    return ok
  }

  async end() {
    this.#process.stdin.end()
    const code = await this.#ended
    if (code !== 0) throw new Error(`the peer ended with ${code}`)
  }
}
