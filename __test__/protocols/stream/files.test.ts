// encryptFile and decryptFile: files of every size, names that are taken, failures and kills that leave no file under the name.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { KeyArena } from 'hardware-aes-gcm'
import {
  decryptBuffer,
  decryptFile,
  encryptBuffer,
  encryptedSize,
  encryptFile,
} from 'hardware-aes-gcm/stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES } from '../../models/cobblestone.mjs'
import { Random, ROOT } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { failure, KEY, MESSAGE, SHORT_KEY, TEXT, textOf } from './tools.js'

const WINDOWS = process.platform === 'win32'
const random = new Random('stream-files')
let folder: string
const path = (name: string) => join(folder, name)
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stream-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, maxRetries: 10 }))

/** Bytes that are processed together. */
const RUN = 128 * CHUNK_BYTES
const SIZES = [
  0,
  1,
  CHUNK_BYTES - 1,
  CHUNK_BYTES,
  CHUNK_BYTES + 1,
  RUN - 1,
  RUN,
  RUN + 1,
  2 * RUN,
  3 * RUN + 5,
]

test.each(SIZES)('%i bytes and back', async size => {
  const [text, key] = [textOf(size), size % 2 === 0 ? KEY : SHORT_KEY]
  writeFileSync(path('text'), text)
  const told: [number, number | null][] = []
  const onProgress = (done: number, total: number | null) => void told.push([done, total])
  using arena = new KeyArena({ keys: 1 })
  const options = { context: 'of a file', arena, onProgress }
  expect(await encryptFile(path('text'), path('message'), key, options)).toEqual({
    bytes: encryptedSize(size),
  })
  const message = readFileSync(path('message'))
  expect(message.length).toBe(encryptedSize(size))
  expect(decryptBuffer(message, key, { context: 'of a file' }).equals(text)).toBe(true)
  expect(told.at(-1)).toEqual([size, size])
  expect(told.map(([done]) => done)).toEqual([...told.map(([done]) => done)].sort((a, b) => a - b))
  expect(await decryptFile(path('message'), path('again'), key, options)).toEqual({ bytes: size })
  expect(readFileSync(path('again')).equals(text)).toBe(true)
  expect([told.at(-1), arena.used]).toEqual([[message.length, message.length], 0])
  expect(readdirSync(folder).sort()).toEqual(['again', 'message', 'text'])
  if (!WINDOWS) expect(statSync(path('message')).mode & 0o777).toBe(0o600)
})

/** Both functions, with a source for each. */
const BOTH = [
  ['encryptFile', encryptFile, TEXT],
  ['decryptFile', decryptFile, MESSAGE],
] as const

