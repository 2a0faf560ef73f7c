// Measures the three classes beside each other on the Node that runs it, with node:crypto's AES-256-GCM-SIV where that Node has
// it, and sends the figures to the process that started it: bench/classes.mjs.
import { createCipheriv, getCiphers, randomBytes, randomFillSync } from 'node:crypto'
import * as gcm from 'hardware-aes-gcm'
import * as siv from 'hardware-aes-gcm/siv'
import * as xaes from 'hardware-aes-gcm/xaes'
import { measure } from './measure.mjs'
import { NODE, OURS } from './ways.mjs'

/** Each class with the bytes that its frames have besides the plaintext. */
const CLASSES = [
  [gcm.AesGcm, gcm.OVERHEAD],
  [xaes.XAesGcm, xaes.OVERHEAD],
  [siv.AesGcmSiv, siv.OVERHEAD],
]
const SIV = 'aes-256-gcm-siv'

/** Encrypts the same frame again and again: the content does not change the time. */
function inPlace([Class, overhead], backend, bytes) {
  const cipher = new Class(randomBytes(32), { backend })
  const frame = Buffer.alloc(bytes + overhead)
  const run = calls => {
    for (let i = 0; i < calls; i++) cipher.encryptInPlace(frame)
  }
  return { way: { by: OURS, name: `${Class.name}, ${backend}`, of: Class.name, backend }, work: { run } }
}

/** As people write it. */
function byNode(bytes) {
  const [key, nonce, message] = [randomBytes(32), randomBytes(12), randomFillSync(Buffer.alloc(bytes))]
  const run = calls => {
    for (let i = 0; i < calls; i++) {
      const cipher = createCipheriv(SIV, key, nonce)
      cipher.update(message)
      cipher.final()
      cipher.getAuthTag()
    }
  }
  return { way: { by: NODE, name: SIV }, work: { run } }
}

const { sizes, plan } = JSON.parse(process.argv[2])
const results = []
for (const bytes of sizes) {
  const pairs = gcm.cpu().backends.flatMap(backend => CLASSES.map(of => inPlace(of, backend, bytes)))
  if (getCiphers().includes(SIV)) pairs.push(byNode(bytes))
  for (const { way, ...figures } of await measure(pairs, bytes, plan)) {
    const { by, name, of, backend } = way
    const { node } = process.versions
    results.push({ direction: `encrypt, Node ${node}`, node, bytes, by, way: name, of, backend, ...figures })
  }
}
process.send(results)
process.disconnect()
