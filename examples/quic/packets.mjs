// Builds and reads the packets of this example: headers of RFC 9000 17.2.2 and 17.3.1, protected by hardware-aes-gcm/quic.
import { VERSION_1 } from 'hardware-aes-gcm/quic'

const TAG = 16
export const ID = 8 // bytes of every connection id in this example
/** Two bytes of packet number suffice while fewer than 2^15 packets are in flight (RFC 9000 A.2). */
const NUMBER = 2
export const SHORT_HEADER = 1 + ID + NUMBER

/** A protected Initial packet of 1200 bytes: form ‖ version ‖ ids ‖ no token ‖ length ‖ number ‖ payload ‖ tag. */
export function initialPacket(protection, to, from, number, payload) {
  const packet = Buffer.alloc(1200) // the size that RFC 9000 14.1 requires
  packet[0] = 0xc0 | (NUMBER - 1) // a long header, Initial, and the length of the number
  packet.writeUInt32BE(VERSION_1, 1)
  packet.set([ID, ...to, ID, ...from, 0], 5)
  const lengthAt = 5 + 1 + ID + 1 + ID + 1
  packet.writeUInt16BE(0x4000 | (packet.length - lengthAt - 2), lengthAt) // number, payload and tag
  const headerLength = lengthAt + 2 + NUMBER
  packet.set(payload, headerLength)
  protection.seal(packet, headerLength, number) // writes the number into the header
  return packet
}

/** Both ids of an Initial packet, and where its packet number begins. The bytes up to there, except the first, are not masked. */
export function readInitial(packet) {
  const byte = at => packet[at] ?? 0 // a short packet has an offset past its end, for which `open` returns -1
  const to = packet.subarray(6, 6 + byte(5))
  const fromAt = 6 + byte(5) + 1
  const from = packet.subarray(fromAt, fromAt + byte(fromAt - 1))
  const tokenAt = fromAt + byte(fromAt - 1) + 1
  const lengthAt = tokenAt + byte(tokenAt - 1) // the token's length is one byte here, as it is under 64 (RFC 9000 16)
  return { to, from, numberOffset: lengthAt + (1 << (byte(lengthAt) >> 6)) }
}

/** Room for `payloads` in short headers to the connection `to`, one after the other: a run, which sealRun protects. */
export function shortPackets(to, keyPhase, payloads) {
  const packets = payloads.map(payload => {
    const header = Buffer.alloc(SHORT_HEADER)
    header[0] = 0x40 | ((keyPhase & 1) << 2) | (NUMBER - 1) // the Key Phase bit is ours to set
    header.set(to, 1)
    return Buffer.concat([header, payload, Buffer.alloc(TAG)])
  })
  let end = 0
  return { run: Buffer.concat(packets), ends: Uint32Array.from(packets, packet => (end += packet.length)) }
}

/** Opens a packet in place. Returns its payload, or undefined for a packet to drop. `space` holds the largest number so far. */
export function open(protection, packet, numberOffset, space) {
  const number = protection.open(packet, numberOffset, space.largest)
  if (number === -1) return undefined
  space.largest = Math.max(space.largest, number)
  const numberLength = (packet[0] & 3) + 1 // in clear now
  return packet.subarray(numberOffset + numberLength, -TAG)
}

/** The keys of a sender's next phase (RFC 9001 6.1, 6.2). */
export function updated(sender) {
  const next = sender.nextKeys()
  sender.destroy()
  return next
}

/** A `send` that loses, damages and delays datagrams, always at the same numbers. */
export function badNetwork(send, tally) {
  let count = 0
  let late = []
  return datagram => {
    const packet = Buffer.from(datagram)
    count++
    if (count % 7 === 1) return void tally.lost++
    if (count % 13 === 6) {
      tally.damaged++
      packet[packet.length >> 1] ^= 1
    }
    if (count % 11 === 5) {
      tally.delayed++
      late.push(packet)
      return
    }
    send(packet)
    for (const packet of late) send(packet)
    late = []
  }
}
