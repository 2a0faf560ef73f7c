// Builds Rust with sanitizers and with counters for libFuzzer, by the stable compiler: checks/fuzz and checks/sanitizers.
//
// RUSTC_BOOTSTRAP=1 lets the stable compiler take -Z flags. Only the named crates get the flags of a sanitizer, by Cargo's
// -Zprofile-rustflags. The target is named, so that RUSTFLAGS do not reach procedural macros; RUSTFLAGS replaces the flags of
// .cargo/config.toml, which are therefore repeated.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { root, stop } from '../../scripts/tools.mjs'

const TARGET = 'x86_64-unknown-linux-gnu'

/**
 * The flags of AddressSanitizer. Each check of an access is a call instead of code in place, and arrays on the stack get no zones round
 * them: with both, the compiler takes ten times as long for the unrolled kernels, and up to 11 GB of memory.
 */
export const ADDRESS = [
  '-Zsanitizer=address',
  '-Cllvm-args=-asan-instrumentation-with-call-threshold=0',
  '-Cllvm-args=-asan-stack=0',
]

/**
 * The flags of ThreadSanitizer. The standard library is not instrumented: checks/sanitizers/std.supp. Cargo gives a package's flags to its
 * build script, too, which RUSTFLAGS do not reach.
 */
export const THREAD = ['-Zsanitizer=thread', '-Cunsafe-allow-abi-mismatch=sanitizer']

/**
 * Counters of the edges that an input takes, as libFuzzer reads them. Operands of comparisons would take a third of the time, and say
 * little: most targets compute lengths and choices from the bytes of an input, so that few operands stand in the input as they are.
 */
export const COVERAGE = [
  '-Cpasses=sancov-module',
  '-Cllvm-args=-sanitizer-coverage-level=4',
  '-Cllvm-args=-sanitizer-coverage-inline-8bit-counters',
  '-Cllvm-args=-sanitizer-coverage-pc-table',
  '-Cllvm-args=-simplifycfg-branch-fold-threshold=0',
]

/** Leaks are not looked for: keys and tables of a thread live as long as the process. */
export const OPTIONS = { ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=0' }

/**
 * Runs cargo with `args`, where the crates `instrumented` are compiled with `flags`, and gives the files that it made. `profile` is the
 * name of the profile that `args` choose.
 */
export function cargo(args, { flags, instrumented, profile, folder }) {
  const config = instrumented.flatMap(name => [
    '--config',
    `profile.${profile}.package.${name}.rustflags=${JSON.stringify(flags)}`,
  ])
  const output = ['--target', TARGET, '--message-format=json-render-diagnostics', '--locked', '--quiet']
  const { status, stdout, error } = spawnSync(
    'cargo',
    [...args, ...output, '-Zprofile-rustflags', ...config],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 2 ** 27,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...env,
        RUSTC_BOOTSTRAP: '1',
        RUSTFLAGS: '--cfg getrandom_backend="linux_raw" -Cunsafe-allow-abi-mismatch=sanitizer',
        CARGO_TARGET_DIR: join(root, 'target', folder),
      },
    },
  )
  if (error) stop(`cargo could not be started: ${error.message}`)
  if (status !== 0) stop(`cargo ${args.join(' ')} ended with ${status}.`)
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
    .filter(({ reason }) => reason === 'compiler-artifact')
}
