// Runs the TypeScript tests that `npm test` leaves to checks, as __test__/register.mjs says: checks/run.mjs examples, and
// checks/run.mjs processes
//
// examples: the programs of the documents and of examples/. processes: the command, scripts and workers, most of them in processes of
// their own. A process takes longer to start than most tests take. Each file must run, or the check fails.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkedBy } from '../__test__/register.mjs'
import { root, tool } from '../scripts/tools.mjs'

export default {
  needs: ['build'],
  prove(_, { name }) {
    const files = checkedBy(name).map(file => join(root, '__test__', `${file}.test.ts`))
    const report = join(root, 'target', `${name}.json`)
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${report}`]
    tool('vitest/vitest.mjs', 'run', ...files, ...reporters)
    const { testResults, numPassedTests } = JSON.parse(readFileSync(report, 'utf8'))
    const ran = testResults.map(({ name }) => name).sort()
    if (ran.join() !== files.sort().join())
      throw new Error(`other files ran than are registered: ${ran.join(' ')}`)
    return [`${numPassedTests} tests of ${files.length} files passed`]
  },
}
