// The command rotate as a process, in the folder of a project that has the drivers. No output may contain the password.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { drivers } from './command-databases.mjs'

/** Milliseconds after which a command counts as hung. */
const MOST = 60_000

export class Program {
  #folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-command-'))
  #main
  #server
  #password

  constructor(main, server, password) {
    this.#main = main
    this.#server = server
    this.#password = password
    symlinkSync(drivers(), join(this.#folder, 'node_modules'))
  }

  get hasServer() {
    return this.#server.database !== 'sqlite'
  }

  /** Whether the server accepts every password. */
  get isTrusting() {
    return this.#server.database === 'postgresql'
  }

  write(name, text) {
    writeFileSync(join(this.#folder, name), text, { mode: 0o600 })
  }

  read(name) {
    return readFileSync(join(this.#folder, name), 'utf8')
  }

  /**
   * Runs rotate with these words, and the keyset. `signal` is sent when `renewed` says that it has changed rows. `password` replaces that
   * of the URL; `asArgument` passes the URL as an argument.
   */
  async run(words, { signal, renewed, password = this.#password, asArgument = false } = {}) {
    const url = this.#server.url.replace(this.#password, password)
    const address = asArgument ? [url] : ['--url-env', 'DATABASE_URL']
    const args = [this.#main, 'rotate', ...address, ...words, '--keyset', 'keys.json']
    const env = { ...process.env, DATABASE_URL: url }
    const stdio = ['ignore', 'pipe', 'pipe']
    const command = spawn(this.#server.node, args, { cwd: this.#folder, env, stdio, timeout: MOST })
    const [stdout, stderr] = [textOf(command.stdout), textOf(command.stderr)]
    const ended = once(command, 'close')
    if (signal !== undefined) {
      while (command.exitCode === null && command.signalCode === null && !(await renewed()))
        await setTimeout(20)
      command.kill(signal)
    }
    const [code, by] = await ended
    if (signal === undefined && by !== null) throw new Error('the command did not end')
    const outcome = { status: by ?? code, stdout: await stdout, stderr: await stderr }
    const said = `${outcome.status} ${outcome.stderr}${outcome.stdout}`
    if (said.includes(password)) throw new Error('an output contains the password')
    return { ...outcome, said }
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function textOf(stream) {
  let text = ''
  for await (const part of stream.setEncoding('utf8')) text += part
  return text
}
