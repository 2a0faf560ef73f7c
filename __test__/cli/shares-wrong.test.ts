// Wrong shares on the command line, which names their files; horcrux's shares; sealed files.
import { describe, expect, test } from 'vitest'
import { COMPACT, RANDOM } from '../vectors/horcrux.js'
import { Folder, FULL, OWNER_ALONE, unnamed } from './program.js'

const HORCRUX = { compact: COMPACT, random: RANDOM }

const KEY = '5a'.repeat(32)

async function withShares(threshold: number, ...options: string[]): Promise<Folder> {
  const folder = new Folder()
  folder.write('key', KEY)
  await folder.succeed(['split', 'key', '-n5', `-t${threshold}`, '--out', 's', ...options])
  return folder
}

/** The names of shares by their numbers. */
const files = (numbers: string, ending = 'txt') => [...numbers].map(n => `s-${n}-of-5.${ending}`)

describe('a wrong share is named by its file', () => {
  test('mistyped', async () => {
    const folder = await withShares(3)
    const text = folder.read('s-2-of-5.txt')
    folder.write('typed', text.replace(/.\n$/, text.endsWith('A\n') ? 'Q\n' : 'A\n'))
    expect(await folder.fail(1, ['combine', ...files('1'), 'typed', ...files('3')])).toMatch(
      /^typed is mistyped/,
    )
    folder.write(
      'lines',
      `${folder.read('s-1-of-5.txt')}\n${folder.read('typed')}${folder.read('s-3-of-5.txt')}`,
    )
    expect(await folder.fail(1, ['combine', 'lines'])).toMatch(/^lines, line 3 is mistyped/)
    expect(await folder.fail(1, ['combine'], { input: folder.read('lines') })).toMatch(
      /^standard input, line 3 is mis/,
    )
  })

  test('corrupted: one of four, two of five where two are enough; and nothing is written', async () => {
    const folder = await withShares(3, '--binary')
    const corrupt = (name: string) => {
      const bytes = folder.bytes(name)
      bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50)
      folder.write(name, bytes)
    }
    corrupt('s-4-of-5.bin')
    const args = ['combine', ...files('1245', 'bin'), '--out', 'new']
    expect(await folder.fail(1, args)).toBe(
      's-4-of-5.bin (share number 4) is corrupted: the other shares agree without it',
    )
    expect(folder.names).not.toContain('new')
    expect(await folder.succeed(['combine', ...files('125', 'bin')])).toBe(`${KEY}\n`)
    const { stderr } = await folder.run([...args, '--json'])
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'ERR_AESGCM_INVALID_SHARE',
      files: ['s-4-of-5.bin'],
    })
    corrupt('s-5-of-5.bin')
    expect(await folder.fail(1, ['combine', ...files('12345', 'bin')])).not.toContain('s-1-of-5.bin')
  })

  test('the_message_about_several_wrong_shares_said_the_shares_has', async () => {
    const folder = new Folder()
    folder.write('key', KEY)
    await folder.succeed(['split', 'key', '-t2', '-n7', '--binary', '-o', 's'])
    const names = ['1', '2', '3', '4', '5', '6', '7'].map(i => `s-${i}-of-7.bin`)
    for (const name of ['s-2-of-7.bin', 's-5-of-7.bin']) {
      const bytes = folder.bytes(name)
      bytes.writeUInt8(bytes.readUInt8(50) ^ 1, 50)
      folder.write(name, bytes)
    }
    expect(await folder.fail(1, ['combine', ...names])).toBe(
      'the shares have corrupted elements, without which the others agree: ' +
        's-2-of-7.bin (share number 2), s-5-of-7.bin (share number 5)',
    )
  })

  test('given twice, cut off, of another version', async () => {
    const folder = await withShares(2, '--binary')
    const again = folder.bytes('s-1-of-5.bin')
    folder.write('again', again)
    expect(await folder.fail(1, ['combine', ...files('1', 'bin'), 'again'])).toBe(
      's-1-of-5.bin and again are both share number 1: give each share once',
    )
    folder.write('short', again.subarray(0, 83))
    expect(await folder.fail(1, ['combine', ...files('2', 'bin'), 'short'])).toMatch(/^short [^(]*84/)
    again[0] = 2
    folder.write('newer', again)
    expect(await folder.fail(1, ['combine', ...files('2', 'bin'), 'newer'])).toMatch(
      /^newer has the unknown version 2/,
    )
  })

  test('of another split', async () => {
    const folder = await withShares(3)
    await folder.succeed(['split', 'key', '-t3', '-n5', '--out', 'other'])
    expect(await folder.fail(1, ['combine', ...files('123'), 'other-4-of-5.txt'])).toMatch(
      /from one split.* without other-4-of-5\.txt \(share number 4\)$/,
    )
  })

  test('too few, too many, none, and no share at all', async () => {
    const folder = await withShares(3)
    expect(await folder.fail(1, ['combine', ...files('12')])).toBe('at least 3 shares are needed, got 2')
    expect(await folder.fail(1, ['combine'])).toBe('standard input: contains no share')
    const line = folder.read('s-1-of-5.txt')
    expect(await folder.fail(1, ['combine'], { input: line.repeat(256) })).toBe(
      'the shares must have 1 to 255 shares, got 256',
    )
    expect(await folder.fail(1, ['combine', 'key'])).toBe(
      'key must begin with AGS1, as the text of a share does',
    )
    expect(await folder.fail(1, ['combine'], { input: 'x'.repeat(2 ** 20 + 1) })).toMatch(
      /is longer than 1048576 bytes, too long for shares$/,
    )
  })

  test('a threshold for shares that tell it', async () => {
    const folder = await withShares(2)
    expect(await folder.fail(2, ['combine', ...files('12'), '-t2'])).toMatch(
      /^--threshold is only for horcrux's text/,
    )
  })
})

