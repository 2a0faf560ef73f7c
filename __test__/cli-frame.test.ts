// The command line's frame: help, versions, arguments that are not understood, secrets in arguments, failures as JSON, pipes.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Folder, FULL, nodeArguments, WINDOWS } from './cli/program.js'
import { ROOT } from './support.js'

const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
const COMMANDS = [
  'info',
  'keygen',
  'encrypt',
  'decrypt',
  'keyset',
  'seal',
  'open',
  'inspect',
  'split',
  'combine',
]

describe('help', () => {
  test('the whole: every command with a line, in at most 78 columns', async () => {
    const folder = new Folder()
    const help = await folder.succeed(['--help'])
    for (const name of COMMANDS) expect(help).toMatch(new RegExp(`^  ${name} +[A-Z]`, 'm'))
    expect(help.split('\n').filter(line => line.length > 78)).toEqual([])
    for (const args of [['-h'], ['help']]) expect(await folder.succeed(args)).toBe(help)
  })

  test.each(COMMANDS)('%s: usage, every option, examples, in at most 78 columns', async name => {
    const folder = new Folder()
    const help = await folder.succeed([name, '--help'])
    expect(help).toContain(`\n\nUsage: hardware-aes-gcm ${name} `)
    expect(help).toContain('\n      --json  ')
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

describe('what is not understood ends with 2 and a hint', () => {
  test.each([
    [['splt'], /^'splt' is not a command; did you mean split\? \(see hardware-aes-gcm --help\)$/],
    [['--json'], /^'--json' begins with an option, where a command is due/],
    [['help', 'nothing'], /^'nothing' is not a command \(/],
    [['constructor'], /^'constructor' is not a command/],
    [
      ['keygen', '--bit', '128'],
      /^--bit is not an option of keygen; did you mean --bits\? \(see hardware-aes-gcm keygen --help\)$/,
    ],
    [['split', '--thresh', '2'], /^--thresh is not an option of split; did you mean --threshold\?/],
    [['keygen', '-x'], /^-x is not an option of keygen \(/],
    [['keygen', '--constructor'], /^--constructor is not an option/],
    [['keygen', '--__proto__=1'], /^--__proto__ is not an option/],
    [['keygen', '--bits'], /^--bits needs a value: --bits NUMBER/],
    [['keygen', '--bits='], /^--bits needs a value/],
    [['keygen', '-o=key'], /^-o takes its value without '=': -o FILE/],
    [['keygen', '--out', '--force'], /^--out needs a value: --out FILE/],
    [['keygen', '--json=yes'], /^--json takes no value/],
    [['keygen', '--json', '--json'], /^--json is given twice/],
    [['keygen', '-o', 'a', '--out', 'b'], /^--out is given twice/],
    [['keygen', '--bits', '192'], /^--bits must be 128 or 256/],
    [['keygen', '--bits', '0x80'], /^--bits must be 128 or 256/],
    [['keygen', 'file'], /^keygen takes no file as argument, got 1/],
    [['info', '--', '--json'], /^info takes no file as argument, got 1/],
    [['keygen', '--force'], /^--force belongs to --out/],
    [['keygen', '--raw', '--json'], /^--json cannot show bytes: with --raw it needs --out/],
    [['split', 'a', 'b', '-t2', '-n3'], /^split takes one file as argument, got 2/],
    [['split', 'a', '-t2'], /^tell how many shares give the key back/],
    [['split', 'a', '-t', '1', '-n', '3'], /^--threshold must be a whole number from 2 to 255/],
    [['split', 'a', '-t', '2', '-n', '256'], /^--shares must be a whole number from 2 to 255/],
    [['split', 'a', '-t', '2.0', '-n', '3'], /^--threshold must be a whole number/],
    [['split', 'a', '-t', '1e1', '-n', '30'], /^--threshold must be a whole number/],
    [['split', 'a', '-t', '4', '-n', '3'], /^--threshold 4 is above --shares 3/],
    [['split', 'a', '-t2', '-n3', '--type', 'other'], /^--type must be compact or random/],
    [['split', 'a', '-t2', '-n3', '--type=compact', '--binary'], /^--binary and --type name different forms/],
    [['split', 'a', '-t2', '-n3', '--binary'], /^--binary needs --out/],
    [['split', 'a', '-t2', '-n3', '--force'], /^--force belongs to --out or --seal/],
    [['split', 'a', '-t2', '-n3', '--seal', 'b'], /^--seal makes a key of its own/],
    [['split', '-t2', '-n3', '--seal=-'], /^--seal needs the name of a file/],
    [['combine', 'a', '--at', '0'], /^--at must be a whole number from 1 to 255/],
    [['combine', 'a', '--at', '256'], /^--at must be a whole number from 1 to 255/],
    [['combine', 'a', '--at', '2', '--raw'], /^--raw belongs to a key/],
    [['combine', 'a', '--at', '2', '--open', 'b'], /^--at and --open give different things/],
    [['combine', 'a', '--open', 'b', '--json'], /^--json cannot show bytes: with --open it needs --out FILE/],
    [['combine', '--open', '-'], /^--open - takes standard input: the shares need files/],
    [['combine', 'a', '-', '--open', '-'], /^--open - takes standard input/],
    // `--out -` made a file with the name `-`.
    [['keygen', '--out', '-', '--force'], /^--force belongs to --out FILE/],
    [['keygen', '--out=-', '--raw', '--json'], /^--json cannot show bytes: with --raw it needs --out FILE/],
    [['split', 'a', '-t2', '-n3', '--binary', '-o-'], /^--binary needs --out/],
    [['split', 'a', '-t2', '-n3', '--out', '-', '--force'], /^--force belongs to --out or --seal/],
    [['combine', 'a', '--open', 'b', '--out', '-', '--json'], /^--json cannot show bytes/],
    [['combine', 'a', './b', '--out', 'b', '--force'], /^--out names one of the shares/],
    [['combine', 'a', '--no-progress'], /^--no-progress belongs to --open/],
    [['split', 'a', '-t2', '-n3', '--no-progress'], /^--no-progress belongs to --seal/],
    [['encrypt', 'a'], /^encrypt needs a key: --key FILE or --key-env NAME/],
    [['encrypt', 'a', '-k', 'b', '--key-env', 'C'], /^--key-env and --key both give a key/],
    [['encrypt', '--key', '-'], /^--key - takes standard input: the data need a FILE/],
    [['encrypt', '-', '--key', '-'], /^--key - takes standard input/],
    [['encrypt', 'a', 'b', '-k', 'c'], /^encrypt takes one file as argument, got 2/],
    [['encrypt', 'a', '-k', 'b', '--out', './a', '--force'], /^--out names the file that is read/],
    [['encrypt', 'a', '-k', 'b', '--out', './b', '--force'], /^--out names the file of the key/],
    [['encrypt', 'a', '-k', 'b', '--force'], /^--force belongs to --out/],
    [['encrypt', 'a', '-k', 'b', '--json'], /^--json cannot show bytes: encrypt needs --out FILE/],
    [['encrypt', 'a', '-k', 'b', '--range', '0-1'], /^--range is not an option of encrypt/],
    [['decrypt', '-k', 'b', '--range', '0-1'], /^--range needs a FILE/],
    [['decrypt', 'a', '-k', 'b', '--range', '5'], /^--range must be FROM-TO, FROM- or -LENGTH, in bytes/],
    [['decrypt', 'a', '-k', 'b', '--range', '-5'], /^--range needs a value: --range FROM-TO/],
    [['decrypt', 'a', '-k', 'b', '--range=-'], /^--range must be FROM-TO/],
    [['decrypt', 'a', '-k', 'b', '--range', '2-1'], /^--range ends before it begins: 2-1/],
    [['decrypt', 'a', '-k', 'b', '--range', '0-9007199254740992'], /^--range must lie below 2\^53/],
    [['decrypt', 'a', '-k', 'b', '--json'], /^--json cannot show bytes: decrypt needs --out FILE/],
    [['inspect', 'a', 'b'], /^inspect takes one file as argument, got 2/],
  ])('%j', async (args, line) => {
    const folder = new Folder()
    expect(await folder.fail(2, args)).toMatch(line)
    expect(folder.names).toEqual([])
  })
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

describe('secrets in arguments are refused, and not repeated', () => {
  const hex = '0f'.repeat(32)
  const share = `AGS1-${'ABCDE-'.repeat(28)}`
  test.each([
    [[hex]],
    [['split', hex.toUpperCase(), '-t2', '-n3']],
    [['split', hex.slice(32), '-t2', '-n3']],
    [['split', `0x${hex}`, '-t2', '-n3']],
    [['split', Buffer.from(hex, 'hex').toString('base64'), '-t2', '-n3']],
    [['split', Buffer.from(hex.slice(32), 'hex').toString('base64url').concat('=='), '-t2', '-n3']],
    [['split', '--seal', hex]],
    [['encrypt', 'a', '--key', hex]],
    [['encrypt', 'a', '--key-env', hex]],
    [['keygen', '--out', hex]],
    [['keygen', '--bits', hex]],
    [['combine', 'a', share]],
    [['combine', share.toLowerCase().slice(0, -1)]],
    [['combine', `1|${hex}`, `2|${hex}`]],
    [['combine', `${hex}|${hex}`]],
    // Shares without hyphens, and values behind hyphens or among white space, were repeated in the message.
    [['combine', share.replaceAll('-', '')]],
    [[share.replaceAll('-', '').toLowerCase()]],
    [['help', share.replaceAll('-', '')]],
    [['combine', `--${share}`]],
    // The prefix with a letter in place of 1, and digits in place of letters.
    [['combine', share.replace('1', 'I')]],
    [['combine', share.replace('1', 'l').replaceAll('B', '8')]],
    [['combine', share.replaceAll('-', '').replaceAll('B', '8')]],
    [[`--${share}`]],
    [['split', `--${hex}`]],
    [['split', `${hex}\n`, '-t2', '-n3']],
    // checks/fuzz found that a key behind a sign was repeated, where a command or a file is due.
    [[`--key=${hex}`]],
    [[`--shares=${share}`, 'combine']],
    [['split', `key=${hex}`, '-t2', '-n3']],
    [['help', `key=${Buffer.from(hex, 'hex').toString('base64')}`]],
    // checks/fuzz found that a key among other characters was repeated.
    [[`${hex}${hex}`]],
    [['split', `x${hex}.key`, '-t2', '-n3']],
    [['combine', `(${share})`]],
  ])('%j', async args => {
    const folder = new Folder()
    const line = await folder.fail(2, args)
    expect(line).toMatch(/looks like a key or a share; other users can see arguments/)
    expect(line.toLowerCase()).not.toContain('0f0f')
    expect(line).not.toContain('ABCDE')
    expect(folder.names).toEqual([])
  })

  test('a file with such a name is taken by its path', async () => {
    const folder = new Folder()
    folder.write(hex, hex)
    expect((await folder.succeed(['split', `./${hex}`, '-t2', '-n3'])).split('\n')).toHaveLength(4)
  })
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
      message: 'key: exists already; --force replaces a file',
      files: ['key'],
    })
    expect(await fails(1, ['split', 'key', '-t2', '-n3'])).toMatchObject({
      code: 'ERR_INPUT',
      files: ['key'],
    })
    expect(await fails(1, ['split', 'none', '-t2', '-n3'])).toMatchObject({ code: 'ENOENT', files: ['none'] })
    expect(await fails(2, ['keygen', '--bits', '1'], { process: true })).toEqual({
      code: 'ERR_USAGE',
      message: expect.stringMatching(/^--bits must be/),
    })
  })

  test('a name with control characters cannot break the line or command the terminal', async () => {
    const folder = new Folder()
    const line = await folder.fail(1, ['split', 'a\n\u001b[2Jb\u202ec', '-t2', '-n3'])
    expect(line).toBe('a\\u{a}\\u{1b}[2Jb\\u{202e}c: does not exist')
  })

  test.skipIf(!FULL)('standard output that is full', async () => {
    const folder = new Folder()
    const { status, stderr } = await folder.run(['keygen'], { shell: 'exec >/dev/full' })
    const line = 'hardware-aes-gcm: standard output: no space is left on the device\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: line })
  })

  test('a reader that goes away early: a line and 1, no stack trace', async () => {
    const folder = new Folder()
    const child = spawn(process.execPath, nodeArguments(['split', '-t2', '-n255']), { cwd: folder.path })
    let stderr = ''
    child.stderr.on('data', text => (stderr += text))
    child.stdout.destroy()
    child.stdin.end('00'.repeat(32)) // the shares come after this
    const [status] = await once(child, 'close')
    const line = 'hardware-aes-gcm: standard output was closed before the end\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: line })
  })
})
