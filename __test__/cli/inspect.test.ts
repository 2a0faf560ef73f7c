// The command inspect.
import { Readable } from 'node:stream'
import { KeyArena } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { HEADER_BYTES, SEALED_CHUNK_BYTES, seal } from '../models/cobblestone.mjs'
import { KEY, MESSAGE, SALT, SMALL } from './messages.js'
import { Folder, runHere, WINDOWS } from './program.js'

describe('inspect', () => {
  test.each([
    ['data.enc', MESSAGE, [`the output of encrypt, with ${SMALL.length} bytes of data in 4 chunks`]],
    ['empty', seal(KEY, Buffer.alloc(0), SALT), ['the output of encrypt, with 0 bytes of data in 1 chunk']],
    [
      'cut',
      MESSAGE.subarray(0, HEADER_BYTES + SEALED_CHUNK_BYTES),
      ['the output of encrypt, truncated after 16384 bytes of data in 1 chunk'],
    ],
    ['no size', MESSAGE.subarray(0, HEADER_BYTES + SEALED_CHUNK_BYTES + 15), []],
    ['text', Buffer.from('a text '.repeat(50)), []],
    ['frame', MESSAGE.subarray(0, 30), []],
    ['share', Buffer.from(`AGS1-${'ABCDE-'.repeat(28)}`), ['one or more shares']],
    ['key', Buffer.from(KEY.toString('hex')), ['a key of 256 bits']],
  ])('%s', async (name, bytes, wanted) => {
    const folder = new Folder()
    folder.write(name, bytes)
    const frames =
      name === 'text' || name === 'share' || name === 'key'
        ? []
        : [
            `an AES-GCM or AES-GCM-SIV frame with a message of ${bytes.length - 28} bytes`,
            ...(bytes.length < 40
              ? []
              : [`an XAES-256-GCM frame with a message of ${bytes.length - 40} bytes`]),
          ]
    const possible = [
      ...wanted.filter(one => one.startsWith('the')),
      ...frames,
      ...wanted.filter(one => !one.startsWith('the')),
    ]
    const lines = possible.map(one => `possible: ${one}`)
    const text = await folder.succeed(['inspect', name])
    const [first, ...rest] = text.trimEnd().split('\n')
    const amount = bytes.length < 1024 ? '' : ' \\(\\d+(\\.\\d)? KiB\\)'
    expect(first).toMatch(new RegExp(`^${name}: ${bytes.length} bytes${amount}$`))
    expect(rest).toEqual(lines.length > 0 ? lines : ['not a format that this command writes'])
    const piped = await folder.succeed(['inspect'], { input: bytes })
    expect(piped.split('\n').slice(1)).toEqual(text.split('\n').slice(1))
    const json = JSON.parse(await folder.succeed(['inspect', name, '--json']))
    expect(json).toMatchObject({ file: name, bytes: bytes.length })
    expect(json.possible).toHaveLength(lines.length)
    expect(JSON.stringify(json)).not.toContain(KEY.toString('hex'))
  })

  test.skipIf(WINDOWS)('a pipe by its name has no size of its own', async () => {
    const shell = 'mkfifo pipe; (printf "some text" > pipe &)'
    expect(await new Folder().succeed(['inspect', 'pipe'], { shell })).toMatch(/^pipe: 9 bytes\n/)
  })

  test('a sealed text ends with one line break at most, and has no other', async () => {
    const folder = new Folder()
    const text = Keyring.generate().sealText('a text')
    const isSealed = async (content: string) => {
      folder.write('text', content)
      return (await folder.succeed(['inspect', 'text'])).includes('sealed')
    }
    for (const end of ['', '\n', '\r\n']) expect(await isSealed(text + end)).toBe(true)
    for (const content of [
      `${text.slice(0, 9)}\n${text.slice(9)}`,
      `${text.slice(0, 9)}, ${text.slice(9)}`,
      `${text}\n\n`,
      `\n${text}`,
    ])
      expect(await isSealed(content)).toBe(false)
  })

  /** What a file of this content may be, each with its facts. */
  const possible = async (content: string | Uint8Array): Promise<object[]> => {
    const folder = new Folder()
    folder.write('file', content)
    return JSON.parse(await folder.succeed(['inspect', 'file', '--json'])).possible
  }
  const frame = (bytes: number) => ({ format: 'AES-GCM or AES-GCM-SIV frame', bytes })
  const xaes = (bytes: number) => ({ format: 'XAES-256-GCM frame', bytes })
  const random = (bytes: number) => SALT.toString('latin1').repeat(50).slice(0, bytes)
  const cut = { format: 'Cobblestone', bytes: 0, chunks: 0, cut: true }

  test.each<[string, string, object[]]>([
    ['nothing', '', []],
    ['too few bytes for a frame', random(27), []],
    ['an empty frame', random(28), [frame(0)]],
    ['too few bytes for a frame of XAES-256-GCM', random(39), [frame(11)]],
    ['an empty frame of XAES-256-GCM', random(40), [frame(12), xaes(0)]],
    ['too few bytes for a header', random(55), [frame(27), xaes(15)]],
    ['a header alone', random(56), [cut, frame(28), xaes(16)]],
    [
      'as many bytes as a share has',
      random(84),
      [{ ...cut, chunks: 1, cut: undefined, bytes: 12 }, frame(56), xaes(44)],
    ],
    ['AGS1 behind white space', '\n ags1-abcde', [{ format: 'share' }]],
    ['AGS1 in a text', 'no AGS1-ABCDE', []],
    ['AGS1 in a word', 'MYAGS1-ABCDE', []],
    ['a keyset behind white space', '\n {"primaryKeyId" : 1}', [{ format: 'keyset' }]],
    ['an encrypted keyset', '{"encryptedKeyset":""}', [{ format: 'encrypted keyset' }]],
    ['what is no object', '[{"primaryKeyId":1}]', []],
    ['a key with white space', `${'0f'.repeat(32)}${' '.repeat(900)}`, [{ format: 'key', bits: 256 }]],
    ['a key that too much white space follows', `${'0f'.repeat(32)}${' '.repeat(1900)}`, []],
  ])('%s', async (_, content, wanted) => {
    const found = await possible(Buffer.from(content, 'latin1'))
    expect(found).toEqual(wanted)
  })

  test('a text has printable characters and white space alone', async () => {
    const withByte = (byte: number) => possible(Buffer.alloc(100, 'a').fill(byte, 99))
    for (const byte of [...Buffer.from('\t\n\v\f\r ~')]) expect(await withByte(byte)).toEqual([])
    for (const byte of [0, 8, 14, 31, 127, 128, 255])
      expect(await withByte(byte)).toEqual([frame(72), xaes(60)])
  })

  test('1024 bytes, and a pipe of more bytes than are kept', async () => {
    const folder = new Folder()
    folder.write('file', '-'.repeat(1024))
    expect(await folder.succeed(['inspect', 'file'])).toMatch(/^file: 1024 bytes \(1(\.0)? KiB\)\n/)
    const pieces = Readable.from([Buffer.alloc(70_000), Buffer.alloc(1), Buffer.alloc(70_000)])
    const { stdout } = await runHere(['inspect', '--json'], pieces)
    expect(JSON.parse(stdout).bytes).toBe(140_001)
  })

  test('of a file, its beginning alone is read', async () => {
    const folder = new Folder()
    folder.write('file', Buffer.alloc(2 ** 20))
    const before = `
      const { promisify } = process.getBuiltinModule('node:util')
      const read = promisify(fs.read)
      let calls = 0
      const counted = (...args) => (++calls > 5 ? process.exit(9) : read(...args))
      fs.read = Object.assign(() => {}, { [promisify.custom]: counted })`
    expect(await folder.succeed(['inspect', 'file'], { before })).toMatch(/^file: 1048576 bytes /)
  })

  test('the keys of --keyset do not stay in memory', async () => {
    const folder = new Folder()
    folder.write('keys', Keyring.generate().export())
    folder.write('file', SALT)
    const { used } = KeyArena.default
    await folder.succeed(['inspect', 'file', '--keyset', 'keys'])
    // Keys of other tests may be collected meanwhile.
    expect(KeyArena.default.used).toBeLessThanOrEqual(used)
  })
})
