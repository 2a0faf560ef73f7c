// Files to recipients on the command line: private and public keysets, encrypt --to, decrypt --key, and what is refused.
import { chmodSync } from 'node:fs'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { passphraseWrapping } from 'hardware-aes-gcm/passphrase'
import { decryptBuffer, encryptBuffer } from 'hardware-aes-gcm/stream'
import { describe, expect, test } from 'vitest'
import { textOf } from '../protocols/stream/tools.js'
import { HAS_ML_KEM } from '../values/hybrid/internals.js'
import { Folder, OWNER_ALONE, WINDOWS } from './program.js'

const TEXT = textOf(40_000)
const text = TEXT.toString('latin1')
const TO = ['encrypt', 'data', '--to', 'public.json']
const CHEAP = { memory: 2 ** 20 }

/** A folder with data, a private keyset, and its public one. */
async function filled() {
  const folder = new Folder()
  folder.write('data', TEXT)
  const id = (await folder.succeed(['keyset', 'new', 'private.json', '--hybrid', 'x25519'])).trim()
  expect(await folder.succeed(['keyset', 'public', 'private.json', '--out', 'public.json'])).toBe('')
  return { folder, id }
}

test('new, public, encrypt and decrypt, also by the library', async () => {
  const { folder, id } = await filled()
  expect(folder.mode('private.json')).toBe(OWNER_ALONE)
  const keyring = PrivateKeyring.parse(folder.read('private.json'))
  expect(keyring.keys).toMatchObject([{ id: Number(id), type: 'X25519-AES-256-GCM', primary: true }])
  expect(folder.read('public.json')).toBe(`${keyring.publicKeyset()}\n`)
  expect(await folder.succeed(['keyset', 'public', 'private.json'])).toBe(`${keyring.publicKeyset()}\n`)
  expect(JSON.parse(await folder.succeed(['keyset', 'public', 'private.json', '--json']))).toEqual({
    keyset: JSON.parse(keyring.publicKeyset()),
  })
  const told = JSON.parse(await folder.succeed([...TO, '-c', 'monday', '--out', 'data.enc', '--json']))
  const bytes = folder.bytes('data.enc')
  expect(told).toEqual({ bytes: bytes.length, format: 'recipients', recipients: 1, file: 'data.enc' })
  expect(decryptBuffer(bytes, keyring, { context: 'monday' })).toEqual(TEXT)
  const decrypt = ['decrypt', 'data.enc', '--key', 'private.json', '-c', 'monday']
  expect(await folder.succeed(decrypt)).toBe(text)
  expect(JSON.parse(await folder.succeed([...decrypt, '--out', 'again', '--json']))).toEqual({
    bytes: 40_000,
    format: 'recipients',
    file: 'again',
  })
  expect(folder.bytes('again')).toEqual(TEXT)
  for (const [range, from, to] of [
    ['0-9', 0, 10],
    ['16380-16390', 16_380, 16_391],
    ['-3', 39_997, 40_000],
  ] as const)
    expect(await folder.succeed([...decrypt, `--range=${range}`])).toBe(text.slice(from, to))
  const piped = await folder.run(['encrypt', '--to', 'public.json', '--out', 'piped'], { input: TEXT })
  expect(piped.status).toBe(0)
  const given = { input: folder.bytes('piped') }
  expect(await folder.succeed(['decrypt', '--key', 'private.json'], given)).toBe(text)
  const ours = encryptBuffer(TEXT, PublicKeyring.parse(folder.read('public.json')))
  folder.write('ours', ours)
  expect(await folder.succeed(['decrypt', 'ours', '--key', 'private.json'])).toBe(text)
  expect(
    await folder.succeed(['decrypt', 'ours', '--key', '-'], { input: folder.read('private.json') }),
  ).toBe(text)
  expect(await folder.succeed(['inspect', 'ours'])).toContain(
    'possible: the output of encrypt --to, with 40000 bytes of data in 3 chunks',
  )
  expect(await folder.succeed(['inspect', 'public.json'])).toContain(
    'possible: a public keyset, for encrypt --to',
  )
  expect(await folder.succeed(['inspect', 'private.json'])).toContain('an unencrypted keyset')
})

