// Files that the command line writes: readable by their owner alone, complete or absent, in place of no other file.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Folder, OWNER_ALONE, unnamed, WINDOWS } from './program.js'

const HEX = /^[0-9a-f]{64}\n$/
const SPLIT = ['split', 'key', '-t2', '-n3', '--out', 'new']
const THIRD_FAILED = unnamed('--out...-3-of-3.txt', 'new-3-of-3.txt', 'the device failed')
const SHARES = ['new-1-of-3.txt', 'new-2-of-3.txt', 'new-3-of-3.txt']

/** Whether symbolic links can be made: on Windows by some users alone, and Wine 8 does not make them. */
const LINKS = (() => {
  const folder = mkdtempSync(join(tmpdir(), 'links-'))
  try {
    symlinkSync('target', join(folder, 'link'))
    return lstatSync(join(folder, 'link')).isSymbolicLink()
  } catch (error) {
    if (WINDOWS) return false
    throw error
  } finally {
    rmSync(folder, { recursive: true, maxRetries: 10 })
  }
})()

/** Calls `does` with the number of the call instead of the function of node:fs. */
const instead = (name: string, does: string) =>
  `const real = fs.${name}; let calls = 0; fs.${name} = function (...args) { calls++; ${does} }`
const fails = (code: string) => `throw Object.assign(new Error('planted'), { code: '${code}' })`

function withKey(): Folder {
  const folder = new Folder()
  folder.write('key', '5a'.repeat(32))
  return folder
}

describe('a new file', () => {
  // Windows has no umask.
  test.skipIf(WINDOWS).each(['umask 0', 'umask 022', 'umask 077'])(
    'after %s only its owner may read it',
    async shell => {
      const folder = withKey()
      await folder.succeed(['keygen', '--out', 'new'], { shell })
      await folder.succeed(SPLIT, { shell })
      await folder.succeed(['split', '--seal', 'key', '-t2', '-n2', '--out', 'more'], { shell })
      const names = folder.names.filter(name => name !== 'key')
      expect(names).toHaveLength(7)
      expect(names.map(name => folder.mode(name))).toEqual(names.map(() => OWNER_ALONE))
    },
  )

  test('lies complete under its name, without a temporary file', async () => {
    const folder = new Folder()
    expect(await folder.succeed(['keygen', '--out', 'new'])).toBe('')
    expect(folder.names).toEqual(['new'])
    expect(folder.read('new')).toMatch(HEX)
    expect(lstatSync(folder.in('new')).nlink).toBe(1)
  })
})

describe('a name that is taken', () => {
  test('is refused, and the file stays', async () => {
    const folder = new Folder()
    folder.write('new', 'old')
    expect(await folder.fail(1, ['keygen', '--out', 'new'])).toBe(
      'new: already exists; use --force to replace it',
    )
    expect([folder.names, folder.read('new')]).toEqual([['new'], 'old'])
  })

  test('with --force, the file is replaced, its permissions too', async () => {
    const folder = new Folder()
    folder.write('new', 'old')
    chmodSync(folder.in('new'), 0o644)
    await folder.succeed(['keygen', '--out', 'new', '--force'])
    expect([folder.names, folder.mode('new')]).toEqual([['new'], OWNER_ALONE])
    expect(folder.read('new')).toMatch(HEX)
    await folder.succeed(['keygen', '--out', 'fresh', '--force'])
    expect(folder.names).toEqual(['fresh', 'new'])
  })

  test('one of several: no file is written', async () => {
    const folder = withKey()
    folder.write(SHARES[1] as string, 'old')
    expect(await folder.fail(1, SPLIT)).toMatch(/^new-2-of-3\.txt: already exists/)
    expect([folder.names, folder.read(SHARES[1] as string)]).toEqual([['key', SHARES[1]], 'old'])
  })

  test('is refused before anything is read', async () => {
    const folder = withKey()
    folder.write(SHARES[2] as string, 'old')
    const args = ['split', '-t2', '-n3', '--out', 'new']
    const before = `process.stdin.isTTY = true; process.stdin.on = () => { throw new Error('read') }`
    expect(await folder.fail(1, args, { before })).toMatch(/^new-3-of-3\.txt: already exists/)
  })

  test.skipIf(!LINKS).each(['', '--force'])('a symbolic link is not followed %s', async flag => {
    const folder = new Folder()
    folder.write('target', 'old')
    symlinkSync('target', folder.in('new'))
    symlinkSync('nowhere', folder.in('dangling'))
    for (const name of ['new', 'dangling']) {
      const args = ['keygen', '--out', name, ...(flag ? [flag] : [])]
      expect(await folder.fail(1, args)).toBe(`${name}: is a symbolic link, which is not followed`)
    }
    expect(folder.names).toEqual(['dangling', 'new', 'target'])
    expect([folder.read('target'), readlinkSync(folder.in('new'))]).toEqual(['old', 'target'])
  })

  test('a folder and a device are not replaced, with --force either', async () => {
    const folder = new Folder()
    mkdirSync(folder.in('new'))
    expect(await folder.fail(1, ['keygen', '--out', 'new', '--force'])).toBe('new: is a folder, not a file')
    const device = WINDOWS ? '//./NUL' : '/dev/null'
    expect(await folder.fail(1, ['keygen', '--out', device, '--force'])).toContain(`${device}: is a device`)
    expect(folder.names).toEqual(['new'])
  })

  test('a file that appears while the command runs is not overwritten', async () => {
    const folder = withKey()
    const name = JSON.stringify(folder.in(SHARES[1] as string))
    const before = instead(
      'fsync',
      `if (calls === 2) fs.writeFileSync(${name}, 'other'); return real(...args)`,
    )
    expect(await folder.fail(1, SPLIT, { before })).toMatch(/^new-2-of-3\.txt: already exists/)
    expect([folder.names, folder.read(SHARES[1] as string)]).toEqual([['key', SHARES[1]], 'other'])
  })

  test('nor a file that appears at the last moment', async () => {
    const folder = new Folder()
    const before = instead('linkSync', `fs.writeFileSync(args[1], 'other'); return real(...args)`)
    expect(await folder.fail(1, ['keygen', '--out', 'new'], { before })).toMatch(/^new: already exists/)
    expect([folder.names, folder.read('new')]).toEqual([['new'], 'other'])
  })
})

