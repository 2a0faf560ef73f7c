// No secret is left in the memory of the command line, whether a command succeeds or refuses.
import './memories.js'
import { Readable } from 'node:stream'
// Loaded before any run, so its hashes of public bytes are none of a command.
import 'hardware-aes-gcm/hybrid'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { combineKey, splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test, vi } from 'vitest'
import { Folder, runHere, Sink, WINDOWS } from '../cli/program.js'
import { seal as sealedByModel } from '../models/cobblestone.mjs'
import { held, note, type Teller, traced } from './memories.js'

interface Case {
  args: readonly string[]
  /** Files of the folder in which the command runs. */
  files?: Record<string, string | Uint8Array>
  /** Chunks of standard input. */
  input?: readonly (string | Uint8Array)[]
  /** Whether standard input is a terminal, at which the chunks are typed. */
  typed?: boolean
  /** The write to standard output that fails, from 1 on; 0 for an output that does not fail. */
  broken?: number
  status?: number
  /** What standard error says at the end. */
  line?: string
  /** Secrets that the command made: they show in its files and its output. */
  made?: (folder: Folder, stdout: string) => readonly (Uint8Array | string)[]
}

/** Runs a command in this process, and gives the secrets that it made. The chunks that it reads count as its memory. */
async function run(one: Case): Promise<readonly (Uint8Array | string)[]> {
  const { args, files = {}, input = [], typed = false, broken = 0, status = 0, line = '' } = one
  const folder = new Folder()
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  const chunks = input.map(chunk => Buffer.from(chunk as string))
  chunks.forEach(note)
  const stdin = Object.assign(Readable.from(chunks), typed ? { isTTY: true, setRawMode() {} } : {})
  const stdout = new Sink()
  let writes = 0
  if (broken > 0)
    stdout.on('error', () => {})._write = (_chunk, _: unknown, done: (error?: Error) => void) =>
      done(++writes === broken ? new Error('planted') : undefined)
  const place = process.cwd()
  process.chdir(folder.path)
  try {
    const outcome = await runHere(args, stdin, stdout)
    expect(outcome.status, outcome.stderr).toBe(status)
    expect(outcome.stderr).toContain(line)
    return one.made?.(folder, outcome.stdout) ?? []
  } finally {
    process.chdir(place)
  }
}

// Of a message's derived values, a part of the key and of the base nonce; the commitment is public.
const PART = { from: 16, to: 40 }

/** A test for each of these cases, by its name. */
const suite = (cases: Record<string, (tell: Teller) => Case>) =>
  test.each(Object.entries(cases))('%s', async (_, make) => {
    const { error, left } = await traced(async tell => {
      for (const secret of await run(make(tell))) tell.hide(secret)
    }, PART)
    expect(error).toBeUndefined()
    expect(left).toEqual([])
  })

/** A case for each value. */
const of = <Value>(values: Value[], row: (value: Value) => [string, (tell: Teller) => Case]) =>
  Object.fromEntries(values.map(row))

/** A key as the digits of a file; the digits are secret, too. */
const digits = (tell: Teller, length = 32) => tell.hide(tell.secret(length).toString('hex'))
const shares = (tell: Teller, format: 'text' | 'horcrux' = 'text') =>
  splitKey(tell.secret(32), { threshold: 2, shares: 3, format }).map(share => tell.hide(share))

const binaryShares = (tell: Teller) => {
  const [a, b] = tell.keep(splitKey(tell.secret(32), { threshold: 2, shares: 2 }))
  return { a: tell.hide(a as Buffer), b: tell.hide(b as Buffer) }
}

describe('split', () => {
  suite({
    'a file': tell => ({ args: ['split', 'key', '-t2', '-n3'], files: { key: digits(tell) } }),
    'standard input': tell => ({ args: ['split', '-t2', '-n3'], input: [digits(tell)] }),
    'bytes in pieces': tell => ({ args: ['split', '-t2', '-n3'], input: [tell.secret(16), tell.secret(16)] }),
    'what is typed': tell => ({
      args: ['split', '-t2', '-n3'],
      input: [`${digits(tell)}\r`, '\x04'],
      typed: true,
    }),
    'what is typed and deleted': tell => ({
      args: ['split', '-t2', '-n3'],
      // The second key is shorter, and does not cover the first one.
      input: [digits(tell), '\x15', `${digits(tell, 16)}\r\x04`],
      typed: true,
    }),
    'what is typed and too long': tell => ({
      args: ['split', '-t2', '-n3'],
      input: [digits(tell), 'x'.repeat(70_000)],
      typed: true,
      status: 1,
    }),
    'a key of a wrong length': tell => ({
      args: ['split', '-t2', '-n3'],
      input: [digits(tell, 20)],
      status: 1,
    }),
    'a file that is too long': tell => ({
      args: ['split', 'key', '-t2', '-n3'],
      files: { key: Buffer.concat([tell.secret(32), Buffer.alloc(70_000)]) },
      status: 1,
    }),
    'standard input that is too long': tell => ({
      args: ['split', '-t2', '-n3'],
      input: [tell.secret(32), Buffer.alloc(70_000)],
      status: 1,
    }),
    'with a sealed file': tell => ({
      args: ['split', '--seal', 'data', '-t2', '-n3', '--out', 'share'],
      files: { data: tell.secret(100) },
    }),
  })
})

