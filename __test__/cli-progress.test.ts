// The line on a terminal that shows how far the work is, by a clock that the test moves; and sizes for people.
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { KEY, LONG, prepared, SALT } from './cli/messages.js'
import { runHere, Sink, WINDOWS } from './cli/program.js'
import { seal } from './stream/model.js'

const { amount } = createRequire(import.meta.url)('../dist/cli/progress.cjs') as {
  amount(bytes: number): string
}

afterEach(() => void vi.restoreAllMocks())

/** The states of the line, while each look at the clock shows the next of these times. */
async function shown(
  times: readonly number[],
  args: readonly string[],
  stdin = Readable.from([]),
  stdout = new Sink(),
) {
  const folder = prepared()
  folder.write('data', LONG)
  folder.write('data.enc', seal(KEY, LONG, SALT))
  folder.write('empty', '')
  let looks = 0
  vi.spyOn(performance, 'now').mockImplementation(() => times[looks++] ?? Number.NaN)
  const screen = Object.assign(new Sink(), { isTTY: true })
  const paths = args.map(word => (/^(data|key|empty)/.test(word) ? folder.in(word) : word))
  const { status } = await runHere([...paths, '-k', folder.in('key')], stdin, stdout, screen)
  expect([status, looks]).toEqual([0, times.length])
  return screen.text.split('\r\u001b[K')
}

test('begins after a second, and changes after a fifth of one', async () => {
  const ALL = ['decrypt', 'data.enc', '--range', '0-']
  const [all, speed] = ['100%, 2.1 MiB of 2.1 MiB', '2.1 MiB/s']
  expect(await shown([5000, 5999, 5999, 5999], ALL)).toEqual([''])
  expect(await shown([5000, 5100, 5999, 6000], ALL)).toEqual(['', `${all}, ${speed}`, ''])
  expect(await shown([5000, 6000, 6199, 7000], ALL)).toEqual([
    '',
    '48%, 1.0 MiB of 2.1 MiB, 1.0 MiB/s',
    `${all}, 1.0 MiB/s`,
    '',
  ])
  expect(await shown([5000, 7000, 7200, 7399], ALL)).toEqual([
    '',
    '48%, 1.0 MiB of 2.1 MiB, 512.0 KiB/s',
    '96%, 2.0 MiB of 2.1 MiB, 930.9 KiB/s',
    '',
  ])
})

test('of a range, of an empty file, and of input whose length nobody knows', async () => {
  const range = ['decrypt', 'data.enc', '--range', '1048000-2097000']
  expect(await shown([0, 2000, 4000], range)).toEqual([
    '',
    '0%, 576 bytes of 1.0 MiB, 288 bytes/s',
    '100%, 1.0 MiB of 1.0 MiB, 256.1 KiB/s',
    '',
  ])
  expect(await shown([0, 2000], ['encrypt', 'empty'])).toEqual([
    '',
    '100%, 0 bytes of 0 bytes, 0 bytes/s',
    '',
  ])
  const input = Readable.from([Buffer.alloc(1000)])
  expect(await shown([0, 2000], ['encrypt'], input)).toEqual(['', '1000 bytes, 500 bytes/s', ''])
})

test.skipIf(WINDOWS)('is erased by a signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  const stdout = new Sink()
  const write = stdout._write
  let writes = 0
  stdout._write = (...parameters) => {
    if (++writes === 2) process.listeners('SIGTERM').at(-1)?.('SIGTERM')
    write.apply(stdout, parameters)
  }
  const args = ['decrypt', 'data.enc', '--range', '0-']
  const states = await shown([0, 2000, 2000, 2000], args, Readable.from([]), stdout)
  expect(states).toEqual(['', expect.stringMatching(/^48%/), '', ''])
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGTERM']])
})

test('is left out with --no-progress, and with --json', async () => {
  for (const options of [['--no-progress'], ['--json', '--out', 'data.new']])
    expect(await shown([], ['encrypt', 'data', ...options])).toEqual([''])
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
