// `npm test`: sets up, builds, and runs the TypeScript tests, the Rust tests of the core alone, and those of its boundary.
import { setup } from './setup.mjs'
import { run, tool } from './tools.mjs'

setup()
tool('vitest/vitest.mjs', 'run')
run('cargo', ['test', '--locked', '--quiet', '--tests', '--features', 'faults'])
run('cargo', ['test', '--locked', '--quiet', '--lib', '--features', 'node,faults'])
