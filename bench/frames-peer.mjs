// Measures single messages and batches against node:crypto on the Node that runs it, and sends the figures to the process that
// started it: bench/frames.mjs.
import { randomFillSync } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { nodeCrypto } from './builtin.mjs'
import { measure } from './measure.mjs'
import { ours } from './ours.mjs'
import { prepareAll } from './ways.mjs'

const { sizes, plan, names } = JSON.parse(process.argv[2])
const key = AesGcm.generateKey()
const ways = [...ours(key).filter(({ name }) => names.includes(name)), ...nodeCrypto(key)]
const { node, openssl } = process.versions
const results = []
for (const bytes of sizes) {
  const pairs = await prepareAll(ways, randomFillSync(Buffer.alloc(bytes)))
  for (const { way, ...figures } of await measure(pairs, bytes, plan)) {
    const { by, name, direction } = way
    results.push({ direction: `${direction}, Node ${node}`, node, openssl, bytes, by, way: name, ...figures })
  }
}
process.send(results)
process.disconnect()
