// The command decrypt: ranges, and data that are not authentic.
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { CHUNK_BYTES, HEADER_BYTES, SEALED_CHUNK_BYTES, seal } from '../models/cobblestone.mjs'
import { KEY, LONG, latin1, MESSAGE, NAMES, prepared, SALT, SMALL } from './messages.js'
import { runHere, Sink, unnamed, WINDOWS } from './program.js'

const flip = (bytes: Buffer, at: number) => bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)

describe('a range', () => {
  const size = SMALL.length

  test.each([
    ['0-0', 0, 1],
    ['0-99', 0, 100],
    ['16383-16384', 16_383, 16_385],
    [`100-${2 * CHUNK_BYTES}`, 100, 2 * CHUNK_BYTES + 1],
    [`${size - 1}-`, size - 1, size],
    ['0-', 0, size],
    ['-10', size - 10, size],
    ['-1000000', 0, size],
    ['40000-9007199254740991', 40_000, size],
  ])('%s', async (range, from, to) => {
    const folder = prepared()
    const args = ['decrypt', 'data.enc', '-k', 'key', `--range=${range}`]
    expect(await folder.succeed(args)).toBe(latin1(SMALL.subarray(from, to)))
    const told = JSON.parse(await folder.succeed([...args, '--out', 'new', '--json']))
    expect(told).toEqual({ bytes: to - from, format: 'Cobblestone-256', file: 'new' })
  })

  test('one of several MiB, which is read in pieces', async () => {
    const folder = prepared()
    folder.write('data.enc', seal(KEY, LONG, SALT))
    const [from, to] = [1_000_000, 2_100_000]
    const range = await folder.succeed(['decrypt', 'data.enc', '-k', 'key', '--range', `${from}-${to}`])
    expect(range === latin1(LONG.subarray(from, to + 1))).toBe(true)
  })

  test('one whose data change behind the first piece: only a pipe has an output to discard', async () => {
    const folder = prepared()
    const message = seal(KEY, LONG, SALT)
    flip(message, HEADER_BYTES + 96 * SEALED_CHUNK_BYTES)
    folder.write('data.enc', message)
    const from = 96 * CHUNK_BYTES
    const line = `data.enc: was modified or truncated: authentication fails from byte ${from} on`
    const args = ['decrypt', 'data.enc', '-k', 'key', '--range']
    const piped = await folder.run([...args, '0-'])
    expect([piped.stdout.length, piped.stderr]).toEqual([
      2 ** 20,
      `hardware-aes-gcm: ${line}; discard the output, which is incomplete\n`,
    ])
    expect(await folder.fail(1, [...args, '0-', '--out', 'new'])).toBe(line)
    expect(await folder.fail(1, [...args, `${from}-`])).toBe(line)
  })

  test('one that begins behind the end; a folder; a chunk that was changed, and one outside of the range', async () => {
    const folder = prepared()
    const fail = (range: string, name = 'data.enc') =>
      folder.fail(1, ['decrypt', name, '-k', 'key', `--range=${range}`, '--out', 'new'])
    expect(await fail(`${size}-`)).toBe(`data.enc: has ${size} bytes of data: the range starts after them`)
    expect(
      JSON.parse(
        (await folder.run(['decrypt', 'data.enc', '-k', 'key', `--range=${size}-`, '--out', 'new', '--json']))
          .stderr,
      ),
    ).toEqual({
      error: {
        code: 'ERR_OUT_OF_RANGE',
        message: `data.enc: has ${size} bytes of data: the range starts after them`,
        files: ['data.enc'],
      },
    })
    expect(await fail('0-1', '.')).toBe('.: is a folder, not a file')
    if (!WINDOWS)
      expect(await fail('0-1', '/dev/null')).toBe('/dev/null: is not a regular file, which --range needs')
    expect(await fail('0-1', 'gone')).toBe(unnamed('FILE', 'gone'))
    const changed = Buffer.from(MESSAGE)
    flip(changed, HEADER_BYTES + SEALED_CHUNK_BYTES)
    folder.write('data.enc', changed)
    expect(await fail('0-20000')).toBe(
      'data.enc: was modified or truncated: authentication fails from byte 16384 on',
    )
    expect(folder.names).toEqual(NAMES)
    const outside = ['decrypt', 'data.enc', '-k', 'key', '--range', '0-16383']
    expect(await folder.succeed(outside)).toBe(latin1(SMALL.subarray(0, CHUNK_BYTES)))
  })
})

