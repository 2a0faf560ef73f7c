// A message that is not what was encrypted is refused through every entry point, and leaves nothing behind.
import { AesGcm, AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import {
  type Aad,
  frameOf,
  KEY_BYTES,
  LAYOUTS,
  must,
  type NonceAt,
  type Parts,
  Place,
  Random,
  refuses,
  sealed,
  thrown,
  variants,
} from './support.js'

const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const memory = new Place()
const spare = new Place()

/** Whether `run` refuses the way throwing entry points refuse a bad message. */
function refusing(run: () => unknown): boolean {
  try {
    run()
    return false
  } catch (error) {
    return error instanceof AuthenticationError && error.code === AUTHENTICATION
  }
}

/** A bad frame through every way in that takes frames. */
function refusesFrame(aes: AesGcm, frame: Uint8Array, aad: Aad, what: () => string): void {
  const before = Buffer.from(frame)
  const length = Math.max(0, frame.length - 28)
  const inside = memory.put(frame, 5)
  must(
    refusing(() => aes.decrypt(inside, aad)),
    () => `decrypt takes ${what()}`,
  )
  must(
    refusing(() => aes.decryptInPlace(inside, aad)),
    () => `decryptInPlace takes ${what()}`,
  )
  must(aes.tryDecryptInPlace(inside, aad) === false, () => `tryDecryptInPlace takes ${what()}`)
  must(inside.equals(before) && memory.intact, () => `the frame was changed by ${what()}`)
  const target = spare.put(Buffer.alloc(length + 9, 0x77), 3)
  must(
    refusing(() => aes.decryptInto(target, inside, aad)),
    () => `decryptInto takes ${what()}`,
  )
  must(inside.equals(before) && memory.intact, () => `decryptInto changed the frame for ${what()}`)
  // A frame too short to hold a plaintext has no bytes of the target either.
  must(target.subarray(0, length).equals(Buffer.alloc(length)), () => `the target is not zero for ${what()}`)
  must(target.subarray(length).equals(Buffer.alloc(9, 0x77)) && spare.intact, () => `beyond for ${what()}`)
}

/** The same for a detached message. */
function refusesDetached(aes: AesGcm, { nonce, text, tag }: Parts, aad: Aad, what: () => string): void {
  const data = memory.put(text, 5)
  const [nonceBefore, tagBefore] = [Buffer.from(nonce), Buffer.from(tag)]
  must(
    refusing(() => aes.decryptDetached(data, nonce, tag, aad)),
    () => `decryptDetached takes ${what()}`,
  )
  must(aes.tryDecryptDetached(data, nonce, tag, aad) === false, () => `tryDecryptDetached takes ${what()}`)
  must(data.equals(text) && memory.intact, () => `data was changed by ${what()}`)
  must(nonce.equals(nonceBefore) && tag.equals(tagBefore), () => `nonce or tag was changed by ${what()}`)
}

describe.each(KEY_BYTES)('every single bit, key of %i bytes', keyBytes => {
  const key = new Random(`tamper ${keyBytes}`).bytes(keyBytes)
  const subjects = [...variants(key)]

  // Lengths that end within a block, at a block, and in the widest loop of every backend.
  test.each([0, 1, 16, 45, 600])('length %i', length => {
    const random = new Random(`bits ${keyBytes} ${length}`)
    const aad = random.bytes(21)
    const parts = sealed(key, random.bytes(12), random.bytes(length), aad)
    for (const { aes, nonceAt, name } of subjects) {
      const frame = frameOf(nonceAt, parts)
      const flip = (bytes: Buffer, refused: (what: () => string) => void, of: string) => {
        for (let bit = 0; bit < bytes.length * 8; bit++) {
          const [at, mask] = [bit >> 3, 1 << (bit & 7)]
          bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at)
          refused(() => `${name}: bit ${bit} of ${of}`)
          bytes.writeUInt8(bytes.readUInt8(at) ^ mask, at)
        }
      }
      flip(frame, what => refusesFrame(aes, frame, aad, what), 'the frame')
      flip(aad, what => refusesFrame(aes, frame, aad, what), 'the AAD')
      for (const [of, bytes] of Object.entries({ ...parts, aad })) {
        flip(bytes, what => refusesDetached(aes, parts, aad, what), `the detached ${of}`)
      }
      // What was flipped was flipped back: these are good, and were refused for their bits alone.
      expect(aes.tryDecryptInPlace(Buffer.from(frame), aad), name).toBe(true)
      expect(aes.tryDecryptDetached(Buffer.from(parts.text), parts.nonce, parts.tag, aad), name).toBe(true)
    }
  })
})

