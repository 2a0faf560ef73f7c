// Judges a run of vitest in Wine: typescript.mjs [--ciphers] [--programs] NAMES REPORT..., where NAMES is what `vitest list --json` says
// on Linux. --ciphers, --programs: the run has this half alone (halves.mjs).
//
// Every test of that list must have passed, or be skipped for a reason that stands in skipped.txt; __test__/register.mjs has the reasons
// of whole files. So a test that is compiled out, or a file that does not run, does not count as passed.
import { readFileSync } from 'node:fs'
import { leftOut } from '../../__test__/register.mjs'
import { commandLine } from '../../scripts/command-line.mjs'
import { stop } from '../../scripts/tools.mjs'
import { filesOf } from './halves.mjs'

const { flags, operands } = commandLine(import.meta.url, {
  flags: ['ciphers', 'programs'],
  operands: [2, Number.POSITIVE_INFINITY],
})
const expected = filesOf(Object.keys(flags).filter(half => flags[half]))
const ofOtherHalf = filesOf([]).filter(name => !expected.includes(name))
const [names, ...reports] = operands.map(path => JSON.parse(readFileSync(path, 'utf8')))

/** The path of a test file below __test__. */
const pathOf = file => file.replaceAll('\\', '/').replace(/^.*\/__test__\//, '')

/** A test under the name that it has on every platform. */
const nameOf = (file, name) =>
  `${pathOf(file)}: ${name}`
    .replace(/linux-x64-gnu|win32-x64/, 'PLATFORM')
    .replace(/(linux|win32)-mips/, 'OS-mips')

const outcomes = new Map()
const files = reports.flatMap(({ testResults }) => testResults)
for (const { name: path, assertionResults } of files) {
  for (const { ancestorTitles, title, status } of assertionResults) {
    const name = nameOf(path, [...ancestorTitles, title].join(' > '))
    outcomes.set(name, [...(outcomes.get(name) ?? []), status])
  }
}
/** The tests of skipped.txt that may be skipped here. */
const excuses = readFileSync(new URL('skipped.txt', import.meta.url), 'utf8')
  .match(/^\w.*(?:\n {2}.*)+/gm)
  .flatMap(text => {
    const [why, ...rows] = text.split('\n')
    return rows.map(row => ({ why, row: row.trim().replace(/_$/, ' ') }))
  })
  .filter(({ row }) => !ofOtherHalf.includes(row.split(':')[0]))
  .map(({ why, row }) => ({ beginning: row.replace(':', '.test.ts:'), why, tests: 0 }))
const wrong = []

if (!reports.every(({ success }) => success === true)) wrong.push('vitest says that the run failed')
const ran = new Set(files.map(({ name }) => pathOf(name)))
for (const name of expected) if (!ran.has(`${name}.test.ts`)) wrong.push(`${name}: did not run`)
for (const [name, all] of outcomes) {
  for (const status of all) {
    if (status === 'passed') continue
    const excuse = excuses.find(({ beginning }) => name.startsWith(beginning))
    if (status !== 'skipped' || excuse === undefined) wrong.push(`${name}: ${status}`)
    else excuse.tests++
  }
}
for (const { beginning, tests } of excuses)
  if (tests === 0) wrong.push(`${beginning}: stands in the list of skipped tests, and was not skipped`)
// A name may belong to several tests.
const left = new Map([...outcomes].map(([name, all]) => [name, all.length]))
for (const { file, name } of names) {
  const here = nameOf(file, name)
  const count = left.get(here) ?? 0
  if (count === 0) wrong.push(`${here}: did not run`)
  left.set(here, count - 1)
}

if (wrong.length > 0) stop(wrong.join('\n'))
const all = [...outcomes.values()].flat()
const passed = all.filter(status => status === 'passed').length
console.log(`${ran.size} files, ${all.length} tests: ${passed} passed, ${all.length - passed} skipped:`)
for (const [name, why] of leftOut('windows')) console.log(`  left out: ${name} (${why})`)
for (const { beginning, why, tests } of excuses) console.log(`  ${tests}: ${beginning}… (${why})`)
