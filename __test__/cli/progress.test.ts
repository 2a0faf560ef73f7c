// The line on a terminal that shows how far the work is, by a clock that the test moves; and sizes for people.
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CHUNK_BYTES, seal } from '../models/cobblestone.mjs'
import { KEY, LONG, prepared, SALT } from './messages.js'
import { hurry, runHere, Sink, WINDOWS } from './program.js'

interface Progress {
  begin(total: number | null, unit?: 'bytes' | 'rows'): void
  at(done: number): void
  flushing(): void
  erase(): void
}

const { amount, time, withProgress } = createRequire(import.meta.url)(
  '../../dist/cli/frame/progress.cjs',
) as {
  amount(bytes: number): string
  time(seconds: number): string
  withProgress(call: object, work: (progress: Progress) => Promise<void>): Promise<void>
}

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const ERASE = '\r\u001b[K'

/** A call of a command with a terminal of this width, and what it shows, without the characters that erase the line. */
function terminal(options: readonly string[] = [], columns?: number) {
  const stderr = Object.assign(new Sink(), { isTTY: true, ...(columns !== undefined && { columns }) })
  const call = { streams: { stderr }, has: (name: string) => options.includes(name) }
  return { call, shown: () => stderr.text.split(ERASE) }
}

/** Runs `work`, which lets a number of milliseconds pass. */
async function shown(
  work: (progress: Progress, pass: (milliseconds: number) => void) => void,
  options?: readonly string[],
  columns?: number,
): Promise<string[]> {
  vi.useFakeTimers()
  const { call, shown } = terminal(options, columns)
  await withProgress(call, async progress => work(progress, pass => vi.advanceTimersByTime(pass)))
  expect(vi.getTimerCount()).toBe(0)
  return shown()
}

test('begins after a second, changes five times in each, and ends with 100%', async () => {
  const states = await shown((progress, pass) => {
    progress.begin(2 ** 21)
    progress.at(2 ** 19)
    pass(1199)
    progress.at(2 ** 20)
    pass(800)
    progress.at(2 ** 21)
    pass(1)
  })
  const [half, full] = ['50%, 1.0 MiB of 2.0 MiB', '100%, 2.0 MiB of 2.0 MiB']
  expect(states).toEqual([
    '',
    '25%, 512.0 KiB of 2.0 MiB, 512.0 KiB/s, 3 s left',
    `${half}, 853.3 KiB/s, 2 s left`,
    `${half}, 731.4 KiB/s, 2 s left`,
    `${half}, 640.0 KiB/s, 2 s left`,
    `${half}, 568.9 KiB/s, 2 s left`,
    `${full}, 1.0 MiB/s, 0 s left`,
    `${full}, 1.0 MiB/s, 0 s left`,
    '',
  ])
})

test('is not there for work of less than a second, nor before there is work', async () => {
  const typed = await shown((progress, pass) => {
    // A key is typed.
    pass(60_000)
    progress.begin(10)
    progress.at(10)
    pass(999)
  })
  expect(typed).toEqual([''])
})

// The line ended at 93%, and was silent while the file was written through.
test('says that the bytes are written through to the disk', async () => {
  const states = await shown((progress, pass) => {
    progress.begin(2 ** 30)
    progress.at(2 ** 30)
    pass(800)
    progress.flushing()
    pass(400)
  })
  const line = '100%, 1.0 GiB, flushing to disk'
  expect(states).toEqual(['', line, line, line, ''])
})

test('of an empty file, of input whose length nobody knows, of a file that grows, and of a source that gives nothing yet', async () => {
  const last = async (total: number | null, done: number) => {
    const states = await shown((progress, pass) => {
      progress.begin(total)
      progress.at(done)
      pass(2000)
    })
    return states.at(-2)
  }
  expect(await last(0, 0)).toBe('100%, 0 bytes of 0 bytes, 0 bytes/s')
  expect(await last(null, 1000)).toBe('1000 bytes, 500 bytes/s')
  expect(await last(1000, 3000)).toBe('100%, 2.9 KiB of 1000 bytes, 1.5 KiB/s, 0 s left')
  expect(await last(1000, 0)).toBe('0%, 0 bytes of 1000 bytes, 0 bytes/s')
  expect(await last(1000, 999)).toBe('99%, 999 bytes of 1000 bytes, 500 bytes/s, 1 s left')
})

test('counts rows, in groups of three digits, and begins anew with each pass over a table', async () => {
  const states = await shown((progress, pass) => {
    progress.begin(1_234_567, 'rows')
    progress.at(234_567)
    pass(2000)
    progress.begin(1000, 'rows')
    pass(1200)
  })
  expect(states).toContain('18%, 234 567 of 1 234 567 rows, 117 284 rows/s, 9 s left')
  expect(states.at(-2)).toBe('0%, 0 of 1 000 rows, 0 rows/s')
})

