// The command inspect.
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { KEY, MESSAGE, SALT, SMALL } from './cli/messages.js'
import { Folder } from './cli/program.js'
import { HEADER_BYTES, SEALED_CHUNK_BYTES, seal } from './stream/model.js'

describe('inspect', () => {
  test.each([
    ['data.enc', MESSAGE, [`the output of encrypt, with ${SMALL.length} bytes of data in 4 chunks`]],
    ['empty', seal(KEY, Buffer.alloc(0), SALT), ['the output of encrypt, with 0 bytes of data in 1 chunk']],
    [
      'cut',
      MESSAGE.subarray(0, HEADER_BYTES + SEALED_CHUNK_BYTES),
      ['the output of encrypt, cut off after 16384 bytes of data in 1 chunk'],
    ],
    ['no size', MESSAGE.subarray(0, HEADER_BYTES + SEALED_CHUNK_BYTES + 15), []],
    ['text', Buffer.from('a text '.repeat(50)), []],
    ['frame', MESSAGE.subarray(0, 30), []],
    ['share', Buffer.from(`AGS1-${'ABCDE-'.repeat(28)}`), ['a share, or several']],
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
      ...wanted.filter(one => one.startsWith('a ')),
    ]
    const lines = possible.map(one => `possible: ${one}`)
    const text = await folder.succeed(['inspect', name])
    const [first, ...rest] = text.trimEnd().split('\n')
    const amount = bytes.length < 1024 ? '' : ' \\(\\d+(\\.\\d)? KiB\\)'
    expect(first).toMatch(new RegExp(`^${name}: ${bytes.length} bytes${amount}$`))
    expect(rest).toEqual(lines.length > 0 ? lines : ['nothing that this command writes'])
    const piped = await folder.succeed(['inspect'], { input: bytes })
    expect(piped.split('\n').slice(1)).toEqual(text.split('\n').slice(1))
    const json = JSON.parse(await folder.succeed(['inspect', name, '--json']))
    expect(json).toMatchObject({ file: name, bytes: bytes.length })
    expect(json.possible).toHaveLength(lines.length)
    expect(JSON.stringify(json)).not.toContain(KEY.toString('hex'))
  })

  test('a sealed text ends with one line break at most, and has no other', async () => {
    const folder = new Folder()
    const text = Keyring.generate().sealText('a text')
    const isSealed = async (content: string) => {
      folder.write('text', content)
      return (await folder.succeed(['inspect', 'text'])).includes('sealed')
    }
    for (const end of ['', '\n', '\r\n']) expect(await isSealed(text + end)).toBe(true)
    for (const content of [`${text.slice(0, 9)}\n${text.slice(9)}`, `${text}\n\n`, `\n${text}`])
      expect(await isSealed(content)).toBe(false)
  })
})