describe("horcrux's published shares", () => {
  test.each(['compact', 'random'] as const)('%s: three of ten, or all, give the secret', async kind => {
    const { secret, shares } = HORCRUX[kind]
    const folder = new Folder()
    for (const some of [shares, shares.slice(0, 3), [shares[9], shares[4], shares[7]]])
      expect(await folder.succeed(['combine', '--threshold', '3'], { input: some.join('\n') })).toBe(
        `${secret}\n`,
      )
    const [x = ''] = (shares[2] as string).split('|')
    const input = shares.slice(5, 8).join('\n')
    expect(await folder.succeed(['combine', '-t3', '--at', x], { input })).toBe(`${shares[2]}\n`)
  })

  test('need a threshold, agree, and do not mix with other shares', async () => {
    const folder = await withShares(3)
    const { shares } = HORCRUX.compact
    const input = shares.join('\n')
    expect(await folder.fail(2, ['combine'], { input })).toMatch(
      /^horcrux's shares do not contain.*pass --threshold NUMBER/,
    )
    expect(await folder.fail(1, ['combine', '-t', '9'], { input: shares.slice(2).join('\n') })).toMatch(
      /at least 9 shares/,
    )
    folder.write(
      'wrong',
      (shares[3] as string).replace(/.$/, digit => (digit === '0' ? '1' : '0')),
    )
    folder.write('right', shares.slice(4).join('\n'))
    expect(await folder.fail(1, ['combine', '-t3', 'right', 'wrong'])).toMatch(
      /^wrong \(share number 4\) is corrupted/,
    )
    expect(await folder.fail(1, ['combine', '-t3', 'right', ...files('1')])).toMatch(
      /^right, line 1 and s-1-of-5\.txt are shares in different formats/,
    )
    expect(await folder.fail(1, ['combine', '-t3'], { input: '1|zz' })).toMatch(/^standard input /)
  })
})

