// peer.py as a process, which is asked about one message after the other.
import { spawn } from 'node:child_process'
import { env } from 'node:process'
import { fileURLToPath } from 'node:url'
import { pypi } from '../../scripts/pypi.mjs'

export class Peer {
  #process = spawn('python3', [fileURLToPath(new URL('peer.py', import.meta.url))], {
    env: { ...env, PYTHONPATH: pypi('checks/streams/cryptography.txt') },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  #ended = new Promise(resolve => this.#process.on('close', resolve))
  #answers = this.#process.stdout[Symbol.asyncIterator]()
  #read = Buffer.alloc(0)

  /** The text of `sealed` according to the peer, or the name of its error, and its own message of `plaintext`. */
  async ask(key, context, plaintext, sealed) {
    for (const field of [key, context, plaintext, sealed]) {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(field.length)
      this.#process.stdin.write(Buffer.concat([length, field]))
    }
    const opened = await this.#field()
    return { isOpen: opened[0] === 1, opened: opened.subarray(1), sealed: await this.#field() }
  }

  async end() {
    this.#process.stdin.end()
    const code = await this.#ended
    if (code !== 0) throw new Error(`peer.py ended with ${code}`)
  }

  async #field() {
    return this.#take((await this.#take(4)).readUInt32BE())
  }

  async #take(length) {
    while (this.#read.length < length) {
      const { value, done } = await this.#answers.next()
      if (done) throw new Error(`peer.py ended with ${await this.#ended}`)
      this.#read = Buffer.concat([this.#read, value])
    }
    const taken = this.#read.subarray(0, length)
    this.#read = this.#read.subarray(length)
    return taken
  }
}
