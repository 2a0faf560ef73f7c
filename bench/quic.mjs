// QUIC packets of 1200 bytes, against node:crypto: payload and header protection (RFC 9001), a run of packets or one a call.
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'
import { PacketProtection } from 'hardware-aes-gcm/quic'
import { measure } from './measure.mjs'
import { nanoseconds, times } from './table.mjs'
import { NODE, OURS } from './ways.mjs'

/** Bytes of a packet: the least that every network carries (RFC 9000 14.1). */
const BYTES = 1200

/** Packets of a run, as one call of segmentation offload takes them. */
const RUN = 64

/** Packets between two refills: several runs, so that reading the clock does not count. */
const RING = 3 * RUN

/** A short header: first byte, connection id of 8 bytes, number of 2 bytes (RFC 9000 17.3.1). */
const FIRST = 0x41
const NUMBER_AT = 9
const NUMBER_BYTES = 2
const HEADER = NUMBER_AT + NUMBER_BYTES
const TAG_BYTES = 16
const SAMPLE_AT = NUMBER_AT + 4
const SAMPLE_BYTES = 16

/** Packets sealed by one object, below the limit of 2^23. */
const MOST_SEALED = 2 ** 22

/** Packets in clear, in one Buffer. */
function clear() {
  const packets = randomFillSync(Buffer.alloc(RING * BYTES))
  unmask(packets)
  return packets
}

/** Makes the first bytes of sealed packets those of clear headers again. Payloads may stay as they are. */
function unmask(packets) {
  for (let at = 0; at < packets.length; at += BYTES) packets[at] = FIRST
}

/** The packets, each in a view of its own. */
function cut(packets) {
  return Array.from({ length: packets.length / BYTES }, (_, i) =>
    packets.subarray(i * BYTES, (i + 1) * BYTES),
  )
}

/** Calls `work` with the packets of each run, and with the number of packets before. */
function inRuns(calls, packets, work) {
  for (let done = 0; done < calls; done += RUN) {
    work(packets.subarray(done * BYTES, Math.min(done + RUN, calls) * BYTES), done)
  }
}

/** Our ways. Sealing takes rising numbers, which `first` counts; opening takes the packets that `sealed` has. */
function ours(keys) {
  const by = OURS
  let sender = new PacketProtection(keys)
  const receiver = new PacketProtection(keys)
  let first = 0
  const sealing = (name, run) => ({
    way: { by, name, direction: 'seal' },
    prepare() {
      const packets = clear()
      const each = cut(packets)
      const refill = () => {
        first += RING
        unmask(packets)
        if (sender.packetsSealed < MOST_SEALED) return
        sender.destroy()
        sender = new PacketProtection(keys)
      }
      return { run: calls => run(calls, packets, each), refill, ring: RING, packets, first: () => first }
    },
  })
  const opening = (name, run) => ({
    way: { by, name, direction: 'open' },
    prepare(sealed, number) {
      const packets = Buffer.from(sealed)
      const each = cut(packets)
      const refill = () => packets.set(sealed)
      return { run: calls => run(calls, packets, each, number), refill, ring: RING, packets }
    },
  })
  return [
    sealing('sealRun', (calls, packets) =>
      inRuns(calls, packets, (some, done) => sender.sealRun(some, BYTES, HEADER, first + done)),
    ),
    sealing('seal', (calls, _, each) => {
      for (let i = 0; i < calls; i++) sender.seal(each[i], HEADER, first + i)
    }),
    opening('openRun', (calls, packets, _, number) =>
      inRuns(calls, packets, (some, done) => {
        const numbers = receiver.openRun(some, BYTES, NUMBER_AT, number + done - 1)
        if (numbers[0] !== number + done || numbers.includes(-1)) throw new Error('refused')
      }),
    ),
    opening('open', (calls, _, each, number) => {
      for (let i = 0; i < calls; i++) {
        if (receiver.open(each[i], NUMBER_AT, number + i - 1) !== number + i) throw new Error('refused')
      }
    }),
  ]
}

/**
 * The same by node:crypto: a cipher for each packet, since that is how it takes a nonce, and the masks of a run in one call of
 * a cipher that is used again, since ECB keeps no state.
 */
