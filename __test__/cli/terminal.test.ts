// Keys and shares that are typed at a terminal: they do not show, can be edited, and the terminal gets its mode back.
import { spawnSync } from 'node:child_process'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Folder, MAIN, nodeArguments, runHere, Sink, WINDOWS } from './program.js'

const KEY = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'
const PROMPT = 'Ctrl-D:\r\n'
const [SPLIT, COMBINE] = [['split', '-t2', '-n3'], ['combine']]

/** Standard input that says it is a terminal, and counts its modes. */
class Typist extends PassThrough {
  readonly isTTY = true
  readonly modes: boolean[] = []

  setRawMode(raw: boolean): void {
    this.modes.push(raw)
  }
}

/** Runs a command in this process, with keys that are typed in these parts. */
async function typed(args: readonly string[], ...parts: (string | Uint8Array)[]) {
  const stdin = new Typist()
  for (const part of parts) stdin.write(Buffer.from(part as string))
  const outcome = await runHere(args, stdin)
  return { ...outcome, modes: stdin.modes }
}

describe('keys of a terminal', () => {
  const keyOf = async (shares: string) => {
    const folder = new Folder()
    return (await folder.succeed(COMBINE, { input: shares })).trimEnd()
  }

  test.each([
    ['a line', `${KEY}\r\u0004`],
    ['without Enter', `${KEY}\u0004`],
    ['a newline, and further keys, which are left out', `${KEY}\n\u0004rest\r`],
    ['Backspace', `${KEY.slice(0, 9)}xy\u007f\u007f${KEY.slice(9)}\r\u0004`],
    ['Ctrl-H', `x\b${KEY}\r\u0004`],
    ['Backspace at the start of the line', `\u007f\u007f${KEY}\r\u0004`],
    ['Backspace after a character of several bytes', `é\u007f\u20ac\u007f😀\u007f${KEY}\r\u0004`],
    ['Ctrl-U', `0123\u0015${KEY}\r\u0004`],
    [
      'arrows and other keys without a character',
      `\u001b[A\u001b[1;5D\u001bOP\u0001\u0017${KEY}\u001b[3~\r\u0004`,
    ],
    ['Alt with a letter, and keys of a keypad', `\u001bx\u001bO \u001b[2@${KEY}\r\u0004`],
    ['a text that is pasted between marks', `\u001b[200~${KEY}\u001b[201~\r\u0004`],
    ['blanks', ` \t${KEY}\t \r\r\u0004`],
  ])('%s', async (_, keys) => {
    const outcome = await typed(SPLIT, keys)
    expect(outcome).toMatchObject({ status: 0, modes: [true, false] })
    expect(await keyOf(outcome.stdout)).toBe(KEY)
    const bytes = await typed(SPLIT, ...Array.from(Buffer.from(keys), byte => Uint8Array.of(byte)))
    expect(await keyOf(bytes.stdout)).toBe(KEY)
  })

  test('the prompt says what to type and how to end, and lengths show that a line has arrived', async () => {
    const { stderr } = await typed(SPLIT, `\r${KEY}\r\u0004`)
    expect(stderr).toBe(
      'Type or paste the key as hex digits (not shown), then press Enter and Ctrl-D:\nline 2: 64 characters\n',
    )
  })

  test('a failure gives the terminal its mode back: a text that is no key, or too long; a broken terminal', async () => {
    for (const keys of ['no key\r\u0004', 'x'.repeat(1025)]) {
      const { status, modes } = await typed(SPLIT, keys)
      expect([status, modes]).toEqual([1, [true, false]])
    }
    const stdin = new Typist()
    const running = runHere(SPLIT, stdin)
    stdin.destroy(Object.assign(new Error('planted'), { code: 'EIO' }))
    expect(await running).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/standard input: the device failed\n$/),
    })
    expect(stdin.modes).toEqual([true, false])
  })

  test('the end of a terminal ends the text', async () => {
    const stdin = new Typist()
    stdin.end(KEY)
    const { status, stdout } = await runHere(SPLIT, stdin)
    expect([status, await keyOf(stdout)]).toEqual([0, KEY])
  })

  test('bytes are neither read from a terminal nor written to one', async () => {
    const folder = new Folder()
    folder.write('shares', await folder.succeed(SPLIT, { input: KEY }))
    for (const args of [
      ['combine', folder.in('shares'), '--open', '-', '--out', folder.in('new')],
      ['keyset', 'list', '-'],
    ]) {
      const stdin = new Typist()
      stdin.end('\u0004')
      expect({ ...(await runHere(args, stdin)), modes: stdin.modes }).toEqual({
        status: 1,
        stdout: '',
        stderr: 'hardware-aes-gcm: standard input is a terminal: pass a file or use a pipe\n',
        modes: [],
      })
    }
    const { stderr } = await typed(['keyset', 'list', '-', '--json'], '\u0004')
    expect(JSON.parse(stderr).error.code).toBe('ERR_TERMINAL')
    const place = folder.in('new')
    await folder.succeed(['split', '--binary', '-t2', '-n2', '--out', place], { input: KEY })
    for (const [what, ...args] of [
      ['bytes of a key', 'keygen', '--raw'],
      ['bytes of a key', 'keygen', '--raw', '--out', '-'],
      ['decrypted data', 'combine', folder.in('shares'), '--open', 'data'],
      ['bytes of a share', 'combine', `${place}-1-of-2.bin`, `${place}-2-of-2.bin`, '--at', '3'],
    ] as const) {
      const stdout = Object.assign(new Sink(), { isTTY: true })
      const { status, stderr } = await runHere(args, new PassThrough(), stdout)
      expect([status, stdout.text, stderr]).toEqual([
        1,
        '',
        `hardware-aes-gcm: the ${what} cannot be shown on a terminal: use --out FILE or a pipe\n`,
      ])
    }
  })
})

