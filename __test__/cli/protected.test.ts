// Keys and keysets that a passphrase protects, through the command: typed at a terminal, or in a file.
import { PassThrough } from 'node:stream'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { openProtectedKey, passphraseWrapping, protectKey } from 'hardware-aes-gcm/passphrase'
import { describe, expect, test } from 'vitest'
import { Folder, OWNER_ALONE, runHere } from './program.js'

const CHEAP = { memory: 2 ** 20 }
const SECRET = 'correct horse'
const KEY = Buffer.alloc(32, 0x17)

class Typist extends PassThrough {
  readonly isTTY = true
  readonly modes: boolean[] = []

  setRawMode(raw: boolean): void {
    this.modes.push(raw)
  }
}

/** Runs a command in a folder, with keys that are typed. */
async function typed(folder: Folder, args: readonly string[], ...parts: string[]) {
  const stdin = new Typist()
  for (const part of parts) stdin.write(Buffer.from(part))
  const place = process.cwd()
  process.chdir(folder.path)
  try {
    return { ...(await runHere(args, stdin)), modes: stdin.modes }
  } finally {
    process.chdir(place)
  }
}

/** A folder with a protected key, a protected keyset, and the passphrase in a file. */
async function filled() {
  const folder = new Folder()
  folder.write('key', `${await protectKey(KEY, SECRET, CHEAP)}\n`)
  const keyring = Keyring.generate()
  folder.write('keys', await keyring.wrap(passphraseWrapping(SECRET, CHEAP).wrap))
  folder.write('secret', `${SECRET}\n`)
  folder.write('data', 'some data')
  return { folder, id: String(keyring.keys[0]?.id), keyring }
}
const FROM_FILE = ['--passphrase-file', 'secret']

describe('keygen', () => {
  test('--passphrase asks twice, shows nothing of it, and writes a line that the library opens', async () => {
    const folder = new Folder()
    const keys = `${SECRET}\r${SECRET}\r`
    const outcome = await typed(folder, ['keygen', '--passphrase', '--out', 'key'], keys)
    expect(outcome).toEqual({
      status: 0,
      stdout: '',
      stderr: 'New passphrase (not shown): \nRepeat the passphrase: \n',
      modes: [true, false, true, false],
    })
    expect(folder.read('key')).toMatch(/^AGP1-[\w-]{107}\n$/)
    expect(folder.mode('key')).toBe(OWNER_ALONE)
    expect((await openProtectedKey(folder.read('key'), SECRET)).length).toBe(32)
  })

  test('two passphrases that differ, an empty one, and no terminal: nothing is written', async () => {
    const folder = new Folder()
    const args = ['keygen', '--passphrase', '--out', 'key']
    const lines = async (...parts: string[]) => {
      const { status, stderr, modes } = await typed(folder, args, ...parts)
      expect([status, modes.at(-1)]).toEqual([1, false])
      return stderr.split('\n').at(-2)
    }
    expect(await lines('one\r', 'two\r')).toBe('hardware-aes-gcm: the two passphrases differ')
    expect(await lines('\r')).toBe('hardware-aes-gcm: the passphrase is empty')
    expect(await lines(`${'x'.repeat(1025)}\r`)).toBe(
      'hardware-aes-gcm: the passphrase is longer than 1024 bytes',
    )
    expect(await folder.fail(1, args)).toBe(
      'a passphrase must be typed at a terminal, and standard input is not a terminal: pass --passphrase-file FILE',
    )
    expect(folder.names).toEqual([])
  })

  test('what does not go together', async () => {
    const { folder } = await filled()
    expect(await folder.fail(2, ['keygen', ...FROM_FILE, '--raw'])).toMatch(/--raw cannot be combined/)
    expect(await folder.fail(2, ['keygen', ...FROM_FILE, '--out', 'secret', '--force'])).toMatch(
      /--out names the passphrase file/,
    )
    expect(await folder.fail(2, ['keygen', '--passphrase=x'])).toMatch(/--passphrase takes no value/)
    expect(await folder.fail(2, ['keygen', '--passphrase', 'hunter2'])).toMatch(/accepts no files/)
  })

  test.each([
    ['empty', ''],
    ['a line break alone', '\n'],
    ['two lines', 'a\nb'],
    ['UTF-16', Buffer.from('\ufeffab', 'utf16le')],
    ['not UTF-8', Buffer.of(0xff, 0x41)],
    ['too long', 'x'.repeat(1025)],
  ])('a file of a passphrase that is %s', async (_, content) => {
    const folder = new Folder()
    folder.write('secret', content)
    await folder.fail(1, ['keygen', ...FROM_FILE, '--out', 'key'])
    expect(folder.names).toEqual(['secret'])
  })
})

