// Receives one file over TCP: node examples/session/server.mjs SECRET-FILE TARGET, then client.mjs in another terminal.
//
// The secret is a file of at least 32 random bytes on both machines: `openssl rand -out secret 32`.
import { createHash } from 'node:crypto'
import { createWriteStream, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { secureStream } from 'hardware-aes-gcm/session'
import { operands } from '../arguments.mjs'

const [secretFile, target] = operands('node server.mjs SECRET-FILE TARGET', 2)
const secret = readFileSync(secretFile)

// Without `allowHalfOpen`, this side would end as soon as the client has ended, before the reply.
const server = createServer({ allowHalfOpen: true }, async socket => {
  server.close() // one connection is enough for this example
  let stream, file
  const part = `${target}.part`
  const hash = createHash('sha256')
  let bytes = 0
  const watch = new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  try {
    stream = secureStream(socket, { secret, role: 'responder' }) // throws if the secret has fewer than 32 bytes
    // Only an authenticated end lets the pipeline finish, so a truncated file never gets its name.
    file = createWriteStream(part, { mode: 0o600 })
    await pipeline(stream, watch, file, { end: true })
    await rename(part, target)
    const digest = hash.digest('hex').slice(0, 16)
    console.log(`server: ${bytes} bytes, SHA-256 ${digest}, with ${stream.cipher}`)
    stream.end(digest)
  } catch (error) {
    stream?.destroy()
    socket.destroy()
    // The file may still open after the failure, and would reappear.
    if (file && !file.closed) await new Promise(closed => file.once('close', closed))
    await rm(part, { force: true })
    console.error(`server: ${error.code ?? error.message}`)
    process.exitCode = 1
  }
})
server.listen(0, '127.0.0.1', () => console.log(`server: port ${server.address().port}`))
