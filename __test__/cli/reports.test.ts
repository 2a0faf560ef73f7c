// Commands that have changed files, and whose report of it cannot be printed; and replacements that the system refuses.
import { chmodSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Folder, FULL, WINDOWS } from './program.js'

function withKeyset(name = 'keys'): Folder {
  const folder = new Folder()
  folder.write(name, `7:${'5a'.repeat(32)}`)
  chmodSync(folder.in(name), 0o600)
  folder.write('key', '5a'.repeat(32))
  return folder
}

describe.skipIf(!FULL)('keyset-add-full-output: exit code 4 after a change', () => {
  const shell = 'exec >/dev/full'
  test.each([
    [['keyset', 'add', 'keys'], 'the key was added'],
    [['keyset', 'add', 'keys', '--json'], 'the key was added'],
    [['keyset', 'new', 'other'], 'the file was created'],
    [['keyset', 'promote', 'keys', '--id', '7', '--json'], 'the key was promoted'],
    [['keygen', '--out', 'new', '--json'], 'the --out file was written'],
    [['encrypt', '--key', 'key', 'key', '--out', 'new', '--json'], 'the --out file was written'],
    [['split', 'key', '-t2', '-n3', '--out', 'new'], 'the --out files were written'],
  ])('%j', async (args, done) => {
    const { status, stderr } = await withKeyset().run(args, { shell })
    expect(status).toBe(4)
    expect(stderr).toContain(done)
    expect(stderr).toContain('do not repeat the command')
  })

  test('a command that changed nothing fails with 1', async () => {
    expect((await withKeyset().run(['keyset', 'list', 'keys'], { shell })).status).toBe(1)
    expect((await withKeyset().run(['keygen'], { shell })).status).toBe(1)
  })
})

describe.skipIf(WINDOWS)('bind-mounted-keyset: a replacement that the system refuses', () => {
  test.each([
    ['EBUSY', 'is mounted as a single file'],
    ['EPERM', 'immutable'],
    ['EROFS', 'the file system is read-only'],
  ])('%s', async (code, what) => {
    const folder = withKeyset()
    const before = `fs.renameSync = () => { throw Object.assign(new Error('planted'), { code: '${code}', syscall: 'rename' }) }`
    const commands = [
      ['keyset', 'add', 'keys'],
      ['keygen', '--out', 'key', '--force'],
    ]
    for (const args of commands) expect(await folder.fail(1, args, { before })).toContain(what)
    expect(folder.names).toEqual(['key', 'keys'])
  })
})

test('keyset-long-name: a keyset whose name has 255 bytes can be changed', async () => {
  const name = WINDOWS ? 'n'.repeat(200) : 'n'.repeat(255)
  const folder = withKeyset(name)
  await folder.succeed(['keyset', 'add', name])
  expect(folder.names).toEqual(['key', name])
})
