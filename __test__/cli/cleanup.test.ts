// What a command leaves behind in its process: no key in use, no open file, no listener.
import { closeSync, openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { inspect } from 'node:util'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { DecryptionReader } from 'hardware-aes-gcm/stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { LONG, prepared } from './messages.js'
import { type Folder, hurry, runHere, Sink, WINDOWS } from './program.js'

const listeners = () =>
  ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'exit'].map(name => process.listenerCount(name as never))
const BEFORE = listeners()

afterEach(() => void vi.restoreAllMocks())

/** A folder with keys, data, an encrypted message, a keyset, and a message whose last chunk was changed. */
function filled(): { folder: Folder; sealed: string } {
  const folder = prepared()
  const keyring = new Keyring([{ id: 7, key: Buffer.alloc(32, 7) }])
  folder.write('keys', keyring.export())
  const sealed = keyring.sealText('a text')
  const changed = folder.bytes('data.enc')
  changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1)
  folder.write('changed.enc', changed)
  keyring.destroy()
  return { folder, sealed }
}

describe('every keyring is destroyed', () => {
  test.each<[number, string[], string?]>([
    [0, ['keyset', 'new', 'fresh']],
    [0, ['keyset', 'add', 'keys']],
    [1, ['keyset', 'delete', 'keys', '--id', '8']],
    [0, ['keyset', 'list', 'keys']],
    [0, ['keyset', 'list', 'keys', '--json']],
    [0, ['seal', '--keyset', 'keys'], 'a text'],
    [0, ['open', '--keyset', 'keys']],
    [1, ['open', '--keyset', 'keys'], 'no sealed text'],
  ])('%i by %j', async (status, args, input) => {
    const { folder, sealed } = filled()
    const used: Keyring[] = []
    for (const name of ['generate', 'parse'] as const) {
      const real = Keyring[name] as (...parameters: unknown[]) => Keyring
      vi.spyOn(Keyring, name).mockImplementation((...parameters: unknown[]) => {
        const keyring = real(...parameters)
        used.push(keyring)
        return keyring
      })
    }
    expect((await folder.run(args, { input: input ?? sealed })).status).toBe(status)
    expect(used.map(keyring => keyring.destroyed)).toEqual([true])
  })
})

test('the key of a range is destroyed', async () => {
  const { folder } = filled()
  const { open } = DecryptionReader
  const used: DecryptionReader[] = []
  vi.spyOn(DecryptionReader, 'open').mockImplementation(async (...parameters) => {
    const reader = await open(...parameters)
    used.push(reader)
    return reader
  })
  await folder.succeed(['decrypt', 'data.enc', '-k', 'key', '--range', '0-9'])
  await folder.fail(1, ['decrypt', 'data.enc', '-k', 'key', '--range', '9000000-'])
  expect(used.map(reader => inspect(reader))).toEqual(
    Array(2).fill(expect.stringContaining('destroyed: true')),
  )
})

// Files that are opened get the lowest numbers that are free.
test.skipIf(WINDOWS)('every file is closed, whether a command succeeds or fails', async () => {
  const { folder } = filled()
  const free = () => {
    const descriptors = Array.from({ length: 5 }, () => openSync(folder.path, 'r'))
    for (const descriptor of descriptors) closeSync(descriptor)
    return descriptors
  }
  const before = free()
  for (const [status, ...args] of [
    [0, 'keygen', '--out', 'new'],
    [0, 'encrypt', 'data', '-k', 'key', '--out', 'new.enc'],
    [0, 'decrypt', 'data.enc', '-k', 'key', '--range', '0-9'],
    [1, 'decrypt', 'data.enc', '-k', 'key', '--range', '9000000-'],
    // Its file has no name yet when it fails.
    [1, 'decrypt', 'changed.enc', '-k', 'key', '--out', 'other'],
    [0, 'keyset', 'add', 'keys'],
    [0, 'inspect', 'data'],
    [1, 'encrypt', '.', '-k', 'key', '--out', 'other'],
  ] as const) {
    expect((await folder.run(args)).status, args.join(' ')).toBe(status)
    expect([args, free()]).toEqual([args, before])
  }
})

test('no listener stays, neither for signals nor on the terminal', async () => {
  const { folder } = filled()
  for (const args of [
    ['keygen', '--out', 'new'],
    ['decrypt', 'changed.enc', '-k', 'key', '--out', 'other'],
    ['keyset', 'add', 'keys'],
  ]) {
    await folder.run(args)
    expect([args, listeners()]).toEqual([args, BEFORE])
  }
  for (const text of [`${'5a'.repeat(32)}\u0004`, 'x'.repeat(2000)]) {
    const stdin = Object.assign(new Readable({ read() {} }), { isTTY: true, setRawMode() {} })
    const own = ['data', 'end', 'error'].map(name => stdin.listenerCount(name))
    stdin.push(Buffer.from(text))
    await runHere(['split', '-t2', '-n2'], stdin)
    expect(listeners()).toEqual(BEFORE)
    expect(['data', 'end', 'error'].map(name => stdin.listenerCount(name))).toEqual(own)
    // Otherwise the process would go on to read from the terminal, and not end.
    expect(stdin.isPaused()).toBe(true)
  }
  // A line that shows the progress is gone at the end, and the listener that would erase it.
  folder.write('data', LONG)
  hurry()
  const screen = Object.assign(new Sink(), { isTTY: true })
  await runHere(['encrypt', folder.in('data'), '-k', folder.in('key')], Readable.from([]), new Sink(), screen)
  expect(screen.text.split('\r\u001b[K').slice(-2)).toEqual([expect.stringMatching(/^100%/), ''])
  expect(listeners()).toEqual(BEFORE)
})
