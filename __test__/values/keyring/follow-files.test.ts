// followKeyset over files: what may lie under the name, and how files are replaced.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../tools/support.js'
import { following, primaryOf } from './follow-clock.js'

const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
const OLDER = 'ERR_AESGCM_OLDER_KEYSET'
const isWindows = process.platform === 'win32'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'follow-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))

const source = Keyring.generate()
const one = source.export()
const a = primaryOf(source)
const b = source.add({ key: Buffer.alloc(32, 0xb1) })
const added = source.export()
source.promote(b)
const promoted = source.export()

let count = 0
/** A keyring that follows a file of its own. */
async function followed(text = one) {
  const file = join(folder, `keys-${count++}.json`)
  writeFileSync(file, text)
  const { followed } = await following({ file, interval: 0 })
  /** What a turn comes to: the code of its failure, or the key that seals. */
  const turn = async () =>
    (await followed.refresh())
      ? primaryOf(followed.keyring)
      : (followed.lastError as { code?: unknown } | null)?.code
  return { file, turn, followed }
}

test('a file that is renamed to the name, or written anew', async () => {
  const { file, turn } = await followed()
  writeFileSync(`${file}.new`, added)
  renameSync(`${file}.new`, file)
  expect(await turn()).toBe(a)
  writeFileSync(file, promoted)
  expect(await turn()).toBe(b)
  writeFileSync(file, `\uFEFF\r\n\t ${promoted}\n`)
  expect(await turn()).toBe(b)
})

test('a URL of a file', async () => {
  const { file } = await followed()
  expect(primaryOf((await following({ file: pathToFileURL(file), interval: 0 })).followed.keyring)).toBe(a)
})

test('a file that is deleted and written again', async () => {
  const { file, turn } = await followed()
  rmSync(file)
  expect([await turn(), await turn()]).toEqual(['ENOENT', 'ENOENT'])
  writeFileSync(file, added)
  expect(await turn()).toBe(a)
})

test('a file that is cut off at any byte', async () => {
  const { file, turn, followed: it } = await followed()
  for (let length = promoted.length - 1; length >= 0; length--) {
    writeFileSync(file, promoted.slice(0, length))
    expect(await turn()).toBe(INVALID)
  }
  expect(it.keyring.export()).toBe(one)
})

test('a folder, a long file, and an older file', async () => {
  const { file, turn, followed: it } = await followed(added)
  rmSync(file)
  mkdirSync(file)
  expect(await turn()).toBe(INVALID)
  rmSync(file, { recursive: true })
  writeFileSync(file, '{')
  // Sparse: a GiB that takes no place.
  truncateSync(file, 2 ** 30)
  const before = process.memoryUsage().arrayBuffers
  expect(await turn()).toBe(INVALID)
  expect(it.lastError?.message).toContain('at most 4194304 bytes')
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24)
  truncateSync(file, 2 ** 22)
  expect(await turn()).toBe(INVALID)
  writeFileSync(file, one)
  expect(await turn()).toBe(OLDER)
  expect(it.keyring.export()).toBe(added)
})

test.skipIf(isWindows)('a pipe without a writer, and a device', async () => {
  const { file, turn, followed: it } = await followed()
  rmSync(file)
  expect(spawnSync('mkfifo', [file]).status).toBe(0)
  expect([await turn(), it.lastError?.message]).toEqual([INVALID, 'the keyset must be in a regular file'])
  rmSync(file)
  symlinkSync('/dev/zero', file)
  expect(await turn()).toBe(INVALID)
})

test.skipIf(isWindows)('a symbolic link to itself', async () => {
  const { file, turn } = await followed()
  rmSync(file)
  symlinkSync(file, file)
  expect(await turn()).toBe('ELOOP')
})

test.skipIf(isWindows)('symbolic links that are swapped, as in a volume of Kubernetes', async () => {
  const volume = join(folder, 'volume')
  const publish = (version: string, text: string | undefined) => {
    mkdirSync(join(volume, version), { recursive: true })
    if (text !== undefined) writeFileSync(join(volume, version, 'keys.json'), text)
    symlinkSync(version, join(volume, '..data_tmp'))
    renameSync(join(volume, '..data_tmp'), join(volume, '..data'))
  }
  publish('..1', one)
  symlinkSync('..data/keys.json', join(volume, 'keys.json'))
  const { followed: it, errors } = await following({ file: join(volume, 'keys.json'), interval: 0 })
  publish('..2', added)
  rmSync(join(volume, '..1'), { recursive: true })
  expect([await it.refresh(), it.keyring.keys.length]).toEqual([true, 2])
  publish('..3', undefined)
  expect([await it.refresh(), (it.lastError as { code?: unknown } | null)?.code]).toEqual([false, 'ENOENT'])
  publish('..4', promoted)
  expect([await it.refresh(), primaryOf(it.keyring), errors.length]).toEqual([true, b, 1])
})

test.skipIf(isWindows)('a signal of the user begins a turn', async () => {
  const { file } = await followed()
  const script = `import { renameSync, writeFileSync } from 'node:fs'
    import { followKeyset } from 'hardware-aes-gcm/keyring'
    const [file, text] = process.argv.slice(1)
    const alive = setInterval(() => {}, 1000)
    const onChange = ({ keys }) => console.log(keys.length, clearInterval(alive))
    const followed = await followKeyset({ file, interval: 0, onChange })
    process.on('SIGHUP', () => followed.refresh())
    writeFileSync(file + '.new', text)
    renameSync(file + '.new', file)
    process.kill(process.pid, 'SIGHUP')`
  const args = ['--input-type=module', '-e', script, file, added]
  const { stdout, status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect([stdout, status]).toEqual(['2 undefined\n', 0])
})

/** Windows refuses to replace a file while a reader has it open. */
async function renamed(from: string, to: string): Promise<void> {
  for (;;) {
    try {
      return renameSync(from, to)
    } catch (error) {
      if (!isWindows || (error as { code?: unknown }).code !== 'EPERM') throw error
      await new Promise(setImmediate)
    }
  }
}

test('four worker threads follow one file by themselves', async () => {
  const { file } = await followed()
  const workers = Array.from(
    { length: 4 },
    () =>
      new Worker(
        `const { parentPort, workerData: file } = require('node:worker_threads')
         import('hardware-aes-gcm/keyring').then(async ({ followKeyset }) => {
           const onChange = keyring => parentPort.postMessage(keyring.sealText('from a worker'))
           const followed = await followKeyset({ file, interval: 20, onChange })
           parentPort.once('message', () => followed.close())
           parentPort.postMessage('ready')
         })`,
        { eval: true, workerData: file },
      ),
  )
  const next = () =>
    Promise.all(
      workers.map(
        worker =>
          new Promise<string>((resolve, reject) => {
            worker.once('message', resolve).once('error', reject)
          }),
      ),
    )
  expect(await next()).toEqual(['ready', 'ready', 'ready', 'ready'])
  for (const [text, primary] of [
    [added, a],
    [promoted, b],
  ] as const) {
    const all = next()
    writeFileSync(`${file}.new`, text)
    await renamed(`${file}.new`, file)
    for (const sealed of await all)
      expect([source.keyIdOf(sealed), source.openText(sealed)]).toEqual([primary, 'from a worker'])
  }
  // They end by themselves: one that is terminated while it opens the file would leave it open, and Windows would keep the folder.
  const ended = workers.map(worker => once(worker, 'exit'))
  for (const worker of workers) worker.postMessage('close')
  expect(await Promise.all(ended)).toEqual([[0], [0], [0], [0]])
})
