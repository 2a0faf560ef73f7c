// Sends messages to server.mjs and shows what comes back: `node examples/websocket/client.mjs SECRET-FILE PORT MESSAGE...`
import { readFileSync } from 'node:fs'
import { WebSocket } from 'ws'
import { operands } from '../arguments.mjs'
import { secureChannel } from './channel.mjs'

const [secretFile, port, ...messages] = operands('node client.mjs SECRET-FILE PORT MESSAGE...', 2, Infinity)
const webSocket = new WebSocket(`ws://127.0.0.1:${port}`, { handshakeTimeout: 10_000, maxPayload: 2 ** 16 })
let left = messages.length
const channel = secureChannel(
  webSocket,
  { secret: readFileSync(secretFile), role: 'initiator' },
  {
    onSecure: () => {
      for (const message of messages) channel.send(Buffer.from(message))
      if (left === 0) channel.end()
    },
    onMessage: data => {
      console.log(`client: ${data}`)
      if (--left === 0) channel.end()
    },
    onClose: error => {
      if (left === 0 && error === undefined) return
      console.error(`client: ${error?.code ?? error?.message ?? 'answers are missing'}`)
      process.exitCode = 1
    },
  },
)
