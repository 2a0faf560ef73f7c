// Messages of this package and of the PyPI package cryptography open each other, and both refuse changed ones.
import {
  createDecryptStream,
  createEncryptStream,
  decryptBuffer,
  encryptBuffer,
} from 'hardware-aes-gcm/stream'
import { Peer, python } from '../tools/peer.mjs'
import { bytes, number } from '../tools/random.mjs'

const MESSAGES = 1000
const CHUNK = 16_384
/** Round the bounds of blocks and of chunks. */
const BOUNDS = [0, 16, 32, CHUNK - 16, ...[1, 2, 3, 4, 5].map(chunks => chunks * CHUNK)]
  .flatMap(bound => [-2, -1, 0, 1, 2].map(step => bound + step))
  .filter(length => length >= 0)

/** Runs all messages, and gives a line about them. */
export async function exchange() {
  const peer = new Peer(...python(new URL('peer.py', import.meta.url), 'checks/streams/cryptography.txt'))
  const begin = performance.now()
  let [total, refused] = [0, 0]
  for (let i = 0; i < MESSAGES; i++) {
    const message = {
      key: bytes(i % 2 === 0 ? 16 : 32, `key ${i}`),
      context: bytes(i % 3 === 0 ? number(300, `context ${i}`) : 0, `context ${i}`),
      plaintext: bytes(BOUNDS[i >> 1] ?? number(6 * CHUNK, `length ${i}`), `plaintext ${i}`),
    }
    const isPlanted = i % 10 === 0
    try {
      await both(peer, message, `message ${i}`, isPlanted)
    } catch (error) {
      throw new Error(`message ${i} of ${message.plaintext.length} bytes: ${error.message}`)
    }
    total += message.plaintext.length
    refused += isPlanted ? 1 : 0
  }
  await peer.end()
  const [amount, seconds] = [total / 2 ** 20, (performance.now() - begin) / 1000]
  const what = `${MESSAGES} messages, ${amount.toFixed(0)} MiB, opened each way`
  return `${what}; planted and refused each way: ${refused}; ${seconds.toFixed(1)} s`
}

/** What the peer opens a sealed message to, or the name of its error, and what it seals a plaintext to. */
async function asked(peer, ...fields) {
  const { opened, sealed, error } = await peer.ask(fields.map(field => field.toString('base64')))
  return { opened: Buffer.from(opened, 'base64'), sealed: Buffer.from(sealed, 'base64'), error }
}

/** One message both ways, by a stream of ours in one of them and by a call for Buffers in the other. */
async function both(peer, { key, context, plaintext }, name, isPlanted) {
  const streamed = async (create, input) => through(create(key, { context }), input, name)
  const isStream = number(2, name) === 0
  const ours = isStream
    ? await streamed(createEncryptStream, plaintext)
    : encryptBuffer(plaintext, key, { context })
  const answer = await asked(peer, key, context, plaintext, ours)
  if (answer.error !== undefined) throw new Error(`the peer refuses ours: ${answer.error}`)
  if (!answer.opened.equals(plaintext)) throw new Error('the peer opens ours to other bytes')
  const open = sealed =>
    isStream ? decryptBuffer(sealed, key, { context }) : streamed(createDecryptStream, sealed)
  if (!(await open(answer.sealed)).equals(plaintext)) throw new Error("we open the peer's to other bytes")
  if (!isPlanted) return
  // A check that cannot fail proves nothing.
  if ((await asked(peer, key, context, plaintext, flipped(ours, name))).error === undefined)
    throw new Error('planted: a bit, and the peer opens it')
  const isOpen = await (async () => open(flipped(answer.sealed, name)))().then(
    () => true,
    () => false,
  )
  if (isOpen) throw new Error('planted: a bit, and we open it')
}

/** The output of a stream for bytes that come in pieces of random lengths. */
async function through(stream, input, name) {
  const parts = []
  stream.on('data', part => parts.push(part))
  const ended = new Promise((resolve, reject) => stream.on('end', resolve).on('error', reject))
  for (let at = 0, i = 0; at < input.length; i++) {
    const piece = 1 + number(i % 2 === 0 ? 100 : 40_000, `${name}, piece ${i}`)
    stream.write(input.subarray(at, at + piece))
    at += piece
  }
  stream.end()
  await ended
  return Buffer.concat(parts)
}

function flipped(message, name) {
  const copy = Buffer.from(message)
  const bit = number(8 * copy.length, `${name}, bit`)
  copy[bit >> 3] ^= 1 << (bit & 7)
  return copy
}
