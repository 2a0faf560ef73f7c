// Prints resident memory, over time, while hundreds of threads load the package, use it and end: environments.mjs [KEPT]
//
// Each makes keys, seals a text and runs a job. KEPT bytes for each are kept alive besides, to prove that the check notices.
import { argv } from 'node:process'
import { Worker } from 'node:worker_threads'
import { resident, settle } from '../tools/resident.mjs'

const THREADS = 300
const CODE = `
  import { AesGcm } from 'hardware-aes-gcm'
  import { Keyring } from 'hardware-aes-gcm/keyring'
  Keyring.generate().sealText('text')
  await new AesGcm(AesGcm.generateKey()).encryptInPlaceAsync(Buffer.allocUnsafeSlow(100))`

const [each = 0] = argv.slice(2)
const kept = []
const samples = []
for (let i = 0; i < THREADS; i++) {
  await new Promise((resolve, reject) => {
    new Worker(CODE, { eval: true, execArgv: [] }).on('exit', resolve).on('error', reject)
  })
  kept.push(Buffer.alloc(Number(each), 1))
  await settle()
  samples.push(resident().rss)
}
console.log(JSON.stringify({ threads: kept.length, samples, median: true }))