test('several recipients, each with a --to; further words are no recipients', async () => {
  const { folder } = await filled()
  await folder.succeed(['keyset', 'new', 'other.json', '--hybrid', 'x25519'])
  folder.write('other-public.json', await folder.succeed(['keyset', 'public', 'other.json']))
  const args = 'encrypt --to public.json --to other-public.json data -o sealed --json'.split(' ')
  expect(JSON.parse(await folder.succeed(args)).recipients).toBe(2)
  for (const key of ['private.json', 'other.json'])
    expect(await folder.succeed(['decrypt', 'sealed', '-k', key])).toBe(text)
  const many = Array.from({ length: 51 }, () => ['--to', 'public.json']).flat()
  expect(await folder.fail(2, ['encrypt', 'data', ...many, '-o', 'x'])).toMatch(/at most 50 recipients/)
})

test('the life of the keys of a private keyset', async () => {
  const { folder, id } = await filled()
  await folder.succeed([...TO, '--out', 'old'])
  const run = async (...args: string[]) => (await folder.succeed(['keyset', ...args])).trim()
  const added = await run('add', 'private.json')
  expect(await run('add', 'private.json', '--hybrid', 'x25519')).toMatch(/^\d+$/)
  await run('promote', 'private.json', '--id', added)
  await folder.succeed(['keyset', 'public', 'private.json', '--out', 'public.json', '--force'])
  await folder.succeed([...TO, '--out', 'new'])
  for (const name of ['old', 'new'])
    expect(await folder.succeed(['decrypt', name, '-k', 'private.json'])).toBe(text)
  await run('disable', 'private.json', '--id', id)
  expect(await folder.fail(1, ['decrypt', 'old', '-k', 'private.json'])).toBe(
    'old: cannot be decrypted: it was encrypted to other recipients or with another --context, or it was modified',
  )
  await run('enable', 'private.json', '--id', id)
  await run('delete', 'private.json', '--id', id)
  const { keys } = JSON.parse(await run('list', 'private.json', '--json'))
  expect(keys).toMatchObject([{ id: Number(added), primary: true }, { type: 'X25519-AES-256-GCM' }])
  expect(Object.keys(keys[0])).toEqual(['id', 'type', 'status', 'primary', 'prefix', 'textPrefix'])
  expect(await run('list', 'public.json')).toContain('X25519-AES-256-GCM')
  const message =
    'public.json: is a public keyset: change the private one, then write this one again with keyset public'
  for (const args of [['add'], ['promote', '--id', added], ['delete', '--id', added]])
    expect(await folder.fail(1, ['keyset', args[0] as string, 'public.json', ...args.slice(1)])).toBe(message)
  expect(await folder.fail(1, ['keyset', 'disable', 'private.json', '--id', added])).toMatch(
    /is the primary key/,
  )
})

test('a private keyset behind a passphrase, or a program', async () => {
  const { folder } = await filled()
  const keyring = PrivateKeyring.parse(folder.read('private.json'))
  folder.write('secret', 'correct horse\n')
  folder.write('locked.json', await keyring.wrap(passphraseWrapping('correct horse', CHEAP).wrap))
  await folder.succeed([...TO, '--out', 'sealed'])
  const secret = ['--passphrase-file', 'secret']
  expect(await folder.succeed(['decrypt', 'sealed', '-k', 'locked.json', ...secret])).toBe(text)
  expect(await folder.succeed(['keyset', 'public', 'locked.json', ...secret])).toBe(
    folder.read('public.json'),
  )
  const added = (await folder.succeed(['keyset', 'add', 'locked.json', ...secret])).trim()
  expect(await folder.succeed(['keyset', 'list', 'locked.json', ...secret])).toContain(added)
  expect(JSON.parse(folder.read('locked.json'))).toHaveProperty('encryptedKeyset')
  expect(await folder.fail(1, ['decrypt', 'sealed', '-k', 'locked.json'])).toMatch(
    /^locked.json is protected/,
  )
  expect(await folder.fail(1, ['decrypt', 'sealed', '-k', 'private.json', ...secret])).toMatch(
    /^private.json: is not encrypted: --passphrase-file is for/,
  )
  expect(await folder.fail(1, [...TO.slice(0, 3), 'locked.json', '-o', 'x'])).toBe(
    'locked.json: is an encrypted keyset, but public keysets are never encrypted',
  )
  const made = ['keyset', 'new', 'protected.json', '--hybrid', 'x25519', ...secret]
  expect(await folder.succeed(made)).toMatch(/^\d+\n$/)
  expect(await folder.succeed(['keyset', 'public', 'protected.json', ...secret])).toContain('HpkePublicKey')
  folder.write(
    'symmetric.json',
    await Keyring.generate().wrap(passphraseWrapping('correct horse', CHEAP).wrap),
  )
  expect(await folder.fail(1, ['decrypt', 'sealed', '-k', 'symmetric.json', ...secret])).toBe(
    'symmetric.json: is a keyset for seal and open: --key needs a key, or a private keyset',
  )
  if (WINDOWS) return
  // A program that XORs, as a stand-in for a key service.
  const flip = (bytes: Uint8Array) => Buffer.from(bytes.map(byte => byte ^ 1))
  folder.write('service.json', await keyring.wrap(flip))
  folder.write(
    'flip.mjs',
    "import { readFileSync } from 'node:fs'\nprocess.stdout.write(readFileSync(0).map(b => b ^ 1))",
  )
  const unwrap = ['--unwrap', `'${process.execPath}' flip.mjs`]
  expect(await folder.succeed(['decrypt', 'sealed', '-k', 'service.json', ...unwrap])).toBe(text)
  expect(await folder.succeed(['keyset', 'public', 'service.json', ...unwrap])).toBe(
    folder.read('public.json'),
  )
  folder.write('key', Buffer.alloc(32, 0x80))
  expect(await folder.fail(1, ['decrypt', 'sealed', '-k', 'key', ...unwrap])).toBe(
    'key: is not a keyset: --unwrap is for an encrypted keyset',
  )
})

