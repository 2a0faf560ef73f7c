// Streams and files: Cobblestone-256 of this package beside node:crypto's cipher in a pipeline, typage, and a plain copy.
import { fork } from 'node:child_process'
import { createCipheriv, createSecretKey, randomFillSync } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'
import {
  decryptBuffer,
  decryptFile,
  encryptBuffer,
  encryptedSize,
  encryptFile,
} from 'hardware-aes-gcm/stream'
import { majorOf, otherLines } from './lines.mjs'
import { size, times } from './table.mjs'
import { inTurns } from './turns.mjs'
import { NODE, OURS } from './ways.mjs'

const [KIB, MIB] = [2 ** 10, 2 ** 20]
/** Bytes of a pipeline in memory and of a file, rounds of both, and whether the pipelines are measured on Node's other lines. */
const RUNS = {
  full: { memory: 256 * MIB, rounds: 25, file: 1024 * MIB, fileRounds: 15, lines: true },
  quick: { memory: 32 * MIB, rounds: 3, file: 32 * MIB, fileRounds: 3, lines: false },
}
const BUFFER = 4 * MIB
/** Calls of a sample of whole messages: a single one would also time what lay in the caches before. */
const CALLS = 20
const CHUNK = 16 * KIB

const HERE = process.versions.node
const inMemory = node => `a pipeline in memory, Node ${majorOf(node)}`
export const IN_MEMORY = inMemory(HERE)
export const IN_FILES = 'a file to a file'
const AS_WRITTEN = 'createCipheriv pipeline'
const FASTEST = 'the same, 1 MiB at a time'
export const TYPAGE = 'age-encryption (typage)'

/** The first line of Node whose node:crypto is faster in a pipeline than that of Node 20. */
const FIRST_FAST = 22

const key = AesGcm.generateKey()
const keyOfNode = createSecretKey(key)
const cipher = options => createCipheriv('aes-256-gcm', keyOfNode, randomFillSync(Buffer.alloc(12)), options)

/** Figures of all parts: ns for each file, message or stream. */
export async function measureStreams(kind) {
  const { memory, rounds, file, fileRounds, lines } = RUNS[kind]
  const results = await streams({ node: HERE, program: process.execPath }, memory, rounds)
  for (const line of lines ? await otherLines('streams') : [])
    results.push(...(await streams(line, memory, rounds)))
  return [...results, ...(await buffers(rounds)), ...(await files(file, fileRounds))]
}

/** Pipelines in memory on one Node, in a process of its own; beside typage on this one. */
async function streams({ node, program }, bytes, rounds) {
  const typage = node === HERE ? TYPAGE : undefined
  const settings = JSON.stringify({ bytes, rounds, direction: inMemory(node), typage })
  const peer = fork(new URL('./streams-peer.mjs', import.meta.url), [settings], { execPath: program })
  const results = []
  const told = once(peer, 'message').then(([figures]) => results.push(...figures))
  const [code] = await once(peer, 'exit')
  if (code !== 0) throw new Error(`the process that measures streams on Node ${node} ended with ${code}`)
  await told
  return results.map(result => ({ ...result, node }))
}

/** Whole messages in memory that is used again, beside the frames of one chunk each. */
function buffers(rounds) {
  const [plaintext, target] = [randomFillSync(Buffer.alloc(BUFFER)), Buffer.alloc(encryptedSize(BUFFER))]
  const message = encryptBuffer(plaintext, key)
  const aes = new AesGcm(key)
  const [chunk, frame] = [plaintext.subarray(0, CHUNK), Buffer.alloc(CHUNK + OVERHEAD)]
  return inTurns(
    'memory to memory',
    rounds * 5,
    [
      { by: OURS, way: 'encryptBuffer', bytes: BUFFER, run: () => encryptBuffer(plaintext, key, { target }) },
      { by: OURS, way: 'decryptBuffer', bytes: BUFFER, run: () => decryptBuffer(message, key, { target }) },
      {
        by: OURS,
        way: 'encryptInto, 16 KiB each',
        bytes: BUFFER,
        run: () => {
          for (let at = 0; at < BUFFER; at += CHUNK) aes.encryptInto(frame, chunk)
        },
      },
    ],
    { calls: CALLS },
  )
}