describe('combine', () => {
  suite({
    files: tell => {
      const [a = '', b = ''] = shares(tell)
      return { args: ['combine', 'a', 'b'], files: { a, b } }
    },
    'standard input': tell => ({ args: ['combine'], input: [shares(tell).join('\n')] }),
    'binary shares': tell => ({ args: ['combine', 'a', 'b'], files: binaryShares(tell) }),
    'binary shares, and one that is missing': tell => ({
      args: ['combine', 'a', 'b', 'c'],
      files: binaryShares(tell),
      status: 1,
    }),
    'another binary share': tell => ({
      args: ['combine', 'a', 'b', '--at', '9', '--out', 'new'],
      files: binaryShares(tell),
    }),
    'a file that does not open': tell => {
      const [a = '', b = ''] = shares(tell)
      const files = { a, b, sealed: Buffer.alloc(200) }
      return { args: ['combine', 'a', 'b', '--open', 'sealed', '--out', 'new'], files, status: 1 }
    },
    'a file in UTF-16': tell => ({
      args: ['combine', 'a'],
      files: { a: tell.hide(Buffer.from(`\ufeff${digits(tell)}`, 'utf16le')) },
      status: 1,
    }),
    "horcrux's text": tell => ({ args: ['combine', '-t2'], input: [shares(tell, 'horcrux').join('\n')] }),
    'another share': tell => ({ args: ['combine', '--at', '9'], input: [shares(tell).join('\n')] }),
    'too few': tell => ({ args: ['combine'], input: [shares(tell)[0] as string], status: 1 }),
    'a file with shares, and one without': tell => ({
      args: ['combine', 'a', 'b'],
      files: { a: shares(tell).join('\n'), b: 'no share' },
      status: 1,
    }),
    'a file with shares, and one that is missing': tell => ({
      args: ['combine', 'a', 'b'],
      files: { a: shares(tell).join('\n') },
      status: 1,
    }),
  })
})

describe('keys and keysets', () => {
  suite({
    encrypt: tell => ({
      args: ['encrypt', 'data', '--key', 'key', '--out', 'sealed'],
      files: { key: digits(tell), data: 'data' },
    }),
    'encrypt, of no key': tell => ({
      args: ['encrypt', 'data', '--key', 'key', '--out', 'sealed'],
      files: { key: digits(tell, 20), data: 'data' },
      status: 1,
    }),
    'decrypt, of data that do not open': tell => ({
      args: ['decrypt', 'data', '--key', 'key', '--out', 'new'],
      files: { key: digits(tell), data: Buffer.alloc(200) },
      status: 1,
    }),
    'inspect, of a key': tell => ({ args: ['inspect', 'key'], files: { key: digits(tell) } }),
    seal: tell => {
      const keyset = new Keyring([{ key: tell.secret(32), id: 7 }])
      const text = tell.hide(keyset.export())
      return {
        args: ['seal', '--keyset', 'keyset'],
        files: { keyset: text },
        input: [tell.secret(30).toString('hex')],
      }
    },
    'seal, a text that needs more memory than was there at first': tell => {
      const text = tell.secret(30).toString('hex')
      return {
        args: ['seal', '--keyset', 'keyset'],
        files: { keyset: tell.hide(new Keyring([{ key: tell.secret(32), id: 7 }]).export()) },
        input: [tell.hide(text), 'x'.repeat(100_000), 'y'.repeat(100_000)],
      }
    },
    'keyset add': tell => {
      const keys = tell.hide(new Keyring([{ key: tell.secret(32), id: 7 }]).export())
      // The new content has the same key beside another one.
      tell.hide(JSON.parse(keys).key[0].keyData.value)
      return { args: ['keyset', 'add', 'keys'], files: { keys } }
    },
    inspect: tell => ({
      args: ['inspect', 'keyset'],
      files: { keyset: tell.hide(new Keyring([{ key: tell.secret(32) }]).export()) },
    }),
  })
})

