// No nonce repeats under one key, with many objects, several threads, and reseeds in between.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { NONCE_BYTES } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'

const THREADS = 4
const EACH = 32_000

// Every second nonce comes from one object that lives through the run; the others come from objects that encrypt one to seven
// frames. Half of these objects have the nonce at the end.
const WORKER = `
  import(${JSON.stringify(new URL('../../../dist/index.mjs', import.meta.url).href)}).then(({ AesGcm, reseed }) => {
    const nonces = Buffer.alloc(${EACH * NONCE_BYTES})
    const key = Buffer.alloc(32)
    const lasting = new AesGcm(key)
    let brief, left = 0, atEnd = false
    for (let n = 0; n < ${EACH}; n++) {
      if (n % 997 === 0) reseed()
      if (left === 0) {
        atEnd = !atEnd
        left = 1 + (n % 7)
        brief = new AesGcm(key, { nonceAt: atEnd ? 'end' : 'start', maxMessages: left })
      }
      const lives = n % 2 === 0
      const frame = (lives ? lasting : brief).encrypt(Buffer.alloc(n % 33))
      if (!lives) left--
      frame.copy(nonces, n * ${NONCE_BYTES}, lives || !atEnd ? 0 : frame.length - ${NONCE_BYTES})
    }
    require('node:worker_threads').parentPort.postMessage(nonces)
  })`

test('threads share no nonce on one key', async () => {
  const workers = Array.from({ length: THREADS }, () => new Worker(WORKER, { eval: true, execArgv: [] }))
  const results = await Promise.all(workers.map(worker => once(worker, 'message')))
  const nonces = Buffer.concat(results.flat() as Uint8Array[]).toString('latin1')
  expect(nonces.length).toBe(THREADS * EACH * NONCE_BYTES)
  const distinct = new Set<string>()
  for (let at = 0; at < nonces.length; at += NONCE_BYTES) distinct.add(nonces.slice(at, at + NONCE_BYTES))
  expect(distinct.size).toBe(THREADS * EACH)
})
