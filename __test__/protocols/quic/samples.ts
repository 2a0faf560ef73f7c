// Packets with short headers, clear and protected, for tests of the class PacketProtection.
import { PacketProtection } from 'hardware-aes-gcm/quic'

export const SECRET = Buffer.from('0123456789abcdefghijklmnopqrstuv')
export const HEADER = 7
export const NUMBER_AT = 5
export const PACKET_BYTES = 43

export const clear = (phase = 0) =>
  Buffer.concat([Buffer.of(0x41 | (phase << 2)), Buffer.alloc(6, 1), Buffer.alloc(20, 2), Buffer.alloc(16)])
export const sealed = (number = 0, by = new PacketProtection(SECRET)) => {
  const packet = clear(by.keyPhase & 1)
  by.seal(packet, HEADER, number)
  return packet
}
export const forged = () => Buffer.from(sealed().map((byte, i) => (i === 40 ? byte ^ 1 : byte)))
export const given = () => ({
  key: SECRET.subarray(0, 16),
  iv: SECRET.subarray(0, 12),
  hp: SECRET.subarray(16),
})
