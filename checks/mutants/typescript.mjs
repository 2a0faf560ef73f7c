// The mutants of lib/: Stryker's instrumenter compiles all of them in, and a file chooses one when a test starts.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, stop } from '../../scripts/tools.mjs'
import { choose } from './choose.mjs'
import { installed } from './installed.mjs'
import { marked } from './keys.mjs'
import { placeOf } from './place.mjs'
import { compileIn, copyTree, files, write } from './tree.mjs'

async function instrument(sources) {
  const require = installed()
  const path = require.resolve('@stryker-mutator/instrumenter')
  const { createInstrumenter } = await import(pathToFileURL(path))
  const { createInjector } = await import(pathToFileURL(createRequire(path).resolve('typed-inject')))
  const logger = new Proxy(
    {},
    { get: (_, name) => () => (String(name).startsWith('is') ? false : undefined) },
  )
  const injector = createInjector()
    .provideValue('getLogger', () => logger)
    .provideValue('logger', logger)
    .provideValue('options', {})
  return injector
    .provideValue('injector', injector)
    .injectFunction(createInstrumenter)
    .instrument(
      [...sources].map(([name, content]) => ({ name, content, mutate: true })),
      { plugins: null, excludedMutations: [], ignorers: [] },
    )
}

/** The code that Stryker adds to a file and that hook.cjs replaces. */
const HEADER =
  /function stryNS_9fa48\(\) \{.*?\n\}\nstryNS_9fa48\(\);\n.*?\n {2}return isActive\(id\);\n\}\n/s

/** Makes the copy with all mutants compiled in: { copy, mutants, choose }. */
export async function mutantsOfTypeScript() {
  const copy = copyTree('typescript', /^lib\/.*\.cts$/)
  const names = files().filter(name => /^lib\/.*\.cts$/.test(name))
  const sources = new Map(names.sort().map(name => [name, readFileSync(join(root, name), 'utf8')]))
  const { files: instrumented, mutants } = await instrument(sources)
  const hook = `const { chosen: stryMutAct_9fa48, reach: stryCov_9fa48 } = require(${JSON.stringify(join(copy, 'checks/mutants/hook.cjs'))})\n`
  for (const { name, content } of instrumented) {
    if (content.includes('stryMutAct_9fa48') !== HEADER.test(content))
      stop(`checks/mutants does not know the code that Stryker adds to ${name}.`)
    const [first] = /^(#!.*\n)?/.exec(content)
    write(
      join(copy, name),
      `${first}// @ts-nocheck\n${content.slice(first.length).replace(HEADER, () => hook)}`,
    )
  }
  choose(copy, 'none')
  compileIn(copy)
  const parsed = new Map([...sources].map(([name, content]) => [name, placeOf(name, content)]))
  const all = mutants.map(
    ({ id, fileName: file, location: { start, end }, mutatorName: kind, replacement: to }) => {
      const { within, forPeople } = parsed.get(file)(start, end)
      const line = marked(sources.get(file).split('\n'), start, end)
      return {
        id,
        file,
        within,
        line,
        to,
        kind,
        at: start.line + 1,
        forPeople: forPeople && kind === 'StringLiteral',
      }
    },
  )
  return {
    copy,
    sources: [...sources].flat().join('\0'),
    mutants: all.filter(({ forPeople }) => !forPeople),
    texts: all.filter(({ forPeople }) => forPeople).length,
  }
}
