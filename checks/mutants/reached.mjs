// Which tests reach which mutants of lib/: learnt by one run of each test file, alone. reached.json has what a run without that knowledge
// uses: for each file of lib/, test files that together reach its mutants, in the order in which they are tried.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { choose } from './choose.mjs'

const COMMITTED = join(root, 'checks', 'mutants', 'reached.json')
const LEARNT = join(root, 'target', 'mutants', 'reached')
/** How many test files of reached.json reach a mutant, if as many do. */
const ENOUGH = 3
/** Seconds after which no further test file is tried on a mutant; those that follow are slow, and fit the mutant less. */
const PATIENCE = 30
/** The suite that tries every method of the classes of keys: slow, and the only one that has every refusal. It is tried last. */
const SUITE = 'conformance'
/** The test files that find memory which was not wiped, tried first on such lines. */
const MEMORY = /^traces-/
const OF_MEMORY = /[wW]ipe|finally|[dD]estroy/
const OF_SUITE = /^lib\/(aead|base|machine|native|siv|xaes)\//

/** Test files that start no code of lib/. */
const WITHOUT = /^(bench-table|capped|ci|command-lines|documents|layers|links|manuals)$/

const digest = text => createHash('sha256').update(text).digest('hex')
const readJson = path => JSON.parse(readFileSync(path, 'utf8'))

/** Where is noted what the test file `name` reaches: { path, state, known }; `known` if neither the file nor lib/ has changed. */
function recall(name, sources) {
  const path = join(LEARNT, `${name}.json`)
  const state = digest(sources + readFileSync(join(root, '__test__', `${name}.test.ts`), 'utf8'))
  const noted = existsSync(path) ? readJson(path) : {}
  return { path, state, known: noted.state === state ? noted : undefined }
}

/** Names of the test files that may reach a mutant, with what is known of each. */
function recallAll({ copy, sources }) {
  return readdirSync(join(copy, '__test__'))
    .filter(file => file.endsWith('.test.ts'))
    .map(file => file.replace('.test.ts', ''))
    .filter(name => !WITHOUT.test(name))
    .map(name => ({ name, ...recall(name, sources) }))
}

/** Runs every test file of which nothing is known, and writes reached.json. */
export async function learn(made, runner) {
  const { copy, mutants } = made
  mkdirSync(LEARNT, { recursive: true })
  for (const { name, path, state, known } of recallAll(made)) {
    if (known) continue
    const notes = join(LEARNT, 'notes')
    writeFileSync(notes, '')
    choose(copy, 'reach', notes)
    const { failed, passed, seconds } = await runner.run(name, 600)
    const reached = [...new Set(readFileSync(notes, 'utf8').split('\n').filter(Boolean))]
    rmSync(notes)
    writeFileSync(path, JSON.stringify({ state, reached, seconds, failed, passed }))
    const verdict = failed.length > 0 ? `is left out, it fails here: ${failed[0]}` : `${passed} tests`
    console.log(`${name}: ${verdict}, ${reached.length} mutants reached, ${seconds.toFixed(1)} s`)
  }
  choose(copy, 'none')
  const tests = usable(made)
  const files = [...new Set(mutants.map(({ file }) => file))].sort()
  const table = Object.fromEntries(
    files.map(file => [
      file,
      cover(
        mutants.filter(mutant => mutant.file === file),
        tests,
      ),
    ]),
  )
  writeFileSync(COMMITTED, `${JSON.stringify(table, null, 2)}\n`)
}

/** What is known; a file that fails here by a test at its end still shows what it reaches. */
const usable = made =>
  recallAll(made)
    .filter(({ known }) => known)
    .map(({ name, known: { seconds, reached } }) => ({ name, seconds, reached: new Set(reached) }))

/** Few and fast test files that reach each of the mutants ENOUGH times: always the one that reaches most for its time. */
function cover(mutants, tests) {
  const missing = new Map(mutants.map(({ id }) => [id, ENOUGH]))
  const chosen = []
  for (let rest = tests.filter(({ name }) => name !== SUITE); ; ) {
    const gain = ({ reached, seconds }) =>
      mutants.filter(({ id }) => missing.get(id) > 0 && reached.has(id)).length / (seconds + 1)
    const [best] = [...rest].sort((a, b) => gain(b) - gain(a))
    if (!best || gain(best) === 0) return chosen
    chosen.push(best.name)
    rest = rest.filter(test => test !== best)
    for (const { id } of mutants) if (best.reached.has(id)) missing.set(id, missing.get(id) - 1)
  }
}

/** A function that gives the names of the test files to try on a mutant of lib/, in order. */
export function testsOf(made) {
  const table = readJson(COMMITTED)
  const tests = usable(made)
  const known = new Set(tests.map(({ name }) => name))
  return ({ id, file, line }) => {
    const listed = table[file] ?? []
    const subject = file.split('/')[1]
    const ofMemory = OF_MEMORY.test(line)
    const cost = ({ name, seconds }) =>
      ofMemory && MEMORY.test(name)
        ? 0
        : name.startsWith(subject) || listed.includes(name)
          ? seconds
          : 3 * seconds + 3
    const all = tests.filter(({ reached }) => reached.has(id))
    const reaching = all.filter(({ name }) => name !== SUITE).sort((a, b) => cost(a) - cost(b))
    const names = [...within(PATIENCE, reaching), ...listed.filter(name => !known.has(name))]
    const inSuite = known.has(SUITE) ? all.some(({ name }) => name === SUITE) : true
    return OF_SUITE.test(file) && inSuite ? [...names, SUITE] : names
  }
}

/** Names of the first of `tests` that take `patience` seconds together, of one at least. */
function within(patience, tests) {
  let spent = 0
  const names = []
  for (const { name, seconds } of tests) {
    spent += seconds
    if (spent > patience && names.length > 0) break
    names.push(name)
  }
  return names
}
