// A session over loopback TCP, beside plain TCP and node:tls with AES-256-GCM: bulk data, and writes of 100 bytes.
import { fork, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AesGcm } from 'hardware-aes-gcm'
import { nanoseconds } from './table.mjs'
import { NODE, OURS } from './ways.mjs'

const MIB = 2 ** 20
/** The ways, by the names that session-peer.mjs knows. */
const WAYS = [
  { by: 'plain TCP', name: 'node:net' },
  { by: NODE, name: 'node:tls' },
  { by: OURS, name: 'session' },
]
const OVER_TCP = 'session over TCP'
const CORE = 'session, sealing alone'
/** Bytes of a write of bulk data, which is also the most that a session puts into one record. */
const BULK = 64 * 1024
const SMALL = 100

const KINDS = {
  full: { total: 1024 * MIB, writes: 500_000, rounds: 5 },
  quick: { total: 128 * MIB, writes: 50_000, rounds: 3 },
}

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
  const sorted = samples.toSorted((a, b) => a - b)
  return { median: sorted[sorted.length >> 1], least: sorted[0], samples: sorted.length, calls }
}

/**
 * Figures in ns for each write, in the same form as those of encryption. The ways take turns, so that a disturbance of the
 * machine does not slow one of them alone.
 */
export async function measureSession(kind) {
  const { total, writes, rounds } = KINDS[kind]
  const settings = JSON.stringify({ secret: randomBytes(32).toString('hex'), certificate: makeCertificate() })
  const children = []
  const start = () => {
    children.push(fork(new URL('./session-peer.mjs', import.meta.url), [settings]))
    return children.at(-1)
  }
  const works = WAYS.flatMap(way => [
    { way, size: BULK, count: total / BULK, samples: [] },
    { way, size: SMALL, count: writes, samples: [] },
  ])
  try {
    const ports = {}
    for (const { name } of WAYS) ports[name] = (await ask(start(), { listen: name })).port
    const client = start()
    for (let round = 0; round <= rounds; round++) {
      for (const { way, size, count, samples } of works) {
        const total = size * (round === 0 ? Math.ceil(count / 8) : count)
        const { ms } = await ask(client, { way: way.name, port: ports[way.name], total, size })
        if (round > 0) samples.push((ms / count) * 1e6) // the first round warms up
      }
    }
  } finally {
    for (const child of children) child.kill()
  }
  const figures = works.map(({ way: { by, name }, size, count, samples }) => ({
    direction: OVER_TCP,
    by,
    way: name,
    bytes: size,
    ...statistics(samples, count),
  }))
  return [...figures, sealAlone(Math.min(total, 256 * MIB))]
}

/** The median of one way, in ns for each write. */
export const sessionFigure = (results, way, bytes = BULK) =>
  results.find(r => r.way === way && r.bytes === bytes).median

/** ns for each record if it is first sealed, and then sent in plain TCP. */
export const inSequence = results =>
  sessionFigure(results, 'node:net') + sessionFigure(results, 'encryptDetached')

export function sessionTable(results) {
  const lines = [
    `\nover loopback TCP, one process at each end; a session rekeys every 16 MiB; ns per write`,
    `${''.padEnd(26)}${['median', 'least', 'MB/s'].map(text => text.padStart(11)).join('')}`,
  ]
  for (const { bytes, way, median, least } of results) {
    const figures = [nanoseconds(median), nanoseconds(least), ((bytes / median) * 1e3).toFixed(0)]
    lines.push(
      `  ${`${bytes} B`.padEnd(9)}${way.padEnd(15)}${figures.map(text => text.padStart(11)).join('')}`,
    )
  }
  return lines.join('\n')
}
