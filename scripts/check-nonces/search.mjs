// One worker thread of the search: the buckets it is given, one after the other.
import { parentPort, workerData } from 'node:worker_threads'
import { search } from './buckets.mjs'

const { paths, most } = workerData
parentPort.postMessage(paths.map(path => search(path, most)))