describe('a place that cannot be written', () => {
  test('a folder that does not exist, or is a file', async () => {
    const folder = withKey()
    expect(await folder.fail(1, ['keygen', '--out', 'none/new'])).toBe(
      unnamed('--out', 'none/new', 'its folder does not exist'),
    )
    expect(await folder.fail(1, ['keygen', '--out', 'key/new'])).toBe(
      // Windows does not tell the one from the other.
      unnamed(
        '--out',
        'key/new',
        WINDOWS ? 'its folder does not exist' : 'part of the path is a file, not a folder',
      ).replace('characters', 'characters in key'),
    )
    expect(await folder.fail(1, ['split', 'key', '-t2', '-n2', '--out', 'none/'])).toBe(
      unnamed('--out...share-1-of-2.txt', 'none/share-1-of-2.txt', 'its folder does not exist'),
    )
    expect(await folder.fail(1, ['keygen', '--out', 'n'.repeat(300)])).toMatch(
      WINDOWS ? /: (?:the name is too long|(?:its folder )?does not exist); / : /: the name is too long; /,
    )
    expect(folder.names).toEqual(['key'])
  })

  test('a folder without permission', async () => {
    const folder = new Folder()
    const before = instead('openSync', `if (args[2] === 0o600) ${fails('EACCES')}; return real(...args)`)
    expect(await folder.fail(1, ['keygen', '--out', 'new'], { before })).toBe(
      unnamed('--out', 'new', 'permission denied'),
    )
    expect(folder.names).toEqual([])
  })

  // Files longer than the limit fail as on a full disk; the shares are shorter than it. Windows has no such limit.
  test('a disk that is full: neither the sealed file nor a share remains', async () => {
    const folder = new Folder()
    folder.write('data', Buffer.alloc(5000))
    const args = ['split', '--seal', 'data', '-t2', '-n3', '--out', 'new']
    const full = instead(
      'write',
      `if (args[1].length < 1000) real(...args); else args.at(-1)({ code: 'EFBIG' })`,
    )
    expect(await folder.fail(1, args, WINDOWS ? { before: full } : { shell: 'ulimit -f 2' })).toBe(
      unnamed('--seal....sealed', 'data.sealed', 'the file would be too large'),
    )
    expect(folder.names).toEqual(['data'])
  })

  test('a disk that fails only when the bytes are to be kept', async () => {
    const folder = withKey()
    const before = instead(
      'fsync',
      `if (calls < 3) return real(...args); args[1](Object.assign(new Error(), { code: 'EIO' }))`,
    )
    expect(await folder.fail(1, SPLIT, { before })).toBe(THIRD_FAILED)
    expect(folder.names).toEqual(['key'])
  })
})