test('goes away for other output, and is no wider than the terminal', async () => {
  const states = await shown(
    (progress, pass) => {
      progress.begin(2 ** 40)
      progress.erase()
      pass(1000)
      progress.erase()
      progress.erase()
      pass(200)
    },
    [],
    21,
  )
  const line = '0%, 0 bytes of 1.0 T'
  expect(states).toEqual(['', line, '', line, line, ''])
  // A terminal of which nobody knows the width.
  const wide = (progress: Progress, pass: (milliseconds: number) => void) => {
    progress.begin(2 ** 40)
    pass(1000)
  }
  const [, first] = await shown(wide, [], 0)
  expect(first).toBe('0%, 0 bytes of 1.0 TiB, 0 bytes/s')
})

test('goes away, and its timer, when the work fails; the failure stays', async () => {
  vi.useFakeTimers()
  const { call, shown } = terminal()
  const work = withProgress(call, async progress => {
    progress.begin(10)
    vi.advanceTimersByTime(1000)
    throw new Error('planted')
  })
  await expect(work).rejects.toThrow('planted')
  expect([vi.getTimerCount(), shown()]).toEqual([0, ['', '0%, 0 bytes of 10 bytes, 0 bytes/s', '']])
})

test.each([['no-progress'], ['json']])('is left out with --%s', async option => {
  const states = await shown(
    (progress, pass) => {
      progress.begin(10)
      pass(5000)
      progress.flushing()
    },
    [option],
  )
  expect(states).toEqual([''])
})

test('is left out where standard error is no terminal', async () => {
  vi.useFakeTimers()
  const stderr = new Sink()
  await withProgress({ streams: { stderr }, has: () => false }, async progress => {
    progress.begin(10)
    vi.advanceTimersByTime(5000)
  })
  expect(stderr.text).toBe('')
})

test.skipIf(WINDOWS)('is erased by a signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const states = await shown((progress, pass) => {
    progress.begin(10)
    pass(1000)
    process.listeners('SIGTERM').at(-1)?.('SIGTERM')
  })
  expect(states).toEqual(['', '0%, 0 bytes of 10 bytes, 0 bytes/s', ''])
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']])
})

describe('of the commands', () => {
  /** Runs a command at a terminal, with a clock that runs fast. Gives the last state of the line. */
  const last = async (args: readonly string[], stdin = Readable.from([])) => {
    const folder = prepared()
    folder.write('data', LONG)
    folder.write('data.enc', seal(KEY, LONG, SALT))
    hurry()
    const paths = args.map(word => (/^(data|key|new)/.test(word) ? folder.in(word) : word))
    const stderr = Object.assign(new Sink(), { isTTY: true })
    const { status } = await runHere(paths, stdin, new Sink(), stderr)
    const states = stderr.text.split(ERASE)
    expect([status, states[0], states.at(-1)]).toEqual([0, '', ''])
    return states.at(-2)
  }

  test.each([
    ['encrypt', ['encrypt', 'data', '-k', 'key'], /^100%, 2\.1 MiB of 2\.1 MiB, .* left$/],
    ['decrypt', ['decrypt', 'data.enc', '-k', 'key'], /^100%, 2\.1 MiB of 2\.1 MiB, .* left$/],
    [
      'a range',
      ['decrypt', 'data.enc', '-k', 'key', '--range', '1048000-2097000'],
      /^100%, 1\.0 MiB of 1\.0 MiB, .* left$/,
    ],
    ['a pipe', ['encrypt', '-k', 'key'], /^2\.1 MiB, .*\/s$/],
    ['into a file', ['encrypt', 'data', '-k', 'key', '-o', 'new'], /^100%, 2\.1 MiB, flushing to disk$/],
    [
      'a sealed file',
      ['split', '--seal', 'data', '-t2', '-n2', '-o', 'new'],
      /^100%, 2\.1 MiB, flushing to disk$/,
    ],
    [
      'a sealed file whose shares are printed',
      ['split', '--seal', 'data', '-t2', '-n2'],
      /^100%, 2\.1 MiB, flushing to disk$/,
    ],
  ])('%s', async (_, args, state) => {
    const slowly = async function* () {
      for (const end of [CHUNK_BYTES, LONG.length]) {
        await new Promise(setImmediate)
        yield Buffer.from(LONG.subarray(end === CHUNK_BYTES ? 0 : CHUNK_BYTES, end))
      }
    }
    expect(await last(args, Readable.from(slowly()))).toMatch(state)
  })
})

test.each([
  [0, '0 s'],
  [0.2, '1 s'],
  [59, '59 s'],
  [59.1, '1 min 0 s'],
  [61, '1 min 1 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h 0 min'],
  [3 * 3600 + 62, '3 h 1 min'],
])('%f seconds are %s', (seconds, text) => {
  expect(time(seconds)).toBe(text)
})

test.each([
  [0, '0 bytes'],
  [1, '1 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KiB'],
  [1536, '1.5 KiB'],
  [2 ** 20 - 1, '1024.0 KiB'],
  [2 ** 20, '1.0 MiB'],
  [5 * 2 ** 30, '5.0 GiB'],
  [2 ** 40, '1.0 TiB'],
  [3.25 * 2 ** 50, '3.3 PiB'],
])('%i bytes are %s', (bytes, text) => {
  expect(amount(bytes)).toBe(text)
})