describe('encrypt and decrypt', () => {
  test('ask for the passphrase of a protected key, or read it', async () => {
    const { folder } = await filled()
    const outcome = await typed(folder, ['encrypt', 'data', '-k', 'key', '-o', 'sealed'], `${SECRET}\r`)
    expect(outcome).toEqual({
      status: 0,
      stdout: '',
      stderr: 'Passphrase of key (not shown): \n',
      modes: [true, false],
    })
    expect(await folder.succeed(['decrypt', 'sealed', '-k', 'key', ...FROM_FILE])).toBe('some data')
    // As SSH does, one line break is no part of a passphrase; further white space is.
    folder.write('secret', `\ufeff${SECRET}\r\n`)
    expect(await folder.succeed(['decrypt', 'sealed', '-k', 'key', ...FROM_FILE])).toBe('some data')
    folder.write('secret', `${SECRET} \n`)
    expect(await folder.fail(1, ['decrypt', 'sealed', '-k', 'key', ...FROM_FILE])).toBe(
      'key: the passphrase is wrong, or the file was changed',
    )
    const args = ['decrypt', 'sealed', '-k', 'key', '--passphrase-file', '-']
    expect(await folder.succeed(args, { input: SECRET })).toBe('some data')
    folder.write('plain', `${KEY.toString('hex')}\n`)
    expect(await folder.succeed(['decrypt', 'sealed', '-k', 'plain'])).toBe('some data')
  })

  test('refusals', async () => {
    const { folder } = await filled()
    const encrypt = ['encrypt', 'data', '-k', 'key', '-o', 'sealed']
    expect(await folder.fail(1, encrypt)).toBe(
      'key is protected by a passphrase, and standard input is not a terminal: pass --passphrase-file FILE',
    )
    expect(await folder.fail(2, ['encrypt', '-k', 'key', '--passphrase-file', '-'])).toMatch(
      /reads standard input/,
    )
    expect(await folder.fail(2, ['encrypt', 'data', '--key-env', 'K', ...FROM_FILE])).toMatch(/needs --key/)
    folder.write('cut', folder.read('key').slice(0, 50))
    expect(await folder.fail(1, ['encrypt', 'data', '-k', 'cut', ...FROM_FILE])).toMatch(
      /^cut: is truncated|malformed/,
    )
    expect(await folder.fail(1, ['split', 'key', '-t2', '-n3'])).toMatch(/protected by a passphrase/)
    expect(await folder.succeed(['inspect', 'key'])).toContain('possible: ')
    expect(folder.names).not.toContain('sealed')
  })
})

describe('keyset', () => {
  test('new --passphrase writes a keyset that the library unwraps', async () => {
    const folder = new Folder()
    folder.write('secret', 'p\u00e9\n')
    const id = (await folder.succeed(['keyset', 'new', 'keys', ...FROM_FILE])).trim()
    const keyring = await Keyring.unwrap(folder.read('keys'), passphraseWrapping('pe\u0301').unwrap)
    expect(keyring.keys.map(key => String(key.id))).toEqual([id])
    expect(folder.mode('keys')).toBe(OWNER_ALONE)
  })

  test('every action works, and the file stays protected, at the same cost', async () => {
    const { folder, id, keyring } = await filled()
    const run = async (...args: string[]) => (await folder.succeed(['keyset', ...args, ...FROM_FILE])).trim()
    const added = await run('add', 'keys')
    await run('promote', 'keys', '--id', added)
    await run('disable', 'keys', '--id', id)
    await run('enable', 'keys', '--id', id)
    expect(JSON.parse(await run('list', 'keys', '--json')).keys).toMatchObject([
      { id: Number(id), primary: false },
      { id: Number(added), primary: true },
    ])
    const sealed = await folder.succeed(['seal', '--keyset', 'keys', ...FROM_FILE], { input: 'text' })
    expect(await folder.succeed(['open', '--keyset', 'keys', ...FROM_FILE], { input: sealed })).toBe('text\n')
    const old = keyring.sealText('old')
    expect(await folder.succeed(['open', '--keyset', 'keys', ...FROM_FILE], { input: old })).toBe('old\n')
    await run('delete', 'keys', '--id', id)
    const bytes = Buffer.from(JSON.parse(folder.read('keys')).encryptedKeyset, 'base64')
    expect([...bytes.subarray(0, 8)]).toEqual([0x41, 0x47, 0x50, 0x31, 2, 10, 8, 1])
  })

  test('a wrong passphrase, none, and a damaged file: the keyset stays as it is', async () => {
    const { folder } = await filled()
    const before = folder.read('keys')
    folder.write('wrong', 'horse')
    const message = 'keys: the passphrase is wrong, or the file was changed'
    expect(await folder.fail(1, ['keyset', 'add', 'keys', '--passphrase-file', 'wrong'])).toBe(message)
    expect(await folder.fail(1, ['keyset', 'add', 'keys'])).toMatch(/^keys is protected by a passphrase/)
    const outcome = await typed(folder, ['keyset', 'list', 'keys'], 'horse\r')
    expect([outcome.status, outcome.stderr]).toEqual([
      1,
      `Passphrase of keys (not shown): \nhardware-aes-gcm: ${message}\n`,
    ])
    expect(folder.read('keys')).toBe(before)
    expect(await folder.fail(2, ['keyset', 'add', 'keys', '--passphrase'])).toMatch(/applies to new/)
  })

  test('new never replaces the file of the passphrase', async () => {
    const { folder } = await filled()
    for (const name of ['secret', './secret'])
      expect(await folder.fail(2, ['keyset', 'new', name, '--force', ...FROM_FILE])).toMatch(
        /--passphrase-file names the output file/,
      )
    expect(folder.read('secret')).toBe(`${SECRET}\n`)
  })

  test('--passphrase-file for a key or a keyset that is not protected', async () => {
    const { folder } = await filled()
    await folder.succeed(['keyset', 'new', 'clear'])
    const before = folder.read('clear')
    const message = 'clear: is not encrypted: --passphrase-file is for an encrypted keyset'
    for (const action of ['add', 'list'])
      expect(await folder.fail(1, ['keyset', action, 'clear', ...FROM_FILE])).toBe(message)
    expect(await folder.fail(1, ['seal', '--keyset', 'clear', ...FROM_FILE], { input: 'text' })).toBe(message)
    expect(folder.read('clear')).toBe(before)

    folder.write('plain', `${KEY.toString('hex')}\n`)
    expect(await folder.fail(1, ['encrypt', 'data', '-k', 'plain', '-o', 'sealed', ...FROM_FILE])).toBe(
      'plain: is not protected: --passphrase-file is for a protected key',
    )
    expect(folder.names).not.toContain('sealed')
  })
})
