// Runs the consumers' tests with Jest as its users do: no settings for CommonJS, jsdom, ts-jest for TypeScript, and ES modules.
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

/** Each with the version of jest-environment-jsdom that belongs to it. */
const VERSIONS = { '29.7.0': '29.7.0', '30.4.2': '30.4.1' }

/** Gives the versions. Jest prints to stderr, and fails where a file has no test or a test does not pass. */
export async function jest(folder) {
  for (const [version, ofJsdom] of Object.entries(VERSIONS)) {
    const modules = cached(
      `jest@${version}`,
      `jest-environment-jsdom@${ofJsdom}`,
      'ts-jest@29.4.15',
      'typescript@5.9.3',
      '@types/node@20.19.43',
    )
    const run = (flags, file, ...options) =>
      child(
        execPath,
        [...flags, join(modules, 'jest/bin/jest.js'), '--ci', '--testTimeout=60000', ...options, '--', file],
        folder,
      )
    await run([], 'jest/required.test.js')
    await run([], 'jest/required.test.js', `--env=${join(modules, 'jest-environment-jsdom')}`)
    const compiled = {
      '\\.ts$': [join(modules, 'ts-jest'), { tsconfig: { typeRoots: [join(modules, '@types')] } }],
    }
    await run(
      [],
      'jest/typed.test.ts',
      `--config=${JSON.stringify({ rootDir: folder, transform: compiled })}`,
    )
    const match = JSON.stringify({
      rootDir: folder,
      testMatch: ['**/*.test.mjs'],
      moduleFileExtensions: ['mjs', 'cjs', 'js'],
    })
    await run(['--experimental-vm-modules'], 'jest/imported.test.mjs', `--config=${match}`)
  }
  return Object.keys(VERSIONS)
}
