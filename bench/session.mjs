// A session over loopback TCP, beside plain TCP and node:tls with AES-256-GCM: bulk data, and writes of 100 bytes; the two ends
// are two processes, or one. Bulk data is timed on the other lines of Node, too. The CPU time of each end shows what a way costs
// where the kernel's loopback limits the speed of all.
import { fork, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AesGcm } from 'hardware-aes-gcm'
import { majorOf, otherLines } from './lines.mjs'
import { nanoseconds } from './table.mjs'
import { NODE, OURS } from './ways.mjs'

const MIB = 2 ** 20
/** The ways, by the names that session-peer.mjs knows. */
const WAYS = [
  { by: 'plain TCP', name: 'node:net' },
  { by: NODE, name: 'node:tls' },
  { by: OURS, name: 'session' },
]
const CORE = 'session, sealing alone'
/** Bytes of a write of bulk data, which is also the most that a session puts into one record. */
const BULK = 64 * 1024
const SMALL = 100
const HERE = process.versions.node

/** `lines`: whether Node's other lines are measured, with a quarter of the data. */
const KINDS = {
  full: { total: 1024 * MIB, writes: 500_000, rounds: 5, lines: true },
  quick: { total: 128 * MIB, writes: 50_000, rounds: 3, lines: false },
}

const overTcp = (node, processes) =>
  `session over TCP, Node ${majorOf(node)}, ${processes === 1 ? 'one process' : 'two processes'}`