describe('data that are not authentic', () => {
  const wrong: [string, Buffer, string, code: string][] = [
    ['empty', Buffer.alloc(0), 'is truncated: its end is missing', 'ERR_AESGCM_STREAM_TRUNCATED'],
    [
      'header',
      MESSAGE.subarray(0, HEADER_BYTES),
      'is truncated: its end is missing',
      'ERR_AESGCM_STREAM_TRUNCATED',
    ],
    [
      'chunks',
      MESSAGE.subarray(0, HEADER_BYTES + 2 * SEALED_CHUNK_BYTES),
      'is truncated: its end is missing',
      'ERR_AESGCM_STREAM_TRUNCATED',
    ],
    [
      'cut',
      MESSAGE.subarray(0, -1),
      'was modified or truncated: authentication fails from byte 49152 on',
      'ERR_AESGCM_AUTHENTICATION_FAILED',
    ],
    [
      'longer',
      Buffer.concat([MESSAGE, Buffer.alloc(1)]),
      'was modified or truncated: authentication fails from byte 49152 on',
      'ERR_AESGCM_AUTHENTICATION_FAILED',
    ],
  ]

  test.each(wrong)(
    '%s: nothing appears, and the file that was to be replaced stays',
    async (_, bytes, line, code) => {
      const folder = prepared()
      folder.write('data.enc', bytes)
      folder.write('old', 'old')
      const args = ['decrypt', 'data.enc', '-k', 'key', '--force', '--out', 'old']
      expect(await folder.fail(1, args)).toBe(`data.enc: ${line}`)
      expect(JSON.parse((await folder.run([...args, '--json'])).stderr).error).toMatchObject({
        code,
        files: ['data.enc'],
      })
      expect([folder.names, folder.read('old')]).toEqual([[...NAMES, 'old'].sort(), 'old'])
    },
  )

  test('into a pipe: authentic chunks go, and the failure says that they are not all', async () => {
    const folder = prepared()
    const message = seal(KEY, LONG, SALT)
    flip(message, message.length - 1)
    folder.write('data.enc', message)
    const { status, stdout, stderr } = await folder.run(['decrypt', 'data.enc', '-k', 'key'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/ fails from byte \d+ on; discard the output, which is incomplete\n$/)
    expect([stdout.length, stdout.length % CHUNK_BYTES]).toEqual([128 * CHUNK_BYTES, 0])
    expect(stdout).toBe(latin1(LONG.subarray(0, stdout.length)))
  })

  // The command waited for the next bytes of its input before it told of the failure.
  test('a failure is told at once, although the input goes on', async () => {
    const folder = prepared()
    const stdin = new PassThrough()
    stdin.write(Buffer.alloc(100))
    const { status, stderr } = await runHere(['decrypt', '-k', folder.in('key')], stdin)
    expect([status, stdin.destroyed]).toEqual([1, true])
    expect(stderr).toMatch(/^hardware-aes-gcm: standard input: cannot be decrypted: /)
  })

  test('an input that fails', async () => {
    const folder = prepared()
    const stdin = new Readable({
      read() {
        this.destroy(Object.assign(new Error('planted'), { code: 'EIO' }))
      },
    })
    const args = ['decrypt', '-k', folder.in('key'), '--json', '--out', folder.in('new')]
    const { status, stderr } = await runHere(args, stdin)
    const error = { code: 'EIO', message: 'standard input: the device failed', files: ['standard input'] }
    expect([status, JSON.parse(stderr)]).toEqual([1, { error }])
    expect(folder.names).toEqual(NAMES)
  })

  test.each([
    ['although the input goes on', ['encrypt']],
    ['in the middle of a range', ['decrypt', '--range', '0-99', 'data.enc']],
  ])('an output that fails, %s', async (_, [command = '', ...args]) => {
    const folder = prepared()
    const stdin = new PassThrough()
    stdin.write(LONG)
    const stdout = new Sink()
    stdout._write = (_chunk: unknown, _encoding: unknown, done: (error?: Error) => void) =>
      done(Object.assign(new Error('planted'), { code: 'EPIPE' }))
    stdout.on('error', () => {})
    const files = args.map(arg => (arg === 'data.enc' ? folder.in(arg) : arg))
    const { status, stderr } = await runHere([command, ...files, '-k', folder.in('key')], stdin, stdout)
    expect([status, stderr]).toEqual([1, 'hardware-aes-gcm: standard output was closed early\n'])
  })
})
