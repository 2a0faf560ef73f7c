// `npm run lint`: formatting and lints of TypeScript and Rust; every warning is an error.
import { run, setup, tool } from './setup.mjs'

await setup()
tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')
tool('typescript/bin/tsc', '--noEmit')
run('cargo', ['fmt', '--check'])
for (const features of ['', 'node']) {
  run('cargo', [
    'clippy',
    '--locked',
    '--quiet',
    '--all-targets',
    '--features',
    features,
    '--',
    '-D',
    'warnings',
  ])
}
