// Keysets of key services: the programs of --unwrap and --wrap, which may be missing, slow, killed or wrong.
import { ChildProcess } from 'node:child_process'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test, vi } from 'vitest'
import { Folder, OWNER_ALONE, WINDOWS } from './program.js'

const NODE = `'${process.execPath}'`
const by = (name: string) => `${NODE} ${name}.cjs`
/** Programs that encode and decode, which takes the place of encryption: those of the system start faster than Node. */
const [WRAP, UNWRAP] = WINDOWS ? [by('service'), `${by('service')} -d`] : ['base64', 'base64 -d']
const SERVICE = `
  const chunks = []
  process.stdin.on('data', chunk => chunks.push(chunk)).on('end', () => {
    const bytes = Buffer.concat(chunks)
    const decoded = () => Buffer.from(bytes.toString(), 'base64')
    process.stdout.write(process.argv[2] === '-d' ? decoded() : bytes.toString('base64'))
  })`
const encode = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString('base64'))
const decode = (bytes: Uint8Array) => Buffer.from(Buffer.from(bytes).toString(), 'base64')
const BOTH = ['--unwrap', UNWRAP, '--wrap', WRAP]

/** A folder with programs and an encrypted keyset. */
async function filled(programs: Record<string, string> = {}) {
  const folder = new Folder()
  const files = { ...(WINDOWS && { service: SERVICE }), ...programs }
  for (const [name, source] of Object.entries(files)) folder.write(`${name}.cjs`, source)
  const keyring = Keyring.generate()
  folder.write('keys', await keyring.wrap(encode))
  return { folder, keyring, id: String(keyring.keys[0]?.id) }
}

const opened = (folder: Folder, name = 'keys') => Keyring.unwrap(folder.read(name), decode)

describe('a keyset of a key service', () => {
  test('is made, changed, listed and used, and its keys never lie in the file', async () => {
    const { folder, id } = await filled()
    const added = (await folder.succeed(['keyset', 'add', 'keys', ...BOTH])).trim()
    await folder.succeed(['keyset', 'promote', 'keys', '--id', added, ...BOTH])
    await folder.succeed(['keyset', 'delete', 'keys', '--id', id, ...BOTH])
    expect((await opened(folder)).keys.map(key => String(key.id))).toEqual([added])
    expect(await folder.succeed(['keyset', 'list', 'keys', '--unwrap', UNWRAP])).toContain(added)
    expect(folder.mode('keys') & 0o600).toBe(0o600)

    const made = (await folder.succeed(['keyset', 'new', 'more', '--wrap', WRAP])).trim()
    expect((await opened(folder, 'more')).keys.map(key => String(key.id))).toEqual([made])
    expect(folder.mode('more')).toBe(OWNER_ALONE)
    const use = ['--keyset', 'more', '--unwrap', UNWRAP]
    const sealed = await folder.succeed(['seal', ...use], { input: 'text' })
    expect(await folder.succeed(['open', ...use], { input: sealed })).toBe('text\n')
  })

  test('a program that is needed, and one that is not', async () => {
    const { folder } = await filled()
    await folder.succeed(['keyset', 'new', 'clear'])
    const fail = (status: 1 | 2, ...args: string[]) => folder.fail(status, ['keyset', ...args])
    expect(await fail(1, 'list', 'keys')).toBe(
      'keys: is encrypted by a key service: pass --unwrap PROGRAM to decrypt it',
    )
    expect(await fail(1, 'add', 'keys', '--unwrap', UNWRAP)).toBe(
      'keys: is encrypted by a key service: pass --wrap PROGRAM to encrypt it again',
    )
    expect(await fail(1, 'list', 'clear', '--unwrap', UNWRAP)).toBe(
      'clear: is not encrypted: --unwrap is for an encrypted keyset',
    )
    expect(await fail(1, 'add', 'clear', '--wrap', WRAP)).toBe(
      'clear: is not encrypted: --wrap is for an encrypted keyset',
    )
    expect(await fail(2, 'list', 'keys', ...BOTH)).toMatch(/--wrap applies only to/)
    expect(await fail(2, 'new', 'other', '--unwrap', 'x')).toMatch(/--unwrap needs --wrap/)
    expect(await fail(2, 'new', 'other', '--wrap', 'x', '--passphrase')).toMatch(
      /cannot be combined with --wrap/,
    )
    expect(folder.names).not.toContain('other')
  })
})