describe.each(LAYOUTS)('nonceAt %s', nonceAt => {
  const random = new Random(`refusals ${nonceAt}`)
  const key = random.bytes(32)

  test('frames of 0 to 27 bytes are not authentic, and no mistake of the caller', () => {
    const aes = new AesGcm(key, { nonceAt })
    for (let length = 0; length < 28; length++) {
      refusesFrame(aes, random.bytes(length), undefined, () => `a frame of ${length} bytes`)
    }
    expect(aes.failedDecryptions).toBe(28 * 4)
  })

  test('AAD that is absent, empty, longer, shorter or swapped with text', () => {
    const aes = new AesGcm(key, { nonceAt })
    const [with_, without] = [
      aes.encrypt(Buffer.from('text'), Buffer.from('aad')),
      aes.encrypt(Buffer.from('text')),
    ]
    const others: Aad[] = [
      null,
      undefined,
      Buffer.alloc(0),
      Buffer.from('aa'),
      Buffer.from('aad\0'),
      Buffer.from('text'),
    ]
    for (const aad of others) refusesFrame(aes, with_, aad, () => `AAD ${aad}`)
    refusesFrame(aes, without, Buffer.from('\0'), () => 'AAD where there was none')
    for (const none of [null, undefined, Buffer.alloc(0)]) {
      expect(aes.decrypt(without, none).toString()).toBe('text')
    }
  })

  test('an all-zero tag over an empty message with AAD, under any key', () => {
    for (let n = 0; n < 500; n++) {
      const aes = new AesGcm(random.bytes(random.pick([16, 32])), { nonceAt })
      const parts = { nonce: random.bytes(12), text: Buffer.alloc(0), tag: Buffer.alloc(16) }
      refusesFrame(aes, frameOf(nonceAt, parts), random.bytes(8), () => 'a zero tag')
      refusesDetached(aes, parts, random.bytes(8), () => 'a zero tag')
    }
  })

  test('one class, code and message for every cause', () => {
    const aes = new AesGcm(key, { nonceAt })
    const [nonce, aad] = [random.bytes(12), random.bytes(9)]
    const good = sealed(key, nonce, random.bytes(100), aad)
    const frame = frameOf(nonceAt, good)
    const other = new AesGcm(random.bytes(32), { nonceAt })
    const bad = { nonce: random.bytes(12), text: random.bytes(100), tag: random.bytes(16) }
    const detached = (by: AesGcm, of: Partial<Parts>, extra: Aad = aad) => {
      const { nonce, text, tag } = { ...good, ...of }
      return () => by.decryptDetached(Buffer.from(text), nonce, tag, extra)
    }
    const causes = {
      'wrong key': () => other.decrypt(frame, aad),
      'wrong nonce': () => aes.decrypt(frameOf(nonceAt, { ...good, nonce: bad.nonce }), aad),
      'wrong text': () => aes.decryptInPlace(frameOf(nonceAt, { ...good, text: bad.text }), aad),
      'wrong tag': () => aes.decryptInto(Buffer.alloc(100), frameOf(nonceAt, { ...good, tag: bad.tag }), aad),
      'wrong AAD': () => aes.decrypt(frame, random.bytes(9)),
      'no AAD': () => aes.decrypt(frame),
      'a byte less': () => aes.decrypt(frame.subarray(0, -1), aad),
      'a byte more': () => aes.decrypt(Buffer.concat([frame, Buffer.alloc(1)]), aad),
      'too short': () => aes.decrypt(frame.subarray(0, 27), aad),
      empty: () => aes.decryptInPlace(Buffer.alloc(0), aad),
      'detached, wrong key': detached(other, {}),
      'detached, wrong nonce': detached(aes, { nonce: bad.nonce }),
      'detached, wrong text': detached(aes, { text: bad.text }),
      'detached, wrong tag': detached(aes, { tag: bad.tag }),
      'detached, wrong AAD': detached(aes, {}, bad.tag),
      'detached, truncated': detached(aes, { text: good.text.subarray(1) }),
    }
    const [first, ...rest] = Object.entries(causes).map(([cause, run]) => {
      const error = refuses(run, AUTHENTICATION, cause) as AesGcmError
      expect(error).toBeInstanceOf(AuthenticationError)
      expect(error).toBeInstanceOf(AesGcmError)
      const own = Object.getOwnPropertyNames(error).filter(name => name !== 'stack')
      return {
        class: error.constructor.name,
        message: error.message,
        code: error.code,
        cause: error.cause,
        own,
      }
    })
    for (const next of rest) expect(next).toEqual(first)
    expect(new AuthenticationError().message).toBe(first?.message)
    detached(aes, {})()
  })

  test('each refusal is counted once, a mistake of the caller never', () => {
    const aes = new AesGcm(key, { nonceAt })
    const frame = aes.encrypt(Buffer.alloc(50))
    frame.writeUInt8(frame.readUInt8(20) ^ 1, 20)
    const runs = [
      () => aes.decrypt(frame),
      () => aes.decryptInto(Buffer.alloc(50), frame),
      () => aes.decryptInPlace(frame),
      () => aes.tryDecryptInPlace(frame),
      () => aes.decryptDetached(Buffer.alloc(3), Buffer.alloc(12), Buffer.alloc(16)),
      () => aes.tryDecryptDetached(Buffer.alloc(3), Buffer.alloc(12), Buffer.alloc(16)),
      () => aes.tryDecryptInPlace(Buffer.alloc(5)),
    ]
    for (const [before, run] of runs.entries()) {
      expect(aes.failedDecryptions).toBe(before)
      try {
        run()
      } catch {}
    }
    thrown(() => aes.decrypt(7 as never))
    thrown(() => aes.decryptInto(Buffer.alloc(1), frame))
    thrown(() => aes.decryptDetached(Buffer.alloc(3), Buffer.alloc(11), Buffer.alloc(16)))
    aes.decrypt(aes.encrypt(Buffer.alloc(1)))
    expect(aes.failedDecryptions).toBe(runs.length)
  })

  test('a frame of the other layout is refused', () => {
    const aes = new AesGcm(key, { nonceAt })
    const otherLayout: NonceAt = nonceAt === 'start' ? 'end' : 'start'
    const other = new AesGcm(key, { nonceAt: otherLayout })
    for (let length = 0; length < 200; length++) {
      refusesFrame(aes, other.encrypt(random.bytes(length)), undefined, () => `a frame of ${length} bytes`)
    }
  })
})
