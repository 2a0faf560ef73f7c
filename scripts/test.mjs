// `npm test`: sets up, builds, and runs the TypeScript tests, the Rust tests of the core alone, and those of its boundary.
import { run, setup, tool } from './setup.mjs'

await setup()
tool('vitest/vitest.mjs', 'run')
run('cargo', ['test', '--locked', '--quiet', '--tests'])
run('cargo', ['test', '--locked', '--quiet', '--lib', '--features', 'node'])
