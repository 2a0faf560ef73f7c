// A worker with live keys, which it leaves behind as it ends.
import { parentPort, workerData } from 'node:worker_threads'
import { exercise, withKeys } from './scenarios.mjs'

const { AesGcm } = await import(workerData.entry)
const kept = []
withKeys(key => {
  kept.push(new AesGcm(key))
  exercise(kept.at(-1))
})
// Without a listener any more, the worker ends by itself; its keys are reachable until then.
parentPort.once('message', () => {
  if (workerData.exits) process.exit(0)
})
parentPort.postMessage('live')
