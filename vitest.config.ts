// The TypeScript tests run through the package's public name, against dist/ and the built addon.
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts'],
    pool: 'forks',
    // By default one CPU stays free, which of two is half: many tests wait for programs that they start.
    maxWorkers: '100%',
    testTimeout: 60_000,
    execArgv: ['--expose-gc'],
  },
})
