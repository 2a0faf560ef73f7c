// `npm run lint`: formatting and lints of TypeScript and Rust; every warning is an error.
import { setup } from './setup.mjs'
import { run, tool } from './tools.mjs'

setup()
tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')
tool('typescript/bin/tsc', '--noEmit')
run('cargo', ['fmt', '--check'])
for (const features of ['', 'node', 'node,faults']) {
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
// The flags of .cargo/config.toml do not reach rustdoc, so the documentation must build without them.
run('cargo', ['doc', '--locked', '--quiet', '--no-deps'], {
  env: { ...process.env, RUSTDOCFLAGS: '--cap-lints=allow' },
})
