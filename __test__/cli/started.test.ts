// How the programs of --unwrap and --wrap are started: with a pipe as standard input, found as the system finds them, and ended with the
// command.
import { chmodSync, existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Folder, WINDOWS } from './program.js'

const encode = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('base64'))
/** A folder with an encrypted keyset, which `base64 -d` decrypts. */
async function filled() {
  const folder = new Folder()
  folder.write('keys', await Keyring.generate().wrap(encode))
  return folder
}
const list = (unwrap: string, ...more: string[]) => ['keyset', 'list', 'keys', `--unwrap=${unwrap}`, ...more]

/** Whether a process runs, after it had some time to end. */
async function runs(id: number): Promise<boolean> {
  for (let i = 0; i < 100; i++) {
    try {
      process.kill(id, 0)
    } catch {
      return false
    }
    await wait(20)
  }
  return true
}

describe.skipIf(WINDOWS)('unwrap-dev-stdin: a program can open /dev/stdin again', () => {
  test.each([
    'base64 -d /dev/stdin',
    "sh -c 'base64 -d /dev/stdin'",
    "sh -c 'sleep 0.3; base64 -d /dev/stdin'",
  ])('%s', async unwrap => {
    const folder = await filled()
    expect(await folder.succeed(list(unwrap), { process: true })).toContain('enabled')
  })

  test('--wrap, and a keyset longer than a pipe', async () => {
    const folder = await filled()
    const keyring = Keyring.generate()
    for (let i = 0; i < 900; i++) keyring.add({ key: Buffer.alloc(32, `key ${i}`), id: i + 1 })
    const sealed = await keyring.wrap(encode)
    expect(sealed.length).toBeGreaterThan(65_536)
    folder.write('keys', sealed)
    const both = ['--unwrap', 'base64 -d /dev/stdin', '--wrap', 'base64 /dev/stdin']
    await folder.succeed(['keyset', 'add', 'keys', ...both])
    expect(await folder.fail(1, list('true'))).toBe('the --unwrap program printed nothing')
  })
})

describe.skipIf(WINDOWS)('the program is the one that the system finds, and its end is told', () => {
  test('a name that only a shell knows is no program', async () => {
    const folder = await filled()
    for (const name of ['exit', 'eval', ':', '-c', 'missing/program'])
      expect(await folder.fail(1, list(name)), name).toBe('the --unwrap program does not exist')
  })

  test('a folder, and a file that is not executable', async () => {
    const folder = await filled()
    folder.folder('folder')
    folder.write('file', '#!/bin/sh\n')
    chmodSync(folder.in('file'), 0o600)
    for (const name of ['./folder', './file'])
      expect(await folder.fail(1, list(name))).toBe('the --unwrap program is not executable')
  })

  test('a file whose name is an option of shells', async () => {
    const folder = await filled()
    folder.folder('-c')
    folder.write('-c/run', '#!/bin/sh\nexec base64 -d /dev/stdin\n')
    chmodSync(folder.in('-c/run'), 0o700)
    expect(await folder.succeed(list('-c/run'))).toContain('enabled')
  })

  test.each([1, 2, 126, 127, 200])('exit code %i is its own', async code => {
    const folder = await filled()
    const unwrap = `sh -c 'echo why >&2; exit ${code}'`
    expect(await folder.fail(1, list(unwrap))).toBe(`the --unwrap program ended with exit code ${code}: why`)
  })

  test('words reach it as they are', async () => {
    const folder = await filled()
    folder.write('run', `#!/bin/sh\nprintf '%s\\n' "$@" >words\nexec base64 -d\n`)
    chmodSync(folder.in('run'), 0o700)
    await folder.succeed(list(`./run '' "a  b" '$HOME \`x\`' '*' "it's" -- -n`))
    expect(folder.read('words')).toBe("\na  b\n$HOME `x`\n*\nit's\n--\n-n\n")
  })
})

describe.skipIf(WINDOWS)('the program ends with the command', () => {
  const SLOW = `sh -c 'echo $$ >id; exec sleep 1000'`

  test('at the end of --timeout', async () => {
    const folder = await filled()
    expect(await folder.fail(1, list(SLOW, '--timeout', '1'))).toBe(
      'the --unwrap program did not finish within 1 s',
    )
    expect(await runs(Number(folder.read('id')))).toBe(false)
  })

  test('after too much output', async () => {
    const folder = await filled()
    expect(await folder.fail(1, list(`sh -c 'echo $$ >id; exec cat /dev/zero'`))).toMatch(/printed more than/)
    expect(await runs(Number(folder.read('id')))).toBe(false)
  })

  test('by a signal', async () => {
    const folder = await filled()
    const before = `setInterval(() => { if (fs.existsSync('id')) process.kill(process.pid, 'SIGTERM') }, 20)`
    expect((await folder.run(list(SLOW), { before })).status).toBe('SIGTERM')
    expect(existsSync(folder.in('id'))).toBe(true)
    expect(await runs(Number(folder.read('id')))).toBe(false)
  })
})