/** File to file. Each way makes its target anew, after the last one is removed. */
async function files(bytes, rounds) {
  const folder = mkdtempSync(join(folderFor(bytes), 'bench-streams-'))
  const path = name => join(folder, name)
  const through = (options = {}) =>
    pipeline(
      createReadStream(path('plain'), options),
      cipher(options),
      createWriteStream(path('out'), options),
    )
  try {
    await writeFile(path('plain'), repeated(randomFillSync(Buffer.alloc(MIB)), bytes / MIB))
    await encryptFile(path('plain'), path('sealed'), key)
    const found = await inTurns(
      IN_FILES,
      rounds,
      [
        { by: OURS, way: 'encryptFile', bytes, run: () => encryptFile(path('plain'), path('out'), key) },
        { by: OURS, way: 'decryptFile', bytes, run: () => decryptFile(path('sealed'), path('out'), key) },
        { by: NODE, way: AS_WRITTEN, bytes, run: () => through() },
        { by: NODE, way: FASTEST, bytes, run: () => through({ highWaterMark: MIB }) },
        { by: 'Node', way: 'copyFileSync', bytes, run: () => copyFileSync(path('plain'), path('out')) },
      ],
      { clear: () => rmSync(path('out'), { force: true }) },
    )
    if (statSync(path('sealed')).size !== encryptedSize(bytes))
      throw new Error('the message has another size')
    return found
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A folder in memory where Linux has room for the files: the time of a disk varies, and hides the rest. Otherwise on disk. */
function folderFor(bytes) {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 4 * bytes) return '/dev/shm'
  } catch {
    // There is no such folder.
  }
  return tmpdir()
}

function* repeated(piece, count) {
  for (let i = 0; i < count; i++) yield piece
}

/**
 * Bytes in a ns, by the median. Files go by the least time: most of it is the kernel's work on a new file, which varies within a run
 * by more than a factor of two and can only add to a time.
 */
export const speed = ({ direction, bytes, median, least }) =>
  bytes / (direction === IN_FILES ? least : median)

/** The promises about streams and files, with the limits of limits.mjs. */
export function judgeStreams(results, limits) {
  const of = name => results.find(({ way }) => way === name)
  const pairs = results
    .filter(({ way }) => way === 'createEncryptStream')
    .map(ours => {
      const peer = results.find(r => r.direction === ours.direction && r.way === 'createCipheriv')
      return [ours, peer, majorOf(ours.node) < FIRST_FAST ? limits.oldNode : limits.newNode]
    })
  pairs.push(
    [of('createEncryptStream'), results.find(({ by }) => by === TYPAGE), limits.typage],
    [of('encryptBuffer'), of('encryptInto, 16 KiB each'), limits.buffer],
    [of('encryptFile'), of(AS_WRITTEN), limits.file],
    [of('encryptFile'), of(FASTEST), limits.fastest],
  )
  return pairs.map(([ours, other, limit]) => {
    const factor = speed(ours) / speed(other)
    const peer = other.by === TYPAGE ? TYPAGE : other.way
    const where = ours.node && ours.node !== HERE ? ` on Node ${majorOf(ours.node)}` : ''
    const text = `${ours.way}${where}: ${factor.toFixed(2)} times the speed of ${peer}, at least ${limit}`
    return { missed: !(factor >= limit), text }
  })
}

/** The table of streams and files. */
export function streamsTable(results) {
  const lines = []
  for (const direction of new Set(results.map(result => result.direction))) {
    const own = results.filter(result => result.direction === direction)
    lines.push(
      `\n${direction}, ${size(own[0].bytes)}; GB/s`.padEnd(48) +
        ['median', 'best', 'x node'].map(text => text.padStart(9)).join(''),
    )
    const node = own.find(({ by }) => by === NODE)
    for (const result of own) {
      const { by, way, bytes, median, least } = result
      const figures = [bytes / median, bytes / least].map(rate => rate.toFixed(2))
      const ratio = node === undefined ? '' : times(speed(result) / speed(node))
      lines.push(
        `  ${by.padEnd(24)}${way.padEnd(26)}${[...figures, ratio].map(text => text.padStart(9)).join('')}`.trimEnd(),
      )
    }
  }
  return lines.join('\n')
}
