// Frames beyond their bytes: memory of the results, views inside a frame, and nonces that never repeat.
import { LAYOUTS } from './aead.mjs'
import { equal, must, same } from './checks.mjs'

export function* frames(aead) {
  for (const nonceAt of LAYOUTS) {
    const random = aead.random(`frames ${nonceAt}`)
    yield {
      name: `plaintexts have memory of their own, and frames that of ciphertexts, nonceAt ${nonceAt}`,
      run: () => {
        const aes = aead.make({ nonceAt })
        for (const length of [0, 1, 100, 5000]) {
          const frame = aes.encrypt(random.bytes(length))
          equal(frame.length, length + aead.overhead, 'length of a frame')
          isCiphertext(frame)
          for (const buffer of [aes.decrypt(frame), aes.tryDecrypt(frame)]) isOwn(buffer)
        }
      },
    }
    yield {
      name: `decryptInPlace and plaintextOf give views of the frame, nonceAt ${nonceAt}`,
      run: () => views(aead, aead.make({ nonceAt }), nonceAt === 'start' ? aead.nonceBytes : 0, random),
    }
    yield { name: `no nonce comes twice, nonceAt ${nonceAt}`, run: () => nonces(aead, nonceAt) }
  }
}

/** Throws unless this is a Buffer that shares its memory with no other. */
export function isOwn(buffer) {
  must(Buffer.isBuffer(buffer), 'no Buffer')
  equal([buffer.buffer.constructor, buffer.byteOffset], [ArrayBuffer, 0], 'its memory')
  equal(buffer.buffer.byteLength, buffer.length, 'the length of its memory')
}

/** Throws unless this is a Buffer in a slab or, if it is long or the runtime has no slabs, in memory of its own. */
export function isCiphertext(buffer) {
  if (buffer.length > 4096 || buffer.buffer.byteLength === buffer.length) return isOwn(buffer)
  must(Buffer.isBuffer(buffer), 'no Buffer')
  const { buffer: memory, byteOffset } = buffer
  equal([memory.constructor, memory.byteLength, byteOffset % 8], [ArrayBuffer, 2 ** 15, 0], 'its slab')
}

function views(aead, aes, from, random) {
  const memory = new ArrayBuffer(300)
  for (const length of [0, 1, 77]) {
    const span = [memory, 50, length + aead.overhead]
    for (const frame of [new Uint8Array(...span), Buffer.from(...span)]) {
      const plaintext = random.bytes(length)
      const view = aes.plaintextOf(frame)
      view.set(plaintext)
      aes.encryptInPlace(frame)
      const result = aes.decryptInPlace(frame)
      for (const one of [view, result]) {
        must(Buffer.isBuffer(one) && one.buffer === memory, 'no Buffer in the memory of the frame')
        equal([one.byteOffset, one.length], [50 + from, length], 'place of the plaintext')
      }
      same(result, plaintext, () => 'decryptInPlace')
    }
  }
}

/** From one object, and from many on one key; through every method that makes nonces. */
function nonces(aead, nonceAt) {
  const seen = new Set()
  const one = aead.make({ nonceAt })
  const frame = Buffer.alloc(aead.overhead)
  const { length } = frame
  const ways = [
    aes => aes.encryptInPlace(frame),
    aes => aes.encryptInto(frame, Buffer.alloc(0)),
    aes => aes.encrypt(Buffer.alloc(0)).copy(frame),
  ]
  const frames = aead.thorough ? 20_000 : 1500
  for (let n = 0; n < frames; n++) {
    const aes = n % 100 === 0 ? aead.make({ nonceAt }) : one
    ways[n % ways.length](aes)
    const at = nonceAt === 'start' ? 0 : length - aead.nonceBytes
    seen.add(frame.toString('latin1', at, at + aead.nonceBytes))
  }
  equal(seen.size, frames, 'different nonces')
}