function nodeCrypto({ key: bytes, iv, hp }) {
  const by = NODE
  const key = createSecretKey(bytes)
  const bits = bytes.length * 8
  const ecb = createCipheriv(`aes-${bits}-ecb`, hp, null).setAutoPadding(false)
  const samples = Buffer.alloc(RUN * SAMPLE_BYTES)
  const nonce = Buffer.alloc(iv.length)
  let first = 0

  /** The nonce of a packet (RFC 9001 5.3); numbers stay below 2^32 here. */
  function nonceOf(number) {
    nonce.set(iv)
    nonce.writeUInt32BE((iv.readUInt32BE(8) ^ number) >>> 0, 8)
    return nonce
  }

  /** The masks of packets `start` to `end`, 16 bytes each. */
  function masksOf(each, start, end) {
    for (let i = start; i < end; i++) {
      samples.set(each[i].subarray(SAMPLE_AT, SAMPLE_AT + SAMPLE_BYTES), (i - start) * SAMPLE_BYTES)
    }
    return ecb.update(samples.subarray(0, (end - start) * SAMPLE_BYTES))
  }

  function seal(packet, number) {
    packet.writeUInt16BE(number & 0xffff, NUMBER_AT)
    const cipher = createCipheriv(`aes-${bits}-gcm`, key, nonceOf(number))
    cipher.setAAD(packet.subarray(0, HEADER))
    packet.set(cipher.update(packet.subarray(HEADER, -TAG_BYTES)), HEADER)
    cipher.final()
    packet.set(cipher.getAuthTag(), BYTES - TAG_BYTES)
  }

  function maskHeader(packet, masks, at) {
    const numberBytes = (packet[0] & 3) + 1
    packet[0] ^= masks[at] & 0x1f
    for (let i = 0; i < numberBytes; i++) packet[NUMBER_AT + i] ^= masks[at + 1 + i]
  }

  /** The number of a packet, which throws if it is not authentic. */
  function open(packet, largest, masks, at) {
    packet[0] ^= masks[at] & 0x1f
    const numberBytes = (packet[0] & 3) + 1
    let truncated = 0
    for (let i = 0; i < numberBytes; i++) {
      packet[NUMBER_AT + i] ^= masks[at + 1 + i]
      truncated = truncated * 256 + packet[NUMBER_AT + i]
    }
    const number = recover(largest + 1, truncated, 256 ** numberBytes)
    const header = NUMBER_AT + numberBytes
    const decipher = createDecipheriv(`aes-${bits}-gcm`, key, nonceOf(number))
    decipher.setAAD(packet.subarray(0, header))
    decipher.setAuthTag(packet.subarray(-TAG_BYTES))
    packet.set(decipher.update(packet.subarray(header, -TAG_BYTES)), header)
    decipher.final()
    return number
  }

  return [
    {
      way: { by, name: 'createCipheriv', direction: 'seal' },
      prepare() {
        const packets = clear()
        const each = cut(packets)
        const run = calls => {
          for (let start = 0; start < calls; start += RUN) {
            const end = Math.min(start + RUN, calls)
            for (let i = start; i < end; i++) seal(each[i], first + i)
            const masks = masksOf(each, start, end)
            for (let i = start; i < end; i++) maskHeader(each[i], masks, (i - start) * SAMPLE_BYTES)
          }
        }
        const refill = () => {
          first += RING
          unmask(packets)
        }
        return { run, refill, ring: RING, packets, first: () => first }
      },
    },
    {
      way: { by, name: 'createDecipheriv', direction: 'open' },
      prepare(sealed, number) {
        const packets = Buffer.from(sealed)
        const each = cut(packets)
        const run = calls => {
          for (let start = 0; start < calls; start += RUN) {
            const end = Math.min(start + RUN, calls)
            const masks = masksOf(each, start, end)
            for (let i = start; i < end; i++) {
              const opened = open(each[i], number + i - 1, masks, (i - start) * SAMPLE_BYTES)
              if (opened !== number + i) throw new Error('refused')
            }
          }
        }
        return { run, refill: () => packets.set(sealed), ring: RING, packets }
      },
    },
  ]
}

/** The number closest to `expected` that ends with `truncated` (RFC 9000 A.3). */
function recover(expected, truncated, window) {
  const candidate = expected - (expected % window) + truncated
  if (candidate <= expected - window / 2) return candidate + window
  if (candidate > expected + window / 2 && candidate >= window) return candidate - window
  return candidate
}

/**
 * Pairs of a way and its work. First every way must open the packets that every way has sealed, because timings of different
 * work cannot be compared. Number, nonce, mask and tag have no freedom, so that this proves the same bytes.
 */
function prepareAll(ways) {
  const pairs = []
  const runs = []
  for (const { way, prepare } of ways.filter(({ way }) => way.direction === 'seal')) {
    const work = prepare()
    work.refill()
    const plain = Buffer.from(work.packets)
    work.run(RING)
    runs.push({ plain, sealed: Buffer.from(work.packets), number: work.first(), way })
    pairs.push({ way, work })
  }
  for (const { way, prepare } of ways.filter(({ way }) => way.direction === 'open')) {
    let work
    for (const { plain, sealed, number, way: sealer } of runs) {
      work = prepare(sealed, number)
      work.refill()
      work.run(RING)
      const payloads = packets => cut(packets).map(packet => packet.subarray(HEADER, -TAG_BYTES))
      if (!Buffer.concat(payloads(plain)).equals(Buffer.concat(payloads(work.packets)))) {
        throw new Error(`${way.by} ${way.name} does not open packets of ${sealer.by} ${sealer.name}`)
      }
    }
    pairs.push({ way, work })
  }
  return pairs
}

/** Figures of AES-128 and AES-256, in ns per packet, in the same form as those of encryption. */
export async function measureQuic(plan) {
  const results = []
  for (const keyBytes of [16, 32]) {
    const some = length => randomFillSync(Buffer.alloc(length))
    const keys = { key: some(keyBytes), iv: some(12), hp: some(keyBytes) }
    const pairs = prepareAll([...ours(keys), ...nodeCrypto(keys)])
    for (const { way, ...figures } of await measure(pairs, BYTES, plan)) {
      const direction = `QUIC ${way.direction}, AES-${keyBytes * 8}`
      results.push({ bytes: BYTES, direction, by: way.by, way: way.name, ...figures })
    }
  }
  return results
}

/** The median of node:crypto for the same work. */
export const nodeQuic = (results, direction) =>
  results.find(r => r.by === NODE && r.direction === direction).median

/** The table of QUIC packets. */
export function quicTable(results) {
  const lines = [
    `\nQUIC packets of ${BYTES} bytes, header protection included; Run: ${RUN} packets a call; ns per packet`,
  ]
  lines.push(`${''.padEnd(40)}${['median', 'least', 'x node'].map(text => text.padStart(11)).join('')}`)
  for (const { direction, by, way, median, least } of results) {
    const ratio = by === NODE ? '' : times(nodeQuic(results, direction) / median)
    const figures = [nanoseconds(median), nanoseconds(least), ratio].map(text => text.padStart(11)).join('')
    lines.push(`  ${direction.padEnd(20)}${way.padEnd(18)}${figures}`.trimEnd())
  }
  return lines.join('\n')
}