describe('refused', () => {
  test('keysets in the wrong place', async () => {
    const { folder } = await filled()
    await folder.succeed(['keyset', 'new', 'keys.json'])
    await folder.succeed([...TO, '--out', 'sealed'])
    const to = (name: string) => folder.fail(1, ['encrypt', 'data', '--to', name, '-o', 'x'])
    const key = (command: string, name: string) =>
      folder.fail(1, [command, 'sealed', '--key', name, '-o', 'x'])
    expect(await to('private.json')).toBe(
      'private.json: is a private keyset, which must stay private: --to needs the public one, from keyset public',
    )
    expect(await to('keys.json')).toMatch(/^keys.json: is a symmetric keyset, without public keys/)
    expect(await key('decrypt', 'public.json')).toBe(
      'public.json: is a public keyset, which cannot decrypt: --key needs the private one',
    )
    expect(await key('decrypt', 'keys.json')).toMatch(/^keys.json: is a keyset for seal and open/)
    expect(await key('encrypt', 'private.json')).toMatch(
      /^private.json: is a private keyset: pass the public one/,
    )
    expect(await key('encrypt', 'public.json')).toBe('public.json: is a public keyset: pass it with --to')
    expect(await key('encrypt', 'keys.json')).toMatch(/^keys.json: is a keyset: encrypt needs a key/)
    for (const name of ['private.json', 'public.json'])
      for (const command of ['seal', 'open'])
        expect(await folder.fail(1, [command, '--keyset', name], { input: 'x' })).toMatch(/: use it with /)
    expect(await folder.fail(1, ['keyset', 'public', 'public.json'])).toBe(
      'public.json: is already a public keyset',
    )
    expect(await folder.fail(1, ['keyset', 'public', 'keys.json'])).toMatch(
      /^keys.json: .* without public keys/,
    )
    expect(await folder.fail(1, ['keyset', 'add', 'private.json', '--type', 'AES-256-GCM'])).toMatch(
      /with --hybrid/,
    )
    expect(await folder.fail(1, ['keyset', 'add', 'keys.json', '--hybrid', 'x25519'])).toMatch(/with --type/)
    for (const [name, content] of [
      ['empty', ''],
      ['cut', folder.read('public.json').slice(0, 100)],
      ['other', 'no keyset at all, but a text of several words'],
    ] as const) {
      folder.write(name, content)
      expect(await to(name)).toMatch(new RegExp(`^${name}: `))
    }
    expect(folder.names).not.toContain('x')
  })

  test('command lines', async () => {
    const { folder } = await filled()
    folder.write('key', Buffer.alloc(32, 0x80))
    const misused = (...args: string[]) => folder.fail(2, args)
    expect(await misused(...TO, '--key', 'key')).toMatch(/^--key cannot be combined with --to/)
    expect(await misused(...TO, '--key-env', 'KEY')).toMatch(/^--key-env cannot be combined with --to/)
    expect(await misused(...TO, '--passphrase-file', 'key')).toMatch(/needs --key FILE/)
    expect(await misused('encrypt', 'data', '--to', '-')).toMatch(/--to needs a file/)
    expect(await misused('encrypt', 'data', '--to')).toMatch(/--to needs a value/)
    expect(await misused(...TO, '-o', 'public.json', '--force')).toMatch(/--out names a public keyset/)
    expect(await misused('encrypt', 'data')).toMatch(/or recipients: --to FILE/)
    expect(await misused('decrypt', 'data', '--to', 'public.json')).toMatch(
      /--to is not an option of decrypt/,
    )
    expect(await misused('keyset', 'new', 'k', '--hybrid', 'rsa')).toMatch(
      /--hybrid must be x25519 or x-wing/,
    )
    expect(await misused('keyset', 'new', 'k', '--hybrid', 'x25519', '--type', 'AES-128-GCM')).toMatch(
      /cannot be combined with --hybrid/,
    )
    expect(await misused('keyset', 'list', 'public.json', '--hybrid', 'x25519')).toMatch(
      /applies to new and add only/,
    )
    expect(await misused('keyset', 'add', 'private.json', '--out', 'x')).toMatch(/--out applies to public/)
    expect(await misused('keyset', 'public', 'private.json', '--out', 'private.json', '--force')).toMatch(
      /--out names the input file/,
    )
    expect(await misused('keyset', 'public', 'private.json', '--force')).toMatch(/needs --out FILE/)
    expect(await misused('keyset', 'public', 'private.json', '--wrap', 'cat')).toMatch(/that write the file/)
    expect(await folder.fail(1, ['keyset', 'public', 'private.json', '--out', 'public.json'])).toMatch(
      /already exists/,
    )
    expect(await folder.fail(1, ['encrypt', 'data', '--to', 'publik.json', '-o', 'x'])).toBe(
      'publik.json: does not exist; did you mean public.json?',
    )
    const secret = 'c0ffee'.repeat(8)
    expect(await folder.fail(1, ['encrypt', 'data', '--to', secret, '-o', 'x'])).not.toContain(secret)
  })

  test('data that do not open', async () => {
    const { folder } = await filled()
    folder.write('key', Buffer.alloc(32, 0x80))
    await folder.succeed([...TO, '--out', 'sealed', '-c', 'monday'])
    await folder.succeed([...TO, '--out', 'other', '-c', 'monday'])
    await folder.succeed(['encrypt', 'data', '-k', 'key', '--out', 'plain'])
    await folder.succeed(['keyset', 'new', 'stranger.json', '--hybrid', 'x25519'])
    const [sealed, other] = [folder.bytes('sealed'), folder.bytes('other')]
    folder.write('swapped', Buffer.concat([other.subarray(0, 93), sealed.subarray(93)]))
    folder.write('cut', sealed.subarray(0, 100))
    folder.write('cut later', sealed.subarray(0, 93 + 56 + 16_400))
    const fail = (name: string, ...args: string[]) =>
      folder.fail(1, ['decrypt', name, '-k', 'private.json', '-c', 'monday', '--out', 'x', ...args])
    const line = 'it was encrypted to other recipients or with another --context, or it was modified'
    expect(await fail('swapped')).toBe(`swapped: cannot be decrypted: ${line}`)
    expect(await fail('swapped', '--range', '0-1')).toBe(`swapped: cannot be decrypted: ${line}`)
    expect(await fail('cut')).toBe('cut: is truncated: its end is missing')
    expect(await fail('cut later')).toBe('cut later: is truncated: its end is missing')
    expect(await fail('plain')).toBe(
      'plain: cannot be decrypted: it was not encrypted with --to, or it was modified',
    )
    const args = ['decrypt', 'sealed', '--out', 'x', '-k']
    expect(await folder.fail(1, [...args, 'stranger.json', '-c', 'monday'])).toBe(
      `sealed: cannot be decrypted: ${line}`,
    )
    expect(await folder.fail(1, [...args, 'private.json'])).toBe(`sealed: cannot be decrypted: ${line}`)
    expect(await folder.fail(1, [...args, 'key', '-c', 'monday'])).toBe(
      'sealed: cannot be decrypted: it was probably encrypted with --to, which needs a private keyset, or it was modified',
    )
    expect(folder.names).not.toContain('x')
  })

  test.skipIf(HAS_ML_KEM)('X-Wing on a runtime without ML-KEM', async () => {
    const folder = new Folder()
    const outcome = await folder.run(['keyset', 'new', 'private.json', '--hybrid', 'x-wing', '--json'])
    expect(JSON.parse(outcome.stderr).error).toMatchObject({
      code: 'ERR_AESGCM_UNSUPPORTED_PLATFORM',
      message: expect.stringContaining('24.7'),
    })
    expect(folder.names).toEqual([])
  })
})

