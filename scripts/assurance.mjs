// Runs the commands of the table in docs/assurance.md, and prints a verdict for each: npm run assurance [-- --whole] [-- ROW...]
//
// Without a ROW, a number of the table, it runs the rows of the first table, in about an hour on two CPUs; with --whole also
// those of the second one, which takes hours. Rows that share a command run it once. On x64 Linux; installs what the checks need.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { commandLine } from './command-line.mjs'
import { setup } from './setup.mjs'
import { root } from './tools.mjs'

/** The rows of the tables: number, claim and command; `whole` for those of the second table. */
function rowsOf(document) {
  const [first, second] = document.split('\n## The whole\n')
  const read = (part, whole) =>
    [...part.matchAll(/^\| (\d+) \| (.+?) \| .+? \| `(.+?)` \|/gm)].map(([, number, claim, command]) => ({
      number,
      claim,
      command,
      whole,
    }))
  return [...read(first, false), ...read(second ?? '', true)]
}

const all = rowsOf(readFileSync(join(root, 'docs/assurance.md'), 'utf8'))
const { flags, operands } = commandLine(import.meta.url, {
  flags: ['whole'],
  operands: [0, all.length],
  among: all.map(({ number }) => number),
})
const wanted = all.filter(({ number, whole }) =>
  operands.length > 0 ? operands.includes(number) : flags.whole || !whole,
)

console.log(`${cpus()[0].model}, ${availableParallelism()} CPUs, Node ${process.version}`)
// Once, or two checks would build at the same time.
setup()
const commands = [...new Set(wanted.map(({ command }) => command))]
const failed = []
const began = performance.now()
// Two at a time, as in .ci/run. Those of npm run alone: they use all CPUs, or write the same packages.
const isAlone = command => command.includes('npm ')
for (const command of commands.filter(isAlone)) await hold(command)
const others = commands.filter(command => !isAlone(command)).values()
const worker = async () => {
  for (const command of others) await hold(command)
}
await Promise.all([worker(), worker()])
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
console.log(`${wanted.length - failed.length} of ${wanted.length} rows hold, ${minutes} minutes`)
for (const { number, claim } of failed) console.log(`not shown: ${number}. ${claim}`)
if (failed.length > 0) process.exit(1)

/** Runs a command, and prints the verdict about its rows. */
async function hold(command) {
  const rows = wanted.filter(row => row.command === command)
  const start = performance.now()
  const { code, stdout, stderr } = await output(command)
  const seconds = Math.round((performance.now() - start) / 1000)
  const verdict = code === 0 ? 'holds' : `FAILED (${typeof code === 'number' ? 'exit code ' : ''}${code})`
  console.log(`${rows.map(({ number }) => number).join(', ')}: ${verdict}, ${seconds} s: ${command}`)
  // The last line of a check is its time.
  const last = stdout
    .trimEnd()
    .split('\n')
    .findLast(line => !/: passed in \d+ s$/.test(line))
  if (code === 0 && last) console.log(`   ${last.trim()}`)
  if (code === 0) return
  failed.push(...rows)
  console.log(`${stdout}${stderr}`.trimEnd().split('\n').slice(-40).join('\n'))
}

/** What a command prints, and its exit code or the signal that ended it. */
async function output(command) {
  const child = spawn('bash', ['-c', command], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code ?? signal, stdout, stderr }
}
