// Messages of `hardware-aes-gcm/stream`, made and opened in every way, and objects of messages that are not over.
import { open, readFile, writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { fill, outside } from './formula.mjs'
import { BITS } from './scenarios.mjs'

/** In chunks: none; a part; several, the last one empty; more than one write, and more than one run of a file. */
export const LENGTHS = [0, 100, 2 ** 15, 70_000, 2 ** 21 + 5]
export const LONG = 70_000
export const SALT = 24
const HEADER = 56

/** Objects that stay alive until the process ends. */
export const kept = []

/** Has `use` take a key of that many bits, which is wiped when `use` has returned, perhaps a promise. */
export function keyed(bits, use) {
  const key = fill(outside(bits / 8), bits)
  try {
    return use(key)
  } finally {
    key.fill(0)
  }
}

/** `work` for each size of keys with a function that notes messages. Gives what the parent must know. */
export async function messages(work) {
  const noted = []
  for (const bits of BITS)
    await work(bits, message => {
      noted.push(`${bits}:${Buffer.from(message.subarray(0, SALT)).toString('hex')}`)
      return message
    })
  return noted.join(' ')
}

export const text = length => outside(length).fill(0x11)

export async function fails(code, promise) {
  try {
    await promise
  } catch (error) {
    if (error.code === code || error.name === code) return
    throw error
  }
  throw new Error(`no ${code}`)
}

export function same(one, other) {
  if (Buffer.compare(one, other) !== 0) throw new Error('not what was encrypted')
}

/** A message that is not authentic, one that was cut off, and one that is of another key, each with the code of its error. */
export function wrong(message) {
  const [forged, other] = [Buffer.from(message), Buffer.from(message)]
  forged[HEADER + 20_000] ^= 1
  other[0] ^= 1
  return Object.entries({
    ERR_AESGCM_AUTHENTICATION_FAILED: forged,
    ERR_AESGCM_STREAM_TRUNCATED: message.subarray(0, HEADER + 2 * 16_400),
    ERR_AESGCM_WRONG_KEY: other,
  })
}

/** The output of a stream of Node for `bytes`, written in two pieces. */
export async function through(transform, bytes) {
  const out = []
  const half = Math.floor(bytes.length / 2)
  await pipeline([bytes.subarray(0, half), bytes.subarray(half)], transform, async parts => {
    for await (const part of parts) out.push(part)
  })
  return Buffer.concat(out)
}

/** The output of a pair of streams of the web for `bytes`, written in two pieces. */
export async function throughWeb(pair, bytes) {
  const half = Math.floor(bytes.length / 2)
  const parts = [bytes.subarray(0, half), bytes.subarray(half)]
  const out = []
  for await (const part of ReadableStream.from(parts).pipeThrough(pair)) out.push(part)
  return Buffer.concat(out)
}

export const library = entry => import(new URL('protocols/stream/index.mjs', entry))

/** Both streams of Node of a message that is not over, used for whole chunks and for a part of one. */
export async function begun({ createEncryptStream, createDecryptStream }, bits, note, options) {
  const sealing = keyed(bits, key => createEncryptStream(key, options))
  const opening = keyed(bits, key => createDecryptStream(key, options))
  const waiting = keyed(bits, key => createDecryptStream(key, options))
  for (const stream of [sealing, opening, waiting]) stream.on('error', () => {})
  sealing.write(text(LONG))
  const message = note(sealing.read())
  opening.write(message)
  opening.read()
  // The header is not complete, so that the stream has the given key itself.
  waiting.write(message.subarray(0, HEADER - 1))
  kept.push(sealing, opening, waiting)
  return [sealing, opening, waiting]
}

/** Both streams of the web of a message that is not over. */
export async function begunWeb({ EncryptionStream, DecryptionStream }, bits, note) {
  const pairs = keyed(bits, key => [
    new EncryptionStream(key),
    new DecryptionStream(key),
    new DecryptionStream(key),
  ])
  const ends = pairs.map(({ readable, writable }) => ({
    reader: readable.getReader(),
    writer: writable.getWriter(),
  }))
  for (const { reader, writer } of ends) for (const end of [reader, writer]) end.closed.catch(() => {})
  const [sealing, opening, waiting] = ends
  sealing.writer.write(text(LONG)).catch(() => {})
  const { value: header } = await sealing.reader.read()
  const { value: chunks } = await sealing.reader.read()
  note(header)
  for (const bytes of [header, chunks]) opening.writer.write(bytes).catch(() => {})
  await opening.reader.read()
  await waiting.writer.write(header.subarray(0, 10))
  kept.push(...ends)
  return ends
}

/** Has files written: a text's, and its message. */
export async function filesOf({ encryptFile }, bits, length, note) {
  const [plain, sealed] = [`${bits}-${length}`, `${bits}-${length}.enc`]
  await writeFile(plain, text(length))
  await keyed(bits, key => encryptFile(plain, sealed, key))
  note(await readFile(sealed))
  return { plain, sealed }
}

export async function readersOf({ DecryptionReader }, bits, message, backend) {
  await writeFile(`${bits}.enc`, message)
  const file = await open(`${bits}.enc`)
  const sources = [message, new Blob([message]), file]
  const readers = await Promise.all(
    sources.map(source => keyed(bits, key => DecryptionReader.open(source, key, { backend }))),
  )
  for (const reader of readers) {
    same(await reader.read(), text(LONG))
    await reader.read(10, 20_000)
    for await (const _ of reader.stream(-20_000));
  }
  await file.close()
  return readers
}
