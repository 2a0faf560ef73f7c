// Which tests reach which mutants of lib/: learnt by one run of each test file, alone, and noted in target/mutants for the next run.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { answer, names } from '../../__test__/register.mjs'
import { root } from '../../scripts/tools.mjs'
import { choose } from './choose.mjs'

const LEARNT = join(root, 'target', 'mutants', 'reached')
/** Seconds after which no further test file is tried on a mutant; those that follow are slow, and fit the mutant less. */
const PATIENCE = 60
/** Seconds from which on a test file is not tried first because it killed a mutant nearby. */
const SLOW = 3
/** How many tests that reach most of a file of lib/ are tried first. */
const DEVOTED = 3
/** The suite that tries every method of the classes of keys: slow, and the only one that has every refusal. It is tried last. */
const isSuite = name => answer(name, 'role') === 'suite'
/** Lines on which the test files that find memory which was not wiped are tried first. */
const OF_MEMORY = /[wW]ipe|finally|[dD]estroy/

/** How many tests of a file may fail without a mutant, as some do in the copy of the tree: its other tests are still tried. */
const MOST_FAILING = 5

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
  return names(join(copy, '__test__'))
    .filter(name => answer(name, 'lib') !== '')
    .map(name => ({ name, ...recall(name, sources) }))
}

/** Runs every test file of which nothing is known. */
export async function learn(made, runner) {
  mkdirSync(LEARNT, { recursive: true })
  for (const { name, path, state, known } of recallAll(made)) {
    if (known) continue
    const { reached, seconds, passed, failing } = await reach(made.copy, runner, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, JSON.stringify({ state, reached, seconds, failing }))
    const verdict = failing.length > MOST_FAILING ? 'is left out' : `${passed} tests`
    const but = failing.length > 0 ? `; fails here: ${failing[0]}` : ''
    console.log(`${name}: ${verdict}, ${reached.length} mutants reached, ${seconds.toFixed(1)} s${but}`)
  }
  choose(made.copy, 'none')
}

/** One run of a test file, and one more for each of its tests that fails here. */
async function reach(copy, runner, name) {
  const notes = join(LEARNT, 'notes')
  choose(copy, 'reach', notes)
  for (const failing = []; ; ) {
    writeFileSync(notes, '')
    const { failed, passed, seconds } = await runner.run({ name, failing }, 600)
    const reached = [...new Set(readFileSync(notes, 'utf8').split('\n').filter(Boolean))]
    rmSync(notes)
    if (failed.length > 0 && failing.length <= MOST_FAILING) failing.push(failed[0])
    else {
      const sound = failing.length > 0 && (await passesAlone(copy, runner, name))
      return { reached, seconds, passed, failing: sound ? [] : failing }
    }
  }
}

/** Whether all tests of a file pass where it is not noted what they reach: some forbid to write. */
async function passesAlone(copy, runner, name) {
  choose(copy, 'none')
  const { failed } = await runner.run({ name, failing: [] }, 600)
  return failed.length === 0
}

/** A function that gives the test files to try on a mutant of lib/, in order; `killers` are those that killed mutants near it. */
export function testsOf(made, killers) {
  const tests = recallAll(made)
    .map(({ name, known: { seconds, reached, failing } }) => ({
      name,
      seconds,
      failing,
      reached: new Set(reached),
    }))
    .filter(({ failing }) => failing.length <= MOST_FAILING)
  const devoted = devotedTests(made, tests)
  return ({ id, file, within, line }) => {
    const fits = name =>
      answer(name, 'lib')
        .split(' ')
        .some(folder => file.startsWith(`lib/${folder}/`))
    const ofMemory = OF_MEMORY.test(line)
    const proven = killers.near({ file, within })
    const cost = ({ name, seconds }) => {
      if (proven.includes(name) && seconds < SLOW) return proven.indexOf(name) - proven.length
      if (ofMemory ? answer(name, 'role') === 'memory' : devoted.get(file).has(name)) return 0
      return fits(name) ? seconds : 3 * seconds + 3
    }
    const reaching = tests.filter(({ reached }) => reached.has(id))
    // A process that may not write does not note what it reaches.
    const all = reaching.length > 0 ? reaching : tests.filter(({ name }) => devoted.get(file).has(name))
    const most = lasting(
      PATIENCE,
      all.filter(({ name }) => !isSuite(name)).sort((a, b) => cost(a) - cost(b)),
    )
    return [...most, ...all.filter(({ name }) => isSuite(name) && fits(name))]
  }
}

/**
 * For each file of lib/, the names of the tests that reach most of its mutants. Without them, the fastest tests would use up the time
 * for a mutant that every test reaches, such as one where the library finds its binary.
 */
function devotedTests({ mutants }, tests) {
  const files = new Map()
  for (const file of new Set(mutants.map(({ file }) => file))) {
    const own = mutants.filter(mutant => mutant.file === file)
    const share = ({ reached }) => own.filter(({ id }) => reached.has(id)).length
    const most = tests
      .filter(({ name, seconds }) => !isSuite(name) && seconds < PATIENCE / DEVOTED)
      .map(({ name, ...test }) => ({ name, share: share(test) }))
      .sort((a, b) => b.share - a.share)
    files.set(file, new Set(most.slice(0, DEVOTED).map(({ name }) => name)))
  }
  return files
}

/** The first of `tests` that take `patience` seconds together, one at least. */
function lasting(patience, tests) {
  let spent = 0
  return tests.filter(({ seconds }, i) => {
    spent += seconds
    return spent <= patience || i === 0
  })
}