describe('what a program may do', () => {
  const OTHER = JSON.stringify([...Buffer.from('0a', 'hex')])
  const CASES: [string, string, RegExp][] = [
    [
      'fails',
      "process.stderr.write('first\\nno \\u001b[1mright\\n'); process.exit(3)",
      /^the --unwrap program ended with exit code 3: no \\u\{1b\}\[1mright$/,
    ],
    [
      'is killed',
      "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1e3)",
      /ended with (SIGKILL|exit code 1)/,
    ],
    ['prints nothing', '', /^the --unwrap program printed nothing$/],
    ['prints garbage', "process.stdout.write('garbage')", /did not print a keyset/],
    ['prints the ciphertext', 'process.stdin.pipe(process.stdout)', /did not print a keyset/],
    [
      'prints without an end',
      "process.on('uncaughtException', () => process.exit(0)); const more = () => process.stdout.write(Buffer.alloc(1e6), more); more()",
      /printed more than 2097152 bytes/,
    ],
    ['prints one byte', `process.stdout.write(Buffer.from(${OTHER}))`, /did not print a keyset/],
    ['does not read, and ends', 'process.stdin.destroy(); process.exit(0)', /printed nothing/],
  ]
  test.each(CASES)('--unwrap %s', async (_, source, message) => {
    const { folder } = await filled({ wrong: source })
    const before = folder.read('keys')
    const args = ['keyset', 'add', 'keys', '--unwrap', by('wrong'), '--wrap', WRAP]
    expect(await folder.fail(1, args)).toMatch(message)
    expect([folder.read('keys'), folder.names]).toEqual([
      before,
      ['keys', ...(WINDOWS ? ['service.cjs'] : []), 'wrong.cjs'],
    ])
  })

  test('--unwrap prints another keyset than the file describes', async () => {
    const other = Keyring.generate()
    let bytes = ''
    await other.wrap(given => {
      bytes = Buffer.from(given).toString('hex')
      return encode(given)
    })
    const { folder } = await filled({ wrong: `process.stdout.write(Buffer.from('${bytes}', 'hex'))` })
    const before = folder.read('keys')
    const args = ['keyset', 'add', 'keys', '--unwrap', by('wrong'), '--wrap', WRAP]
    expect(await folder.fail(1, args)).toBe(
      'the --unwrap program did not print the keyset that the file describes',
    )
    expect(folder.read('keys')).toBe(before)
  })

  test.each([
    ['fails', 'process.exit(1)', /^the --wrap program ended with exit code 1$/],
    ['prints nothing', '', /^the --wrap program printed nothing$/],
    [
      'does not encrypt',
      'process.stdin.pipe(process.stdout)',
      // The program on Windows skips what is not base64, as Node does.
      WINDOWS ? /^the --unwrap program does not decrypt/ : /^the --unwrap program ended with exit code 1/,
    ],
    [
      'cuts the keyset',
      SERVICE.replace('Buffer.concat(chunks)', 'Buffer.concat(chunks).subarray(20)'),
      /does not decrypt the output of the --wrap program/,
    ],
  ])('--wrap %s: the file stays as it is', async (_, source, message) => {
    const { folder } = await filled({ wrong: source })
    const before = folder.read('keys')
    const args = ['keyset', 'add', 'keys', '--unwrap', UNWRAP, '--wrap', by('wrong')]
    expect(await folder.fail(1, args)).toMatch(message)
    expect([folder.read('keys'), folder.names]).toEqual([
      before,
      ['keys', ...(WINDOWS ? ['service.cjs'] : []), 'wrong.cjs'],
    ])
    expect(await folder.fail(1, ['keyset', 'new', 'new', '--wrap', `${NODE} missing.cjs`])).toMatch(
      /exit code 1/,
    )
    expect(folder.names).not.toContain('new')
  })

  test('--wrap that prints what it reads', async () => {
    const { folder } = await filled({ same: 'process.stdin.pipe(process.stdout)' })
    const both = ['--unwrap', by('same'), '--wrap', by('same')]
    expect(await folder.fail(1, ['keyset', 'new', 'new', ...both])).toBe(
      'the --wrap program printed the keys unencrypted',
    )
    expect(folder.names).not.toContain('new')
  })

  test('--timeout, and a program that does not exist', async () => {
    const { folder } = await filled({ slow: 'setInterval(() => {}, 1e3)' })
    const list = ['keyset', 'list', 'keys', '--unwrap']
    expect(await folder.fail(1, [...list, by('slow'), '--timeout', '1'])).toBe(
      'the --unwrap program did not finish within 1 s',
    )
    expect(await folder.fail(1, [...list, 'sk_live_1234'])).toBe('the --unwrap program does not exist')
    expect(await folder.fail(2, [...list, by('slow'), '--timeout', '0'])).toMatch(/--timeout must be/)
  })

  test.skipIf(WINDOWS)('a program that the system cannot start', async () => {
    const { folder } = await filled()
    const list = ['keyset', 'list', 'keys', '--unwrap']
    const started = /^the --unwrap program could not be started: (E2BIG|ENAMETOOLONG)$/
    expect(await folder.fail(1, [...list, 'x'.repeat(10_000)])).toMatch(started)
    expect(await folder.fail(1, [...list, `${UNWRAP} '${'x'.repeat(2 ** 21)}'`])).toMatch(started)
    // As Node does when the process has too many open files: no streams, and an event.
    vi.spyOn(ChildProcess.prototype as unknown as { spawn(): void }, 'spawn').mockImplementation(function (
      this: ChildProcess,
    ) {
      process.nextTick(() => this.emit('error', Object.assign(new Error('spawn'), { code: 'EMFILE' })))
    } as never)
    try {
      expect(await folder.fail(1, [...list, UNWRAP])).toBe(
        'the --unwrap program could not be started: EMFILE',
      )
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('the time of a slow program is no time of waiting for other processes', async () => {
    // Changes the file once, so the first attempt fails. The clock leaps by an hour with each run.
    const meddle = `const fs = require('fs')
      fs.appendFileSync('runs', '.')
      if (!fs.existsSync('met')) { fs.writeFileSync('met', ''); fs.appendFileSync('keys', ' ') }
      process.argv.splice(2, 99, '-d');${SERVICE}`
    const { folder } = await filled({ meddle })
    folder.write('runs', '')
    const real = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => real() + 3_600_000 * folder.read('runs').length)
    try {
      const add = ['keyset', 'add', 'keys', '--unwrap', by('meddle'), '--wrap', WRAP]
      const added = (await folder.succeed(add)).trim()
      expect((await opened(folder)).keys.map(key => String(key.id))).toContain(added)
      expect(folder.read('runs').length).toBeGreaterThan(1)
    } finally {
      vi.restoreAllMocks()
    }
  })
})

test('words: blanks separate, quotation marks keep, and what a shell would obey is refused', async () => {
  const echo = `require('fs').writeFileSync('words', JSON.stringify(process.argv.slice(2))); process.argv.splice(2, 99, '-d');${SERVICE}`
  const { folder } = await filled({ echo })
  const words = async (text: string) => {
    await folder.succeed(['keyset', 'list', 'keys', '--unwrap', `${by('echo')} ${text}`])
    return JSON.parse(folder.read('words')) as string[]
  }
  expect(await words(`one\t 'two words' "it's" a'b c'd '' C:\\x "|>$\`"`)).toEqual([
    ...['one', 'two words', "it's", 'ab cd', '', 'C:\\x', '|>$`'],
  ])
  const list = ['keyset', 'list', 'keys', '--unwrap']
  for (const text of ['a | b', 'a > b', 'a < b', 'a; b', 'a & b', 'a $HOME', 'a `b`', 'a (b)'])
    expect(await folder.fail(2, [...list, text])).toMatch(
      /runs without a shell: put it in quotes, or run a shell/,
    )
  for (const text of ["a 'b", 'a "b', ' ', "''"])
    expect(await folder.fail(2, [...list, text])).toMatch(/^--unwrap/)
})
