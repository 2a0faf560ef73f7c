// Sends every message back: `node examples/websocket/server.mjs SECRET-FILE`, then client.mjs in another terminal.
// Needs the package ws. The secret is a file of at least 32 random bytes on both machines: `openssl rand -out secret 32`.
import { readFileSync } from 'node:fs'
import { Handshake } from 'hardware-aes-gcm/session'
import { WebSocketServer } from 'ws'
import { operands } from '../arguments.mjs'
import { secureChannel } from './channel.mjs'

const [secretFile] = operands('node server.mjs SECRET-FILE', 1)
const secret = readFileSync(secretFile)
// A secret that is too short throws here, not when the first client connects.
new Handshake({ secret, role: 'responder' }).destroy()
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, maxPayload: 2 ** 16 })
server.on('error', error => {
  console.error(`server: ${error.message}`)
  process.exitCode = 1
})
server.on('listening', () => console.log(`server: port ${server.address().port}`))
server.on('connection', webSocket => {
  const channel = secureChannel(
    webSocket,
    { secret, role: 'responder', timeout: 2000 },
    {
      onMessage: data => channel.send(data),
      // One failing peer must not cost the others their server.
      onClose: error =>
        console.log(`server: ${error ? (error.code ?? error.message) : 'a client has ended'}`),
    },
  )
})
