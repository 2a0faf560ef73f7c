// QUIC packets over UDP, without QUIC's transport: `node examples/quic/client.mjs` starts a server in another process, greets
// it in Initial packets, and sends it numbered messages in short-header packets, with a key update in the middle. Both sides
// lose, damage and delay datagrams on purpose; the client sends each message again until it is acknowledged.
import { fork } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { randomBytes } from 'hardware-aes-gcm'
import { initialSecrets, PacketProtection, VERSION_1 } from 'hardware-aes-gcm/quic'
import { operands } from '../arguments.mjs'
import {
  badNetwork,
  ID,
  initialPacket,
  open,
  readInitial,
  SHORT_HEADER,
  shortPackets,
  updated,
} from './packets.mjs'

operands('node client.mjs')
const MESSAGES = 200
const RETRY_MS = 20 // a transport measures round trips instead (RFC 9002)

// In QUIC, TLS agrees on these secrets (RFC 9001 4). Here the server's parent process sends them.
const secrets = { client: randomBytes(32), server: randomBytes(32) }
const server = fork(new URL('./server.mjs', import.meta.url), { serialization: 'advanced' })
server.send(secrets)
const [port] = await once(server, 'message')
const socket = createSocket('udp4')
const tally = { sent: 0, lost: 0, damaged: 0, delayed: 0, dropped: 0 }
const send = badNetwork(packet => socket.send(packet, port, '127.0.0.1'), tally)

// The Initial keys follow from an id that the client draws, so anyone who sees the packets can derive them.
const firstId = randomBytes(ID)
const ourId = randomBytes(ID)
const initialSecret = initialSecrets(VERSION_1, firstId)
const initial = {
  sender: new PacketProtection(initialSecret.client),
  receiver: new PacketProtection(initialSecret.server),
  space: { next: 0, largest: -1 }, // Initial packets are numbered separately
}
let sender = new PacketProtection(secrets.client)
const receiver = new PacketProtection(secrets.server)
const space = { next: 0, largest: -1 }
let theirId
const waiting = new Map(Array.from({ length: MESSAGES }, (_, n) => [n, Buffer.from(`....message ${n}`)]))
for (const [n, message] of waiting) message.writeUInt32BE(n)

function sendWaiting() {
  if (theirId === undefined)
    return send(initialPacket(initial.sender, firstId, ourId, initial.space.next++, Buffer.from('hello')))
  if (sender.keyPhase === 0 && waiting.size <= MESSAGES / 2) sender = updated(sender)
  const { run, ends } = shortPackets(theirId, sender.keyPhase, [...waiting.values()].slice(0, 16))
  sender.sealRun(run, ends, SHORT_HEADER, space.next) // a retransmitted message gets a new packet number
  space.next += ends.length
  tally.sent += ends.length
  for (const [n, end] of ends.entries()) send(run.subarray(ends[n - 1] ?? 0, end))
}

socket.on('message', packet => {
  if (packet[0] & 0x80) {
    if (theirId !== undefined) return
    const { from, numberOffset } = readInitial(packet)
    if (open(initial.receiver, packet, numberOffset, initial.space) === undefined) return void tally.dropped++
    theirId = Buffer.from(from)
    initial.sender.destroy() // RFC 9001 4.9.1
    initial.receiver.destroy()
    return sendWaiting()
  }
  const phase = receiver.keyPhase
  const payload = open(receiver, packet, 1 + ID, space) // a short header omits the length of the id: we chose it
  if (payload === undefined) return void tally.dropped++
  // Late packets of the previous phase open until their keys are dropped, after about three PTO (RFC 9001 6.5).
  if (receiver.keyPhase !== phase) setTimeout(() => receiver.dropPreviousKeys(), 3 * RETRY_MS)
  waiting.delete(payload.readUInt32BE())
  if (waiting.size === 0) finish()
})

const retry = setInterval(sendWaiting, RETRY_MS)
const giveUp = setTimeout(() => finish('time is up'), 10_000)

function finish(error) {
  clearInterval(retry)
  clearTimeout(giveUp)
  socket.close()
  server.disconnect() // and so the server ends
  if (error) process.exitCode = 1
  const counts = Object.entries(tally).map(([what, count]) => `${count} ${what}`)
  console.log(`client: ${error ?? 'all messages acknowledged'}; packets: ${counts.join(', ')}`)
  console.log(`client: key phase ${sender.keyPhase} sent, ${receiver.keyPhase} received`)
}
sendWaiting()
