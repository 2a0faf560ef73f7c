// The TypeScript tests run through the package's public name, against dist/ and the built addon.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const tests = fileURLToPath(new URL('__test__', import.meta.url))
const folders = readdirSync(tests, { withFileTypes: true })
  .filter(entry => entry.isDirectory())
  .map(({ name }) => name)
  .filter(name => readdirSync(`${tests}/${name}`).some(file => file.endsWith('.test.ts')))

// The files of these folders have a process each: those of sessions leave connections open, whose timers must not run beside
// other files, and those of traces replace built-ins.
const APART = ['session', 'traces']

// The other folders have a process for many files, because its start takes longer than many a file. Those with few files share it.
// Not one for all folders, because tests collect garbage, which takes longer the more a process holds.
const LARGE = ['aead', 'cli', 'keyring', 'package', 'quic', 'raw', 'repository', 'shamir']
const few = folders.filter(name => !APART.includes(name) && !LARGE.includes(name))
const projects: [string, string[]][] = folders.filter(name => !few.includes(name)).map(name => [name, [name]])

export default defineConfig({
  test: {
    pool: 'forks',
    // By default one CPU stays free, which of two is half: many tests wait for programs that they start.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    execArgv: ['--expose-gc'],
    projects: [...projects, ['few', few] as [string, string[]]].map(([name, folders]) => ({
      extends: true as const,
      test: {
        name,
        include: folders.map(folder => `__test__/${folder}/*.test.ts`),
        isolate: APART.includes(name),
      },
    })),
  },
})
