// Command lines of random words: an exit code of 0, 1 or 2, one line on standard error, never a stack trace nor an error without a code.
import { Buffer } from 'node:buffer'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { Readable, Writable } from 'node:stream'
import { changedText } from './change.mjs'
import { must, outcome } from './expect.mjs'

const { main } = createRequire(import.meta.url)('../../../dist/cli/program.cjs')
const COMMANDS = createRequire(import.meta.url)('../../../dist/cli/commands.cjs').allCommands()
const seeds = JSON.parse(readFileSync(new URL('seeds/shares.json', import.meta.url)))

/** A disk in memory, since the command waits for the disk. */
const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'aesgcm-fuzz-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const TEXTS = seeds.sets.find(({ format }) => format === 'text').shares
const FILES = {
  key: Buffer.alloc(32, 7),
  key16: Buffer.alloc(16, 7),
  short: Buffer.alloc(5, 7),
  empty: Buffer.alloc(0),
  hex: `${seeds.key}\n`,
  text: 'attack at dawn\n',
  share1: TEXTS[0],
  share2: TEXTS[1],
  shares: TEXTS.join('\n'),
  '-odd': 'a name like an option',
}
const FLAGS = COMMANDS.flatMap(({ options }) => Object.keys(options).map(name => `--${name}`))
const SHORT = COMMANDS.flatMap(({ options }) =>
  Object.values(options).flatMap(({ short }) => (short ? [`-${short}`] : [])),
)
const NUMBERS = '0 1 2 3 5 128 255 256 -1 1e3 9007199254740993 0-10 5- 10-2'.split(' ')
const WORDS = [
  ...COMMANDS.map(({ name }) => name),
  ...'--help -h --version -V --json -- - help --no-json --json=1 -ofx -o=x __proto__'.split(' '),
  '',
  ...NUMBERS,
  ...'text binary horcrux hex base64 raw out1 out2 folder missing'.split(' '),
  ...[TEXTS[0], seeds.key],
  ...Object.keys(FILES),
]

function prepare() {
  process.chdir(folder)
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
  mkdirSync(join(folder, 'folder'))
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder, name), content)
}

function word(chance) {
  const text =
    chance.pick([WORDS, WORDS, FLAGS, FLAGS, SHORT])[(chance.below(1000) % 1000) % 37] ?? chance.pick(WORDS)
  const joined = chance.once(6) ? `${chance.pick(FLAGS)}=${text}` : text
  return chance.once(8) ? changedText(chance, joined, WORDS) : joined
}

function vector(chance) {
  const words = Array.from({ length: chance.below(8) }, () => word(chance))
  // Most begin with a command, and some are whole: a file, a key and a place for the result.
  if (!chance.once(8)) words.unshift(chance.pick(COMMANDS).name)
  if (chance.once(2))
    words.push(chance.pick(['--key', '--key', '--out', '--threshold', '--shares']), word(chance))
  if (chance.once(4)) words.push('--key', 'key', '--out', 'out1', 'text')
  // Outside of the folder, a command could write anywhere; and a process cannot be given a NUL.
  return words.map(text => text.replaceAll(/[/\\\0]/g, '')).filter(text => !/^\.\.?$/.test(text))
}

let cases = 0
export async function once(chance) {
  if (cases++ % 50 === 0) prepare()
  const args = vector(chance)
  const [stdout, stderr] = [[], []]
  const sink = all =>
    new Writable({
      write(chunk, _, done) {
        all.push(Buffer.from(chunk))
        done()
      },
    })
  const input = chance.pick([
    [],
    [Buffer.alloc(32, 7)],
    [Buffer.from(TEXTS.join('\n'))],
    [Buffer.from('text')],
  ])
  const streams = {
    stdin: Readable.from(input, { objectMode: false }),
    stdout: sink(stdout),
    stderr: sink(stderr),
  }
  const done = await outcome([], args.join('\0'), () => main(args, streams))
  const [said, printed] = [stderr, stdout].map(all => Buffer.concat(all).toString())
  const shown = () => `${JSON.stringify(args)} gave ${done.value} and said: ${said}`
  must([0, 1, 2].includes(done.value), shown)
  must(!/\n {4}at |node:internal|ERR_INTERNAL|unknown failure/.test(said + printed), shown)
  must(!said.includes(seeds.key) && !said.includes(TEXTS[0]), () => `a secret was repeated: ${shown()}`)
  if (done.value === 0) return
  must(said !== '', () => `no reason: ${shown()}`)
  if (args.length === 0) return
  const end = args.indexOf('--')
  if ((end < 0 ? args : args.slice(0, end)).includes('--json')) {
    const last = said.trimEnd().split('\n').at(-1)
    const { error } = JSON.parse(last)
    must(/^E[A-Z0-9_]+$/.test(error.code) && error.message.length > 0, shown)
    must((error.code === 'ERR_USAGE') === (done.value === 2), shown)
  } else {
    must(said.startsWith('hardware-aes-gcm: ') && said.endsWith('\n'), shown)
    must(!/[\p{Cc}\p{Cf}\p{Cs}]/u.test(said.trimEnd().replaceAll('\n', '')), () => `controls: ${shown()}`)
  }
}
