// Texts that others decided, on standard output and standard error: names of files and of variables, words, facts of the machine, and
// texts that were sealed. Escape sequences in names reached the terminal, and a line break in a name forged a line.
import { chmodSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { isTried } from '../tools/whole.js'
import { Folder, type Outcome, runHere, Sink, WINDOWS } from './program.js'

const { shownSafely, shownAsJson } = createRequire(import.meta.url)('../../dist/cli/frame/text.cjs') as {
  shownSafely(text: string): string
  shownAsJson(value: object, indent?: number): string
}

/** What no output may contain beside its line breaks: controls, characters that nobody sees, blanks that look like a space. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/u

/** Names of Windows hold no ASCII control characters. */
const CONTROLS = WINDOWS ? '' : '\u001b]0;pwned\u0007\r\u001b[2J\npossible: a key of 256 bits\n\u007f'
const NASTY = `x${CONTROLS}\u009b31m\u202e\u200b\u2066\u00a0\u2028\u00ad\u{e0041}`
const SHOWN = shownSafely(NASTY)

const keyring = new Keyring([{ id: 7, key: Buffer.alloc(32, 7) }])
const KEY = 'ab'.repeat(32)

/** A folder in which files with such names hold what their names begin with. */
function prepared(): Folder {
  const folder = new Folder()
  folder.write('key', KEY)
  folder.write('data', 'data')
  folder.write(`key${NASTY}`, KEY)
  folder.write(`keys${NASTY}`, keyring.export())
  folder.write(`other${NASTY}`, 'no share, no keyset, no key')
  folder.write(`sealed${NASTY}`, keyring.sealText('text'))
  chmodSync(folder.in(`keys${NASTY}`), 0o600)
  mkdirSync(folder.in(`folder${NASTY}`))
  return folder
}

/** Arguments with that name in place of each `*`, which stands for it in the names of tests: these are the same on every system. */
const nasty = (args: readonly string[]) => args.map(arg => arg.replace('*', () => NASTY))

const utf8 = (latin1: string) => Buffer.from(latin1, 'latin1').toString()

/** The lines of an outcome. Fails if one has a character that is forbidden. */
function linesOf({ stdout, stderr }: Outcome): string[] {
  const lines = `${utf8(stdout)}${utf8(stderr)}`.split('\n')
  expect(lines.pop()).toBe('')
  for (const line of lines) expect(line).not.toMatch(FORBIDDEN)
  return lines
}

describe('every line', () => {
  const name = (start: string) => start + SHOWN
  const of = (start: string) => `${start}*`
  const failed = (line: string) => `hardware-aes-gcm: ${line}`

  test.each<[string[], (string | RegExp)[], string?]>([
    [
      ['inspect', of('key')],
      [`${name('key')}: 64 bytes`, 'possible: a key of 256 bits'],
    ],
    [
      ['inspect', of('sealed'), '--keyset', of('keys')],
      [
        `${name('sealed')}: 50 bytes`,
        `possible: a text sealed by a keyring with key 7 (00000007), with a message of 4 bytes; ${name('keys')} contains`,
      ],
    ],
    [
      ['split', 'key', '-t2', '-n2', '--out', of('new')],
      [`${name('new')}-1-of-2.txt`, `${name('new')}-2-of-2.txt`],
    ],
    [
      ['split', 'key', '-t2', '-n2', '--out', of('folder')],
      [/^folderx.*share-1-of-2\.txt$/, /^folderx.*share-2-of-2\.txt$/],
    ],
    [
      ['split', '--seal', of('other'), '-t2', '-n2', '-o', 'new'],
      ['new-1-of-2.txt', 'new-2-of-2.txt', `${name('other')}.sealed`],
    ],
    [['split', of('other'), '-t2', '-n2'], [failed(`${name('other')}: must contain a key`)]],
    [['keygen', '--out', of('key')], [failed(`${name('key')}: already exists`)]],
    [['keygen', '--out', of('folder'), '--force'], [failed(`${name('folder')}: is a folder`)]],
    [['encrypt', of('folder'), '-k', 'key', '-o', 'new'], [failed(`${name('folder')}: is a folder`)]],
    [['encrypt', 'data', '-k', of('other')], [failed(`${name('other')}: must contain a key`)]],
    [['encrypt', 'data', '-k', 'key', '-o', of('key')], [failed(`${name('key')}: already exists`)]],
    [['decrypt', of('other'), '-k', 'key'], [failed(`${name('other')}: is truncated`)]],
    [['decrypt', of('folder'), '-k', 'key', '--range', '0-1'], [failed(`${name('folder')}: is a folder`)]],
    [['combine', of('other')], [failed(`${name('other')} must begin with AGS1`)]],
    [['combine', of('other'), of('key'), '--at', '3'], [failed(`${name('other')} must begin with AGS1`)]],
    [['keyset', 'new', of('keys')], [failed(`${name('keys')}: already exists`)]],
    [['keyset', 'list', of('other')], [failed(`${name('other')}: "key[0]" of the keyset must be id:key`)]],
    [['keyset', 'promote', of('keys'), '--id', '8'], [failed(`${name('keys')}: has no key with the id 8`)]],
    [['seal', '--keyset', of('other')], [failed(`${name('other')}: "key[0]" of the keyset must be`)]],
    [
      ['open', '--keyset', of('keys')],
      [failed(`standard input: names key 9, which is missing or disabled in ${name('keys')}`)],
      new Keyring([{ id: 9, key: Buffer.alloc(32) }]).sealText(''),
    ],
    // Nearly a name that exists, nearly a command, and nearly an option.
    [
      ['split', `${of('other')}s`, '-t2', '-n2'],
      [failed(`${name('other')}s: does not exist; did you mean ${name('other')}?`)],
    ],
    [['split\u001b'], [failed("'split\\u{1b}' is not a command; did you mean split?")]],
    [['keyset', 'list\u202e'], [failed("'list\\u{202e}' is not an action of keyset")]],
    [['keygen', '--raw\u009b'], [failed('--raw\\u{9b} is not an option of keygen; did you mean --raw?')]],
  ])('%j', async (args, wanted, input = '') => {
    const lines = linesOf(await prepared().run(nasty(args), { input }))
    expect(lines).toHaveLength(wanted.length)
    for (const [i, line] of wanted.entries()) {
      if (typeof line === 'string') expect(lines[i]?.slice(0, line.length)).toBe(line)
      else expect(lines[i]).toMatch(line)
    }
  })

  test('a warning', async () => {
    const folder = prepared()
    chmodSync(folder.in(`keys${NASTY}`), 0o644)
    const lines = linesOf(await folder.run(['keyset', 'list', `keys${NASTY}`]))
    expect(lines).toHaveLength(WINDOWS ? 2 : 3)
    if (!WINDOWS) expect(lines.at(-1)).toContain(`warning: ${name('keys')}: every user`)
  })

  test('the name of a variable', async () => {
    const variable = 'CLI\u202eSHOWN'
    process.env[variable] = 'no key'
    try {
      const [line] = linesOf(await prepared().run(['encrypt', 'data', '--key-env', variable]))
      expect(line).toContain('environment variable CLI\\u{202e}SHOWN: must contain')
    } finally {
      delete process.env[variable]
    }
  })

  test('the model of the CPU', async () => {
    const model = `A CPU ${'of many words '.repeat(9)}\u001b[2J\nbackend  forged`
    const before = `process.getBuiltinModule('node:os').cpus = () => [{ model: ${JSON.stringify(model)} }]`
    const lines = linesOf(await prepared().run(['info'], { before }))
    expect(lines.filter(line => line.startsWith('backend '))).toHaveLength(1)
    expect(lines.join(' ')).toContain('\\u{1b}[2J\\u{a}backend')
  })
})

describe('a sealed text', () => {
  const text = `line\n\u001b[2J\u009b\u202e`
  const opened = async (isTTY: boolean) => {
    const folder = prepared()
    const stdin = Readable.from([Buffer.from(keyring.sealText(text))])
    const stdout = Object.assign(new Sink(), { isTTY })
    const keys = folder.in(`keys${NASTY}`)
    expect((await runHere(['open', '--keyset', keys], stdin, stdout)).status).toBe(0)
    return stdout.bytes.toString()
  }

  test('is safe on a terminal, and as it is in a pipe', async () => {
    expect(await opened(true)).toBe('line\n\\u{1b}[2J\\u{9b}\\u{202e}\n')
    expect(await opened(false)).toBe(`${text}\n`)
  })
})

describe('JSON', () => {
  test.each<[string[], (found: never) => unknown]>([
    [['inspect', 'key*'], ({ file }: { file: string }) => file],
    [['keygen', '--out', 'key*', '--force'], ({ file }: { file: string }) => file],
    [['keygen', '--out', 'key*'], ({ error }: { error: { files: string[] } }) => error.files[0]],
    [['keyset', 'list', 'key*'], ({ error }: { error: { files: string[] } }) => error.files[0]],
    [
      ['split', 'key', '-t2', '-n2', '-o', 'key*'],
      ({ files }: { files: string[] }) => files[0]?.slice(0, -11),
    ],
  ])('%j has the name as it is, and no character that a terminal obeys', async (args, fileOf) => {
    const outcome = await prepared().run([...nasty(args), '--json'])
    linesOf(outcome)
    expect(fileOf(JSON.parse(utf8(outcome.stdout || outcome.stderr)) as never)).toBe(`key${NASTY}`)
  })
})

test('a character is shown as it is, or by its number', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    // Every character of the first plane and of the block of tags; of the others a sample.
    if (code > 0xffff && code >> 12 !== 0xe0 && !isTried(code, 16)) continue
    const character = String.fromCodePoint(code)
    const shown = shownSafely(`a${character}b`)
    const isForbidden = FORBIDDEN.test(character)
    if (shown !== (isForbidden ? `a\\u{${code.toString(16)}}b` : `a${character}b`)) expect(shown).toBe(code)
    const json = shownAsJson([character])
    if (FORBIDDEN.test(json) || JSON.parse(json)[0] !== character) expect(json).toBe(code)
  }
  expect(shownAsJson({ a: ['\n'] }, 2)).toBe('{\n  "a": [\n    "\\n"\n  ]\n}')
})
