// The byte order mark with which editors on Windows begin a file: the command took keysets and shares with one, the library refused
// them. Both take one now, and neither takes another character for it.
import { createRequire } from 'node:module'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { combineKey, recoverShare, splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { Folder } from './program.js'

const { isUtf16, withoutMark } = createRequire(import.meta.url)(
  '../../dist/cli/frame/text.cjs',
) as typeof import('../../lib/cli/frame/text.cjs')

const MARK = '\ufeff'
const KEY = Buffer.from('00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef', 'hex')

describe('a keyset with a byte order mark', () => {
  const keyring = new Keyring([{ id: 7, key: KEY }])
  const sealed = keyring.sealText('attack at dawn')

  test.each([
    ['JSON', keyring.export()],
    ['JSON of Windows', `${keyring.export()}\r\n`],
    ['a line', `7:${KEY.toString('base64')}`],
    ['a line of Windows', `7:${KEY.toString('hex')}\r\n`],
  ])('%s opens in the library and by the command', async (_, text) => {
    for (const one of [text, MARK + text]) {
      expect(Keyring.parse(one).openText(sealed)).toBe('attack at dawn')
      const folder = new Folder()
      folder.write('keys', one)
      expect(await folder.succeed(['open', '--keyset', 'keys'], { input: sealed })).toBe('attack at dawn\n')
    }
  })

  test.each([
    ['two marks', MARK + MARK],
    ['a mark behind a space', ` ${MARK}`],
    ['a mark of UTF-16 that was read the wrong way round', '\ufffe'],
    ['a blank that JSON does not have', '\u00a0'],
  ])('%s: refused by both, with the same words', async (_, start) => {
    const text = start + keyring.export()
    const folder = new Folder()
    folder.write('keys', text)
    const line = await folder.fail(1, ['open', '--keyset', 'keys'], { input: sealed })
    const said = () => Keyring.parse(text)
    expect(said).toThrow(line.replace('keys: ', ''))
    expect(said).toThrow(/^"key\[0\]\.keyId" of the keyset must be a whole number/)
  })

  test('an encrypted one', async () => {
    const text = await keyring.wrap(bytes => Buffer.from(bytes).reverse())
    const opened = await Keyring.unwrap(MARK + text, bytes => Buffer.from(bytes).reverse())
    expect(opened.openText(sealed)).toBe('attack at dawn')
    // Both name the way to open it.
    const folder = new Folder()
    folder.write('keys', MARK + text)
    const line = await folder.fail(1, ['open', '--keyset', 'keys'], { input: sealed })
    expect(line).toBe('keys: is encrypted by a key service: pass --unwrap PROGRAM to decrypt it')
  })
})

describe('shares with a byte order mark', () => {
  test.each([
    ['text', undefined],
    ['horcrux', 2],
    ['horcrux-random', 2],
  ] as const)('%s', async (format, threshold) => {
    const [a, b, c] = splitKey(KEY, { threshold: 2, shares: 3, format }) as [string, string, string]
    const options = threshold === undefined ? {} : ({ format: 'horcrux', threshold } as const)
    const words = threshold === undefined ? [] : ['-t2']
    expect(combineKey([MARK + a, MARK + b], options).equals(KEY)).toBe(true)
    expect(combineKey([a, MARK + c], options).equals(KEY)).toBe(true)
    expect(() => combineKey([a, MARK + MARK + b], options)).toThrow(/^"shares\[1\]" must /)
    const folder = new Folder()
    folder.write('a', MARK + a)
    folder.write('b', `${MARK}${b}\r\n`)
    folder.write('both', `${MARK}${a}\r\n${b}\r\n`)
    for (const files of [['a', 'b'], ['both']])
      expect(await folder.succeed(['combine', ...files, ...words])).toBe(`${KEY.toString('hex')}\n`)
    if (format === 'horcrux-random') return
    expect(recoverShare([MARK + a, MARK + b], 3, options)).toBe(c)
    expect(await folder.succeed(['combine', 'a', 'b', '--at', '3', ...words])).toBe(`${c}\n`)
  })
})

test('a mark is the whole of its bytes: others stay', () => {
  const mark = [0xef, 0xbb, 0xbf]
  expect([...withoutMark(Buffer.from([...mark, ...mark, 7]))]).toEqual([...mark, 7])
  const others = [[], [0xef], [0xef, 0xbb], ...mark.map((_, i) => mark.with(i, 0x41)), mark.toReversed()]
  for (const bytes of others) expect([...withoutMark(Buffer.from(bytes))]).toEqual(bytes)
  for (const utf16 of [
    [0xff, 0xfe],
    [0xfe, 0xff, 0x41],
  ])
    expect(isUtf16(Buffer.from(utf16))).toBe(true)
  for (const other of [
    [],
    [0xff],
    [0xfe],
    [0xff, 0xff],
    [0xfe, 0xfe],
    [0xff, 0x41],
    [0x41, 0xfe],
    [0xfe, 0x41],
  ])
    expect(isUtf16(Buffer.from(other))).toBe(false)
})
