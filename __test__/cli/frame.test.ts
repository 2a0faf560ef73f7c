// The command line's frame: help, versions, arguments that are not understood, failures as JSON, pipes.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'
import { Folder, FULL, MAIN, nodeArguments, runHere, Sink, unnamed, WINDOWS } from './program.js'

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
/** Every command, with its options as the help names them. */
const COMMANDS = `
  info:
  keygen: --bits NUMBER | -o, --out FILE | --passphrase | --passphrase-file FILE | --raw | --force
  encrypt: -k, --key FILE | --passphrase-file FILE | --key-env NAME | -c, --context TEXT | --to FILE |
      -o, --out FILE | --force | --no-progress
  decrypt: -k, --key FILE | --passphrase-file FILE | --key-env NAME | -c, --context TEXT |
      --unwrap PROGRAM | --timeout SECONDS | --range FROM-TO | -o, --out FILE | --force | --no-progress
  keyset: --type TYPE | --hybrid NAME | --id ID | --passphrase | --passphrase-file FILE | --unwrap PROGRAM |
      --timeout SECONDS | --wrap PROGRAM | -o, --out FILE | --force
  rotate: --url-env NAME | --table NAME | --schema NAME | --id COLUMN | --unbound | --column COLUMN... |
      --where COLUMN=VALUE... | --as NAME | --keyset FILE | --passphrase-file FILE | --unwrap PROGRAM |
      --timeout SECONDS | --dry-run | --failures FILE | --force | --old-layout LAYOUT |
      --old-encoding NAME | --old-key FILE | --old-cloak FILE | --from-clear | --back | --to clear |
      --confirm TEXT | --batch NUMBER | --pause MILLISECONDS | --statement-timeout SECONDS |
      --lock-timeout SECONDS | --no-progress
  seal: --keyset FILE | --passphrase-file FILE | --unwrap PROGRAM | --timeout SECONDS | --aad TEXT |
      --context PART...
  open: --keyset FILE | --passphrase-file FILE | --unwrap PROGRAM | --timeout SECONDS | --aad TEXT |
      --context PART...
  inspect: --keyset FILE | --passphrase-file FILE | --unwrap PROGRAM | --timeout SECONDS
  split: -t, --threshold NUMBER | -n, --shares NUMBER | -o, --out PLACE | --seal FILE | --binary |
      --type TYPE | --force | --no-progress
  combine: -o, --out FILE | --raw | --open FILE | --at NUMBER | -t, --threshold NUMBER | --force |
      --no-progress
`
  .trim()
  .split(/\n {2}(?=\w)/)
  .map(command => command.split(':'))
  .map(([name = '', options = '']): [string, string[]] => [name, options.match(/[^\s|][^|]*[^\s|]/g) ?? []])

