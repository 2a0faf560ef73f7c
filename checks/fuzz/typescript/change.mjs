// Changes of bytes and texts, as a fuzzer makes them: flips, other values, parts that are cut, repeated, inserted or taken elsewhere.
import { Buffer } from 'node:buffer'

/** Numbers at which fields of lengths and counts turn over. */
const NOTABLE = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff]

/** One to four changes of a copy of `bytes`. `others`: bytes of which parts may be taken. */
export function changed(chance, bytes, others = [bytes]) {
  let result = Buffer.from(bytes)
  for (let i = 1 + chance.below(4); i > 0; i--) result = once(chance, result, others)
  return result
}

function once(chance, bytes, others) {
  const at = chance.below(bytes.length + 1)
  const from = chance.below(bytes.length + 1)
  const length = chance.once(3) ? chance.below(bytes.length + 1) : chance.below(9)
  switch (chance.below(9)) {
    case 0:
    case 1:
      if (at < bytes.length) bytes[at] ^= 1 << chance.below(8)
      return bytes
    case 2:
      if (at < bytes.length) bytes[at] = chance.below(256)
      return bytes
    case 3: {
      const width = chance.pick([1, 2, 4])
      const number = chance.pick(NOTABLE) % 256 ** width
      if (at + width <= bytes.length) bytes.writeUIntBE(number, at, width)
      return bytes
    }
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    case 5:
      return bytes.subarray(0, at)
    case 6:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, from + length), bytes.subarray(at)])
    case 7: {
      const other = chance.pick(others)
      const start = chance.below(other.length + 1)
      const end = chance.once(2) ? at : at + length
      return Buffer.concat([
        bytes.subarray(0, at),
        other.subarray(start, start + length),
        bytes.subarray(end),
      ])
    }
    default:
      return Buffer.concat([
        bytes.subarray(0, at),
        chance.fill(Buffer.alloc(length % 40)),
        bytes.subarray(at),
      ])
  }
}

/** The same of a text of characters up to U+00FF, at times with others. */
export function changedText(chance, text, others = [text]) {
  const bytes = changed(
    chance,
    Buffer.from(text, 'latin1'),
    others.map(other => Buffer.from(other, 'latin1')),
  )
  const result = bytes.toString('latin1')
  if (!chance.once(12)) return result
  const at = chance.below(result.length + 1)
  return (
    result.slice(0, at) +
    chance.pick(['\u0000', '\u2028', '\ud800', '😀', 'İ', 'ſ', '\u00a0']) +
    result.slice(at)
  )
}

/** `bytes` in pieces, cut anywhere. */
export function pieces(chance, bytes) {
  const all = []
  for (let at = 0; at < bytes.length; ) {
    const length = 1 + (chance.once(2) ? chance.below(20) : chance.below(bytes.length))
    all.push(Buffer.from(bytes.subarray(at, at + length)))
    at += length
  }
  return all
}
