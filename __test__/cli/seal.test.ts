// The commands seal and open, and the key ids that inspect tells.
import { chmodSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test, vi } from 'vitest'
import { Folder, runHere, unnamed } from './program.js'

/** From the newest to the oldest. */
const KEYS = [
  { id: 9, key: Buffer.alloc(32, 3), type: 'XAES-256-GCM' },
  { id: 7, key: Buffer.alloc(16, 2) },
  { id: 0xdeadbeef, key: Buffer.alloc(32, 1) },
] as const
const OPTIONS = ['--keyset', 'keys']

/** A folder with a keyset, and its keyring. */
function prepared(primary = 0xdeadbeef): { folder: Folder; keyring: Keyring } {
  const folder = new Folder()
  const keyring = new Keyring(KEYS, { primary })
  folder.write('keys', keyring.export())
  chmodSync(folder.in('keys'), 0o600)
  return { folder, keyring }
}

describe('seal and open', () => {
  test.each<[string, string | Uint8Array, string]>([
    ['a line', 'attack at dawn\n', 'attack at dawn'],
    ['a line of Windows', 'attack at dawn\r\n', 'attack at dawn'],
    ['without a line break', 'attack at dawn', 'attack at dawn'],
    ['several lines, of which the last one is empty', 'one\ntwo\n\n', 'one\ntwo\n'],
    ['the empty text', '', ''],
    ['characters of several bytes', 'é€😀\n', 'é€😀'],
    ['the mark of Notepad', '\ufeffsecret\n', 'secret'],
    ['that mark twice', '\ufeff\ufeffsecret\n', '\ufeffsecret'],
  ])('%s', async (_, input, text) => {
    const { folder, keyring } = prepared()
    const sealed = await folder.succeed(['seal', ...OPTIONS], { input })
    expect(sealed).toMatch(/^[\w-]{44,}\n$/)
    expect(keyring.openText(sealed.trimEnd())).toBe(text)
    const opened = await folder.succeed(['open', ...OPTIONS], { input: sealed })
    expect(Buffer.from(opened, 'latin1').toString()).toBe(`${text}\n`)
  })

  test('an --aad that is not UTF-8 was taken for another one', async () => {
    const { folder } = prepared()
    for (const command of ['seal', 'open'])
      expect(await folder.fail(2, [command, ...OPTIONS, '--aad', 'users/\ufffd'], { input: 'x' })).toMatch(
        /^--aad must be UTF-8, without the character U\+FFFD /,
      )
  })

  test('--aad binds a text to its place, as in the library', async () => {
    const { folder, keyring } = prepared()
    const input = await folder.succeed(['seal', ...OPTIONS, '--aad', 'users/17/token'], {
      input: 'sk_live_1234',
    })
    expect(keyring.openText(input.trimEnd(), 'users/17/token')).toBe('sk_live_1234')
    expect(await folder.succeed(['open', ...OPTIONS, '--aad=users/17/token'], { input })).toBe(
      'sk_live_1234\n',
    )
    for (const aad of [[], ['--aad', 'users/18/token']]) {
      expect(await folder.fail(1, ['open', ...OPTIONS, ...aad], { input })).toBe(
        'standard input: cannot be decrypted: the key, --aad or --context is wrong, or the text was modified',
      )
    }
    // A text of 32 hex digits is public here.
    await folder.succeed(['seal', ...OPTIONS, '--aad', 'ab'.repeat(16)], { input: 'x' })
  })

  test('--json tells the key', async () => {
    const { folder, keyring } = prepared()
    const { sealed, ...rest } = JSON.parse(
      await folder.succeed(['seal', ...OPTIONS, '--json'], { input: 'x' }),
    )
    expect([rest, keyring.openText(sealed)]).toEqual([{ keyId: 0xdeadbeef }, 'x'])
    const other = prepared(7).folder
    const opened = await other.succeed(['open', ...OPTIONS, '--json'], { input: sealed })
    expect(JSON.parse(opened)).toEqual({ text: 'x', keyId: 0xdeadbeef, needsRotation: true })
  })

  test('an unknown key is named; a key that is disabled is unknown', async () => {
    const { folder, keyring } = prepared()
    const input = keyring.sealText('x')
    await folder.succeed(['keyset', 'promote', 'keys', '--id', '7'])
    await folder.succeed(['keyset', 'disable', 'keys', '--id', String(0xdeadbeef)])
    const { stderr } = await folder.run(['open', ...OPTIONS, '--json'], { input })
    expect(JSON.parse(stderr).error).toEqual({
      code: 'ERR_AESGCM_UNKNOWN_KEY',
      message: 'standard input: names key 3735928559, which is missing or disabled in keys',
    })
  })

  test.each<[string, string | Uint8Array, RegExp]>([
    ['a text that is not sealed', 'attack at dawn', /^standard input: cannot be decrypted: /],
    ['nothing', '', /^standard input: cannot be decrypted: /],
    ['bytes', Buffer.of(0xff, 0xfe, 0x41), /^standard input: is UTF-16 text/],
    ['bytes that are not UTF-8', Buffer.of(0x41, 0xff), /^standard input: is not UTF-8 text$/],
    [
      'too much',
      'A'.repeat(2 ** 21),
      /^standard input: is longer than 1398166 bytes, too long for a sealed text$/,
    ],
  ])('open refuses %s, and prints none of it', async (_, input, message) => {
    const { folder } = prepared()
    expect(await folder.fail(1, ['open', ...OPTIONS], { input })).toMatch(message)
  })

  test('an error that nobody expects stays as it is', async () => {
    const { folder } = prepared()
    vi.spyOn(Keyring.prototype, 'openText').mockImplementation(() => {
      throw Object.assign(new Error('planted'), { code: 'ERR_PLANTED' })
    })
    try {
      expect(await folder.fail(1, ['open', ...OPTIONS], { input: 'x' })).toBe('planted')
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('seal refuses what is no text; open, what was not sealed as a text', async () => {
    const { folder, keyring } = prepared()
    const bytes = Buffer.of(0x41, 0xff)
    expect(await folder.fail(1, ['seal', ...OPTIONS], { input: bytes })).toBe(
      'standard input: is not UTF-8 text',
    )
    const tooLong = { input: 'x'.repeat(2 ** 20 + 1) }
    expect(await folder.fail(1, ['seal', ...OPTIONS], tooLong)).toBe(
      'standard input: is longer than 1048576 bytes, too long for a text',
    )
    const input = keyring.seal(bytes).toString('base64url')
    expect(await folder.fail(1, ['open', ...OPTIONS], { input })).toBe(
      'standard input: decrypts to bytes that are not UTF-8: it was not sealed as text',
    )
  })

  test.each(['seal', 'open'])('%s: wrong command lines, and files that are no keysets', async command => {
    const { folder } = prepared()
    folder.write('other', 'secret words')
    for (const [args, message] of [
      [[], `${command} needs a keyset: --keyset FILE`],
      [['--keyset', '-'], '--keyset needs a file: standard input contains the text'],
      [[...OPTIONS, 'file'], `${command} accepts no files, got 1`],
      [
        ['--keysets', 'keys'],
        '--keysets is not an option of SELF; did you mean --keyset?'.replace('SELF', command),
      ],
    ] as [string[], string][]) {
      expect(await folder.fail(2, [command, ...args])).toBe(
        `${message} (see hardware-aes-gcm ${command} --help)`,
      )
    }
    expect(await folder.fail(1, [command, '--keyset', 'none'])).toBe(unnamed('--keyset', 'none'))
    const message = await folder.fail(1, [command, '--keyset', 'other'])
    expect(message).toMatch(/^other: .* keyset /)
    expect(message).not.toContain('words')
  })

  test('a text that is typed at a terminal does not show', async () => {
    const { folder, keyring } = prepared()
    const typed = async (command: string, text: string) => {
      const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} })
      stdin.write(`${text}\r\u0004`)
      return await runHere([command, '--keyset', folder.in('keys')], stdin)
    }
    const { status, stdout, stderr } = await typed('seal', 'attack\tat dawn')
    expect([status, keyring.openText(stdout.trimEnd())]).toEqual([0, 'attack\tat dawn'])
    const shown = (what: string, length: number) =>
      `Type or paste ${what} (not shown), then press Enter and Ctrl-D:\nline 1: ${length} characters\n`
    expect(stderr).toBe(shown('the text', 14))
    expect(await typed('open', stdout.trimEnd())).toEqual({
      status: 0,
      stdout: 'attack\tat dawn\n',
      stderr: shown('the sealed text', stdout.length - 1),
    })
  })
})

