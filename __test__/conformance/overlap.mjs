// Overlap: a range that is written may not overlap any other argument; ranges that are only read may.
import { CRYPTING, METHODS, refusalOf } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses } from './checks.mjs'

const OVERLAP = 'ERR_AESGCM_BUFFER_OVERLAP'

export function* overlap(aead) {
  for (const method of CRYPTING) {
    const { takes, writes } = METHODS[method]
    for (const [n, a] of takes.entries()) {
      for (const b of takes.slice(n + 1)) {
        const written = writes.includes(a) || writes.includes(b)
        yield {
          name: `${method}: ${a} and ${b} at every distance ${written ? 'where they may meet' : '(only read)'}`,
          run: () => distances(aead, method, a, b, written),
        }
      }
    }
  }
  yield { name: 'empty ranges within written ones do not overlap', run: () => empty(aead) }
}

function distances(aead, method, a, b, written) {
  const aes = aead.make()
  const random = aead.random(`${method} ${a} ${b}`)
  const good = aead.argumentsOf(method)
  const [aLength, bLength] = [good[a].length, good[b].length]
  const start = 64 + bLength
  const step = aead.thorough ? 1 : 7
  // The first and the last distance at which the ranges meet, and their neighbours, are always among those tried.
  const bounds = [-bLength - 1, -bLength, 1 - bLength, -1, 0, 1, aLength - 1, aLength, aLength + 1]
  const between = Array.from(
    { length: Math.ceil((128 + aLength + bLength) / step) },
    (_, n) => n * step - start,
  )
  for (const distance of new Set([...bounds, ...between])) {
    const memory = random.bytes(start + aLength + bLength + 128)
    const before = Buffer.from(memory)
    const values = aead.argumentsOf(method)
    values[a] = memory.subarray(start, start + aLength)
    values[b] = memory.subarray(start + distance, start + distance + bLength)
    const run = () => aes[method](...Object.values(values))
    if (written && distance < aLength && distance > -bLength) {
      const { message } = refuses(run, OVERLAP, `distance ${distance}`)
      must(
        new RegExp(`"(${a}|${b})" .* "(${a}|${b})"`).test(message),
        () => `the names are not in "${message}"`,
      )
      must(memory.equals(before), () => `bytes were written at distance ${distance}`)
    } else if (method.startsWith('encrypt')) run()
    else if (method.startsWith('try')) equal(run(), refusalOf(method), `distance ${distance}`)
    else refuses(run, AUTHENTICATION, `distance ${distance}`)
  }
}

/** Empty ranges have no byte in common with any range. */
function empty(aead) {
  const aes = aead.make()
  const bytes = aead.random('empty').bytes(60)
  aes.encryptInPlace(bytes, bytes.subarray(9, 9))
  must(aes.tryDecryptInPlace(bytes, bytes.subarray(20, 20)), 'empty AAD within a frame')
  const [nonce, tag] = [bytes.subarray(0, aead.nonceBytes), bytes.subarray(-16)]
  aes.encryptDetached(bytes.subarray(3, 3), nonce, tag, bytes.subarray(5, 5))
  must(aes.tryDecryptDetached(bytes.subarray(50, 50), nonce, tag), 'empty data within a tag')
}