describe('several files, of which one fails', () => {
  const third = (name: string) => instead(name, `if (calls === 3) ${fails('EIO')}; return real(...args)`)

  test('none remains', async () => {
    const folder = withKey()
    expect(await folder.fail(1, SPLIT, { before: third('linkSync') })).toBe(THIRD_FAILED)
    expect(folder.names).toEqual(['key'])
  })

  test('with --force, the files that were replaced come back', async () => {
    const folder = withKey()
    for (const name of SHARES.slice(1)) folder.write(name, `old ${name}`)
    const before = third('renameSync')
    expect(await folder.fail(1, [...SPLIT, '--force'], { before })).toBe('new-3-of-3.txt: the device failed')
    expect(folder.names).toEqual(['key', ...SHARES.slice(1)])
    for (const name of SHARES.slice(1)) expect(folder.read(name)).toBe(`old ${name}`)
  })

  test('with --force, all are replaced and no other file remains', async () => {
    const folder = withKey()
    for (const name of SHARES) folder.write(name, 'old')
    await folder.succeed([...SPLIT, '--force'])
    expect(folder.names).toEqual(['key', ...SHARES])
    for (const name of SHARES)
      expect([folder.read(name).slice(0, 5), folder.mode(name)]).toEqual(['AGS1-', OWNER_ALONE])
  })
})

// Windows answers EISDIR, which was taken for a folder.
describe.each(['EPERM', 'EISDIR'])('a file system without links, as on many USB sticks: %s', code => {
  const noLinks = `fs.linkSync = () => { ${fails(code)} };`

  test('files are written as elsewhere', async () => {
    const folder = withKey()
    await folder.succeed(SPLIT, { before: noLinks })
    expect(folder.names).toEqual(['key', ...SHARES])
    await folder.succeed([...SPLIT, '--force'], { before: noLinks })
    expect(folder.names).toEqual(['key', ...SHARES])
    for (const name of SHARES)
      expect([folder.read(name).length, folder.mode(name)]).toEqual([173, OWNER_ALONE])
  })

  test('a file that appears at the last moment is not overwritten', async () => {
    const folder = new Folder()
    const before = `fs.linkSync = (from, to) => { fs.writeFileSync(to, 'other'); ${fails('EPERM')} }`
    expect(await folder.fail(1, ['keygen', '--out', 'new'], { before })).toMatch(/^new: already exists/)
    expect([folder.names, folder.read('new')]).toEqual([['new'], 'other'])
  })

  test('if the last step fails, the reserved name is free again', async () => {
    const folder = new Folder()
    const before = `${noLinks} fs.renameSync = () => { ${fails('EIO')} }`
    expect(await folder.fail(1, ['keygen', '--out', 'new'], { before })).toBe(
      unnamed('--out', 'new', 'the device failed'),
    )
    expect(folder.names).toEqual([])
  })
})

