// Times the first use of the package: in a quiet process, beside worker threads, and beside open sockets.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { argv } from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'

const COMPANY = { full: { workers: 100, sockets: 10_000 }, quick: { workers: 20, sockets: 2000 } }
const RUNS = { full: 9, quick: 5 }

/** Factor by which workers or sockets may slow the first use down at most: the first use must not wait for them. */
const MOST = 3

/** Times of the first use in ms: the least of several processes of each kind, which take turns. */
export async function measureFirstUse(kind) {
  const { workers, sockets } = COMPANY[kind]
  const kinds = { alone: [0, 0], workers: [workers, 0], sockets: [0, sockets] }
  const times = { alone: [], workers: [], sockets: [] }
  for (let run = 0; run < RUNS[kind]; run++) {
    for (const [name, company] of Object.entries(kinds)) times[name].push(await inProcess(company))
  }
  const least = Object.entries(times).map(([name, all]) => [name, Math.min(...all)])
  return { ...COMPANY[kind], ms: Object.fromEntries(least) }
}

async function inProcess(company) {
  const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), ...company])
  return Number(stdout)
}

/** The table's line. */
export function firstUseLine({ workers, sockets, ms }) {
  const of = name => `${ms[name].toFixed(2)} ms`
  return `  first use: ${of('alone')} alone, ${of('workers')} beside ${workers} workers, ${of('sockets')} beside ${sockets} sockets`
}

/** Whether the promise was kept, as in limits.mjs. */
export function judgeFirstUse({ workers, sockets, ms }) {
  const times = Math.max(ms.workers, ms.sockets) / ms.alone
  const text = `first use beside ${workers} workers or ${sockets} sockets: ${times.toFixed(2)} times as long as alone, at most ${MOST}`
  return { missed: !(times <= MOST), text }
}

async function company(workers, sockets) {
  for (let i = 0; i < workers; i++) {
    // The listener keeps the worker alive and idle.
    const worker = new Worker('require("node:worker_threads").parentPort.on("message", () => {})', {
      eval: true,
    })
    await once(worker, 'online')
  }
  const server = createServer(() => {}).listen({ port: 0, host: '127.0.0.1', backlog: 511 })
  await once(server, 'listening')
  // Both sockets of a connection are in this process.
  for (let i = 0; i < sockets; i += 2) await once(connect(server.address().port, '127.0.0.1'), 'connect')
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { AesGcm } = await import('hardware-aes-gcm')
  const [workers, sockets] = argv.slice(2).map(Number)
  await company(workers, sockets)
  await setTimeout(200) // until workers and sockets have finished their own start
  const began = process.hrtime.bigint()
  AesGcm.isAvailable()
  console.log(Number(process.hrtime.bigint() - began) / 1e6)
  process.exit()
}
