// Steps of the system that fail while a command writes files, or that another process comes before.
import { chmodSync, linkSync, mkdirSync } from 'node:fs'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder, unnamed, WINDOWS } from './program.js'

const LOCK = '.hardware-aes-gcm-keys.lock'
const SHARES = ['new-1-of-3.txt', 'new-2-of-3.txt', 'new-3-of-3.txt']
const SPLIT = ['split', 'key', '-t2', '-n3', '--out', 'new']
const FAIL = `const fail = code => { throw Object.assign(new Error('planted'), { code }) }; `

function prepared(): Folder {
  const folder = new Folder()
  folder.write('key', '5a'.repeat(32))
  folder.write('keys', `7:${'5a'.repeat(32)}`)
  chmodSync(folder.in('keys'), 0o600)
  return folder
}

describe('new files', () => {
  const names = (...others: string[]) => ['key', 'keys', ...others].sort()

  test('every answer of a file system without links', async () => {
    const folder = prepared()
    const before = `${FAIL} const codes = ['ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']; fs.linkSync = () => fail(codes.pop())`
    await folder.succeed(['split', 'key', '-t2', '-n4', '--out', 'new'], { before })
    expect(folder.names).toHaveLength(6)
  })

  test('another failure of a link, a folder that vanished among them', async () => {
    const folder = prepared()
    for (const [code, message] of [
      ['EACCES', 'permission denied'],
      ['ENOENT', 'does not exist'],
    ]) {
      const before = `${FAIL} fs.linkSync = () => fail('${code}')`
      expect(await folder.fail(1, SPLIT, { before })).toBe(
        unnamed('--out...-1-of-3.txt', 'new-1-of-3.txt', message),
      )
    }
    expect(folder.names).toEqual(names())
  })

  test('a write that fails', async () => {
    const folder = prepared()
    const before = `${FAIL} let calls = 0; const { write } = fs
      fs.write = (...args) => ++calls < 3 ? write(...args) : args.at(-1)(Object.assign(new Error(), { code: 'EIO' }))`
    expect(await folder.fail(1, SPLIT, { before })).toBe(
      unnamed('--out...-3-of-3.txt', 'new-3-of-3.txt', 'the device failed'),
    )
    expect(folder.names).toEqual(names())
  })

  test('with --json, the file of a failure, its code and its reason', async () => {
    const folder = prepared()
    mkdirSync(folder.in('folder'))
    const missing = unnamed('--out', 'none/new', 'its folder does not exist')
    for (const [file, error] of [
      ['none/new', { code: 'ENOENT', message: missing }],
      ['folder', { code: 'EEXIST', message: 'folder: is a folder, not a file', files: ['folder'] }],
    ] as const) {
      const { status, stderr } = await folder.run(['keygen', '--out', file, '--force', '--json'])
      expect([status, JSON.parse(stderr)]).toEqual([1, { error }])
    }
  })

  test.skipIf(WINDOWS)('--force replaces no symbolic link that appears while the command runs', async () => {
    const folder = prepared()
    const before = `const { fsync } = fs; fs.fsync = (...args) => { fs.symlinkSync('key', 'new'); fsync(...args) }`
    expect(await folder.fail(1, ['keygen', '--out', 'new', '--force'], { before })).toBe(
      'new: is a symbolic link, which is not followed',
    )
    expect([folder.names, folder.read('key')]).toEqual([names('new'), '5a'.repeat(32)])
  })

  test.skipIf(WINDOWS)(
    'of a process that is killed when a file has its name, it has no other one',
    async () => {
      const folder = prepared()
      const before = `let calls = 0; const { linkSync } = fs
      fs.linkSync = (...args) => ++calls === 2 ? process.kill(process.pid, 'SIGKILL') : linkSync(...args)`
      expect((await folder.run(SPLIT, { before })).status).toBe('SIGKILL')
      const part = expect.stringMatching(/^\.hardware-aes-gcm-\w{16}\.part$/)
      expect(folder.names).toEqual([part, part, ...names(SHARES[0] as string)])
    },
  )

  test('a file by the name - is not the source that is split', async () => {
    const folder = prepared()
    folder.write('-', 'old')
    linkSync(folder.in('-'), folder.in(SHARES[0] as string))
    await folder.succeed(['split', '-t2', '-n3', '--out', 'new', '--force'], { input: folder.read('key') })
    expect(folder.read('-')).toBe('old')
  })
})

