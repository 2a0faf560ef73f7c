// Runs files of TypeScript tests, one after the other, as its parent asks: a line of JSON for each, answered by another.
//
// One vitest for all, which saves a second for each file; every file still runs in a process of its own. The parent ends this
// process with its group if a file takes too long. On Linux, the kernel ends these processes first if memory runs out.
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createVitest } from 'vitest/node'

try {
  writeFileSync('/proc/self/oom_score_adj', '900')
} catch {} // another system

const vitest = await createVitest('test', { watch: false, reporters: [{}], bail: 1, maxWorkers: 1, retry: 0 })

/** The first message of a module that failed before its tests, or outside of them. */
const reason = module =>
  [module, ...module.children.allSuites()].flatMap(part => part.errors())[0]?.message ??
  'failed without a message'

/** A pattern for the names of all other tests, as vitest joins them for patterns. */
const others = failing => {
  const names = failing.map(name => name.replaceAll(' > ', ' ').replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^(?!(${names.join('|')})$)`)
}

for await (const line of createInterface({ input: process.stdin })) {
  const { name, failing } = JSON.parse(line)
  if (failing.length > 0) vitest.setGlobalTestNamePattern(others(failing))
  else vitest.resetGlobalTestNamePattern()
  const specifications = await vitest.globTestSpecifications([`/${name}.test.ts`])
  // Otherwise a failure in an earlier file would count towards `bail`.
  vitest.state.filesMap.clear()
  vitest.state.idMap.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const tests = testModules.flatMap(module => [...module.children.allTests()])
  const failed = tests.filter(test => test.result().state === 'failed').map(test => test.fullName)
  if (failed.length === 0) failed.push(...testModules.filter(module => !module.ok()).map(reason))
  if (failed.length === 0) failed.push(...unhandledErrors.map(error => String(error?.message)))
  const passed = tests.filter(test => test.result().state === 'passed').length
  process.stdout.write(`\nanswer ${JSON.stringify({ passed, failed })}\n`)
}
