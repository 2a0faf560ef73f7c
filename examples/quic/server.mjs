// The server of client.mjs, which starts it: it answers one connection, and ends when its parent disconnects.
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

operands('node server.mjs, which client.mjs starts')
if (process.send === undefined) {
  console.error('server.mjs is started by client.mjs: run node examples/quic/client.mjs.')
  process.exit(2)
}
const [secrets] = await once(process, 'message')
let sender = new PacketProtection(secrets.server)
const receiver = new PacketProtection(secrets.client)
const space = { next: 0, largest: -1 }
const ourId = randomBytes(ID)
let peer // address, port, their id, and the keys of their Initial packets
const messages = new Map()
const tally = { repeated: 0, lost: 0, damaged: 0, delayed: 0, dropped: 0 }
const socket = createSocket('udp4')
const send = badNetwork(packet => socket.send(packet, peer.port, peer.address), tally)

socket.on('message', (packet, address) => {
  if (packet[0] & 0x80) return onInitial(packet, address)
  const phase = receiver.keyPhase
  const payload = peer && open(receiver, packet, 1 + ID, space)
  if (payload === undefined) return void tally.dropped++
  if (receiver.keyPhase !== phase) {
    sender = updated(sender) // RFC 9001 6.2: the answer to an update is in the new phase
    setTimeout(() => receiver.dropPreviousKeys(), 60)
  }
  const number = payload.readUInt32BE()
  if (messages.has(number)) tally.repeated++
  messages.set(number, payload.toString('latin1', 4))
  const { run } = shortPackets(peer.id, sender.keyPhase, [payload.subarray(0, 4)]) // an acknowledgement
  sender.seal(run, SHORT_HEADER, space.next++)
  send(run)
})

function onInitial(packet, { address, port }) {
  const { to, from, numberOffset } = readInitial(packet)
  if (peer === undefined && to.length > 20) return void tally.dropped++
  const candidate = peer ?? { address, port, id: Buffer.from(from), ...initialKeys(to) }
  if (open(candidate.receiver, packet, numberOffset, candidate.space) === undefined)
    return void tally.dropped++
  peer = candidate
  // Each Initial packet is answered: the client would not send it if an answer had arrived.
  send(initialPacket(peer.sender, peer.id, ourId, peer.space.next++, Buffer.from('hello')))
}

function initialKeys(firstId) {
  const { server, client } = initialSecrets(VERSION_1, firstId)
  const [sender, receiver] = [new PacketProtection(server), new PacketProtection(client)]
  return { sender, receiver, space: { next: 0, largest: -1 } }
}

process.once('disconnect', () => {
  socket.close()
  const right = [...messages].filter(([number, text]) => text === `message ${number}`)
  const counts = Object.entries(tally).map(([what, count]) => `${count} ${what}`)
  console.log(`server: ${right.length} messages; packets: ${counts.join(', ')}`)
  console.log(`server: key phase ${sender.keyPhase} sent, ${receiver.keyPhase} received`)
})

socket.bind(0, '127.0.0.1')
await once(socket, 'listening')
process.send(socket.address().port)