describe('inspect', () => {
  const sealedLine = (what: string, id: string, bytes: string, rest = '') =>
    `possible: ${what} sealed by a keyring with key ${id}, with a message of ${bytes} bytes${rest}`

  test.each([
    [0xdeadbeef, '3735928559 (deadbeef)', 'AES-256-GCM', 33],
    [7, '7 (00000007)', 'AES-128-GCM', 33],
    [9, '9 (00000009)', 'XAES-256-GCM', 45],
  ])(
    'the key %i of a text and of bytes, and whether a keyset has it',
    async (primary, id, type, overhead) => {
      const { folder, keyring } = prepared(primary)
      folder.write('text', `${keyring.sealText('attack at dawn')}\n`)
      folder.write('bytes', keyring.seal(Buffer.from('attack at dawn')))
      const lineOf = async (...args: string[]) => (await folder.succeed(['inspect', ...args])).split('\n')[1]
      const known = `; keys contains this key: ${type}, the primary key`
      const length = String(14 + overhead - 33)
      expect(await lineOf('text')).toBe(sealedLine('a text', id, length))
      expect(await lineOf('bytes')).toBe(sealedLine('bytes', id, length))
      expect(await lineOf('text', ...OPTIONS)).toBe(sealedLine('a text', id, '14', known))
      expect(await lineOf('bytes', ...OPTIONS)).toBe(sealedLine('bytes', id, '14', known))
      await folder.succeed(['keyset', 'new', 'others'])
      if (primary !== 7) await folder.succeed(['keyset', 'promote', 'keys', '--id', '7'])
      expect(await lineOf('bytes', ...OPTIONS)).toBe(
        sealedLine('bytes', id, '14', primary === 7 ? known : known.replace('the primary key', 'enabled')),
      )
      const unknown = sealedLine('a text', id, length, '; others does not contain this key')
      expect(await lineOf('text', '--keyset', 'others')).toBe(unknown)
    },
  )

  test('--json has the id and the key', async () => {
    const { folder, keyring } = prepared()
    folder.write('text', keyring.sealText('x'))
    const possibleOf = async (...args: string[]) =>
      JSON.parse(await folder.succeed(['inspect', 'text', '--json', ...args])).possible
    const sealed = { format: 'sealed text', keyId: 0xdeadbeef, bytes: 1 }
    expect(await possibleOf()).toEqual([sealed])
    const { messagesEncrypted, messagesDecrypted, ...key } = keyring.keys[0] as Keyring['keys'][number]
    expect(await possibleOf(...OPTIONS)).toEqual([{ ...sealed, key }])
    await folder.succeed(['keyset', 'new', 'others'])
    expect(await possibleOf('--keyset', 'others')).toEqual([{ ...sealed, key: null }])
  })

  test('an empty text, and a key of another type', async () => {
    const { folder, keyring } = prepared()
    folder.write('text', keyring.sealText(''))
    expect(await folder.succeed(['inspect', 'text'])).toContain(
      sealedLine('a text', '3735928559 (deadbeef)', '0'),
    )
    const keyset = JSON.parse(new Keyring(KEYS.slice(1), { primary: 7 }).export())
    keyset.key[0].keyData.typeUrl = 'type.googleapis.com/google.crypto.tink.HmacKey'
    keyset.key[0].status = 'DISABLED'
    folder.write('other', JSON.stringify(keyset))
    expect(await folder.succeed(['inspect', 'text', '--keyset', 'other'])).toContain(
      '; other contains this key: unknown type, disabled\n',
    )
  })

  test('a text from a pipe, and one whose end is not read; old prefixes of Tink', async () => {
    const { folder, keyring } = prepared()
    const input = keyring.sealText('x')
    expect(await folder.succeed(['inspect', ...OPTIONS], { input })).toContain(
      'this key: AES-256-GCM, the primary key',
    )
    folder.write('long', keyring.sealText('x'.repeat(2000)))
    expect(await folder.succeed(['inspect', 'long'])).toMatch(/with key 3735928559 \(deadbeef\)\n$/)
    for (const id of [5, 0]) {
      const crunchy = new Keyring([{ id, key: Buffer.alloc(32, 5), prefix: 'crunchy' }])
      const old = await folder.succeed(['inspect'], { input: crunchy.seal(Buffer.from('x')) })
      expect(old).toContain(sealedLine('bytes', `${id} (0000000${id})`, '1'))
    }
  })

  test.each<[string, string | Uint8Array]>([
    ['a text that is too short', 'AQAAAAAA'],
    ['a length that no bytes have', `AQ${'A'.repeat(47)}`],
    ['another version', `Ag${'A'.repeat(60)}`],
    ['base64 of another alphabet', `AQ${'/'.repeat(60)}`],
    ['a word', `words ${'A'.repeat(60)}`],
    ['too few bytes', Buffer.alloc(32, 1)],
    // The id would be a part of them.
    ['a key in capitals', `AB${'5A'.repeat(31)}\n`],
    ['a share', `AGS1${'-EABQD'.repeat(28)}`],
    ['a binary share', Buffer.alloc(84, 1)],
  ])('%s is not a sealed value', async (_, input) => {
    expect(await new Folder().succeed(['inspect'], { input })).not.toContain('keyring')
  })

  test('a keyset is told from an encrypted one, and its keys do not show', async () => {
    const { folder, keyring } = prepared()
    folder.write('wrapped', await keyring.wrap(() => Buffer.from('ciphertext')))
    const shown = await folder.succeed(['inspect', 'keys'])
    expect(shown).toMatch(/^keys: \d+ bytes\npossible: an unencrypted keyset\n$/)
    expect(await folder.succeed(['inspect', 'wrapped'])).toMatch(/\npossible: an encrypted keyset\n$/)
    const { possible } = JSON.parse(await folder.succeed(['inspect', 'wrapped', '--json']))
    expect(possible).toEqual([{ format: 'encrypted keyset' }])
  })

  test('standard input for both, and a keyset that is none', async () => {
    const { folder } = prepared()
    expect(await folder.fail(2, ['inspect', '--keyset', '-'])).toBe(
      '--keyset - reads standard input: pass the data in a FILE (see hardware-aes-gcm inspect --help)',
    )
    expect(await folder.fail(1, ['inspect', 'keys', '--keyset', 'none'])).toBe(unnamed('--keyset', 'none'))
    folder.write('text', 'text')
    const listed = await folder.succeed(['inspect', 'text', '--keyset', '-'], { input: folder.read('keys') })
    expect(listed).toContain('not a format that this command writes')
  })
})
