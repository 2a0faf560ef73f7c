// Shares on the lines of a file: what belongs to one share, and how an error names it.
import { splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { Folder } from './program.js'

const KEY = Buffer.alloc(32, 7)
const DIGITS = `${KEY.toString('hex')}\n`
const made = (format: 'text' | 'horcrux' | 'horcrux-random', threshold = 2) =>
  splitKey(KEY, { threshold, shares: 13, format })
const [TEXT, COMPACT, RANDOM] = [made('text'), made('horcrux'), made('horcrux-random')]
const [first = '', second = ''] = TEXT
const CUT = first.slice(0, 60)

/** Some lines of which these are changed in the last digit. */
const changed = (shares: readonly string[], ...wrong: number[]) =>
  shares.map((share, i) =>
    wrong.includes(i) ? share.replace(/.$/, digit => (digit === '0' ? '1' : '0')) : share,
  )
const line = (number: number) => `standard input, line ${number}`

describe('shares that are read', () => {
  test.each([
    ['behind a tab', [`\t${first}`, second]],
    ['with a line of blanks between them', [first, '  \t', second]],
    ["of horcrux's random text, among blanks", RANDOM.map(share => ` \t${share} `)],
    ["of horcrux's compact text, among blanks", COMPACT.map(share => `\t ${share} `)],
  ])('%s', async (name, lines) => {
    const threshold = name.startsWith('of') ? ['-t2'] : []
    expect(await new Folder().succeed(['combine', ...threshold], { input: lines.join('\n') })).toBe(DIGITS)
  })
})

describe('shares that are refused', () => {
  const letters = 'must have 140 characters after AGS1, without hyphens and spaces, got'
  const horcrux = "must be horcrux's text: a number from 1 to 255 or 64 hex digits, a bar, and 64 hex digits"
  const corrupted = 'is corrupted: the other shares agree without it'
  const forms = `${line(1)} and ${line(2)} are shares in different formats: one is horcrux's`

  test.each<[string, string[], string, ...string[]]>([
    ['a share that is cut off, in front of another one', [CUT, second], `${line(1)} ${letters} 46`],
    ['or of one with blanks', [CUT, `   ${second}`], `${line(1)} ${letters} 46`],
    ['or of a share of another form', [CUT, COMPACT[1] as string], forms],
    ['a line in the midst of a share', [CUT, 'xxAGS1'], `standard input ${letters} 52`],
    [
      'a line behind a share',
      [first, 'word'],
      `${line(2)} must begin with AGS1, as the text of a share does`,
    ],
    [
      'two lines that are none',
      ['xAGS', 'word'],
      `${line(1)} must begin with AGS1, as the text of a share does`,
    ],
    ['two forms', ['AGS|', 'word'], forms],
    [
      'the same number',
      [...TEXT.slice(0, 12), TEXT[11] as string],
      `${line(12)} and ${line(13)} are both share number 12: give each share once`,
    ],
    [
      'the same 64 digits',
      [...RANDOM, RANDOM[0] as string],
      `${line(1)} and ${line(14)} have the same number: give each share once`,
      '-t2',
    ],
    ['a wrong one of many', changed(COMPACT, 12), `${line(13)} (share number 13) ${corrupted}`, '-t2'],
    ['one that has no number', changed(RANDOM, 2), `${line(3)} ${corrupted}`, '-t2'],
    ['a number that is too long', ['1234|00', ...COMPACT], `${line(1)} ${horcrux}`, '-t2'],
    ['the number 0', ['0|00', ...COMPACT], `${line(1)} ${horcrux}`, '-t2'],
    ['too few', made('text', 12).slice(0, 10), 'at least 12 shares are needed, got 10'],
    [
      'a number for a share that none has',
      RANDOM,
      '--at must have 64 hex digits, and not 0 alone',
      '-t2',
      '--at',
      '0'.repeat(64),
    ],
  ])('%s', async (_, lines, message, ...options) => {
    expect(await new Folder().fail(1, ['combine', ...options], { input: lines.join('\n') })).toBe(message)
  })

  test('several wrong ones are named', async () => {
    const input = changed(COMPACT, 10, 12).join('\n')
    expect(await new Folder().fail(1, ['combine', '-t2'], { input })).toMatch(
      /: standard input, line 11 \(share number 11\), standard input, line 13 \(share number 13\)$/,
    )
  })

  test('a binary share without a number', async () => {
    const folder = new Folder()
    const [share] = splitKey(KEY, { threshold: 2, shares: 2, format: 'binary' })
    folder.write('share', Buffer.from(share as Uint8Array).fill(0, 3, 4))
    expect(await folder.fail(1, ['combine', 'share'])).toBe('share has the number 0, which no share can have')
  })

  test('--json names the places of shares of two forms, and none of shares that are too few', async () => {
    const errorOf = async (...lines: string[]) => {
      const { stderr } = await new Folder().run(['combine', '--json'], { input: lines.join('\n') })
      return JSON.parse(stderr).error
    }
    expect(await errorOf(first, COMPACT[0] as string)).toEqual({
      code: 'ERR_INPUT',
      message: forms,
      files: [line(1), line(2)],
    })
    expect(await errorOf(first)).toEqual({
      code: 'ERR_OUT_OF_RANGE',
      message: 'at least 2 shares are needed, got 1',
    })
  })
})
