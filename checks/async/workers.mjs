// Terminates workers that have jobs in flight, and prints how their calls ended: workers.mjs COUNT [FAULT]
//
// FAULT: `wrong` changes a byte of one result in five, `kept` keeps 4 MiB for each worker, `crash` ends the process.
import { argv } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { AesGcm } from 'hardware-aes-gcm'
import { resident, settle } from '../tools/resident.mjs'
import { begin, below, KEY } from './one.mjs'

const JOBS = 100
const AT_ONCE = 3

if (isMainThread) await terminateMany(Number(argv[2]), argv[3])
else work(workerData)

async function terminateMany(count, fault) {
  const [tally, wrong, samples, kept] = [{ terminated: 0, ended: 0 }, [], [], []]
  const began = performance.now()
  for (let n = 0; n < count; n += AT_ONCE) {
    // Nine workers were all terminated in a third of runs, and might report no wrong result. Of 100 jobs that end, some are wrong.
    const ends = i => (fault === 'wrong' && i === 0) || below(8) === 0
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => one(fault, tally, wrong, ends(i))))
    if (fault === 'crash') process.kill(process.pid, 'SIGSEGV')
    if (fault === 'kept') kept.push(Buffer.alloc(AT_ONCE * 4 * 2 ** 20, 1))
    await settle()
    samples.push(resident().rss)
  }
  const ms = performance.now() - began
  console.log(JSON.stringify({ node: process.versions.node, tally, wrong, samples, ms }))
}

/** A worker that begins jobs, and comes to its end or is terminated at a random moment. */
function one(fault, tally, wrong, ends) {
  const worker = new Worker(fileURLToPath(import.meta.url), { workerData: { fault } })
  return new Promise(resolve => {
    worker.on('message', async message => {
      if (message === 'begun') {
        if (!ends) {
          await setTimeout(below(4))
          worker.terminate()
        }
        return
      }
      tally[message.name] = (tally[message.name] ?? 0) + 1
      if (message.wrong !== undefined) wrong.push(message.wrong)
    })
    worker.on('error', error => wrong.push(error.message))
    worker.on('exit', code => {
      tally[code === 0 ? 'ended' : 'terminated']++
      resolve()
    })
  })
}

function work({ fault }) {
  const aes = new AesGcm(KEY)
  const spoil = bytes => {
    if (fault === 'wrong' && below(5) === 0 && bytes?.length > 0) bytes[0] ^= 1
  }
  for (let n = 0; n < JOBS; n++) begin(aes, (name, wrong) => parentPort.postMessage({ name, wrong }), spoil)
  parentPort.postMessage('begun')
}
