// Looks for known bytes at every offset of memory.

/**
 * Half a block. In a search of 2^30 bytes, eight given bytes turn up by chance once in 2^34 searches. A search for whole
 * blocks would miss blocks that were moved a machine word at a time, or half wiped.
 */
const PIECE = 8

/** Bytes searched at once. */
export const AT_ONCE = 2 ** 20

const ZEROS = Buffer.alloc(AT_ONCE)

/** An index of blocks, to look for their halves in many places. */
export class Search {
  /** Whether any half starts with these two bytes: rules most offsets out. */
  #possible = new Uint8Array(2 ** 16)
  /** The halves, by their first two bytes. */
  #halves = new Map()

  /** `blocks`: names and bytes, a multiple of eight of them. */
  constructor(blocks) {
    for (const [name, bytes] of blocks) {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const half = bytes.subarray(at, at + PIECE)
        const start = half.readUInt16LE()
        this.#possible[start] = 1
        const alike = this.#halves.get(start) ?? []
        this.#halves.set(start, alike)
        // A block may be the same half twice.
        if (!alike.some(other => other.name === name && other.half.equals(half))) alike.push({ name, half })
      }
    }
  }

  /**
   * Every place where a half lies in `length` bytes from `address` on: names and addresses. `read(buffer, address)`
   * fills the buffer. Each reading overlaps the one before, so that each half lies whole in exactly one reading.
   */
  in(read, address, length) {
    const found = []
    const end = address + length
    const buffer = Buffer.allocUnsafe(Math.min(length, AT_ONCE))
    for (let at = address; end - at >= PIECE; at += buffer.length - PIECE + 1) {
      const bytes = buffer.subarray(0, Math.min(buffer.length, end - at))
      read(bytes, at)
      // Most of a core dump is holes. No half is all zeros: such a half would be found everywhere.
      if (ZEROS.compare(bytes, 0, bytes.length, 0, bytes.length) !== 0) this.#look(bytes, at, found)
    }
    return found
  }

  #look(bytes, address, found) {
    const possible = this.#possible
    for (let at = 0, last = bytes.length - PIECE; at <= last; at++) {
      const start = bytes[at] | (bytes[at + 1] << 8)
      if (possible[start] === 0) continue
      for (const { name, half } of this.#halves.get(start)) {
        if (half.compare(bytes, at, at + PIECE) === 0) found.push({ name, address: address + at })
      }
    }
  }
}
