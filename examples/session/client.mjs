// Sends one file to server.mjs, and waits for its answer: node examples/session/client.mjs SECRET-FILE FILE PORT
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { Transform } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { secureStream } from 'hardware-aes-gcm/session'
import { operands } from '../arguments.mjs'

const [secretFile, file, port] = operands('node client.mjs SECRET-FILE FILE PORT', 3)
const total = statSync(file).size
const hash = createHash('sha256')
let sent = 0
let shown = -1

/** On a terminal, one line that is rewritten; elsewhere, a line for every tenth. */
function progress() {
  const percent = total === 0 ? 100 : Math.floor((100 * sent) / total)
  const step = process.stdout.isTTY ? percent : 10 * Math.floor(percent / 10)
  if (step === shown) return
  shown = step
  const line = `client: ${step}%, ${(sent / 1e6).toFixed(1)} of ${(total / 1e6).toFixed(1)} MB`
  process.stdout.write(process.stdout.isTTY && step < 100 ? `${line}\r` : `${line}\n`)
}

const watch = new Transform({
  transform(chunk, _, done) {
    hash.update(chunk)
    sent += chunk.length
    progress()
    done(null, chunk)
  },
})

const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
const stream = secureStream(socket, { secret: readFileSync(secretFile), role: 'initiator' })
try {
  const answer = text(stream)
  await Promise.all([answer, pipeline(createReadStream(file), watch, stream)])
  progress()
  const digest = hash.digest('hex').slice(0, 16)
  if ((await answer) !== digest) throw new Error('the server has another file')
  console.log(`client: the server has all of it, SHA-256 ${digest}`)
} catch (error) {
  console.error(`client: ${error.code ?? error.message}`)
  process.exitCode = 1
}
