// Runs the commands of the table in docs/assurance.md, and prints a verdict for each: npm run assurance [-- --whole] [-- ROW...]
//
// Without a ROW, a number of the table, it runs the rows of the first table, in at most half an hour on two CPUs; with --whole also
// those of the second one, which takes hours. Rows that share a command run it once. On x64 Linux; installs what the checks need.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { commandLine } from './command-line.mjs'
import { root } from './tools.mjs'

/** The rows of the tables: number, claim and command; `whole` for those of the second table. */
function rowsOf(text) {
  const [first, second] = text.split('\n## The whole\n')
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
const commands = [...new Set(wanted.map(({ command }) => command))]
const failed = []
const began = performance.now()
for (const command of commands) {
  const rows = wanted.filter(row => row.command === command)
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const seconds = Math.round((performance.now() - start) / 1000)
  const verdict = status === 0 ? 'holds' : `FAILED (exit code ${status})`
  console.log(`${rows.map(({ number }) => number).join(', ')}: ${verdict}, ${seconds} s: ${command}`)
  // The last line of a check is its time.
  const last = stdout
    .trimEnd()
    .split('\n')
    .findLast(line => !/: passed in \d+ s$/.test(line))
  if (status === 0 && last) console.log(`   ${last.trim()}`)
  if (status === 0) continue
  failed.push(...rows)
  console.log(`${stdout}${stderr}`.trimEnd().split('\n').slice(-40).join('\n'))
}
const minutes = ((performance.now() - began) / 60_000).toFixed(1)
console.log(`${wanted.length - failed.length} of ${wanted.length} rows hold, ${minutes} minutes`)
for (const { number, claim } of failed) console.log(`not shown: ${number}. ${claim}`)
if (failed.length > 0) process.exit(1)