describe('help', () => {
  test('the whole: every command with a line, in at most 78 columns', async () => {
    const folder = new Folder()
    const help = await folder.succeed(['--help'])
    for (const [name] of COMMANDS) expect(help).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'))
    expect(help).toMatch(/^ {2}-h, --help {2,}Show this help; after a command, the help of that command$/m)
    expect(help).toMatch(/^ {2}--version {2,}Show the version$/m)
    expect(help.split('\n').filter(line => line.length > 78)).toEqual([])
    // No word is answered by a question for itself.
    for (const args of [['-h'], ['help'], ['help', 'help'], ['help', '-h'], ['--help', '--help']])
      expect(await folder.succeed(args)).toBe(help)
  })

  test.each(COMMANDS)('%s: usage, every option, examples, in at most 78 columns', async (name, options) => {
    const folder = new Folder()
    const help = await folder.succeed([name, '--help'])
    const shown = Array.from(help.matchAll(/^ {2}(?: {4}|(?=-))(-.*?) {2}/gm), ([, option]) => option)
    expect(shown).toEqual([...options, '--json', '-h, --help'])
    const [, usage = '', about = '', ...others] = help.split('\n\n')
    const [first, ...ways] = usage.split('\n')
    expect(first).toMatch(new RegExp(`^Usage: hardware-aes-gcm ${name} `))
    for (const way of ways) expect(way).toMatch(new RegExp(`^ {7}hardware-aes-gcm ${name} `))
    expect(about).toMatch(/^[A-Z].*\.$/s)
    const lines = about.split('\n')
    for (const [i, line] of lines.entries()) {
      expect(line).toMatch(/^\S+( \S+)*$/)
      // The first word of the next line did not fit.
      if (i > 0) expect(`${lines[i - 1]} ${line.replace(/ .*/, '')}`.length).toBeGreaterThan(78)
    }
    for (const line of (others.at(-2) as string).split('\n').slice(1))
      expect(line).toMatch(/^ {2}(-| {4}-| {9,}\S)/)
    const examples = (others.at(-1) as string).trimEnd().split('\n')
    for (const line of examples.slice(1))
      expect(line).toMatch(new RegExp(`^ {2}hardware-aes-gcm (.* )?${name}\\b`))
    expect(help).toContain(`\nExamples:\n  hardware-aes-gcm ${name}`)
    expect(help.split('\n').filter(line => line.length > 78)).toEqual([])
    for (const args of [
      [name, '-h'],
      ['help', name],
      [name, 'file', '-h'],
    ])
      expect(await folder.succeed(args)).toBe(help)
  })

  test('without arguments: the help on standard error, exit code 2', async () => {
    const folder = new Folder()
    const help = await folder.succeed(['--help'])
    expect(await folder.run([], { process: true })).toEqual({ status: 2, stdout: '', stderr: help })
  })

  test('--version', async () => {
    const folder = new Folder()
    for (const flag of ['--version', '-V'])
      expect(await folder.succeed([flag])).toBe(`hardware-aes-gcm ${version}\n`)
  })
})

test('a command loads its own file, and those of no other command', () => {
  const program = MAIN.replace('main.cjs', 'program.cjs')
  const script = `require(${JSON.stringify(program)}).main(['keygen'], process).then(() => {
    for (const file of Object.keys(require.cache)) if (/[\\\\/]commands[\\\\/]/.test(file)) console.log(file)
  })`
  const { stdout } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  const [key, ...files] = stdout.trimEnd().split('\n')
  expect([key?.length, files.map(file => basename(file))]).toEqual([64, ['keygen.cjs']])
})

