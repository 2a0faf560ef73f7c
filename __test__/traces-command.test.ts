// No secret is left in the memory of the command line, whether a command succeeds or refuses.
import './traces/memories.js'
import { Readable } from 'node:stream'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { Folder, runHere } from './cli/program.js'
import { note, type Teller, traced } from './traces/memories.js'

interface Case {
  args: readonly string[]
  /** Files of the folder in which the command runs. */
  files?: Record<string, string | Uint8Array>
  /** Chunks of standard input. */
  input?: readonly (string | Uint8Array)[]
  /** Whether standard input is a terminal, at which the chunks are typed. */
  typed?: boolean
  status?: number
}

/** Runs a command in this process. The chunks that it reads count as its memory. */
async function run({ args, files = {}, input = [], typed = false, status = 0 }: Case): Promise<void> {
  const folder = new Folder()
  for (const [name, content] of Object.entries(files)) folder.write(name, content)
  const chunks = input.map(chunk => Buffer.from(chunk as string))
  chunks.forEach(note)
  const stdin = Object.assign(Readable.from(chunks), typed ? { isTTY: true, setRawMode() {} } : {})
  const place = process.cwd()
  process.chdir(folder.path)
  try {
    const outcome = await runHere(args, stdin)
    expect(outcome.status, outcome.stderr).toBe(status)
  } finally {
    process.chdir(place)
  }
}

// Of a message's derived values, a part of the key and of the base nonce; the commitment is public.
const PART = { from: 16, to: 40 }

const clean = (make: (tell: Teller) => Case) => async () => {
  const { error, left } = await traced(tell => run(make(tell)), PART)
  expect(error).toBeUndefined()
  expect(left).toEqual([])
}

/** A key as the digits of a file; the digits are secret, too. */
const digits = (tell: Teller, length = 32) => tell.hide(tell.secret(length).toString('hex'))
const shares = (tell: Teller, format: 'text' | 'horcrux' = 'text') =>
  splitKey(tell.secret(32), { threshold: 2, shares: 3, format }).map(share => tell.hide(share))

describe('split', () => {
  test(
    'a file',
    clean(tell => ({ args: ['split', 'key', '-t2', '-n3'], files: { key: digits(tell) } })),
  )
  test(
    'standard input',
    clean(tell => ({ args: ['split', '-t2', '-n3'], input: [digits(tell)] })),
  )
  test(
    'bytes in pieces',
    clean(tell => ({ args: ['split', '-t2', '-n3'], input: [tell.secret(16), tell.secret(16)] })),
  )
  test(
    'what is typed',
    clean(tell => ({ args: ['split', '-t2', '-n3'], input: [`${digits(tell)}\r`, '\x04'], typed: true })),
  )
  test(
    'what is typed and deleted',
    clean(tell => ({
      args: ['split', '-t2', '-n3'],
      input: [digits(tell), '\x15', `${digits(tell)}\r\x04`],
      typed: true,
    })),
  )
  test(
    'what is typed and too long',
    clean(tell => ({
      args: ['split', '-t2', '-n3'],
      input: [digits(tell), 'x'.repeat(70_000)],
      typed: true,
      status: 1,
    })),
  )
  test(
    'a key of a wrong length',
    clean(tell => ({ args: ['split', '-t2', '-n3'], input: [digits(tell, 20)], status: 1 })),
  )
  test(
    'a file that is too long',
    clean(tell => ({
      args: ['split', 'key', '-t2', '-n3'],
      files: { key: Buffer.concat([tell.secret(32), Buffer.alloc(70_000)]) },
      status: 1,
    })),
  )
  test(
    'standard input that is too long',
    clean(tell => ({
      args: ['split', '-t2', '-n3'],
      input: [tell.secret(32), Buffer.alloc(70_000)],
      status: 1,
    })),
  )
  test(
    'with a sealed file',
    clean(tell => ({
      args: ['split', '--seal', 'data', '-t2', '-n3', '--out', 'share'],
      files: { data: tell.secret(100) },
    })),
  )
})

describe('combine', () => {
  test(
    'files',
    clean(tell => {
      const [a = '', b = ''] = shares(tell)
      return { args: ['combine', 'a', 'b'], files: { a, b } }
    }),
  )
  test(
    'standard input',
    clean(tell => ({ args: ['combine'], input: [shares(tell).join('\n')] })),
  )
  test(
    "horcrux's text",
    clean(tell => ({ args: ['combine', '-t2'], input: [shares(tell, 'horcrux').join('\n')] })),
  )
  test(
    'another share',
    clean(tell => ({ args: ['combine', '--at', '9'], input: [shares(tell).join('\n')] })),
  )
  test(
    'too few',
    clean(tell => ({ args: ['combine'], input: [shares(tell)[0] as string], status: 1 })),
  )
  test(
    'a file with shares, and one without',
    clean(tell => ({
      args: ['combine', 'a', 'b'],
      files: { a: shares(tell).join('\n'), b: 'no share' },
      status: 1,
    })),
  )
  test(
    'a file with shares, and one that is missing',
    clean(tell => ({
      args: ['combine', 'a', 'b'],
      files: { a: shares(tell).join('\n') },
      status: 1,
    })),
  )
})

describe('keys and keysets', () => {
  test(
    'encrypt',
    clean(tell => ({
      args: ['encrypt', 'data', '--key', 'key', '--out', 'sealed'],
      files: { key: digits(tell), data: 'data' },
    })),
  )
  test(
    'encrypt, of no key',
    clean(tell => ({
      args: ['encrypt', 'data', '--key', 'key', '--out', 'sealed'],
      files: { key: digits(tell, 20), data: 'data' },
      status: 1,
    })),
  )
  test(
    'seal',
    clean(tell => {
      const keyset = new Keyring([{ key: tell.secret(32), id: 7 }])
      const text = tell.hide(keyset.export())
      return {
        args: ['seal', '--keyset', 'keyset'],
        files: { keyset: text },
        input: [tell.secret(30).toString('hex')],
      }
    }),
  )
  test(
    'seal, a text that needs more memory than was there at first',
    clean(tell => {
      const text = tell.secret(30).toString('hex')
      return {
        args: ['seal', '--keyset', 'keyset'],
        files: { keyset: tell.hide(new Keyring([{ key: tell.secret(32), id: 7 }]).export()) },
        input: [tell.hide(text), 'x'.repeat(100_000), 'y'.repeat(100_000)],
      }
    }),
  )
  test(
    'inspect',
    clean(tell => ({
      args: ['inspect', 'keyset'],
      files: { keyset: tell.hide(new Keyring([{ key: tell.secret(32) }]).export()) },
    })),
  )
})

test('a chunk that a command does not wipe is found', async () => {
  const { left } = await traced(async tell => {
    const secret = tell.secret(32)
    await run({ args: ['split', '-t2', '-n3'], input: [secret] })
    note(Buffer.from(secret))
  })
  expect(left).toHaveLength(1)
})