describe('sealed files', () => {
  const data = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * i) >> 3))
  /** As `encrypt` writes them: a header, and seven chunks with their tags. */
  const SEALED_BYTES = 56 + data.length + 7 * 16

  async function withSealed(...options: string[]): Promise<Folder> {
    const folder = new Folder()
    folder.write('data', data)
    await folder.succeed(['split', '--seal', 'data', '-t3', '-n5', '--out', 's', ...options])
    return folder
  }

  test('open with any three of five shares, in every form', async () => {
    for (const [options, ending, threshold] of [
      [[], 'txt', []],
      [['--binary'], 'bin', []],
      [['--type', 'random'], 'txt', ['-t3']],
    ] as const) {
      const folder = await withSealed(...options)
      expect(folder.bytes('data.sealed').length).toBe(SEALED_BYTES)
      const open = ['combine', ...files('245', ending), ...threshold, '--open', 'data.sealed']
      expect(JSON.parse(await folder.succeed([...open, '--out', 'new', '--json']))).toEqual({
        bytes: 100_000,
        file: 'new',
      })
      expect(folder.bytes('new').equals(data)).toBe(true)
      expect([folder.mode('new'), folder.mode('data.sealed')]).toEqual([OWNER_ALONE, OWNER_ALONE])
      expect(await folder.succeed(open)).toBe(data.toString('latin1'))
    }
  })

  test('an empty file, and shares on standard output', async () => {
    const folder = new Folder()
    folder.write('empty', '')
    const input = await folder.succeed(['split', '--seal', 'empty', '-t2', '-n3'])
    expect(folder.names).toEqual(['empty', 'empty.sealed'])
    const json = await folder.succeed('split --seal empty -t2 -n2 --out s --force --json'.split(' '))
    expect(JSON.parse(json)).toMatchObject({
      sealed: 'empty.sealed',
      files: ['s-1-of-2.txt', 's-2-of-2.txt'],
    })
    await folder.succeed('combine s-1-of-2.txt s-2-of-2.txt --open empty.sealed --out new'.split(' '))
    // These shares belong to the sealed file that was replaced.
    expect(await folder.fail(1, ['combine', '--open', 'empty.sealed', '--out', 'other'], { input })).toMatch(
      /cannot be decrypted/,
    )
    expect(folder.read('new')).toBe('')
  })

  test('changed, cut off, of other shares: refused, and nothing is written', async () => {
    const folder = await withSealed()
    const sealed = folder.bytes('data.sealed')
    const refused = async (name: string, line: string) => {
      const args = ['combine', ...files('123'), '--open', name, '--out', 'new']
      expect(await folder.fail(1, args)).toBe(`${name}: ${line}`)
      expect(folder.names).not.toContain('new')
    }
    const other = 'cannot be decrypted: it belongs to other shares, or it was modified'
    await refused(folder.write('short', sealed.subarray(0, 27)), 'is truncated: its end is missing')
    const cut = 'was modified or truncated: authentication fails from byte 98304 on'
    await refused(folder.write('cut', sealed.subarray(0, -1)), cut)
    const changed = Buffer.from(sealed)
    changed.writeUInt8(changed.readUInt8(500) ^ 1, 500)
    await refused(folder.write('changed', changed), cut.replace('98304', '0'))
    sealed.writeUInt8(sealed.readUInt8(50) ^ 1, 50)
    await refused(folder.write('beginning', sealed), other)
    folder.write('more', 'more')
    await folder.succeed(['split', '--seal', 'more', '-t2', '-n2', '--out', 'more'])
    await refused('more.sealed', other)
    expect(await folder.fail(1, ['combine', ...files('123'), '--open', 'none', '--out', 'new'])).toBe(
      unnamed('--open', 'none'),
    )
  })

  test.skipIf(!FULL)('a taken name, and shares that cannot be printed: no sealed file remains', async () => {
    const folder = new Folder()
    folder.write('data', data)
    const seal = ['split', '--seal', 'data', '-t2', '-n2']
    expect((await folder.run(seal, { shell: 'exec >/dev/full' })).status).toBe(1)
    expect(folder.names).toEqual(['data'])
    folder.write('data.sealed', 'old')
    expect(await folder.fail(1, seal)).toMatch(/^data\.sealed: already exists/)
    await folder.succeed([...seal, '--force'])
    expect([folder.names, folder.bytes('data.sealed').length]).toEqual([
      ['data', 'data.sealed'],
      SEALED_BYTES,
    ])
  })

  test('a split key opens what encrypt wrote with it', async () => {
    const folder = new Folder()
    folder.write('data', data)
    await folder.succeed(['keygen', '--bits', '128', '--out', 'key'])
    await folder.succeed(['encrypt', 'data', '--key', 'key', '--out', 'data.enc'])
    const input = await folder.succeed(['split', 'key', '-t2', '-n2'])
    expect(await folder.succeed(['combine', '--open', 'data.enc'], { input })).toBe(data.toString('latin1'))
  })
})