describe('what is not understood ends with 2 and a hint', () => {
  test.each([
    [['splt'], /^'splt' is not a command; did you mean split\? \(see hardware-aes-gcm --help\)$/],
    [['slpit'], /^'slpit' is not a command; did you mean split\? \(/],
    [['spliced'], /^an argument of 7 characters is not a command \(/],
    [['enc'], /^'enc' is not a command; did you mean encrypt\? \(/],
    // Two slips are a hint, unless they are half of the letters; two letters that changed places are one slip.
    [['enypt'], /^'enypt' is not a command; did you mean encrypt\? \(/],
    [['kygn'], /^an argument of 4 characters is not a command \(/],
    [['mcoibne'], /^an argument of 7 characters is not a command \(/],
    // A secret that ends as an option of one letter.
    [['hunter2-x'], /^an argument of 9 characters is not a command \(/],
    [['split', '--xh', '2'], /^an argument of 4 characters is not an option of split \(/],
    [['--verison'], /^--verison must come after a command; did you mean --version\? \(/],
    [['hlep'], /^'hlep' is not a command; did you mean help\? \(/],
    [['--json'], /^--json must come after a command/],
    [['help', '--version'], /^--version must come after a command \(/],
    [['help', 'nothing'], /^an argument of 7 characters is not a command \(/],
    [['constructor'], /^an argument of 11 characters is not a command/],
    [
      ['keygen', '--bit', '128'],
      /^--bit is not an option of keygen; did you mean --bits\? \(see hardware-aes-gcm keygen --help\)$/,
    ],
    [['split', '--thresh', '2'], /^--thresh is not an option of split; did you mean --threshold\?/],
    [['keygen', '-x'], /^-x is not an option of keygen \(/],
    [['keygen', '--constructor'], /^an argument of 13 characters is not an option/],
    [['keygen', '--__proto__=1'], /^an argument of 11 characters is not an option/],
    [['keygen', '--bits'], /^--bits needs a value: --bits NUMBER/],
    [['keygen', '--bits='], /^--bits needs a value/],
    [['keygen', '-o=key'], /^-o takes its value without '=': -o FILE/],
    [['keygen', '--out', '--force'], /^--out needs a value: --out FILE/],
    [['keygen', '--json=yes'], /^--json takes no value/],
    [['keygen', '--json', '--json'], /^--json is given twice/],
    [['keygen', '-o', 'a', '--out', 'b'], /^--out is given twice/],
    [['keygen', '--bits', '192'], /^--bits must be 128 or 256/],
    [['keygen', '--bits', '0x80'], /^--bits must be 128 or 256/],
    [['keygen', 'file'], /^keygen accepts no files, got 1/],
    [['info', '--', '--json'], /^info accepts no files, got 1/],
    [['keygen', '--force'], /^--force needs --out/],
    [['keygen', '--raw', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['split', 'a', 'b', '-t2', '-n3'], /^split accepts one file, got 2/],
    [['split', 'a', '-t2'], /^split needs --threshold and --shares/],
    [['split', 'a', '-t', '1', '-n', '3'], /^--threshold must be a whole number from 2 to 255/],
    [['split', 'a', '-t', '2', '-n', '256'], /^--shares must be a whole number from 2 to 255/],
    [['split', 'a', '-t', '2.0', '-n', '3'], /^--threshold must be a whole number/],
    [['split', 'a', '-t', '1e1', '-n', '30'], /^--threshold must be a whole number/],
    [['split', 'a', '-t', '4', '-n', '3'], /^--threshold 4 is above --shares 3/],
    [['split', 'a', '-t2', '-n3', '--type', 'other'], /^--type must be compact or random/],
    [['split', 'a', '-t2', '-n3', '--type=compact', '--binary'], /^--binary cannot be combined with --type/],
    [['split', 'a', '-t2', '-n3', '--binary'], /^--binary needs --out/],
    [['split', 'a', '-t2', '-n3', '--force'], /^--force needs --out or --seal/],
    [['split', 'a', '-t2', '-n3', '--seal', 'b'], /^--seal generates the key/],
    [['split', '-t2', '-n3', '--seal=-'], /^--seal needs a file/],
    [['combine', 'a', '--at', '0'], /^--at must be a whole number from 1 to 255/],
    [['combine', 'a', '--at', '256'], /^--at must be a whole number from 1 to 255/],
    [['combine', 'a', '--at', `${'0f'.repeat(32)}g`], /^--at must be a whole number/],
    [['combine', 'a', '--at', `g${'0f'.repeat(32)}`], /^--at must be a whole number/],
    [['combine', 'a', '--at', '2', '--raw'], /^--raw applies to a key/],
    [['combine', 'a', '--at', '2', '--force'], /^--force needs --out FILE/],
    [['combine', 'a', '--raw', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['combine', 'a', '--raw', '--open', 'b'], /^--raw cannot be combined with --open/],
    [['combine', 'a', '--at', '2', '--open', 'b'], /^--at cannot be combined with --open/],
    [['combine', 'a', '--open', 'b', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['combine', '--open', '-'], /^--open - reads standard input: pass the shares in files/],
    [['combine', 'a', '-', '--open', '-'], /^--open - reads standard input/],
    // `--out -` made a file with the name `-`.
    [['keygen', '--out', '-', '--force'], /^--force needs --out FILE/],
    [['keygen', '--out=-', '--raw', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['split', 'a', '-t2', '-n3', '--binary', '-o-'], /^--binary needs --out/],
    [['split', 'a', '-t2', '-n3', '--out', '-', '--force'], /^--force needs --out or --seal/],
    [['combine', 'a', '--open', 'b', '--out', '-', '--json'], /^--json cannot show bytes/],
    [['combine', 'a', './b', '--out', 'b', '--force'], /^--out names an input file/],
    [['combine', 'a', '--no-progress'], /^--no-progress needs --open/],
    [['split', 'a', '-t2', '-n3', '--no-progress'], /^--no-progress needs --seal/],
    [['encrypt', 'a'], /^encrypt needs a key: --key FILE or --key-env NAME/],
    [['encrypt', 'a', '-k', 'b', '--key-env', 'C'], /^--key-env cannot be combined with --key/],
    [['encrypt', '--key', '-'], /^--key - reads standard input: pass the data in a FILE/],
    [['encrypt', '-', '--key', '-'], /^--key - reads standard input/],
    [['encrypt', 'a', 'b', '-k', 'c'], /^encrypt accepts one file, got 2/],
    [['encrypt', 'a', '-k', 'b', '--out', './a', '--force'], /^--out names the input file/],
    [['encrypt', 'a', '-k', 'b', '--out', './b', '--force'], /^--out names the key file/],
    [['encrypt', 'a', '-k', 'b', '--force'], /^--force needs --out/],
    [['encrypt', 'a', '-k', 'b', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['encrypt', 'a', '-k', 'b', '--range', '0-1'], /^--range is not an option of encrypt/],
    [['decrypt', 'a'], /^decrypt needs a key: --key FILE or --key-env NAME/],
    [['decrypt', '-k', 'b', '--range', '0-1'], /^--range needs a FILE/],
    [['decrypt', 'a', '-k', 'b', '--range', '5'], /^--range must be FROM-TO, FROM- or -LENGTH, in bytes/],
    [['decrypt', 'a', '-k', 'b', '--range', '-5'], /^--range needs a value: --range FROM-TO/],
    ...['-', 'x0-1', '0-1x', `${'0'.repeat(16)}5-6`, `5-${'0'.repeat(16)}6`].map(
      (range): [string[], RegExp] => [
        ['decrypt', 'a', '-k', 'b', `--range=${range}`],
        /^--range must be FROM-TO/,
      ],
    ),
    [['decrypt', 'a', '-k', 'b', '--range', '2-1'], /^--range ends before it begins \(/],
    [['decrypt', 'a', '-k', 'b', '--range', '0-9007199254740992'], /^--range must be below 2\^53/],
    [['decrypt', 'a', '-k', 'b', '--range', '9007199254740992-'], /^--range must be below 2\^53/],
    [['decrypt', 'a', '-k', 'b', '--json'], /^--json cannot show bytes: write them with --out FILE/],
    [['inspect', 'a', 'b'], /^inspect accepts one file, got 2/],
  ])('%j', async (args, line) => {
    const folder = new Folder()
    expect(await folder.fail(2, args)).toMatch(line)
    expect(folder.names).toEqual([])
  })
})

test('a value that begins with a sign, where it cannot be the sign in front of a value', async () => {
  const folder = new Folder()
  await folder.succeed(['keygen', '--out==a'])
  await folder.succeed(['keygen', '--out', '=b'])
  await folder.succeed(['keygen', '-o', '=c'])
  expect(folder.names).toEqual(['=a', '=b', '=c'])
})

test('more files than a command takes', async () => {
  const line = await new Folder().fail(2, ['combine', ...Array(256).fill('a')])
  expect(line).toMatch(/^combine accepts at most 255 files, got 256 \(/)
})

// On other systems these are two files.
test.runIf(WINDOWS)('on Windows, a name in capitals is the same name', async () => {
  const folder = new Folder()
  for (const args of [
    ['combine', 'a', '.\\B', '--out', 'b', '--force'],
    ['combine', 'a', '--open', 'b', '--out', 'B', '--force'],
    ['split', 's-1-of-2.txt', '-t2', '-n2', '--out', 'S', '--force'],
  ])
    expect(await folder.fail(2, args)).toMatch(/^--out /)
})

describe('failures', () => {
  test('with --json, an object with code, message and files on standard error', async () => {
    const folder = new Folder()
    folder.write('key', 'no key')
    const fails = async (status: number, args: string[], options?: { process: true }) => {
      const outcome = await folder.run([...args, '--json'], options)
      expect([outcome.status, outcome.stdout]).toEqual([status, ''])
      return JSON.parse(outcome.stderr).error
    }
    expect(await fails(1, ['keygen', '--out', 'key'], { process: true })).toEqual({
      code: 'EEXIST',
      message: 'key: already exists; use --force to replace it',
      files: ['key'],
    })
    expect(await fails(1, ['split', 'key', '-t2', '-n3'])).toMatchObject({
      code: 'ERR_INPUT',
      files: ['key'],
    })
    expect(await fails(1, ['split', 'none', '-t2', '-n3'])).toEqual({
      code: 'ENOENT',
      message: unnamed('FILE', 'none'),
    })
    expect(await fails(2, ['keygen', '--bits', '1'], { process: true })).toEqual({
      code: 'ERR_USAGE',
      message: expect.stringMatching(/^--bits must be/),
    })
    expect((await fails(2, ['split', '0f'.repeat(32)])).code).toBe('ERR_USAGE')
  })

  test('--json behind -- is no option: the failure is a line', async () => {
    const folder = new Folder()
    for (const args of [
      ['info', '--', '--json'],
      ['--', '--json'],
    ]) {
      const { status, stderr } = await folder.run(args)
      expect([status, stderr.slice(0, 18)]).toEqual([2, 'hardware-aes-gcm: '])
    }
  })

  test('an error that nobody expects keeps its code; what is no error has a code of its own', async () => {
    const errorOf = async (thrown: unknown, ...options: string[]) => {
      const stdout = Object.assign(new Sink(), {
        write() {
          throw thrown
        },
      })
      const { status, stderr } = await runHere(['keygen', ...options], Readable.from([]), stdout)
      return [status, stderr]
    }
    const error = Object.assign(new Error('planted'), { code: 'ERR_PLANTED' })
    expect(await errorOf(error)).toEqual([1, 'hardware-aes-gcm: planted\n'])
    const json = (code: string, message: string) => [1, `${JSON.stringify({ error: { code, message } })}\n`]
    expect(await errorOf(error, '--json')).toEqual(json('ERR_PLANTED', 'planted'))
    expect(await errorOf(new Error('planted'), '--json')).toEqual(json('ERR_INTERNAL', 'planted'))
    expect(await errorOf('planted', '--json')).toEqual(json('ERR_INTERNAL', 'an unknown failure'))
  })

  test.skipIf(!FULL)('standard output that is full', async () => {
    const folder = new Folder()
    const { status, stderr } = await folder.run(['keygen'], { shell: 'exec >/dev/full' })
    const line = 'hardware-aes-gcm: standard output: no space is left on the device\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: line })
    // Nobody sees the line, and the exit code stays.
    expect((await folder.run(['keygen', '--bits', '1'], { shell: 'exec 2>/dev/full' })).status).toBe(2)
  })

  test('a reader that goes away early: a line and 1, no stack trace', async () => {
    const folder = new Folder()
    const child = spawn(process.execPath, nodeArguments(['split', '-t2', '-n255']), { cwd: folder.path })
    const silent = spawn(process.execPath, nodeArguments(['split', '-t1', '-n2']))
    silent.stderr.destroy()
    let stderr = ''
    child.stderr.on('data', text => (stderr += text))
    child.stdout.destroy()
    child.stdin.end('00'.repeat(32)) // the shares come after this
    const [status] = await once(child, 'close')
    const line = 'hardware-aes-gcm: standard output was closed early\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: line })
    expect(silent.exitCode ?? (await once(silent, 'close'))[0]).toBe(2)
  })

  test('with --json, an output that is closed has the code EPIPE, and another failure its own', async () => {
    for (const [code, message, ...files] of [
      ['EPIPE', 'standard output was closed early'],
      ['EIO', 'standard output: the device failed', 'standard output'],
    ] as [string, string, ...string[]][]) {
      const stdout = new Sink().on('error', () => {})
      stdout._write = (_chunk, _encoding, done: (error?: Error) => void) =>
        done(Object.assign(new Error(), { code }))
      const { stderr } = await runHere(['keygen', '--json'], Readable.from([]), stdout)
      expect(JSON.parse(stderr)).toEqual({ error: { code, message, ...(files.length > 0 && { files }) } })
    }
  })
})
