// Messages in pieces of every kind: each cut of the writes gives the message of the whole, and the text again.

import { encryptBuffer } from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { CHUNK_BYTES, HEADER_BYTES, open, SEALED_CHUNK_BYTES, seal } from '../../models/cobblestone.mjs'
import { Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { cut, KEY, SHORT_KEY, STREAMS, textOf } from './tools.js'

const AROUND = [0, 1, 2, 3].flatMap(chunks =>
  [-17, -16, -1, 0, 1, 15, 16, 17].map(more => chunks * CHUNK_BYTES + more),
)
const LENGTHS = AROUND.filter(length => length >= 0)
const random = new Random('stream-pieces')

/** Places at which a write ends: near the ends of chunks, and anywhere. */
function places(length: number, unit: number, start: number): number[] {
  const some = Array.from({ length: random.below(6) }, () => {
    const near = start + unit * random.below(Math.floor(length / unit) + 1) + random.below(5) - 2
    return random.below(2) === 0 ? near : random.below(length + 1)
  })
  return some.filter(place => place >= 0 && place <= length).sort((a, b) => a - b)
}

describe.each(Object.entries(STREAMS))('%s', (_, { encrypt, decrypt }) => {
  test.each([KEY, SHORT_KEY])('random cuts of every length round 0 to 3 chunks', async key => {
    for (let i = 0; i < count(4, 200); i++) {
      for (const length of LENGTHS) {
        const text = textOf(length)
        const ends = places(length, CHUNK_BYTES, 0)
        const verdict = open(key, await encrypt(cut(text, ends), key))
        expect(verdict.ok && verdict.plaintext.equals(text), `${length} at ${ends}`).toBe(true)
        const message = seal(key, text, random.bytes(24))
        const cuts = places(message.length, SEALED_CHUNK_BYTES, HEADER_BYTES)
        const opened = await decrypt(cut(message, cuts), key)
        expect(opened.equals(text), `${length} at ${cuts}`).toBe(true)
      }
    }
  })

  test('one cut at every place near the ends of header and chunks', async () => {
    const text = textOf(2 * CHUNK_BYTES + 40)
    const message = seal(KEY, text, random.bytes(24))
    const near = (end: number) => Array.from({ length: 7 }, (_, i) => end + i - 3)
    for (const place of [0, CHUNK_BYTES, 2 * CHUNK_BYTES, text.length].flatMap(near)) {
      if (place < 0 || place > text.length) continue
      const verdict = open(KEY, await encrypt(cut(text, [place])))
      expect(verdict.ok && verdict.plaintext.equals(text), String(place)).toBe(true)
    }
    const ends = [24, HEADER_BYTES, HEADER_BYTES + SEALED_CHUNK_BYTES, message.length - 16, message.length]
    for (const place of [0, 1, ...ends.flatMap(near)]) {
      if (place > message.length) continue
      expect((await decrypt(cut(message, [place]))).equals(text), String(place)).toBe(true)
    }
  })

  test('single bytes, and writes of no bytes', async () => {
    const text = textOf(CHUNK_BYTES + 3)
    const message = seal(KEY, text, random.bytes(24))
    const single = (bytes: Buffer) => Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
    const holes = (bytes: Buffer) => cut(bytes, [1, 1, CHUNK_BYTES, CHUNK_BYTES])
    for (const pieces of [single, holes]) {
      const sealed = await encrypt(pieces(text))
      const verdict = open(KEY, sealed)
      expect(verdict.ok && verdict.plaintext.equals(text)).toBe(true)
      expect((await decrypt(pieces(message))).equals(text)).toBe(true)
    }
  })

  test('one write that is longer than what is processed at once', async () => {
    const text = textOf(5 * 2 ** 20 + 1)
    const message = await encrypt([text])
    expect((await decrypt([message])).equals(text)).toBe(true)
    expect((await decrypt([encryptBuffer(text, KEY)])).equals(text)).toBe(true)
  })
})
