// Measures pipelines from memory to a sink that drops everything, in writes of 64 KiB, on the Node that runs it, and sends the
// figures to the process that started it: bench/streams.mjs.
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AesGcm } from 'hardware-aes-gcm'
import { createDecryptStream, createEncryptStream, encryptBuffer } from 'hardware-aes-gcm/stream'
import { inTurns } from './turns.mjs'
import { NODE, OURS } from './ways.mjs'

const WRITE = 64 * 1024
/** Bytes that typage takes in a round, because it is slow. */
const FOR_TYPAGE = 4 * 2 ** 20

const { bytes, rounds, direction, typage } = JSON.parse(process.argv[2])
const key = AesGcm.generateKey()
const keyOfNode = createSecretKey(key)
const piece = randomFillSync(Buffer.alloc(WRITE))
const message = encryptBuffer(randomFillSync(Buffer.alloc(bytes)), key)

const run = (source, stream) =>
  pipeline(
    Readable.from(source, { objectMode: false }),
    stream,
    new Writable({ write: (_c, _e, done) => done() }),
  )

function* plaintext() {
  for (let at = 0; at < bytes; at += WRITE) yield piece
}

function* sealed() {
  for (let at = 0; at < message.length; at += WRITE) yield message.subarray(at, at + WRITE)
}

/** A decipher that writes before any tag is known. Its end, which would refuse the message, is left out. */
function untagged() {
  const decipher = createDecipheriv('aes-256-gcm', keyOfNode, Buffer.alloc(12))
  decipher._flush = done => done()
  return decipher
}

async function byTypage() {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setScryptWorkFactor(1)
  encrypter.setPassphrase('benchmark')
  const source = new ReadableStream({
    start(controller) {
      for (let at = 0; at < FOR_TYPAGE; at += WRITE) controller.enqueue(new Uint8Array(piece))
      controller.close()
    },
  })
  for await (const _ of await encrypter.encrypt(source));
}

const cipher = () => createCipheriv('aes-256-gcm', keyOfNode, randomFillSync(Buffer.alloc(12)))
const ways = [
  { by: OURS, way: 'createEncryptStream', bytes, run: () => run(plaintext(), createEncryptStream(key)) },
  { by: OURS, way: 'createDecryptStream', bytes, run: () => run(sealed(), createDecryptStream(key)) },
  { by: NODE, way: 'createCipheriv', bytes, run: () => run(plaintext(), cipher()) },
  { by: NODE, way: 'createDecipheriv, no tag', bytes, run: () => run(sealed(), untagged()) },
]
if (typage) ways.push({ by: typage, way: 'encrypt', bytes: FOR_TYPAGE, run: byTypage })
process.send(await inTurns(direction, rounds, ways))
process.disconnect()
