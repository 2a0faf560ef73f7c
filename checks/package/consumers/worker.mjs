// A worker of workers.mjs: loads the package from scratch, and is never without live keys.
import { parentPort, workerData } from 'node:worker_threads'
import { roundTrip } from './round-trip.mjs'

const keep = [roundTrip(), roundTrip()]
parentPort.postMessage(keep[0].backend)
do {
  keep.push(roundTrip())
  if (keep.length > 100) keep.length = 2
} while (workerData.forever)