interface Step {
  /** What the terminal must show before. */
  until: string
  send?: string
  signal?: string
}

const PYTHON = spawnSync('python3', ['-c', 'import pty, termios']).status === 0

// Windows has no pseudo-terminals that Python could open. Elsewhere a machine may lack Python, but not in continuous integration.
describe.skipIf(WINDOWS || (!PYTHON && !process.env.CI))('at a real terminal', () => {
  function at(
    folder: Folder,
    args: readonly string[],
    steps: Step[],
    { before, shell = [] }: { before?: string; shell?: string[] } = {},
  ) {
    const script = fileURLToPath(new URL('./terminal.py', import.meta.url))
    const command = [...shell, process.execPath, ...nodeArguments(args, before, MAIN)]
    const input = JSON.stringify({ command, cwd: folder.path, steps })
    const { status, stdout, stderr } = spawnSync('python3', [script], { input, encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout) as { shown: string; status: number; echoes: boolean[]; restored: boolean }
  }

  test('a key does not show, and its shares do', async () => {
    const folder = new Folder()
    const { shown, ...rest } = at(folder, SPLIT, [{ until: PROMPT, send: `${KEY}x\u007f\r\u0004` }])
    expect(rest).toEqual({ status: 0, echoes: [false], restored: true })
    const [prompt, shares = ''] = shown.split('line 1: 64 characters\r\n')
    expect(prompt).toBe(`Type or paste the key as hex digits (not shown), then press Enter and ${PROMPT}`)
    expect(await folder.succeed(COMBINE, { input: shares })).toBe(`${KEY}\n`)
  })

  test('shares that are pasted with their line breaks do not show, and their key does', async () => {
    const folder = new Folder()
    const shares = await folder.succeed(['split', '-t2', '-n40'], { input: KEY })
    const pasted = shares.replace(/(.{60})/g, '$1\n').replaceAll('\n', '\r')
    const { shown, ...rest } = at(folder, COMBINE, [
      { until: PROMPT, send: pasted },
      { until: 'line 120: 52 characters', send: '\u0004' },
    ])
    expect(rest).toEqual({ status: 0, echoes: [false, false], restored: true })
    expect(shown.slice(-66)).toBe(`${KEY}\r\n`)
    expect(shown).not.toContain('AGS1')
  })

  test('a wrong share is named by its line and number', async () => {
    const folder = new Folder()
    const [one = ''] = (await folder.succeed(SPLIT, { input: KEY })).split('\n')
    const { shown, ...rest } = at(folder, COMBINE, [{ until: PROMPT, send: `${one}\r${one}\r\u0004` }])
    expect(rest).toEqual({ status: 1, echoes: [false], restored: true })
    expect(shown).toContain('standard input, line 1 and standard input, line 2 are both share number 1')
  })

  test('Ctrl-C ends as the signal does, which shells show as 130; no file remains', () => {
    const folder = new Folder()
    const args = [...SPLIT, '--out', 'new']
    const { shown, ...rest } = at(folder, args, [{ until: PROMPT, send: `${KEY}\u0003` }])
    expect(rest).toEqual({ status: -2, echoes: [false], restored: true })
    expect([shown.split(PROMPT)[1], folder.names]).toEqual(['', []])
    const shell = ['sh', '-c', '"$@"; echo "exit code $?"', 'sh']
    const inShell = at(folder, args, [{ until: PROMPT, send: '\u0003' }], { shell })
    expect(inShell).toMatchObject({ status: 0, restored: true })
    expect(inShell.shown.split(PROMPT)[1]).toBe('exit code 130\r\n')
  })

  test.each([
    ['SIGINT', -2],
    ['SIGTERM', -15],
    ['SIGHUP', -1],
    ['SIGQUIT', -3],
  ])('%s ends the command, and the terminal has its mode back', (signal, status) => {
    const folder = new Folder()
    const outcome = at(folder, SPLIT, [
      { until: PROMPT, send: KEY },
      { until: '', signal },
    ])
    expect(outcome).toMatchObject({ status, restored: true })
    expect(outcome.shown).not.toContain(KEY.slice(0, 8))
  })

  test('a failure nobody handles gives the terminal its mode back', () => {
    const before = `process.stdin.on('data', () => { throw new Error('planted') })`
    const outcome = at(new Folder(), SPLIT, [{ until: PROMPT, send: 'x' }], { before })
    expect(outcome).toMatchObject({ restored: true, shown: expect.stringContaining('planted') })
    expect(outcome.status).toBeGreaterThan(0)
  })
})
