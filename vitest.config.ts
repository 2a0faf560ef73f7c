// The TypeScript tests run through the package's public name, against dist/ and the built addon.
import { readdirSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const tests = fileURLToPath(new URL('__test__', import.meta.url))
const files = (readdirSync(tests, { recursive: true }) as string[]).filter(name => name.endsWith('.test.ts'))
const folders = [...new Set(files.map(name => posix.dirname(name.replaceAll('\\', '/'))))].sort()
const nameOf = (folder: string) => posix.basename(folder)

// The files of these folders have a process each: those of sessions leave connections open, whose timers must not run beside
// other files, and those of traces replace built-ins.
const APART = ['session', 'traces']

// The other folders have a process for many files, because its start takes longer than many a file. Those with few files share it.
// Not one for all folders, because tests collect garbage, which takes longer the more a process holds.
const LARGE = ['aead', 'cli', 'keyring', 'package', 'quic', 'raw', 'repository', 'shamir']
const few = folders.filter(folder => ![...APART, ...LARGE].includes(nameOf(folder)))
const projects: [string, string[]][] = folders
  .filter(folder => !few.includes(folder))
  .map(folder => [nameOf(folder), [folder]])

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
