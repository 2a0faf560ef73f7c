// Random calls of hardware-aes-gcm/quic. A twin with the same secret opens what was sealed.

import { isUint8Array } from 'node:util/types'
import { KeyArena } from 'hardware-aes-gcm'
import { initialSecrets, PacketProtection, retryIntegrityTag } from 'hardware-aes-gcm/quic'
import { equal, must, same } from '../conformance/checks.mjs'
import { codes } from './codes.mjs'
import { plain } from './judge.mjs'

const USE = codes(
  'ERR_AESGCM_DESTROYED',
  'ERR_AESGCM_KEY_EXHAUSTED',
  'ERR_AESGCM_BUFFER_OVERLAP',
  'ERR_AESGCM_ARENA_FULL',
)
const STATE = new Set([...USE, 'ERR_INVALID_STATE'])
const MAKE = new Set([...USE, 'ERR_AESGCM_INVALID_KEY_LENGTH', 'ERR_AESGCM_UNSUPPORTED_CPU'])
const THIS = new Set(['ERR_INVALID_THIS'])
const DROPPED = -1

class Connection {
  number = 0

  constructor({ chance, values }) {
    this.secret = Buffer.from(values.bytes(chance.pick([32, 48])))
    const options = chance.once(4) ? { maxPackets: chance.below(60), maxFailures: 1 + chance.below(60) } : {}
    const given = chance.once(3)
      ? { ...options, arena: new KeyArena({ keys: 4 + chance.below(3) }) }
      : options
    this.sealer = new PacketProtection(values.put(this.secret), given)
    this.opener = new PacketProtection(values.put(this.secret), given)
    this.twin = { sealer: new PacketProtection(this.secret), opener: new PacketProtection(this.secret) }
  }
}

export class QuicCalls {
  #connections = []

  constructor(chance, values) {
    this.chance = chance
    this.values = values
  }

