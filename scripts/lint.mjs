// Formatting and lints of TypeScript and Rust, every warning an error: npm run lint
//
// Sets up and builds first. Takes a minute or two after the build. Writes what the build writes, and changes no source.
import { commandLine } from './command-line.mjs'
import { setup } from './setup.mjs'
import { run, tool } from './tools.mjs'

commandLine(import.meta.url)
setup()
tool('@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.')
tool('typescript/bin/tsc', '--noEmit')
run('cargo', ['fmt', '--check'])
// The tests with the first and the last set of features: the set between them is that of the package, which has no tests.
const SETS = [
  ['', '--all-targets'],
  ['node', '--lib'],
  ['node,faults', '--all-targets'],
]
for (const [features, targets] of SETS)
  run('cargo', ['clippy', '--locked', '--quiet', targets, '--features', features, '--', '-D', 'warnings'])
// The flags of .cargo/config.toml do not reach rustdoc, so the documentation must build without them.
run('cargo', ['doc', '--locked', '--quiet', '--no-deps'], {
  env: { ...process.env, RUSTDOCFLAGS: '--cap-lints=allow' },
})