describe('a command that is interrupted', () => {
  /**
   * The process gets a signal. On Windows, another process can only end it, as SIGKILL does; Ctrl-C and a window that is closed
   * come as events of these names.
   */
  const sent = (signal: string) =>
    WINDOWS && signal !== 'SIGKILL'
      ? `setImmediate(() => process.emit('${signal}', '${signal}'))`
      : `process.kill(process.pid, '${signal}')`
  /** How such a process ends: on Windows with STATUS_CONTROL_C_EXIT, or as by TerminateProcess. */
  const ended = (signal: string) => (!WINDOWS ? signal : signal === 'SIGKILL' ? 1 : 0xc000013a)
  /** The process gets the signal when the bytes of the second file are on their way to the disk. */
  const at = (signal: string) =>
    instead('fsync', `if (calls === 1) return real(...args); setInterval(() => {}, 1000); ${sent(signal)}`)

  const leavesNothing = async (signal: string, shell?: string) => {
    const folder = withKey()
    const outcome = { status: ended(signal), stdout: '', stderr: '' }
    const options = { before: at(signal), ...(shell !== undefined && { shell }) }
    expect(await folder.run(SPLIT, options)).toEqual(outcome)
    expect(folder.names).toEqual(['key'])
  }
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('by %s: ends with the signal, and no file remains', signal =>
    leavesNothing(signal),
  )

  // SIGQUIT, as of Ctrl-\, left the temporary files with the plaintext in them, and so did the signals behind it.
  test.skipIf(WINDOWS).each(['SIGQUIT', 'SIGALRM', 'SIGVTALRM', 'SIGXCPU', 'SIGUSR2'])(
    'by a signal that was not handled, %s: ends with it, and no file remains',
    // Some of them leave a dump of the memory, where a limit allows it.
    signal => leavesNothing(signal, 'ulimit -c 0'),
  )

  test('by the end of the process, as after an exception that nobody handles: no file remains', async () => {
    const folder = withKey()
    const before = instead(
      'fsync',
      'if (calls === 1) return real(...args); setImmediate(() => process.exit(9))',
    )
    expect((await folder.run(SPLIT, { before })).status).toBe(9)
    expect(folder.names).toEqual(['key'])
  })

  test('by SIGTERM: files that were to be replaced stay', async () => {
    const folder = withKey()
    for (const name of SHARES) folder.write(name, 'old')
    expect((await folder.run([...SPLIT, '--force'], { before: at('SIGTERM') })).status).toBe(ended('SIGTERM'))
    expect(folder.names).toEqual(['key', ...SHARES])
    for (const name of SHARES) expect(folder.read(name)).toBe('old')
  })

  test('by SIGKILL: no name is taken; what remains has a temporary name', async () => {
    const folder = withKey()
    expect((await folder.run(SPLIT, { before: at('SIGKILL') })).status).toBe(ended('SIGKILL'))
    const rest = folder.names.filter(name => name !== 'key')
    expect(rest).toHaveLength(3)
    for (const name of rest) {
      expect(name).toMatch(/^\.hardware-aes-gcm-[0-9a-f]{16}\.part$/)
      expect(folder.mode(name)).toBe(OWNER_ALONE)
    }
  })

  // The signal comes between two files that get their names: the process ends after all of them have.
  test('by SIGTERM while the files get their names: all of them have', async () => {
    const folder = withKey()
    const before = instead('linkSync', `if (calls === 2) ${sent('SIGTERM')}; return real(...args)`)
    await folder.run(SPLIT, { before })
    expect(folder.names).toEqual(['key', ...SHARES])
  })
})

// It made files with the names `-`, and `--1-of-2.txt`.
describe('--out - is standard output', () => {
  const key = '5a'.repeat(32)

  test('keygen', async () => {
    const folder = new Folder()
    expect(await folder.succeed(['keygen', '--out', '-'])).toMatch(HEX)
    expect(await folder.succeed(['keygen', '-o', '-', '--raw'])).toHaveLength(32)
    expect(JSON.parse(await folder.succeed(['keygen', '--out=-', '--json']))).toHaveProperty('key')
    expect(folder.names).toEqual([])
  })

  test('split, whose shares are lines; combine, also beside shares from standard input', async () => {
    const folder = withKey()
    const input = await folder.succeed(['split', 'key', '-t2', '-n3', '--out', '-'])
    expect(input.trimEnd().split('\n')).toHaveLength(3)
    expect(await folder.succeed(['combine', '--out', '-'], { input })).toBe(`${key}\n`)
    expect(await folder.succeed(['combine', '-', '--out', '-'], { input })).toBe(`${key}\n`)
    expect(await folder.succeed(['combine', '--at', '2', '--out', '-'], { input })).toBe(
      `${input.split('\n')[1]}\n`,
    )
    expect(folder.names).toEqual(['key'])
  })

  test('split --seal and combine --open', async () => {
    const folder = withKey()
    folder.write('shares', await folder.succeed(['split', '--seal', 'key', '-t2', '-n2', '--out', '-']))
    expect(folder.names).toEqual(['key', 'key.sealed', 'shares'])
    expect(await folder.succeed(['combine', 'shares', '--open', 'key.sealed', '--out', '-'])).toBe(key)
    const input = folder.bytes('key.sealed')
    expect(await folder.succeed(['combine', 'shares', '--open', '-'], { input })).toBe(key)
    expect(await folder.fail(1, ['combine', 'shares', '--open', '-'], { input: input.fill(0) })).toBe(
      'standard input: cannot be decrypted: it belongs to other shares, or it was modified',
    )
    expect(folder.names).toEqual(['key', 'key.sealed', 'shares'])
  })

  test('a file with this name is written and read by its path', async () => {
    const folder = withKey()
    await folder.succeed(['keygen', '--out', './-'])
    expect(folder.names).toEqual(['-', 'key'])
    const input = await folder.succeed(['split', './-', '-t2', '-n2'])
    await folder.succeed(['combine', '-', '--out', './-', '--force'], { input })
    expect(folder.read('-')).toMatch(HEX)
  })
})