  next() {
    const { chance, values } = this
    if (this.#connections.length < 4 || chance.once(300)) {
      if (this.#connections.length === 4) this.#connections.shift()
      this.#connections.push(new Connection(this))
    }
    const connection = chance.pick(this.#connections)
    const call = this.#call(connection)
    const { args } = call
    if (chance.once(3) && args.length > 0) {
      const at = chance.below(args.length)
      const [other] = args.filter((value, n) => n !== at && isUint8Array(value))
      args[at] = chance.once(3) && other !== undefined ? values.beside(other) : values.anything()
    }
    return call
  }

  /** A packet before it is sealed: its header, with a number of 4 bytes, payload, 16 bytes. */
  #packet(length = 4 + this.chance.below(200)) {
    const packet = this.values.room(9 + length + 16)
    this.chance.fill(packet)
    packet[0] = this.chance.once(2) ? 0x43 : 0xc3
    return packet
  }

  #sealed(connection) {
    const packet = Buffer.from(this.#packet())
    connection.twin.sealer.seal(packet, 9, ++connection.number)
    return packet
  }

  #call(connection) {
    const { chance, values } = this
    const path = chance.once(4) ? [chance.below(3)] : []
    switch (chance.below(12)) {
      case 0:
      case 1: {
        connection.number += 1 + chance.below(3)
        const { number } = connection
        const args = [
          this.#packet(),
          chance.once(8) ? values.number() : 9,
          chance.once(8) ? values.number() : number,
          ...path,
        ]
        const check = (_, [was]) => {
          const [, headerLength, number, pathId] = args
          // Other bytes may have a number of another length, or another Key Phase bit.
          if (headerLength !== 9 || (was[0] !== 0x43 && was[0] !== 0xc3)) return
          const packet = Buffer.from(plain(args[0]))
          const opened = connection.twin.opener.open(packet, 5, number - 1, pathId)
          must(opened === number, () => `the number of a packet: ${opened}`) // -0 is 0
          same(packet.subarray(9, -16), was.subarray(9, -16), () => 'the payload of a packet')
        }
        const run = (...given) => connection.sealer.seal(...given)
        return { name: 'seal', run, args, codes: USE, writes: () => [plain(args[0])], check }
      }
      case 2: {
        const packets = Array.from({ length: chance.below(5) }, () => Buffer.from(this.#packet(60)))
        const first = connection.number + 1
        connection.number += 5
        const args = [
          values.put(Buffer.concat(packets)),
          chance.once(2) ? 85 : Uint32Array.from(packets, (_, n) => 85 * (n + 1)),
          9,
          first,
          ...path,
        ]
        const run = (...given) => connection.sealer.sealRun(...given)
        return { name: 'sealRun', run, args, codes: USE, writes: () => [plain(args[0])] }
      }
      case 3:
      case 4:
      case 5: {
        const packet = this.#sealed(connection)
        if (chance.once(4)) packet[chance.below(packet.length)] ^= 1 << chance.below(8)
        const args = [
          values.put(packet),
          chance.once(8) ? values.number() : 5,
          connection.number - 1,
          ...path,
        ]
        const writes = number => (number === DROPPED ? [] : [plain(args[0])])
        const check = (number, [was]) => {
          if (number === DROPPED) return
          const copy = Buffer.from(was)
          equal(connection.twin.opener.open(copy, args[1], args[2], args[3]), number, 'a number')
          same(plain(args[0]), copy, () => 'an opened packet')
        }
        return {
          name: 'open',
          run: (...given) => connection.opener.open(...given),
          args,
          codes: USE,
          writes,
          check,
        }
      }
      case 6: {
        const packets = Array.from({ length: chance.below(5) }, () => this.#sealed(connection))
        let end = 0
        const ends = Uint32Array.from(packets, ({ length }) => (end += length))
        const args = [
          values.put(Buffer.concat(packets)),
          chance.once(6) ? chance.below(90) : ends,
          5,
          connection.number - packets.length,
          ...path,
        ]
        const check = numbers =>
          must(
            numbers.every(number => number >= DROPPED),
            'the numbers of a run',
          )
        const run = (...given) => connection.opener.openRun(...given)
        const unsettled = new Set(['ERR_AESGCM_KEY_EXHAUSTED', 'ERR_AESGCM_ARENA_FULL'])
        return { name: 'openRun', run, args, codes: USE, writes: () => [plain(args[0])], unsettled, check }
      }
      case 7: {
        const args = [values.bytes(16)]
        const run = (...given) => connection.opener.headerProtectionMask(...given)
        return {
          name: 'headerProtectionMask',
          run,
          args,
          codes: USE,
          check: mask => equal(mask.length, 5, 'a mask'),
        }
      }
      case 8: {
        const name = chance.pick([
          'keyPhase',
          'packetsSealed',
          'failedOpens',
          'destroyed',
          'keyBits',
          'backend',
        ])
        const { get } = Object.getOwnPropertyDescriptor(PacketProtection.prototype, name)
        const self = chance.once(2) ? values.anything() : connection.opener
        return { name, run: () => get.call(self), args: [], codes: THIS }
      }
      case 9: {
        const name = chance.once(30) ? 'destroy' : chance.pick(['nextKeys', 'dropPreviousKeys'])
        const self = chance.once(4) ? values.anything() : chance.pick([connection.sealer, connection.opener])
        const run = () => {
          const next = PacketProtection.prototype[name].call(self)
          next?.destroy()
        }
        return { name, run, args: [], codes: new Set([...STATE, ...THIS]) }
      }
      case 10: {
        const [id, packet] = [values.bytes(chance.below(22)), values.bytes()]
        const tag = chance.once(2)
        const run = tag ? retryIntegrityTag : initialSecrets
        return {
          name: tag ? 'retryIntegrityTag' : 'initialSecrets',
          run,
          args: tag ? [1, id, packet] : [1, id],
          codes: USE,
        }
      }
      default: {
        const keys = {
          key: values.bytes(16),
          iv: values.bytes(12),
          hp: values.bytes(chance.once(6) ? 32 : 16),
        }
        const args = [
          chance.once(2) ? keys : values.bytes(chance.pick([0, 16, 32, 48, 64])),
          chance.once(3) ? values.anything() : undefined,
        ]
        const run = (...given) => new PacketProtection(...given).destroy()
        return { name: 'new PacketProtection', run, args, codes: MAKE }
      }
    }
  }
}
