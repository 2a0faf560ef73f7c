// One process of the run: its workers generate, and append to bucket files that it opens once for all of them.
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

process.once('disconnect', () => process.exit(1)) // whoever asked is gone
const [{ paths, workers }] = await once(process, 'message')
const files = paths.map(path => openSync(path, 'a'))
const results = await Promise.all(workers.map(generate))
files.forEach(closeSync)
process.removeAllListeners('disconnect')
process.send(results, () => process.disconnect())

async function generate(job) {
  const worker = new Worker(new URL('generate.mjs', import.meta.url), { workerData: { ...job, files } })
  const ended = once(worker, 'exit')
  const [result] = await Promise.race([
    once(worker, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`a worker ended with code ${code}`))),
  ])
  await ended
  return result
}
