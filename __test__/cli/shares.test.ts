// `split` and `combine` of the command line, from key to shares and back.
import { mkdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { combineKey, splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'
import { Folder, OWNER_ALONE, unnamed } from './program.js'

const KEY = '00112233445566778899aabbccddeeff0123456789abcdef0123456789abcdef'
const BASE64 = Buffer.from(KEY, 'hex').toString('base64url')
const PASSWORD = '; a password is not a key: see keygen --passphrase'

/** A folder with five shares of KEY, of which three give it back. */
async function withShares(...options: string[]): Promise<{ folder: Folder; names: string[] }> {
  const folder = new Folder()
  folder.write('key', `${KEY}\n`)
  const printed = await folder.succeed(['split', 'key', '-t3', '-n5', '--out', 'share', ...options])
  return { folder, names: printed.trimEnd().split('\n') }
}

describe('split', () => {
  test('into files: their names are printed, and sort by number', async () => {
    const { folder, names } = await withShares()
    expect(names).toEqual([1, 2, 3, 4, 5].map(n => `share-${n}-of-5.txt`))
    for (const name of names) expect(folder.read(name)).toMatch(/^AGS1(-[A-Z2-7]{5}){28}\n$/)
    await folder.succeed(['split', 'key', '-t2', '-n10', '--out', 'ten'])
    expect(folder.names.filter(name => name.startsWith('ten')).at(1)).toBe('ten-02-of-10.txt')
  })

  test('into a folder, by the name of the folder or with a slash', async () => {
    const { folder } = await withShares()
    await folder.succeed(['split', 'key', '-t2', '-n2', '--out', './beginning'])
    expect(folder.names).toContain('beginning-1-of-2.txt')
    for (const [name, out] of [
      ['a', 'a'],
      ['b', 'b/'],
    ] as const) {
      mkdirSync(folder.in(name))
      expect((await folder.succeed(['split', 'key', '-t2', '-n2', '--out', out])).split('\n')).toEqual([
        join(name, 'share-1-of-2.txt'),
        join(name, 'share-2-of-2.txt'),
        '',
      ])
    }
  })

  test('onto standard output: one share per line, which the library reads', async () => {
    const { folder } = await withShares()
    for (const type of [[], ['--type', 'compact'], ['--type', 'random']]) {
      const shares = (await folder.succeed(['split', 'key', '-t3', '-n4', ...type])).trimEnd().split('\n')
      expect(shares).toHaveLength(4)
      const options = type.length > 0 ? { format: 'horcrux' as const, threshold: 3 } : {}
      expect(combineKey(shares.slice(1), options).toString('hex')).toBe(KEY)
    }
  })

  test.each([
    ['32 bytes', Buffer.from(KEY, 'hex'), KEY],
    ['16 bytes', Buffer.from(KEY, 'hex').subarray(16), KEY.slice(32)],
    ['64 digits', KEY, KEY],
    ['32 digits', KEY.slice(32), KEY.slice(32)],
    ['upper case', KEY.toUpperCase(), KEY],
    ['base64', `${Buffer.from(KEY, 'hex').toString('base64')}\n`, KEY],
    ['base64 of 16 bytes', Buffer.from(KEY, 'hex').subarray(16).toString('base64'), KEY.slice(32)],
    ['base64url without padding', BASE64, KEY],
    [
      'base64url of 16 bytes',
      `\uFEFF${Buffer.from(KEY, 'hex').subarray(16).toString('base64url')}\r\n`,
      KEY.slice(32),
    ],
    ['white space around', `\r\n\t ${KEY} \t\r\n\n`, KEY],
    ['a byte order mark in front', Buffer.from(`\uFEFF${KEY}\r\n`), KEY],
    ['bytes that begin like UTF-16', Buffer.alloc(16, 'fffe', 'hex'), 'fffe'.repeat(8)],
    ['bytes that begin like UTF-8', Buffer.alloc(16, 'efbbbf', 'hex'), 'efbbbf'.repeat(6).slice(0, 32)],
    ['bytes that end with a newline', Buffer.alloc(32, 10), '0a'.repeat(32)],
  ])('reads a key as %s, from a file and from standard input', async (_, content, key) => {
    const folder = new Folder()
    folder.write('key', content)
    for (const [args, input] of [
      [['key'], ''],
      [[], content],
    ] as const) {
      const shares = await folder.succeed(['split', ...args, '-t2', '-n2'], { input })
      expect(combineKey(shares.trimEnd().split('\n')).toString('hex')).toBe(key)
    }
  })

  test('reads standard input for -', async () => {
    const shares = await new Folder().succeed(['split', '-', '-t2', '-n2'], { input: KEY })
    expect(combineKey(shares.trimEnd().split('\n')).toString('hex')).toBe(KEY)
  })

  test.each([
    ['nothing', '', 'got 0 bytes'],
    ['15 bytes', Buffer.alloc(15), 'got 15 bytes'],
    ['33 bytes', Buffer.alloc(33), 'got 33 bytes'],
    ['24 bytes, as AES-192 has', Buffer.alloc(24), 'got 24 bytes'],
    ['63 digits', KEY.slice(1), 'got 63 bytes'],
    ['63 digits and a line break, which were taken for a password', `${KEY.slice(1)}\n`, 'got 64 bytes'],
    ['64 characters, one no digit', KEY.replace('0', 'g'), 'got 64 bytes'],
    ['as many bytes as are read', Buffer.alloc(1024), 'got 1024 bytes'],
    ['one byte', Buffer.alloc(1), 'got 1 bytes'],
    ['white space within', `${KEY.slice(1)} 0`, `got 65 bytes${PASSWORD}`],
    ['a password', 'correct horse battery staple', `got 28 bytes${PASSWORD}`],
    ['a short password', 'hunter2', `got 7 bytes${PASSWORD}`],
    ['a key in base64 that was cut off', BASE64.slice(1), 'got 42 bytes'],
    ['24 bytes in base64', Buffer.alloc(24, 9).toString('base64').slice(0, 31), 'got 31 bytes'],
    ['base64 of both alphabets', `+_${BASE64.slice(2)}`, `got 43 bytes`],
    ['base64 whose last bits are no zeros', `${BASE64.slice(0, -1)}B`, 'got 43 bytes'],
    ...[0, 1, 2].map((i): [string, Buffer, string] => {
      const mark = Buffer.of(0xef, 0xbb, 0xbf).fill(0x20, i, i + 1)
      return [
        `digits behind a mark with another byte ${i}`,
        Buffer.concat([mark, Buffer.from(KEY)]),
        'got 67 bytes',
      ]
    }),
    ['bytes that begin with one of a mark of UTF-16', Buffer.of(0xff, 0, 0xfe), 'got 3 bytes'],
    ['bytes that begin with the other one', Buffer.of(0xfe, 0, 0xff), 'got 3 bytes'],
    ['bytes whose second one is of such a mark', Buffer.of(0, 0xfe, 0), 'got 3 bytes'],
    ['or the other one', Buffer.of(0, 0xff, 0), 'got 3 bytes'],
    ['a byte of such a mark twice', Buffer.of(0xff, 0xff), 'got 2 bytes'],
    ['or the other one twice', Buffer.of(0xfe, 0xfe), 'got 2 bytes'],
  ])('refuses a file that holds %s', async (_, content, got) => {
    const folder = new Folder()
    folder.write('key', content)
    const what = 'must contain a key of 16 or 32 bytes, raw, in hex or in base64'
    expect(await folder.fail(1, ['split', 'key', '-t2', '-n2'])).toBe(`key: ${what}, ${got}`)
  })

  // `>` of Windows PowerShell 5 writes UTF-16.
  test.each([
    ['utf16le', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
    ['utf16be', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
  ])('refuses a key and shares in %s, and tells how to avoid it', async (_, encode) => {
    const folder = new Folder()
    const what = 'is UTF-16 text, as Windows PowerShell 5 writes with `>`: write the file with --out'
    folder.write('key', encode(`${KEY}\r\n`))
    expect(await folder.fail(1, ['split', 'key', '-t2', '-n2'])).toBe(`key: ${what}`)
    folder.write('shares', encode(await folder.succeed(['split', '-t2', '-n2'], { input: KEY })))
    expect(await folder.fail(1, ['combine', 'shares'])).toBe(`shares: ${what}`)
  })

  test('refuses a file that is too long for a key, a folder, a file that does not exist', async () => {
    const folder = new Folder()
    folder.write('key', Buffer.alloc(1025))
    expect(await folder.fail(1, ['split', 'key', '-t2', '-n2'])).toBe(
      'key: is longer than 1024 bytes, too long for a key',
    )
    const input = Buffer.alloc(2 ** 20)
    expect(await folder.fail(1, ['split', '-t2', '-n2'], { input })).toBe(
      'standard input: is longer than 1024 bytes, too long for a key',
    )
    // A folder's own size is above the limit on ext4, and below it on tmpfs: there are files enough for both.
    for (let i = 0; i < 100; i++) folder.write(`a long name ${i}`, '')
    expect(await folder.fail(1, ['split', '.', '-t2', '-n2'])).toBe('.: is a folder, not a file')
    expect(await folder.fail(1, ['split', 'none', '-t2', '-n2'])).toBe(unnamed('FILE', 'none'))
  })

  // With --force, a share replaced the file that was split, and the data their sealed file.
  test('--force does not replace the file that is read', async () => {
    const folder = new Folder()
    const name = 'a-1-of-2.txt'
    folder.write(name, `${KEY}\n`)
    for (const way of [[name], ['--seal', `./${name}`]])
      expect(await folder.fail(2, ['split', ...way, '-t2', '-n2', '--out', 'a', '--force'])).toMatch(
        /^--out would overwrite/,
      )
    expect([folder.names, folder.read(name)]).toEqual([[name], `${KEY}\n`])
    await folder.succeed(['split', '--seal', name, '-t2', '-n2', '--out', 'b'])
    const sealed = folder.bytes(`${name}.sealed`)
    const open = ['combine', 'b-1-of-2.txt', 'b-2-of-2.txt', '--open', `${name}.sealed`, '--out']
    expect(await folder.fail(2, [...open, `./${name}.sealed`, '--force'])).toMatch(
      /^--out and --open name the same/,
    )
    expect(folder.bytes(`${name}.sealed`)).toEqual(sealed)
  })

  test("horcrux's text takes keys of 32 bytes alone", async () => {
    const input = KEY.slice(32)
    for (const type of ['compact', 'random'])
      expect(await new Folder().fail(1, ['split', '-t2', '-n2', '--type', type], { input })).toBe(
        'standard input: --type needs a 32-byte key, got 16',
      )
  })

  test('--json: the files, or the shares', async () => {
    const { folder } = await withShares()
    const facts = { threshold: 2, count: 2, form: 'binary' }
    expect(
      JSON.parse(await folder.succeed(['split', 'key', '-t2', '-n2', '--binary', '-o', 'b', '--json'])),
    ).toEqual({ ...facts, files: ['b-1-of-2.bin', 'b-2-of-2.bin'] })
    const { shares, ...rest } = JSON.parse(await folder.succeed(['split', 'key', '-t2', '-n2', '--json']))
    expect(rest).toEqual({ ...facts, form: 'text' })
    expect(combineKey(shares).toString('hex')).toBe(KEY)
  })
})

describe('combine', () => {
  test.each([
    [['--binary'], 84],
    [[], 173],
  ])('every three of five files %j', async (options, bytes) => {
    const { folder, names } = await withShares(...options)
    for (const name of names) expect(folder.bytes(name).length).toBe(bytes)
    for (let a = 0; a < 5; a++)
      for (let b = 0; b < a; b++)
        for (let c = 0; c < b; c++)
          expect(await folder.succeed(['combine', ...[a, b, c].map(n => names[n] as string)])).toBe(
            `${KEY}\n`,
          )
  })

  test('writes the key to a file, as hex or bytes, or as JSON', async () => {
    const { folder, names } = await withShares()
    await folder.succeed(['combine', ...names, '--out', 'hex'])
    await folder.succeed(['combine', ...names, '--out', 'raw', '--raw'])
    expect([folder.read('hex'), folder.bytes('raw').toString('hex')]).toEqual([`${KEY}\n`, KEY])
    expect([folder.mode('hex'), folder.mode('raw')]).toEqual([OWNER_ALONE, OWNER_ALONE])
    expect(JSON.parse(await folder.succeed(['combine', ...names, '--json']))).toEqual({ bits: 256, key: KEY })
    expect(await folder.fail(1, ['combine', ...names, '--out', 'hex'])).toMatch(/^hex: already exists/)
  })

  test('reads lines, blank lines, DOS files, broken lines, lower case, and mixtures of files', async () => {
    const { folder, names } = await withShares()
    const [a, b, c] = names.map(name => folder.read(name).trimEnd()) as [string, string, string]
    folder.write('lines', `\uFEFF\n${a}\r\n\r\n  ${b.toLowerCase()}  \r\n${c}`)
    folder.write('broken', `${a.replace(/(.{60})/g, '$1\n    ')}\n\n${b.replaceAll('-', ' ')}\n`)
    await folder.succeed(['split', 'key', '-t2', '-n2', '--out', 'other'])
    expect(await folder.succeed(['combine', 'lines'])).toBe(`${KEY}\n`)
    expect(await folder.succeed(['combine', 'broken', names[4] as string])).toBe(`${KEY}\n`)
    expect(await folder.succeed(['combine', 'lines', '-'], { input: folder.read(names[3] as string) })).toBe(
      `${KEY}\n`,
    )
  })

  // A line that began with AGS was taken for the next share.
  test('reads a share that is broken in front of a group of base32 which begins with AGS', async () => {
    const [a, b] = [
      'AGS1-EABAD-P3RQ4-SPK6N-JVGIX-RNDDL-LLCRP-2APXP-D7UXY-SDXKX-BWPFU-\nAGSMY-24A3D-NVIMM-BC6IA-ND4CU-K2VSZ-5SH4C-' +
        '73RU7-NNACV-EPH6R-WGYKC-YI2LS-VRH4C-XWTQ5-4DZWI-EJEAK-YJJ5J-TKRLA',
      'AGS1-EABAF-P3RQ4-SPK6N-JVGIX-RNDDL-LLCRP-4A7O6-H7JPR-EHOFO-DM6LI-ANEZR-UYBWG-3KQYY-CF4SA-2HYFI-VVLFT-3ESFH-' +
        'V4577-F7EFW-Q3H5A-I5DSO-JGGHN-7T3TX-APBU5-AH72B-GRHQH-NJH2W-MGFFA',
    ]
    const folder = new Folder()
    for (const input of [`${a}\n${b}\n`, `${b}\n${a}`])
      expect(await folder.succeed(['combine'], { input })).toBe(`${'00'.repeat(32)}\n`)
  })

  test('--at makes the share with this number, in the form of the others', async () => {
    for (const options of [[], ['--binary']]) {
      const { folder, names } = await withShares(...options)
      const three = names.slice(2)
      await folder.succeed(['combine', ...three, '--at', '2', '--out', 'again'])
      expect(folder.bytes('again').equals(folder.bytes(names[1] as string))).toBe(true)
      expect(folder.mode('again')).toBe(OWNER_ALONE)
      expect(await folder.succeed(['combine', ...three, '--at=2'])).toBe(folder.read(names[1] as string))
      await folder.succeed(['combine', ...three, '--at', '200', '--out', 'further'])
      expect(await folder.succeed(['combine', 'further', 'again', names[4] as string])).toBe(`${KEY}\n`)
    }
  })

  test('--at with --json', async () => {
    const { folder, names } = await withShares()
    const share = folder.read(names[0] as string).trimEnd()
    const shown = JSON.parse(await folder.succeed(['combine', ...names, '--at', '1', '--json']))
    expect(shown).toEqual({ at: 1, form: 'text', share })
    const binary = await withShares('--binary')
    const again = ['combine', ...binary.names, '--at', '1', '--json']
    expect(await binary.folder.fail(2, again)).toMatch(
      /^--json cannot show bytes: write them with --out FILE/,
    )
    const written = JSON.parse(await binary.folder.succeed([...again, '--out', 'again']))
    expect(written).toEqual({ at: 1, form: 'binary', file: 'again' })
  })

  test('--at with --json does not show the bytes of a binary share', async () => {
    const { folder, names } = await withShares('--binary')
    expect(await folder.fail(2, ['combine', ...names, '--at', '1', '--json'])).toMatch(
      /^--json cannot show bytes: write them with --out FILE/,
    )
  })

  test('a file with the name - is not standard input', async () => {
    const { folder } = await withShares()
    const input = await folder.succeed(['split', 'key', '-t2', '-n2'])
    await folder.succeed(['combine', '-', '--out', './-'], { input })
    expect(folder.read('-')).toBe(`${KEY}\n`)
  })

  // The message spoke of the types of JavaScript, with exit code 1.
  test('--at refuses 64 hex digits for shares with numbers', async () => {
    const { folder, names } = await withShares()
    const range = /^--at must be a whole number from 1 to 255 \(/
    expect(await folder.fail(2, ['combine', ...names, '--at', KEY])).toMatch(range)
    const input = splitKey(Buffer.alloc(32), { threshold: 2, shares: 2, format: 'horcrux' }).join('\n')
    expect(await folder.fail(2, ['combine', '-t2', '--at', KEY], { input })).toMatch(range)
  })

  test('the library and the command read the shares of each other', async () => {
    const folder = new Folder()
    const input = splitKey(Buffer.from(KEY, 'hex'), { threshold: 2, shares: 3, format: 'text' }).join('\n')
    expect(await folder.succeed(['combine'], { input })).toBe(`${KEY}\n`)
  })
})

test('the commands of docs/command-line.md run as they stand', async () => {
  const [, block = ''] = /```sh\n(.*?)```/s.exec(readFileSync(`${ROOT}docs/command-line.md`, 'utf8')) ?? []
  const folder = new Folder()
  const data = folder.write('backup.tar', KEY)
  const outputs: string[] = []
  for (const line of block.trim().split('\n')) {
    const [npx, name, ...args] = line.replace(/ +#.*/, '').split(' ')
    expect(`${npx} ${name}`).toBe('npx hardware-aes-gcm')
    // Decryption gives the data back under their name.
    if (args[0] === 'decrypt') unlinkSync(folder.in(data))
    outputs.push(await folder.succeed(args, { process: true }))
  }
  expect(folder.read(data)).toBe(KEY)
  expect(outputs).toEqual([
    expect.stringContaining('backend'),
    '',
    '',
    '',
    expect.stringMatching(/^\d+\n$/),
    expect.stringMatching(/^\d+\n$/),
    '',
    '',
    '',
    expect.stringMatching(/^backup-1-of-5\.txt\n.*backup-5-of-5\.txt\n$/s),
    folder.read('backup.key'),
  ])
})
