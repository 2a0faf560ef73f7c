// The command encrypt, and decrypt with the same options: data, keys, contexts, terminals, files.
import { closeSync, linkSync, mkdirSync, openSync, symlinkSync } from 'node:fs'
import { PassThrough, Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { CHUNK_BYTES, HEADER_BYTES, open } from '../models/cobblestone.mjs'
import { KEY, LONG, latin1, NAMES, prepared, SHORT_KEY, SMALL } from './messages.js'
import { OWNER_ALONE, runHere, Sink, unnamed, WINDOWS } from './program.js'

/** Runs `work` with a variable of the environment. */
async function withVariable<Result>(value: string, work: () => Promise<Result>): Promise<Result> {
  process.env.CLI_ENCRYPT_KEY = value
  try {
    return await work()
  } finally {
    delete process.env.CLI_ENCRYPT_KEY
  }
}

describe('data of any length', () => {
  test.each([0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, 64 * CHUNK_BYTES, LONG.length])('%i bytes', async length => {
    const folder = prepared()
    const data = LONG.subarray(0, length)
    folder.write('data', data)
    for (const [name, key] of [
      ['key', KEY],
      ['short', SHORT_KEY],
    ] as const) {
      const args = ['--key', name, '--force', '--json', '--out']
      const format = `Cobblestone-${8 * key.length}`
      const size = HEADER_BYTES + length + 16 * (Math.floor(length / CHUNK_BYTES) + 1)
      const told = JSON.parse(await folder.succeed(['encrypt', 'data', ...args, 'new']))
      expect(told).toEqual({ bytes: size, format, file: 'new' })
      const verdict = open(key, folder.bytes('new'))
      expect(verdict.ok && verdict.plaintext.equals(data)).toBe(true)
      const back = JSON.parse(await folder.succeed(['decrypt', 'new', ...args, 'back']))
      expect(back).toEqual({ bytes: length, format, file: 'back' })
      expect(folder.bytes('back').equals(data)).toBe(true)
      expect([folder.mode('new'), folder.mode('back')]).toEqual([OWNER_ALONE, OWNER_ALONE])
    }
    expect(folder.names).toEqual(['back', ...NAMES, 'new'].sort())
  })

  test('from standard input and to standard output, in pieces of any length', async () => {
    const folder = prepared()
    const key = ['-k', folder.in('bytes')]
    const pieces = (bytes: Uint8Array) =>
      Readable.from(
        [0, 1, 55, 57, 20_000, 20_001].map((from, i, all) => Buffer.from(bytes.subarray(from, all[i + 1]))),
      )
    const sealed = new Sink()
    expect(await runHere(['encrypt', '-', ...key], pieces(LONG), sealed)).toMatchObject({
      status: 0,
      stderr: '',
    })
    const opened = new Sink()
    expect((await runHere(['decrypt', ...key, '-o', '-'], pieces(sealed.bytes), opened)).status).toBe(0)
    expect(opened.bytes.equals(LONG)).toBe(true)
    expect(await folder.succeed(['decrypt', 'data.enc', '-k', 'key'])).toBe(latin1(SMALL))
  })
})

describe('keys and contexts', () => {
  test('the key from standard input, from a variable; two messages differ', async () => {
    const folder = prepared()
    const input = KEY.toString('hex')
    const args = ['data.enc', '--key', '-']
    expect(await folder.succeed(['decrypt', ...args], { input })).toBe(latin1(SMALL))
    const named = ['--key-env', 'CLI_ENCRYPT_KEY']
    const [one, two] = await withVariable(` ${input}\n`, async () => [
      await folder.succeed(['encrypt', 'data', ...named]),
      await folder.succeed(['encrypt', 'data', ...named]),
    ])
    expect(one === two).toBe(false)
    expect(open(KEY, Buffer.from(two as string, 'latin1')).ok).toBe(true)
    for (const key of [KEY, SHORT_KEY]) {
      const sealed = await withVariable(key.toString('hex'), () =>
        folder.succeed(['encrypt', 'data', ...named]),
      )
      expect(open(key, Buffer.from(sealed, 'latin1')).ok).toBe(true)
    }
  })

  test('a variable that is not set, or holds no digits: a text of 32 characters is no key', async () => {
    const folder = prepared()
    const args = ['encrypt', 'data', '--key-env', 'CLI_ENCRYPT_KEY', '--out', 'new']
    const name = 'environment variable CLI_ENCRYPT_KEY'
    expect(await folder.fail(1, args)).toBe(
      unnamed('--key-env', 'CLI_ENCRYPT_KEY', 'no environment variable has this name'),
    )
    const code = JSON.parse((await folder.run([...args, '--json'])).stderr).error.code
    expect(code).toBe('ERR_INPUT')
    const hex = KEY.toString('hex')
    const advised = '; a password is not a key: see keygen --passphrase'
    for (const [text, advice] of [
      ['correct horse battery staple 123', advised],
      ['secret', advised],
      ['', ''],
      [`g${hex}`, ''],
      [`${hex}g`, ''],
    ] as const)
      expect(await withVariable(text, () => folder.fail(1, args))).toBe(
        `${name}: must contain a key of 16 or 32 bytes in hex or base64, got ${text.length} characters${advice}`,
      )
    expect(folder.names).toEqual(NAMES)
  })

  // A line of a keyset took base64; these refused it.
  test.each(['base64', 'base64url'] as const)('a key in %s, in a file and in a variable', async encoding => {
    const folder = prepared()
    const text = KEY.toString(encoding)
    folder.write('text', `${text}\n`)
    expect(await folder.succeed(['decrypt', 'data.enc', '--key', 'text'])).toBe(latin1(SMALL))
    const args = ['decrypt', 'data.enc', '--key-env', 'CLI_ENCRYPT_KEY']
    expect(await withVariable(` ${text}\r\n`, () => folder.succeed(args))).toBe(latin1(SMALL))
  })

  test('a large file in place of a key', async () => {
    const folder = prepared()
    expect(await folder.fail(1, ['encrypt', 'data', '--key', 'data.enc', '--out', 'new'])).toBe(
      'data.enc: is longer than 1024 bytes, too long for a key',
    )
  })

  test('a file that is no key', async () => {
    const folder = prepared()
    folder.write('none', 'no key')
    expect(await folder.fail(1, ['decrypt', 'data.enc', '--key', 'none', '--out', 'new'])).toMatch(
      /^none: must contain a key of 16 or 32 bytes/,
    )
    expect(await folder.fail(1, ['decrypt', 'data.enc', '--key', 'gone', '--out', 'new'])).toBe(
      'gone: does not exist; did you mean none?',
    )
    expect(folder.names).not.toContain('new')
  })

  // Node reads such bytes as U+FFFD, so that a context of 0xff opened with one of 0xfe.
  test('a context that is not UTF-8 was taken for another one', async () => {
    const folder = prepared()
    const what = /^--context must be UTF-8, without the character U\+FFFD /
    for (const command of ['encrypt', 'decrypt'])
      expect(await folder.fail(2, [command, 'data', '-k', 'none', '-c', 'monday\ufffd'])).toMatch(what)
    if (WINDOWS) return
    const shell = `set -- "$@" -c "$(printf '\\376')"`
    expect(await folder.fail(2, ['encrypt', 'data', '-k', 'key'], { shell })).toMatch(what)
  })

  test.each([
    ['16 characters', 'n!3*R$izc*G3v/jo'],
    ['15 characters and a line break', 'n!3*R$izc*G3v/j\n'],
    ['24 bytes in base64', 'c2VjcmV0IG9mIDI0IGJ5dGVzIGluIGl0'],
    ['a passphrase of 32 characters', 'correct horse battery staple 123'],
  ])('a file that holds %s was taken for the bytes of a key without a word', async (_, text) => {
    const folder = prepared()
    folder.write('text', text)
    const hex = Buffer.from(text).toString('hex')
    const what =
      `text: contains ${text.length} bytes of text, not a key: if they are a key, write them as ` +
      `${hex.length} hex digits; a password is not a key: see keygen --passphrase`
    for (const args of [
      ['encrypt', 'data', '--key', 'text', '--out', 'new'],
      ['decrypt', 'data.enc', '--key', 'text', '--out', 'new'],
      ['split', 'text', '-t2', '-n2', '--out', 'new'],
    ])
      expect(await folder.fail(1, args)).toBe(what)
    expect(JSON.parse(await folder.succeed(['inspect', 'text', '--json'])).possible).not.toContainEqual(
      expect.objectContaining({ format: 'key' }),
    )
    expect(folder.names).toEqual([...NAMES, 'text'].sort())
    folder.write('text', hex)
    await folder.succeed(['encrypt', 'data', '--key', 'text', '--out', 'new'])
    expect(open(Buffer.from(text), folder.bytes('new')).ok).toBe(true)
    // In a process of its own, so that a warning would show.
    await folder.succeed(['decrypt', 'new', '--key', 'text', '--range', '0-9'], { process: true })
    await folder.succeed(['split', 'text', '-t2', '-n2'], { process: true })
  })

  test('a context, also one that looks like a key; another one, or none, does not open', async () => {
    const folder = prepared()
    const context = 'd41d8cd98f00b204e9800998ecf8427e'
    const args = ['encrypt', 'data', '-k', 'key', '--context', context, '--out', 'new']
    expect(await folder.succeed(args)).toBe('')
    expect(open(KEY, folder.bytes('new'), Buffer.from(context)).ok).toBe(true)
    const back = ['decrypt', 'new', '-k', 'key', '-c', context]
    expect(await folder.succeed(back)).toBe(latin1(SMALL))
    expect(await folder.succeed([...back, '--range', '0-9'])).toBe(latin1(SMALL.subarray(0, 10)))
    for (const wrong of [['-c', 'monday'], [], ['--range', '0-1']])
      expect(await folder.fail(1, ['decrypt', 'new', '-k', 'key', ...wrong])).toBe(
        'new: cannot be decrypted: it was encrypted with another key or --context, or it was modified',
      )
  })
})

describe('a terminal', () => {
  test('gets no bytes, and gives none', async () => {
    const folder = prepared()
    for (const [command, what] of [
      ['encrypt', 'encrypted'],
      ['decrypt', 'decrypted'],
    ] as const) {
      const key = ['-k', folder.in('key')]
      const screen = Object.assign(new Sink(), { isTTY: true })
      const shown = await runHere([command, folder.in('data.enc'), ...key], Readable.from([]), screen)
      expect([shown.status, screen.text, shown.stderr]).toEqual([
        1,
        '',
        `hardware-aes-gcm: the ${what} data cannot be shown on a terminal: use --out FILE or a pipe\n`,
      ])
      const keyboard = Object.assign(new PassThrough(), { isTTY: true })
      const typed = await runHere([command, ...key], keyboard)
      expect([typed.status, typed.stderr]).toEqual([
        1,
        'hardware-aes-gcm: standard input is a terminal: pass a file or use a pipe\n',
      ])
    }
  })

  test('shows how far work of over a second is, and no trace of it at the end', async () => {
    const folder = prepared()
    folder.write('data', LONG)
    /** A program that takes its time for each write. */
    class Slow extends Sink {
      override _write(chunk: Buffer, encoding: string, taken: () => void): void {
        setTimeout(() => super._write(chunk, encoding, taken), 550)
      }
    }
    const shownBy = async (file: string, stdin: Readable, ...options: string[]) => {
      const [stdout, stderr] = [new Slow(), Object.assign(new Sink(), { isTTY: true })]
      const args = ['encrypt', file, '-k', folder.in('key'), ...options]
      expect((await runHere(args, stdin, stdout, stderr)).status).toBe(0)
      const [first, ...states] = stderr.text.split('\r\u001b[K')
      return { first, last: states.pop(), states }
    }
    const [known, unknown, hidden] = await Promise.all([
      shownBy(folder.in('data'), Readable.from([])),
      shownBy('-', Readable.from([Buffer.from(LONG)])),
      shownBy(folder.in('data'), Readable.from([]), '--no-progress'),
    ])
    expect([known.first, known.last, unknown.first, unknown.last]).toEqual(['', '', '', ''])
    for (const state of known.states)
      expect(state).toMatch(/^\d+%, \d\.\d MiB of 2\.1 MiB, [\d.]+ [KM]iB\/s, \d+ s left$/)
    expect(known.states.at(-1)).toMatch(/^100%, 2\.1 MiB of /)
    for (const state of unknown.states) expect(state).toMatch(/^\d\.\d MiB, [\d.]+ [KM]iB\/s$/)
    expect(unknown.states.at(-1)).toMatch(/^2\.1 MiB, /)
    expect(hidden).toEqual({ first: '', last: undefined, states: [] })
  })
})

describe('files that cannot be read or written', () => {
  test('a name that is taken, a folder that is missing, a folder in place of a file', async () => {
    const folder = prepared()
    const encrypt = (...args: string[]) => folder.fail(1, ['encrypt', ...args])
    expect(await encrypt('data', '-k', 'key', '--out', 'bytes')).toBe(
      'bytes: already exists; use --force to replace it',
    )
    expect(await encrypt('data', '-k', 'key', '--out', 'none/new')).toBe(
      unnamed('--out', 'none/new', 'its folder does not exist'),
    )
    expect(await encrypt('.', '-k', 'key', '--out', 'new')).toBe('.: is a folder, not a file')
    expect(await encrypt('none', '-k', 'key', '--out', 'new')).toBe(unnamed('FILE', 'none'))
    expect([folder.names, folder.bytes('bytes')]).toEqual([NAMES, KEY])
  })

  test('the file of the key or of the data is not replaced, also by another path to it', async () => {
    const folder = prepared()
    mkdirSync(folder.in('inner'))
    const others = ['key', 'inner/../key']
    if (!WINDOWS) {
      symlinkSync('.', folder.in('link'))
      others.push('link/key')
    }
    for (const out of others) {
      const asKey = await folder.fail(2, ['encrypt', 'data', '--key', 'key', '--out', out, '--force'])
      expect(asKey).toMatch(/^--out names the key file/)
      const asData = await folder.fail(2, ['encrypt', 'key', '--key', 'bytes', '--out', out, '--force'])
      expect(asData).toMatch(/^--out names the input file/)
    }
    expect(folder.bytes('key').toString('latin1')).toContain(KEY.toString('hex'))
  })

  test('a file with the name - is not standard input', async () => {
    const folder = prepared()
    await folder.succeed(['encrypt', '-', '-k', 'key', '--out', './-'], { input: 'some data' })
    const input = KEY.toString('hex')
    await folder.succeed(['encrypt', 'data', '-k', '-', '--out', './-', '--force'], { input })
    expect(await folder.succeed(['decrypt', './-', '-k', 'key'])).toBe(latin1(SMALL))
  })

  test.skipIf(WINDOWS)('standard input by another name is not both key and data', () => {
    const folder = prepared()
    const outcome = folder.start(['encrypt', '--key', '/dev/stdin', '--out', 'new'], {
      input: KEY.toString('hex'),
    })
    expect(outcome).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/reads standard input: pass the data in a FILE/),
    })
    expect(folder.names).toEqual(NAMES)
  })

  // The file that the shell gave as standard input was replaced by its own message.
  test.skipIf(WINDOWS).each([
    ['encrypt - --out names its standard input', 'data', ['encrypt', '-', '-k', 'key', '--out', 'data']],
    ['without the hyphen', 'data', ['encrypt', '-k', 'key', '--out', 'data']],
    ['under another name', 'data', ['encrypt', '-k', 'key', '--out', 'linked']],
    ['decrypt', 'data.enc', ['decrypt', '-k', 'key', '--out', 'data.enc']],
    ['a key', 'key', ['encrypt', 'data', '-k', '-', '--out', 'key']],
    ['a key to split', 'key', ['split', '-t2', '-n2', '--out', 'share']],
    ['shares', 'data', ['combine', '--out', 'data']],
    ['a sealed file', 'data', ['combine', 'key', '--open', '-', '--out', 'data']],
  ])('standard input is not replaced: %s', async (_, input, args) => {
    const folder = prepared()
    linkSync(folder.in('data'), folder.in('linked'))
    linkSync(folder.in('key'), folder.in('share-1-of-2.txt'))
    const before = folder.names.map(name => [name, folder.read(name)])
    const shell = `exec < ${input}`
    const message = await folder.fail(2, [...args, '--force'], { shell })
    expect(message).toMatch(/^--out (names|and --open name|would overwrite) /)
    expect(folder.names.map(name => [name, folder.read(name)])).toEqual(before)
  })

  // Its own output was its next input, until the disk was full.
  test.skipIf(WINDOWS).each([
    ['encrypt', 'exec >> data', ['encrypt', 'data', '-k', 'key']],
    ['encrypt by standard input', 'exec < data >> data', ['encrypt', '-k', 'key']],
    ['decrypt', 'exec >> data.enc', ['decrypt', 'data.enc', '-k', 'key']],
    ['combine', 'exec >> data.enc', ['combine', 'key', '--open', 'data.enc']],
  ])('standard output is not the file that is read: %s', async (_, shell, args) => {
    const folder = prepared()
    const before = folder.names.map(name => [name, folder.read(name)])
    expect(await folder.fail(2, args, { shell })).toMatch(/^standard output goes to the input file /)
    expect(folder.names.map(name => [name, folder.read(name)])).toEqual(before)
    // Another file is well, and so is one device on both sides.
    await folder.succeed(['encrypt', 'data', '-k', 'key'], { shell: 'exec >> new' })
    await folder.succeed(['encrypt', '-k', 'key'], { shell: 'exec < /dev/null > /dev/null' })
  })

  test.skipIf(WINDOWS).each([
    ['a file', 'true', ['encrypt', 'data', '-k', 'key', '--out', 'new']],
    ['standard input', 'exec < data', ['encrypt', '-k', 'key', '--out', 'new']],
    ['a file into a pipe', 'true', ['encrypt', 'data', '-k', 'key']],
    ['a file that is sealed', 'true', ['split', '--seal', 'data', '-t2', '-n2', '--out', 'new']],
  ])('a source that became shorter ended as an authentic shorter one: %s', async (_, shell, args) => {
    const folder = prepared()
    const { names } = folder
    // The file is cut when the beginning of the message is written.
    const before = `
      const { write } = fs, { stdout } = process, print = stdout.write
      const cut = ({ length }) => { if (length === ${HEADER_BYTES}) fs.truncateSync('data', 10_000) }
      fs.write = (...args) => { cut(args[1]); return write(...args) }
      stdout.write = (...args) => { cut(args[0]); return print.apply(stdout, args) }`
    const { status, stdout, stderr } = await folder.run(args, { shell, before })
    const name = shell === 'true' ? 'data' : 'standard input'
    expect([status, stderr]).toEqual([1, `hardware-aes-gcm: ${name}: shrank while it was being read\n`])
    expect(folder.names).toEqual(names)
    if (!args.includes('--out')) expect(open(KEY, Buffer.from(stdout, 'latin1')).ok).toBe(false)
  })

  test('a command closes what it reads and writes, also if it fails', async () => {
    const folder = prepared()
    /** The descriptor that the next file gets, which is the lowest one that is free. */
    const free = () => {
      const descriptor = openSync(folder.in('data'), 'r')
      closeSync(descriptor)
      return descriptor
    }
    const run = async () => {
      await folder.succeed(['encrypt', 'data', '-k', 'key', '--out', 'new', '--force'])
      await folder.fail(1, ['encrypt', 'data', '-k', 'data', '--out', 'new', '--force'])
      await folder.fail(1, ['decrypt', 'data', '-k', 'key', '--out', 'new', '--force'])
    }
    // What is opened once and stays, such as a source of random bytes, is open after this.
    await run()
    const before = free()
    await run()
    expect(free()).toBe(before)
  })

  test('listens for signals as long as a file is not complete, also if another command ends', async () => {
    const folder = prepared()
    const events = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', ...(WINDOWS ? [] : ['SIGQUIT'])]
    const listeners = () => events.map(event => process.listenerCount(event))
    const before = listeners()
    const stdin = new PassThrough()
    const running = runHere(['encrypt', '-k', folder.in('key'), '--out', folder.in('new')], stdin)
    while (`${listeners()}` === `${before}`) await new Promise(setImmediate)
    await folder.succeed(['keygen', '--out', 'other'])
    expect(listeners()).toEqual(before.map(count => count + 1))
    stdin.end('some data')
    expect((await running).status).toBe(0)
    await folder.succeed(['keyset', 'new', 'keys'])
    await folder.succeed(['keyset', 'add', 'keys'])
    expect(listeners()).toEqual(before)
  })

  test('a command that ends by SIGTERM leaves nothing behind', async () => {
    const folder = prepared()
    folder.write('data', LONG)
    const signal = WINDOWS
      ? `process.emit('SIGTERM', 'SIGTERM')`
      : `process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)`
    const planted = `const real = fs.write; let calls = 0; fs.write = (...args) => { if (++calls < 3) return real(...args); ${signal} }`
    const args = ['encrypt', 'data', '-k', 'key', '--out', 'new']
    const outcome = folder.start(args, { before: planted })
    expect(outcome).toEqual({ status: WINDOWS ? 0xc000013a : 'SIGTERM', stdout: '', stderr: '' })
    expect(folder.names).toEqual(NAMES)
  })
})