/** The bytes of a share of this package's text, but for the version. */
function bytesOf(share: string): Buffer {
  const numbers = [...share.slice(4).replaceAll('-', '')].map(letter =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  )
  return Buffer.from((numbers.join('').match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2)))
}

/** The keys in the text of a keyset, as it has them and as bytes. */
function keysIn(keyset: string): (Buffer | string)[] {
  const keys: { keyData: { value: string } }[] = JSON.parse(keyset).key
  return keys.flatMap(({ keyData: { value } }) => [value, Buffer.from(value, 'base64').subarray(-32)])
}

describe('what a command makes or decrypts', () => {
  suite({
    'a key': () => ({ args: ['keygen'], made: (_, digits) => [digits, Buffer.from(digits, 'hex')] }),
    'its bytes': () => ({ args: ['keygen', '--raw', '-o', 'new'], made: folder => [folder.bytes('new')] }),
    'a keyset': () => ({ args: ['keyset', 'new', 'new'], made: folder => keysIn(folder.read('new')) }),
    'a further key': tell => ({
      args: ['keyset', 'add', 'keys'],
      files: { keys: tell.hide(new Keyring([{ key: tell.secret(32) }]).export()) },
      made: folder => keysIn(folder.read('keys')),
    }),
    'shares as bytes': tell => ({
      args: ['split', 'key', '-t2', '-n2', '--binary', '-o', 's'],
      files: { key: digits(tell) },
      made: folder => [folder.bytes('s-1-of-2.bin'), folder.bytes('s-2-of-2.bin')],
    }),
    'the key of a sealed file': tell => ({
      args: ['split', '--seal', 'data', '-t2', '-n2'],
      files: { data: 'data' },
      made: (_, shares) => [tell.keep(combineKey(shares.trimEnd().split('\n')))],
    }),
    'a share that is given twice': tell => {
      const [a = ''] = shares(tell)
      tell.hide(bytesOf(a))
      return { args: ['combine', 'a', 'b'], files: { a, b: a }, status: 1, line: 'both share number 1' }
    },
    ...of([[], ['--range', '10-90']], range => [
      `data ${range}`,
      tell => {
        const [key, data] = [tell.secret(32), tell.secret(100)]
        const files = { key, sealed: sealedByModel(key, data, Buffer.alloc(24, 1)) }
        return { args: ['decrypt', 'sealed', '-k', 'key', ...range], files }
      },
    ]),
    ...of([0, 1, 2], broken => [
      // A chunk that came after the first write had failed stayed in memory.
      `encrypted data${broken > 0 ? `, to an output whose write ${broken} fails` : ''}`,
      tell => ({
        args: ['encrypt', '-k', 'key'],
        files: { key: digits(tell) },
        input: [Buffer.concat([Buffer.alloc(6 * 2 ** 20), tell.secret(32)])],
        broken,
        status: Math.min(broken, 1),
      }),
    ]),
  })
})

// The signal ends the process before anything else could wipe it.
test.skipIf(WINDOWS)('what is typed is gone when Ctrl-C ends the process', async () => {
  const { error } = await traced(async tell => {
    const text = digits(tell)
    const kill = vi.spyOn(process, 'kill').mockImplementation((_, signal) => {
      throw new Error(`${signal} with ${held(text)} of it left`)
    })
    try {
      const input = [text, `${text}\x03`]
      await run({
        args: ['split', '-t2', '-n2'],
        input,
        typed: true,
        status: 1,
        line: 'SIGINT with 0 of it left',
      })
    } finally {
      kill.mockRestore()
    }
  })
  expect(error).toBeUndefined()
})

// Regression: to tell a key from a keyset or a protected key, it was made a string, which nothing can wipe.
test.each(['encrypt', 'decrypt', 'inspect'])('no digit of a key becomes a string: %s', async command => {
  const key = Buffer.alloc(32, 0xa7)
  const data = command === 'decrypt' ? sealedByModel(key, Buffer.from('data'), Buffer.alloc(24, 1)) : 'data'
  const made = vi.spyOn(Buffer.prototype, 'toString')
  try {
    const files = { key: key.toString('hex'), data }
    made.mockClear()
    await run({ args: command === 'inspect' ? ['inspect', 'key'] : [command, 'data', '-k', 'key'], files })
    const strings = made.mock.results.map(({ value }) => String(value))
    expect(strings.filter(text => text.includes('a7a'))).toEqual([])
  } finally {
    made.mockRestore()
  }
})

test('a chunk that a command does not wipe is found', async () => {
  const { left } = await traced(async tell => {
    const secret = tell.secret(32)
    await run({ args: ['split', '-t2', '-n3'], input: [secret] })
    note(Buffer.from(secret))
  })
  expect(left).toHaveLength(1)
})
