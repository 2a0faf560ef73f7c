// The command rotate against real databases with real drivers: a writer at work, interruptions, exit codes, and no password anywhere.
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { fresh } from './command-databases.mjs'
import { lost } from './command-lost.mjs'
import { People } from './command-people.mjs'
import { Program } from './command-program.mjs'

const PASSWORD = `pw-${createHash('sha256').update('command').digest('hex').slice(0, 12)}`
const COLUMNS = ['--table', 'people of "us"', '--as', 'Person', '--id', 'tenant,number']
const TABLE = [...COLUMNS, '--column', 'e_mail=email', 'note']

/** Faults in the built command, each with the claims that fail. */
const FAULTS = {
  'messages show the URL': [
    misused,
    'cli/databases/address.cjs',
    /const shown = `\$\{server\}.*`/,
    'const shown = text',
  ],
  'values that are left end the command with 0': [left, 'cli/frame/failure.cjs', /LEFT = 3/, 'LEFT = 0'],
  'a signal ends it in the middle of a batch': [interrupted, 'cli/frame/ending.cjs', /stop = onRequest;/, ''],
  'a list of failures with more than ids': [
    left,
    'cli/databases/failures-file.cjs',
    /reason \}\)/,
    'reason, key })',
  ],
}

export const plants = Object.fromEntries(
  Object.entries(FAULTS).map(([name, fault]) => [name, () => planted(...fault)]),
)

/** What the claims say about a fault in a copy of the command; undefined if they hold. */
async function planted(claims, file, from, to) {
  const folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-plant-'))
  try {
    for (const name of ['package.json', 'npm']) symlinkSync(join(root, name), join(folder, name))
    cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true })
    const path = join(folder, 'dist', file)
    const source = readFileSync(path, 'utf8')
    if (!from.test(source)) throw new Error(`${file} has no place for a fault`)
    writeFileSync(path, source.replace(from, to))
    return await on('postgresql', 400, join(folder, 'dist/cli/main.cjs'), async (program, people) => {
      try {
        await claims(program, people)
      } catch (error) {
        return error.message.split('\n')[0]
      }
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export async function* prove({ whole }) {
  for (const database of ['postgresql', 'mariadb', 'sqlite'])
    yield await on(
      database,
      whole ? 100_000 : 4000,
      join(root, 'dist/cli/main.cjs'),
      async (program, people, server) => {
        const line = await interrupted(program, people)
        await left(program, people)
        await misused(program)
        const kills = await back(program, people, server)
        return `${database}: ${line}; then all of it in clear again${kills > 0 ? `, over ${kills} lost connections` : ''}`
      },
    )
}

/** Runs `work` with the command and a table of so many rows under an old key. */
async function on(database, rows, main, work) {
  const server = await fresh(database, PASSWORD)
  const program = new Program(main, server, PASSWORD)
  try {
    const people = new People(server.query, rows)
    await people.fill()
    program.write('keys.json', people.keyset)
    return await work(program, people, server)
  } finally {
    program.remove()
    await server.stop()
  }
}

/** A writer at work, an interruption, a kill, and then two processes at once: every row is as it was last written. */
async function interrupted(program, people) {
  const dry = await program.run([...TABLE, '--dry-run', '--json'])
  claim(dry.status === 0 && JSON.parse(dry.stdout).changed === people.count, `a dry run: ${dry.said}`)
  const writer = people.write()
  let seconds
  try {
    seconds = await stoppedAndResumed(program, people)
  } finally {
    await writer.stop()
  }
  const last = await program.run([...TABLE, '--json'])
  claim(last.status === 0, `the end: ${last.said}`)
  claim(JSON.parse(last.stdout).unneededKeys.length === 1, `the key that is no longer needed: ${last.stdout}`)
  await people.compare()
  return `${people.count} rows, ${writer.times} changes by a writer, an interruption, a kill, then two processes (${seconds.toFixed(1)} s): every row is right, and under the primary key`
}

/** The seconds of the two processes at the end. */
async function stoppedAndResumed(program, people) {
  const slowly = ['--batch', '50', '--pause', '100']
  const asked = await program.run([...TABLE, ...slowly], { signal: 'SIGINT', renewed: people.renewed() })
  claim(asked.status === 'SIGINT', `a request to end: ${asked.said}`)
  claim(
    /stopped after writing [\d ]+ rows/.test(asked.stderr),
    `the words after a request to end: ${asked.said}`,
  )
  const killed = await program.run([...TABLE, ...slowly], { signal: 'SIGKILL', renewed: people.renewed(100) })
  claim(killed.status === 'SIGKILL', `a kill: ${killed.said}`)
  const began = performance.now()
  for (const one of await Promise.all([program.run(TABLE), program.run(TABLE)]))
    claim(one.status === 0, `one of two processes: ${one.said}`)
  return (performance.now() - began) / 1000
}

/** Values that do not open are left, listed by their ids, and end the command with 3. */
async function left(program, people) {
  const text = 'clear text that nobody may see'
  const id = await people.spoil(text)
  const outcome = await program.run([...TABLE, '--failures', 'left.jsonl'])
  claim(outcome.status === 3, `a value that is left: ${outcome.said}`)
  const list = program.read('left.jsonl')
  const [line, ...more] = list
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  claim(
    more.length === 0 && Number(line.id.number) === id && line.reason === 'not-sealed',
    `the list: ${list}`,
  )
  claim(Object.keys(line).join() === 'id,column,reason', `a list with more than ids: ${list}`)
  claim(!`${list}${outcome.said}`.includes(text), 'an output contains a value')
  await people.restore(id)
}

async function misused(program) {
  const wrong = await program.run([...TABLE.slice(0, 1), 'nothing', ...TABLE.slice(2)])
  claim(wrong.status === 1 && wrong.stderr.includes('cannot find the table'), `no table: ${wrong.said}`)
  const column = await program.run([...COLUMNS, '--column', 'nothing'])
  claim(column.status === 1 && column.stderr.includes('cannot find a column'), `no column: ${column.said}`)
  if (program.hasServer) {
    const refused = await program.run(TABLE, { password: `not-${PASSWORD}` })
    claim(
      program.isTrusting || (refused.status === 1 && refused.stderr.includes('rejected this user')),
      `a wrong password: ${refused.said}`,
    )
    const shown = await program.run(TABLE, { asArgument: true })
    claim(shown.status === 2, `a password among the arguments: ${shown.said}`)
  }
  const refused = await program.run([...TABLE, '--to', 'clear'])
  claim(refused.status === 2, `--to clear: ${refused.said}`)
}

/** The way out, over lost connections if there is a server. Returns how many. */
async function back(program, people, server) {
  const words = [...TABLE, '--to', 'clear', '--confirm', 'store values in clear text']
  const run = () => program.run(program.hasServer ? [...words, '--batch', '50', '--pause', '20'] : words)
  const { kills, outcome } = program.hasServer ? await lost(server, run) : { kills: 0, outcome: await run() }
  claim(outcome.status === 0, `to clear, over ${kills} lost connections: ${outcome.said}`)
  claim(!program.hasServer || kills > 2, `${kills} connections were lost`)
  await people.compareClear()
  return kills
}

function claim(holds, what) {
  if (!holds) throw new Error(what)
}
