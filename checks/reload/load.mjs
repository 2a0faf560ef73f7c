// Load on the server of examples/keyring/reload.mjs: values are sealed by one of its processes and opened by any other.
import { Agent, get } from 'node:http'

/** Requests at a time, and values that are opened again and again. */
const AT_ONCE = 16
const KEPT = 400

export class Load {
  /** Values with their texts; old ones stay among them, so that every key is needed until the end. */
  #values = []
  #newest
  #agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  #isRunning = true
  #port
  #ended
  requests = 0
  failed = 0
  /** The first failure. */
  why = ''

  constructor(port) {
    this.#port = port
    this.#ended = Promise.all(Array.from({ length: AT_ONCE }, () => this.#run()))
  }

  async end() {
    this.#isRunning = false
    await this.#ended
    this.#agent.destroy()
  }

  async #run() {
    while (this.#isRunning) {
      const number = this.requests++
      if (number % 2 === 0 || this.#values.length === 0) {
        const text = `value ${number}`
        const sealed = await this.#ask('seal', text)
        if (sealed === undefined) continue
        this.#newest = [text, sealed]
        if (this.#values.length < KEPT) this.#values.push([text, sealed])
        else this.#values[Math.floor(Math.random() * KEPT)] = [text, sealed]
      } else {
        // Half of them are the last one, which other processes may not know yet.
        const any = this.#values[Math.floor(Math.random() * this.#values.length)]
        const [text, sealed] = number % 4 === 1 ? any : this.#newest
        const opened = await this.#ask('open', sealed)
        if (opened !== undefined && opened !== text) this.#fail('another text')
      }
    }
  }

  #ask(path, text) {
    return new Promise(resolve => {
      const fail = why => resolve(this.#fail(why))
      const url = `http://localhost:${this.#port}/${path}?${new URLSearchParams({ text })}`
      get(url, { agent: this.#agent }, response => {
        let body = ''
        response.setEncoding('utf8').on('data', part => (body += part))
        response.on('end', () =>
          response.statusCode === 200 ? resolve(body) : fail(`${path}: ${response.statusCode}`),
        )
        response.on('error', error => fail(error.code))
      }).on('error', error => fail(error.code))
    })
  }

  #fail(why) {
    this.failed++
    this.why ||= why
  }
}