// Regressions.
describe('mended', () => {
  const WIDE = 'is UTF-16 text, as Windows PowerShell 5 writes with `>`: write the file with --out'

  test('a keyset was not recognised after 33 blanks, nor one in UTF-16', async () => {
    const { folder } = await filled()
    const keyset = folder.read('private.json')
    await folder.succeed([...TO, '--out', 'sealed'])
    folder.write('blanks', `${' \r\n\t'.repeat(400)}${keyset}`)
    expect(await folder.succeed(['decrypt', 'sealed', '-k', 'blanks'])).toBe(text)
    folder.write('wide', Buffer.from(`\ufeff${keyset}${' '.repeat(1024)}`, 'utf16le'))
    for (const command of ['encrypt', 'decrypt'])
      expect(await folder.fail(1, [command, 'sealed', '-k', 'wide', '-o', 'x'])).toBe(`wide: ${WIDE}`)
  })

  test('a disabled key of another kind decided what a keyset is', async () => {
    const { folder } = await filled()
    const keyset = JSON.parse(Keyring.generate().export())
    const [other] = JSON.parse(folder.read('private.json')).key
    keyset.key.unshift({ ...other, status: 'DISABLED' })
    const text = JSON.stringify(keyset)
    folder.write('keys', text)
    folder.write('locked', await Keyring.parse(text).wrap(passphraseWrapping('correct horse', CHEAP).wrap))
    folder.write('secret', 'correct horse')
    const locked = ['--keyset', 'locked', '--passphrase-file', 'secret']
    const sealed = await folder.succeed(['seal', '--keyset', 'keys'], { input: 'text' })
    expect(await folder.succeed(['open', ...locked], { input: sealed })).toBe('text\n')
    expect((await folder.run(['keyset', 'list', 'keys'])).stdout).toContain('disabled')
  })

  test('a file was accepted twice by --to, and --passphrase-file with --unwrap', async () => {
    const { folder } = await filled()
    expect(await folder.fail(2, [...TO, '--to', './public.json', '-o', 'x'])).toMatch(
      /^--to names the same file twice/,
    )
    const both = ['--passphrase-file', 'secret', '--unwrap', 'cat']
    expect(await folder.fail(2, ['decrypt', 'data', '-k', 'private.json', ...both])).toMatch(
      /^--passphrase-file cannot be combined with --unwrap/,
    )
  })

  test('inspect took a cut beginning for no file to recipients, and a malformed one for such a file', async () => {
    const { folder } = await filled()
    await folder.succeed([...TO, '--out', 'sealed'])
    const sealed = folder.bytes('sealed')
    const shown = async (bytes: Uint8Array) => {
      folder.write('x', bytes)
      return await folder.succeed(['inspect', 'x'])
    }
    const cut = 'possible: the output of encrypt --to, truncated after 0 bytes of data in 0 chunks'
    for (const length of [6, 7, 8, 92, 93, 148])
      expect(await shown(sealed.subarray(0, length))).toContain(cut)
    for (const before of [
      [0, 0],
      [0, 1, 0],
      [0, 87, 0, 86],
      [0, 87, 0, 84],
      [0, 87, 255, 255],
    ]) {
      const bytes = Buffer.concat([
        Buffer.from('AGR1'),
        Buffer.from(before),
        sealed.subarray(6 + before.length),
      ])
      const told = await shown(bytes)
      expect(told).toContain('possible: the output of encrypt, with')
      expect(told).not.toContain('--to')
    }
  })
})

test.skipIf(!HAS_ML_KEM)('X-Wing', async () => {
  const folder = new Folder()
  folder.write('data', TEXT)
  await folder.succeed(['keyset', 'new', 'private.json', '--hybrid', 'x-wing'])
  await folder.succeed(['keyset', 'public', 'private.json', '-o', 'public.json'])
  await folder.succeed([...TO, '-o', 'sealed'])
  expect(await folder.succeed(['decrypt', 'sealed', '-k', 'private.json'])).toBe(text)
})

test.skipIf(WINDOWS)(
  'a private keyset that every user can read is reported, a public one is not',
  async () => {
    const { folder } = await filled()
    for (const name of ['private.json', 'public.json']) chmodSync(folder.in(name), 0o644)
    expect((await folder.run(['keyset', 'list', 'private.json'])).stderr).toMatch(
      /every user of this machine/,
    )
    expect((await folder.run(['keyset', 'public', 'private.json'])).stderr).toMatch(
      /every user of this machine/,
    )
    expect(await folder.succeed(['keyset', 'list', 'public.json'])).toContain('X25519')
    await folder.succeed([...TO, '-o', 'sealed'])
  },
)
