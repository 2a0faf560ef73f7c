// `npm test`: sets up, builds, and runs the TypeScript tests and the Rust tests (which know nothing of Node).
import { run, setup, tool } from './setup.mjs'

await setup()
tool('vitest/vitest.mjs', 'run')
run('cargo', ['test', '--locked', '--tests', '--quiet'])