describe('the file of a keyset', () => {
  const ADD = ['keyset', 'add', 'keys']
  const count = (folder: Folder) => Keyring.parse(folder.read('keys').trim()).keys.length

  const fails = async (does: string, message: string) => {
    const folder = prepared()
    // A clock that ends the patience, should the command wait.
    const before = `${FAIL} let clock = 0; performance.now = () => (clock += 500); ${does}`
    expect(await folder.fail(1, ADD, { before })).toBe(`keys: ${message}`)
    expect([folder.names, count(folder)]).toEqual([['key', 'keys'], 1])
  }

  test('a link that is refused', () => fails(`fs.linkSync = () => fail('EACCES')`, 'permission denied'))

  test('a copy that fails', () =>
    fails(`fs.linkSync = () => fail('EPERM'); fs.copyFileSync = () => fail('EIO')`, 'the device failed'))

  // On Windows, another program may have the file open for a moment.
  test.skipIf(WINDOWS)('a last step that fails', () =>
    fails(`fs.renameSync = () => fail('EPERM')`, 'operation not permitted'),
  )

  test('a lock that another process takes right after the change stays', async () => {
    const folder = prepared()
    const before = `const { renameSync } = fs
      fs.renameSync = (...args) => { renameSync(...args); fs.writeFileSync('${LOCK}', 'of another process') }`
    await folder.succeed(ADD, { before })
    expect([folder.names, count(folder)]).toEqual([[LOCK, 'key', 'keys'], 2])
  })

  test('a process that has run for long changes it as well', async () => {
    const folder = prepared()
    const before = 'let clock = 1e6; performance.now = () => (clock += 100)'
    await folder.succeed(ADD, { before })
    expect(count(folder)).toBe(2)
  })

  test('a lock that NFS made, and then reported as taken, is this process its own', async () => {
    const folder = prepared()
    const before = `${FAIL} const { linkSync } = fs
      fs.linkSync = (...args) => { linkSync(...args); fail('EEXIST') }`
    await folder.succeed(ADD, { before })
    expect([folder.names, count(folder)]).toEqual([['key', 'keys'], 2])
  })
})

// Otherwise a name could come back empty after a power failure; and Windows renames no file that is open.
test.skipIf(WINDOWS)(
  'a file is on the disk and closed before it has its name, and then its folder',
  async () => {
    const folder = prepared()
    const traced = `const calls = []
    for (const name of ['fsync', 'fsyncSync', 'closeSync', 'linkSync', 'renameSync']) {
      const real = fs[name]
      fs[name] = (...args) => {
        const caller = new Error().stack.split('\\n')[2]
        if (name === 'fsync' || /files.(part-file|replacement)/.test(caller)) calls.push(name)
        return real(...args)
      }
    }
    process.on('exit', () => fs.writeFileSync('calls', calls.join(' '))); `
    const callsOf = async (args: string[], before = '') => {
      await folder.run(args, { before: traced + before })
      return folder.read('calls')
    }
    expect(await callsOf(['keygen', '--out', 'new'])).toBe('fsync closeSync linkSync fsyncSync closeSync')
    expect(await callsOf(['keyset', 'add', 'keys'])).toBe(
      'fsyncSync closeSync linkSync renameSync fsyncSync closeSync',
    )
    const full = `${FAIL} fs.writeSync = () => fail('ENOSPC')`
    expect(await callsOf(['keyset', 'add', 'keys'], full)).toBe('closeSync')
  },
)

// Numbers above 2^53, as some file systems have them, are equal when they are rounded.
describe('files with long numbers, and files without a number', () => {
  const plant = (number: string) => `
    for (const name of ['statSync', 'fstatSync']) {
      const stat = fs[name]
      fs[name] = (...args) => {
        const found = stat(...args)
        if (found && (typeof args[0] !== 'object')) found.ino = typeof found.ino === 'bigint' ? ${number} : Number(${number})
        return found
      }
    }`
  const LONG = plant('2n ** 60n + BigInt(found.ino)')

  test('another file is not the same file', async () => {
    const args = ['encrypt', 'keys', '--key', 'key', '--out', 'other', '--force']
    for (const before of [LONG, plant('0n * BigInt(found.ino)')]) {
      const folder = prepared()
      folder.write('other', 'old')
      await folder.succeed(args, { before })
      expect(folder.read('other')).not.toBe('old')
    }
  })

  test.skipIf(WINDOWS)('standard input by another name is', async () => {
    const folder = prepared()
    const options = { before: LONG, input: folder.read('key') }
    expect(await folder.fail(2, ['encrypt', '--key', '/dev/stdin', '--out', 'new'], options)).toMatch(
      /reads standard input: pass the data in a FILE/,
    )
  })
})
