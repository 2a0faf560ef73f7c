// Overlap: a range that is written may not overlap any other argument; ranges that are only read may.
import { CRYPTING, METHODS, refusalOf } from './aead.mjs'
import { AUTHENTICATION, equal, must, refuses, same } from './checks.mjs'

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
  yield { name: 'one Buffer as every argument at once', run: () => everything(aead) }
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

function everything(aead) {
  const aes = aead.make()
  const bytes = aead.random('everything').bytes(48)
  const before = Buffer.from(bytes)
  const [nonce, tag] = [bytes.subarray(0, aead.nonceBytes), bytes.subarray(-16)]
  const detached = [bytes, nonce, tag, bytes]
  for (const run of [
    ...['encryptInPlace', 'decryptInPlace', 'tryDecryptInPlace'].map(name => () => aes[name](bytes, bytes)),
    ...['encryptInto', 'decryptInto', 'tryDecryptInto'].map(name => () => aes[name](bytes, bytes, bytes)),
    ...['encryptDetached', 'decryptDetached', 'tryDecryptDetached'].map(name => () => aes[name](...detached)),
    () => aes.encryptDetached(Buffer.alloc(4), nonce, bytes.subarray(0, 16)),
  ]) {
    refuses(run, OVERLAP)
    same(bytes, before, () => 'all arguments')
  }
  // What is only read may be one thing: message and AAD.
  same(aes.decrypt(aes.encrypt(bytes, bytes), bytes), bytes, () => 'message and AAD')
  // Empty ranges have no byte in common with any range.
  aes.encryptInPlace(bytes, bytes.subarray(9, 9))
  aes.encryptDetached(bytes.subarray(3, 3), nonce, tag, bytes.subarray(5, 5))
}
