// Files: the recipe of the guide beside a pipeline with node:crypto, and beside a loop over two open files.
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from 'hardware-aes-gcm'
import { size, times } from './table.mjs'
import { NODE, OURS } from './ways.mjs'

const MIB = 2 ** 20
const RUNS = { full: { bytes: 512 * MIB, rounds: 5 }, quick: { bytes: 32 * MIB, rounds: 3 } }
/** Least part of the speed of the loop that the recipe reaches. The full limit is for quiet disks, the quick one for any. */
const LIMITS = { full: 0.8, quick: 0.25 }
/** Bytes of a chunk of the loop, as in the recipe. */
const CHUNK = MIB

const RECIPE = "the guide's recipe"
const LOOP = 'a loop without labels'

const key = AesGcm.generateKey()
const aes = new AesGcm(key)
const keyOfNode = createSecretKey(key)

/** The functions of docs/guide/files.md, as they stand there. */
async function recipe() {
  const guide = readFileSync(new URL('../docs/guide/files.md', import.meta.url), 'utf8')
  const [, source] = guide.match(/```js\n(.*?)```/s)
  const body = source.replace(/^import (\{.*\}) from ('.*')$/gm, 'const $1 = await load($2)')
  const AsyncFunction = recipe.constructor
  const load = new AsyncFunction('load', `${body}; return { encryptFile, decryptFile }`)
  const { encryptFile, decryptFile } = await load(name => import(name))
  const encrypt = (from, to) => encryptFile(aes, from, to)
  return { by: OURS, name: RECIPE, encrypt, decrypt: (from, to) => decryptFile(aes, from, to) }
}

/** The least that a program must do: chunks in place, without labels, so that no lost chunk would be noticed. */
const loop = {
  by: OURS,
  name: LOOP,
  encrypt: (from, to) =>
    copy(from, to, NONCE_BYTES, CHUNK, frame => {
      aes.encryptInPlace(frame)
      return frame
    }),
  decrypt: (from, to) => copy(from, to, 0, CHUNK + OVERHEAD, frame => aes.decryptInPlace(frame)),
}

/** Reads `length` bytes at a time into a frame, from `at` in the frame on, and writes what `work` makes of the frame. */
async function copy(from, to, at, length, work) {
  const [source, target] = [await open(from), await open(to, 'wx')]
  const memory = Buffer.alloc(CHUNK + OVERHEAD)
  for (let read = length; read === length; ) {
    read = (await source.read(memory, at, length)).bytesRead
    const frame = memory.subarray(0, read + memory.length - length)
    if (read > 0) await target.appendFile(work(frame))
  }
  await target.sync()
  await Promise.all([source.close(), target.close()])
}

/** One message for the whole file, as nonce, ciphertext and tag. The plaintext is written before its tag was checked. */
const pipelines = {
  by: NODE,
  name: 'a createCipheriv pipeline',
  async encrypt(from, to) {
    const nonce = randomFillSync(Buffer.alloc(NONCE_BYTES))
    const cipher = createCipheriv('aes-256-gcm', keyOfNode, nonce)
    await writeFile(to, nonce)
    await pipeline(createReadStream(from), cipher, createWriteStream(to, { flags: 'a' }))
    await writeFile(to, cipher.getAuthTag(), { flag: 'a', flush: true })
  },
  async decrypt(from, to) {
    const file = await open(from)
    const { size } = await file.stat()
    const nonce = (await file.read(Buffer.alloc(NONCE_BYTES), 0, NONCE_BYTES, 0)).buffer
    const tag = (await file.read(Buffer.alloc(TAG_BYTES), 0, TAG_BYTES, size - TAG_BYTES)).buffer
    await file.close()
    const decipher = createDecipheriv('aes-256-gcm', keyOfNode, nonce).setAuthTag(tag)
    const source = createReadStream(from, { start: NONCE_BYTES, end: size - TAG_BYTES - 1 })
    await pipeline(source, decipher, createWriteStream(to, { flush: true }))
  },
}

/** A folder in memory where Linux has room for three files: the time of a disk varies, and hides the rest. Otherwise on disk. */
function folderFor(bytes) {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize > 4 * bytes) return '/dev/shm'
  } catch {
    // There is no such folder.
  }
  return tmpdir()
}

/** Figures of both directions, in ns per file. */
export async function measureFiles(kind) {
  const { bytes, rounds } = RUNS[kind]
  const ways = [await recipe(), loop, pipelines]
  const samples = { encrypt: ways.map(() => []), decrypt: ways.map(() => []) }
  const folder = mkdtempSync(join(folderFor(bytes), 'bench-files-'))
  const path = name => join(folder, name)
  try {
    await writeFile(path('plain'), repeated(randomFillSync(Buffer.alloc(MIB)), bytes / MIB), { flush: true })
    for (let round = 0; round <= rounds; round++) {
      for (const [i, { encrypt, decrypt }] of ways.entries()) {
        const times = {
          encrypt: await timed(() => encrypt(path('plain'), path('sealed'))),
          decrypt: await timed(() => decrypt(path('sealed'), path('opened'))),
        }
        if (round === 0)
          await same(path('plain'), path('opened')) // the first round warms up
        else for (const direction of Object.keys(times)) samples[direction][i].push(times[direction])
        for (const name of ['sealed', 'opened']) rmSync(path(name))
      }
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
  return Object.entries(samples).flatMap(([direction, lists]) =>
    lists.map((list, i) => {
      const sorted = list.sort((a, b) => a - b)
      const figures = {
        median: sorted[sorted.length >> 1],
        least: sorted[0],
        samples: sorted.length,
        calls: 1,
      }
      return { bytes, direction: `${direction} a file`, by: ways[i].by, way: ways[i].name, ...figures }
    }),
  )
}

/** The promises about the recipe, as in limits.mjs. */
export function judgeFiles(results, { kind }) {
  return results
    .filter(({ way }) => way === RECIPE)
    .map(({ direction, least }) => {
      const part = results.find(r => r.direction === direction && r.way === LOOP).least / least
      const text = `${direction}, ${RECIPE}: ${part.toFixed(2)} times the speed of ${LOOP}, at least ${LIMITS[kind]}`
      return { missed: !(part >= LIMITS[kind]), text }
    })
}

async function timed(work) {
  const began = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - began)
}

function* repeated(piece, count) {
  for (let i = 0; i < count; i++) yield piece
}

/** Throws unless two files have the same bytes. */
async function same(first, second) {
  const pairs = [first, second].map(path =>
    createReadStream(path, { highWaterMark: MIB })[Symbol.asyncIterator](),
  )
  for (;;) {
    const [a, b] = await Promise.all(pairs.map(chunks => chunks.next()))
    if (a.done && b.done) return
    if (a.done || b.done || !a.value.equals(b.value)) throw new Error(`${second} is not ${first}`)
  }
}

/** The table of files. */
export function filesTable(results) {
  const [{ bytes }] = results
  const lines = [
    `\na file of ${size(bytes)}, in ${folderFor(bytes)}, synced at the end; ms`,
    `${''.padEnd(46)}${['median', 'least', 'x node'].map(text => text.padStart(9)).join('')}`,
  ]
  for (const { direction, by, way, median, least } of results) {
    const node = results.find(r => r.direction === direction && r.by === NODE).median
    const ratio = by === NODE ? '' : times(node / median)
    const figures = [...[median, least].map(ns => (ns / 1e6).toFixed(0)), ratio].map(text => text.padStart(9))
    lines.push(`  ${direction.padEnd(17)}${way.padEnd(27)}${figures.join('')}`.trimEnd())
  }
  return lines.join('\n')
}