describe.each(BOTH)('%s', (_, call, content) => {
  beforeEach(() => writeFileSync(path('from'), content))
  const writeLong = (runs = 2) => {
    const text = textOf(runs * RUN)
    writeFileSync(path('long'), content === TEXT ? text : encryptBuffer(text, KEY))
  }

  test('a name that is taken is left alone, and replaced with force', async () => {
    writeFileSync(path('to'), 'other')
    expect(await failure(call(path('from'), path('to'), KEY))).toMatchObject({
      code: 'EEXIST',
      path: path('to'),
      message: `EEXIST: file already exists, open '${path('to')}'`,
    })
    expect(readFileSync(path('to'), 'utf8')).toBe('other')
    const { bytes } = await call(path('from'), path('to'), KEY, { force: true })
    expect(statSync(path('to')).size).toBe(bytes)
    expect(readdirSync(folder).sort()).toEqual(['from', 'to'])
  })

  test('a name taken by anything but a file is refused, with force too', async () => {
    mkdirSync(path('folder'))
    const taken = ['folder']
    if (!WINDOWS) {
      symlinkSync(path('from'), path('link'))
      taken.push('link')
    }
    for (const name of taken)
      for (const force of [false, true]) {
        const kind = name === 'link' ? 'a symbolic link' : 'a folder'
        expect(await failure(call(path('from'), path(name), KEY, { force }))).toMatchObject({
          code: 'EEXIST',
          syscall: 'open',
          path: path(name),
          message: `EEXIST: it is ${kind}, open '${path(name)}'`,
        })
      }
    expect(readFileSync(path('from')).equals(content)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['from', ...taken].sort())
  })

  test('a source or a folder that is missing: the error of the system', async () => {
    expect(await failure(call(path('missing'), path('to'), KEY))).toMatchObject({ code: 'ENOENT' })
    expect(await failure(call(path('from'), path('missing/to'), KEY))).toMatchObject({ code: 'ENOENT' })
    expect(readdirSync(folder)).toEqual(['from'])
  })

  test('a signal ends it, before and in its middle, and so does an exception of onProgress', async () => {
    using arena = new KeyArena({ keys: 1 })
    const controller = new AbortController()
    const reason = new Error('enough')
    const onProgress = () => controller.abort(reason)
    for (let i = 0; i < 2; i++) {
      const ended = await failure(
        call(path('from'), path('to'), KEY, { arena, signal: controller.signal, onProgress }),
      )
      expect(ended).toMatchObject({ name: 'AbortError', code: 'ABORT_ERR', cause: reason })
    }
    const thrower = () => {
      throw reason
    }
    expect(await failure(call(path('from'), path('to'), KEY, { arena, onProgress: thrower }))).toBe(reason)
    expect([readdirSync(folder), arena.used]).toEqual([['from'], 0])
  })

  test('an end before the source is opened, and before the next run, by a signal or an arena', async () => {
    const signal = AbortSignal.abort()
    expect(await failure(call(path('missing'), path('to'), KEY, { signal }))).toMatchObject({
      code: 'ABORT_ERR',
    })
    const controller = new AbortController()
    const told: number[] = []
    const onProgress = (done: number) => {
      told.push(done)
      controller.abort()
    }
    writeLong()
    const ended = call(path('long'), path('to'), KEY, { signal: controller.signal, onProgress })
    expect(await failure(ended)).toMatchObject({ code: 'ABORT_ERR' })
    expect(told).toHaveLength(1)
    const arena = new KeyArena({ keys: 1 })
    const destroyed = call(path('long'), path('to'), KEY, { arena, onProgress: () => arena.destroy() })
    expect(await failure(destroyed)).toMatchObject({ code: 'ERR_AESGCM_DESTROYED' })
    expect(readdirSync(folder).sort()).toEqual(['from', 'long'])
  })

  test('with force, the source was replaced by its own message, under any of its names', async () => {
    linkSync(path('from'), path('linked'))
    mkdirSync(path('folder'))
    const sources = [path('from'), join(folder, 'folder', '..', 'from'), path('linked')]
    if (!WINDOWS) {
      symlinkSync(path('from'), path('link'))
      sources.push(path('link'))
    }
    const names = readdirSync(folder)
    for (const source of sources) {
      expect(await failure(call(source, path('from'), KEY, { force: true }))).toMatchObject({
        name: 'TypeError',
        code: 'ERR_INVALID_ARG_VALUE',
        message: '"to" must not be the same file as "from"',
      })
      expect(await failure(call(source, path('from'), KEY))).toMatchObject({ code: 'EEXIST' })
    }
    expect(readFileSync(path('from')).equals(content)).toBe(true)
    expect(readdirSync(folder)).toEqual(names)
  })

  test('a URL as path was refused', async () => {
    const [from, to] = [pathToFileURL(path('from')), pathToFileURL(path('to of ü'))]
    const { bytes } = await call(from, to, KEY)
    expect(statSync(path('to of ü')).size).toBe(bytes)
    expect(await failure(call(from, from, KEY, { force: true }))).toMatchObject({
      code: 'ERR_INVALID_ARG_VALUE',
    })
    for (const [wrong, code] of [
      [new URL('https://example.org/from'), 'ERR_INVALID_URL_SCHEME'],
      [new URL('file:///a%2Fb'), 'ERR_INVALID_FILE_URL_PATH'],
      [{}, 'ERR_INVALID_ARG_TYPE'],
      [Buffer.from(path('from')), 'ERR_INVALID_ARG_TYPE'],
    ] as const) {
      expect(await failure(call(wrong as never, path('new'), KEY))).toMatchObject({ code })
      expect(await failure(call(path('from'), wrong as never, KEY))).toMatchObject({ code })
    }
    expect((await failure(call(7 as never, to, KEY))).message).toBe(
      '"from" must be a string or a URL, got number',
    )
    expect(readdirSync(folder).sort()).toEqual(['from', 'to of ü'])
  })

  test('a source that shrank while it was being read ended as an authentic shorter file', async () => {
    writeLong(4)
    const size = statSync(path('long')).size
    for (const force of [false, true]) {
      if (force) writeFileSync(path('to'), 'former')
      let told = 0
      const onProgress = () => {
        if (told++ === 0) truncateSync(path('long'), size - 5)
      }
      const error = await failure(call(path('long'), path('to'), KEY, { force, onProgress }))
      // A message that lost its end is not authentic.
      const code = content === TEXT ? 'STREAM_TRUNCATED' : 'AUTHENTICATION_FAILED'
      expect(error.code).toBe(`ERR_AESGCM_${code}`)
      if (content === TEXT)
        expect(error.message).toBe(
          `the source shrank while it was being read: it had ${size} bytes, and ended after ${size - 5}`,
        )
      expect(readdirSync(folder).sort()).toEqual(['from', 'long', ...(force ? ['to'] : [])])
      writeLong(4)
    }
    expect(readFileSync(path('to'), 'utf8')).toBe('former')
  })

  test('several calls for one name: one wins, and the file is complete', async () => {
    const calls = Array.from({ length: 5 }, () => call(path('from'), path('to'), KEY))
    const ended = await Promise.allSettled(calls)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const now = readFileSync(path('to'))
    expect((content === TEXT ? decryptBuffer(now, KEY) : now).equals(TEXT)).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(['from', 'to'])
  })

  test.skipIf(process.platform !== 'linux')(
    'closes the source, the target and their folder, after success and after failure',
    async () => {
      const opened = () =>
        readdirSync('/proc/self/fd').map(fd => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`)
          } catch {
            return '' // the descriptor of the folder itself
          }
        })
      const ours = () => opened().filter(name => name.startsWith(folder))
      await call(path('from'), path('to'), KEY)
      expect(ours()).toEqual([])
      expect(await failure(call(path('from'), path('to'), KEY))).toMatchObject({ code: 'EEXIST' })
      expect(ours()).toEqual([])
    },
  )

  test.skipIf(WINDOWS)('a pipe as source has no size', async () => {
    expect(spawnSync('mkfifo', [path('pipe')]).status).toBe(0)
    const writer = spawn('sh', ['-c', `cat '${path('from')}' > '${path('pipe')}'`])
    const told: unknown[] = []
    await call(path('pipe'), path('to'), KEY, { onProgress: (done, total) => told.push([done, total]) })
    expect(told.at(-1)).toEqual([content.length, null])
    const now = readFileSync(path('to'))
    expect((content === TEXT ? decryptBuffer(now, KEY) : now).equals(TEXT)).toBe(true)
    if (writer.exitCode === null) await once(writer, 'exit')
  })

  test.each([
    [{ force: 1 }, 'ERR_INVALID_ARG_TYPE'],
    [{ onProgress: {} }, 'ERR_INVALID_ARG_TYPE'],
    [{ signal: {} }, 'ERR_INVALID_ARG_TYPE'],
    [{ context: 7 }, 'ERR_INVALID_ARG_TYPE'],
    [{ target: TEXT }, 'ERR_INVALID_ARG_VALUE'],
  ])('refuses the options %j', async (options, code) => {
    expect(await failure(call(path('from'), path('to'), KEY, options as never))).toMatchObject({ code })
    expect(await failure(call(7 as never, path('to'), KEY))).toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
    expect(await failure(call(path('from'), null as never, KEY))).toMatchObject({
      code: 'ERR_INVALID_ARG_TYPE',
    })
    expect(readdirSync(folder)).toEqual(['from'])
  })
})

test('a source that grows while it is read is encrypted up to the end that it then has', async () => {
  const text = textOf(4 * RUN)
  writeFileSync(path('log'), text)
  const onProgress = (done: number) => {
    if (done === RUN) appendFileSync(path('log'), 'more')
  }
  await encryptFile(path('log'), path('to'), KEY, { onProgress })
  expect(
    decryptBuffer(readFileSync(path('to')), KEY).equals(Buffer.concat([text, Buffer.from('more')])),
  ).toBe(true)
})

test('a message that was changed, in any run, leaves no file', async () => {
  const message = encryptBuffer(textOf(3 * RUN + 100), KEY)
  const changes = [0, 130, 300].map(chunk => HEADER_BYTES + chunk * SEALED_CHUNK_BYTES + 5)
  for (const at of [30, ...changes, message.length - 1]) {
    const forged = Buffer.from(message)
    forged[at] = (forged[at] as number) ^ 1
    writeFileSync(path('forged'), forged)
    const error = await failure(decryptFile(path('forged'), path('to'), KEY))
    const position = Math.floor((at - HEADER_BYTES) / SEALED_CHUNK_BYTES) * CHUNK_BYTES
    expect([error.code, error.position]).toEqual(
      at < HEADER_BYTES
        ? ['ERR_AESGCM_WRONG_KEY', undefined]
        : ['ERR_AESGCM_AUTHENTICATION_FAILED', position],
    )
    expect(readdirSync(folder)).toEqual(['forged'])
  }
  const whole = (chunks: number) => HEADER_BYTES + chunks * SEALED_CHUNK_BYTES
  for (const [end, code, position] of [
    [55, 'STREAM_TRUNCATED', undefined],
    [whole(0), 'STREAM_TRUNCATED', undefined],
    [whole(128), 'STREAM_TRUNCATED', undefined],
    [whole(130), 'STREAM_TRUNCATED', undefined],
    [whole(128) + 15, 'AUTHENTICATION_FAILED', 128 * CHUNK_BYTES],
    [whole(200) + 1000, 'AUTHENTICATION_FAILED', 200 * CHUNK_BYTES],
  ] as const) {
    writeFileSync(path('forged'), message.subarray(0, end))
    const error = await failure(decryptFile(path('forged'), path('to'), KEY))
    expect([error.code, error.position], String(end)).toEqual([`ERR_AESGCM_${code}`, position])
    expect(readdirSync(folder)).toEqual(['forged'])
  }
})

test('the error of the last write is told, and no read is for no bytes', async () => {
  const require = createRequire(import.meta.url)
  const { decryptTo } = require('../../../dist/protocols/stream/transfer.cjs') as {
    decryptTo: (route: object, key: object, settings: object) => Promise<number>
  }
  const { KeyBytes } = require('../../../dist/protocols/stream/keys.cjs') as {
    KeyBytes: new (key: Buffer) => object
  }
  const settings = { context: new Uint8Array(0), backend: 255, arena: undefined }
  const broken = new Error('the disk is full')
  let at = 0
  const route = {
    size: null,
    progress() {},
    async read(into: Uint8Array) {
      expect(into.length).toBeGreaterThan(0)
      const some = MESSAGE.subarray(at, at + into.length)
      into.set(some)
      at += some.length
      return some.length
    },
    write: () => Promise.reject(broken),
  }
  expect(await failure(decryptTo(route, new KeyBytes(KEY), settings))).toBe(broken)
})

test('a process that is killed leaves no file in part under the name, and nothing in the way of the next call', async () => {
  const text = textOf(2 ** 25)
  writeFileSync(path('text'), text)
  const script = `
    import { encryptFile } from 'hardware-aes-gcm/stream'
    process.stdout.write('begun')
    await encryptFile(${JSON.stringify(path('text'))}, ${JSON.stringify(path('message'))}, Buffer.alloc(32, 0xde), { force: true })
    process.stdout.write('ended')
    setInterval(() => {}, 1000)`
  for (let i = 0; i < count(6, 50); i++) {
    // Every other time, a file is there that is to be replaced.
    const former = i % 2 === 0 ? undefined : 'former'
    rmSync(path('message'), { force: true })
    if (former !== undefined) writeFileSync(path('message'), former)
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT })
    await once(child.stdout, 'data')
    await setTimeout(random.below(60))
    child.kill('SIGKILL')
    await once(child, 'exit')
    if (!existsSync(path('message'))) expect(former).toBeUndefined()
    else {
      const now = readFileSync(path('message'))
      if (now.toString('latin1') !== former) expect(decryptBuffer(now, KEY).equals(text)).toBe(true)
    }
  }
  expect(await encryptFile(path('text'), path('message'), KEY, { force: true })).toEqual({
    bytes: encryptedSize(text.length),
  })
  for (const name of readdirSync(folder))
    expect(name).toMatch(/^(text|message|\.hardware-aes-gcm-[0-9a-f]{16}\.part)$/)
})
