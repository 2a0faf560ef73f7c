// Encrypted messages, changed, in memory, as streams cut anywhere, and by a reader of parts: each agrees with a model on node:crypto, and
// no byte comes out that is not authentic.
import { Buffer } from 'node:buffer'
import { createRequire } from 'node:module'
import { pipeline } from 'node:stream/promises'
import { open, seal } from '../../../__test__/models/cobblestone.mjs'
import { changed, pieces } from './change.mjs'
import { codeOf, must, outcome } from './expect.mjs'

const require = createRequire(import.meta.url)
const {
  createDecryptStream,
  DecryptionReader,
  decryptBuffer,
} = require('../../../dist/protocols/stream/index.cjs')

const CODES = {
  ERR_AESGCM_AUTHENTICATION_FAILED: 'invalid',
  ERR_AESGCM_WRONG_KEY: 'wrong key',
  ERR_AESGCM_STREAM_TRUNCATED: 'truncated',
}
const DOCUMENTED = Object.keys(CODES)
const KEYS = [Buffer.alloc(16, 7), Buffer.alloc(32, 7)]
/** Messages with known salts. Most cases take one of the first four, which are short. */
const MESSAGES = KEYS.flatMap((key, i) =>
  [0, 100, 16_384, 40_000].map(length => {
    const text = Buffer.alloc(length, 'attack at dawn. ')
    return { key, sealed: seal(key, text, Buffer.alloc(24, length + i)) }
  }),
).toSorted((a, b) => a.sealed.length - b.sealed.length)

export async function once(chance) {
  const { key, sealed } = chance.once(6) ? chance.pick(MESSAGES) : chance.pick(MESSAGES.slice(0, 4))
  const message = chance.once(8) ? sealed : changed(chance, sealed)
  const verdict = open(key, message)
  const ways = [inMemory, asStream, byParts]
  await chance.pick(ways)(chance, key, message, verdict)
}

/** Compares an outcome with the model's verdict. */
function agrees({ value, code }, verdict) {
  if (verdict.ok)
    must(value?.equals(verdict.plaintext), () => `the model opens it, and the library gave ${code}`)
  else
    must(CODES[code] === verdict.failure, () => `the model says ${verdict.failure}, and the library ${code}`)
}

async function inMemory(chance, key, message, verdict) {
  const target = chance.once(2) ? Buffer.alloc(message.length, 0x5c) : undefined
  const before = Buffer.from(message)
  const result = await outcome(DOCUMENTED, message, () => decryptBuffer(message, key, { target }))
  agrees(result, verdict)
  must(message.equals(before), 'the message was changed')
  if (target && result.code)
    must(
      target.every(byte => byte === 0 || byte === 0x5c),
      'a failed call left bytes',
    )
}

async function asStream(chance, key, message, verdict) {
  const parts = pieces(chance, message)
  const got = []
  const result = await outcome(DOCUMENTED, message, async () => {
    await pipeline(parts, createDecryptStream(key), async source => {
      for await (const chunk of source) got.push(chunk)
    })
    return Buffer.concat(got)
  })
  agrees(result, verdict)
  const all = Buffer.concat(got)
  must(all.equals(verdict.plaintext.subarray(0, all.length)), 'bytes came out that are not authentic')
}

async function byParts(chance, key, message, verdict) {
  let reader
  try {
    reader = await DecryptionReader.open(message, key, { verifyEnd: chance.once(2) })
  } catch (error) {
    codeOf(error, DOCUMENTED)
    return must(!verdict.ok, 'the model opens it')
  }
  const start = chance.below(reader.size + 1)
  const end = start + chance.below(reader.size - start + 1)
  const part = await outcome(DOCUMENTED, message, () => reader.read(start, end))
  if (verdict.ok)
    must(part.value?.equals(verdict.plaintext.subarray(start, end)), () => `a part: ${part.code}`)
  // A message that is damaged elsewhere has parts that are authentic: those of its chunks that the original has, too.
  else if (part.value && end <= verdict.plaintext.length)
    must(part.value.equals(verdict.plaintext.subarray(start, end)), 'a part is not authentic')
  reader.destroy()
}