/** A certificate for one day, made by the system's openssl; undefined without that program. */
function makeCertificate() {
  const folder = mkdtempSync(join(tmpdir(), 'bench-session-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const args = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost'
  const { status } = spawnSync('openssl', [...args.split(' '), '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  })
  const made = status === 0 ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : undefined
  rmSync(folder, { recursive: true })
  return made
}

/** The answer of a process to one message. */
function ask(child, message) {
  return new Promise((resolve, reject) => {
    const ended = code => reject(new Error(`a process of the benchmark of sessions ended with ${code}`))
    child.once('exit', ended)
    child.once('message', answer => {
      child.off('exit', ended)
      resolve(answer)
    })
    child.send(message)
  })
}

/** The CPU time of a process so far, in ms. */
const cpuOf = async child => (await ask(child, { cpu: true })).cpu

/** The core alone: ns for each record of this size, sealed in place, one after the other. */
function sealAlone(total) {
  const aes = new AesGcm(randomBytes(32))
  const [data, nonce, tag, aad] = [BULK, 12, 16, 5].map(length => Buffer.alloc(length))
  const samples = []
  for (let round = 0; round < 5; round++) {
    const began = performance.now()
    for (let done = 0; done < total; done += BULK) {
      nonce.writeUInt32BE(done / BULK, 8) // repeated in each round: only the time counts here
      aes.encryptDetached(data, nonce, tag, aad)
    }
    samples.push(((performance.now() - began) / (total / BULK)) * 1e6)
  }
  aes.destroy()
  return {
    direction: CORE,
    by: OURS,
    way: 'encryptDetached',
    bytes: BULK,
    ...statistics(samples, total / BULK),
  }
}

function statistics(samples, calls) {
  return { median: medianOf(samples), least: Math.min(...samples), samples: samples.length, calls }
}

const medianOf = samples => samples.toSorted((a, b) => a - b)[samples.length >> 1]

/** Figures in ns for each write, in the same form as those of encryption, with the version of Node and the number of processes. */
export async function measureSession(kind) {
  const { total, writes, rounds, lines } = KINDS[kind]
  const settings = JSON.stringify({ secret: randomBytes(32).toString('hex'), certificate: makeCertificate() })
  const bulk = { size: BULK, count: total / BULK }
  const part = { size: BULK, count: total / 4 / BULK }
  const figures = []
  const add = async (runtime, processes, loads) =>
    figures.push(...(await measureEnds({ ...runtime, processes, loads, rounds, settings })))
  const here = { node: HERE, program: process.execPath }
  await add(here, 2, [bulk, { size: SMALL, count: writes }])
  await add(here, 1, [lines ? part : bulk])
  for (const line of lines ? await otherLines('sessions') : [])
    for (const processes of [2, 1]) await add(line, processes, [part])
  return [...figures, sealAlone(Math.min(total, 256 * MIB))]
}

/**
 * The figures on one Node. The ways take turns, so that a disturbance of the machine does not slow one of them alone. Each way
 * has its server in a process of its own, and there its client, too, if there is one process.
 */
async function measureEnds({ node, program, processes, loads, rounds, settings }) {
  const children = []
  const start = () => {
    children.push(fork(new URL('./session-peer.mjs', import.meta.url), [settings], { execPath: program }))
    return children.at(-1)
  }
  const works = []
  try {
    const client = processes === 2 ? start() : undefined
    for (const way of WAYS) {
      const server = start()
      const { port } = await ask(server, { listen: way.name })
      for (const load of loads)
        works.push({
          way,
          port,
          ...load,
          server,
          client: client ?? server,
          samples: [],
          sent: [],
          received: [],
        })
    }
    for (let round = 0; round <= rounds; round++) {
      for (const { way, port, size, count, server, client, samples, sent, received } of works) {
        const total = size * (round === 0 ? Math.ceil(count / 8) : count)
        const [sender, receiver] = [await cpuOf(client), await cpuOf(server)]
        const { ms } = await ask(client, { way: way.name, port, total, size })
        if (round === 0) continue // it warms up
        samples.push((ms / count) * 1e6)
        sent.push(((await cpuOf(client)) - sender) / (total / 1e6))
        received.push(((await cpuOf(server)) - receiver) / (total / 1e6))
      }
    }
  } finally {
    for (const child of children) child.kill()
  }
  return works.map(({ way: { by, name }, size, count, samples, sent, received }) => ({
    direction: overTcp(node, processes),
    node,
    processes,
    by,
    way: name,
    bytes: size,
    // One process is both ends.
    cpu: (processes === 2 ? [sent, received] : [sent]).map(medianOf),
    ...statistics(samples, count),
  }))
}

/** The median of one way on this Node with two processes, in ns for each write of bulk data. */
const bulkFigure = (results, way) =>
  results.find(r => r.way === way && r.bytes === BULK && (r.node ?? HERE) === HERE && r.processes !== 1)
    .median

/** The part that a session reaches of the speed which sealing and plain TCP would have one after the other. */
export const partOfSequence = results =>
  (bulkFigure(results, 'node:net') + bulkFigure(results, 'encryptDetached')) / bulkFigure(results, 'session')

/** How many times a session is as fast as node:tls with bulk data, on each Node, with two processes and with one. */
export const timesOfTls = results =>
  results
    .filter(({ way, bytes }) => way === 'session' && bytes === BULK)
    .map(({ direction, median }) => ({
      direction,
      times:
        results.find(r => r.direction === direction && r.way === 'node:tls' && r.bytes === BULK).median /
        median,
    }))

export function sessionTable(results) {
  const lines = [
    `\na session over loopback TCP, with a rekeying every 16 MiB; ns per write, and CPU seconds per GB (sender + receiver)`,
  ]
  let block
  for (const { direction, bytes, way, median, least, cpu = [] } of results) {
    if (direction !== block) {
      block = direction
      const titles = ['median', 'least', 'MB/s', 'CPU s/GB'].map(text => text.padStart(15)).join('')
      lines.push(`  ${direction.replace('session over TCP, ', '').padEnd(24)}${titles}`)
    }
    const seconds = cpu.map(each => each.toFixed(2)).join(' + ')
    const figures = [nanoseconds(median), nanoseconds(least), ((bytes / median) * 1e3).toFixed(0), seconds]
    lines.push(
      `  ${`${bytes} B`.padEnd(9)}${way.padEnd(15)}${figures.map(text => text.padStart(15)).join('')}`,
    )
  }
  return lines.join('\n')
}
