// A run: generates nonces in several processes of several workers each, and searches all of them for equal ones.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BUCKETS, NONCE_BYTES } from './buckets.mjs'

/**
 * `plan`: `nonces` in all, by `processes` of `workers` each on the one `key`, with about `reseeds` by each worker.
 * `planted` are nonces that a worker adds, by process and worker: `{ '0.1': [hex, ...] }`. `seed` decides what the workers
 * do. Gives how many nonces, objects and reseeds there were, how many nonces repeat another, and examples of those.
 */
export async function run({ nonces, processes, workers, reseeds, key, seed, planted = {} }) {
  const folder = mkdtempSync(join(tmpdir(), 'aesgcm-nonces-'))
  const children = []
  const clean = () => {
    for (const child of children) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', clean)
  try {
    const { bavail, bsize } = statfsSync(folder)
    const needed = nonces * NONCE_BYTES
    if (bavail * bsize < needed)
      throw new Error(`${tmpdir()} has no room for ${needed} bytes: set TMPDIR to a folder that has`)
    const paths = Array.from({ length: BUCKETS }, (_, i) => join(folder, String(i)))
    const jobs = Array.from({ length: processes }, (_, i) => {
      // One worker in each process makes half of its nonces, with a single object for the most part.
      const weights = Array.from({ length: workers }, (_, j) => (j === 0 ? workers - 1 : 1))
      return shares(nonces / processes, weights).map((share, j) => ({
        nonces: share,
        key,
        seed: seed + 2 * (i * workers + j),
        kind: j === 0 ? 'long' : j === 1 ? 'brief' : 'mixed',
        reseeds,
        planted: planted[`${i}.${j}`] ?? [],
      }))
    })
    const made = await Promise.all(
      jobs.map(workers => {
        const child = fork(new URL('process.mjs', import.meta.url), { serialization: 'advanced' })
        children.push(child)
        return answer(child, { paths, workers })
      }),
    )
    const counts = made.flat()
    const found = await search(paths, nonces)
    return { ...found, objects: total(counts, 'objects'), reseeds: total(counts, 'reseeds') }
  } finally {
    clean()
    process.off('exit', clean)
  }
}

/** `total` in whole parts, in proportion to `weights`. */
function shares(total, weights) {
  const all = weights.reduce((sum, weight) => sum + weight, 0)
  let before = 0
  return weights.map(weight => {
    const from = Math.floor((total * before) / all)
    before += weight
    return Math.floor((total * before) / all) - from
  })
}

async function answer(child, job) {
  const ended = once(child, 'exit')
  child.send(job)
  const [result] = await Promise.race([
    once(child, 'message'),
    ended.then(([code, signal]) => Promise.reject(new Error(`a process ended with ${signal ?? code}`))),
  ])
  await ended
  return result
}

/** Each bucket by one of a few threads; a bucket is small, so memory is. */
async function search(paths, nonces) {
  const threads = Math.min(4, availableParallelism())
  // Many times the deviation of an even spread, in small runs too.
  const most = 2 * Math.ceil(nonces / BUCKETS) + 1000
  const parts = await Promise.all(
    Array.from({ length: threads }, async (_, i) => {
      const workerData = { paths: paths.filter((_, at) => at % threads === i), most }
      const worker = new Worker(new URL('search.mjs', import.meta.url), { workerData })
      const [found] = await once(worker, 'message')
      return found
    }),
  )
  const buckets = parts.flat()
  return {
    nonces: total(buckets, 'nonces'),
    repeated: total(buckets, 'repeated'),
    examples: buckets.flatMap(({ examples }) => examples),
  }
}

function total(counts, name) {
  return counts.reduce((sum, count) => sum + count[name], 0)
}
