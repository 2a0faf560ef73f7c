// Runs the core in Miri, which sees undefined behaviour that no CPU shows: checks/run.mjs miri [TARGET]... [--install]
//
// Miri interprets Rust, and knows of each byte whether it was written, of each pointer what it may reach and how it is aligned, and of each
// reference whether it is the only one. It runs the targets of the fuzzer (fuzz/src/targets) on their committed inputs, by every backend of
// x86-64, whatever this CPU has: gcm, xaes, siv, pieces, batches, ranges, chunks, packets, shares, texts. First, it must report faults that
// are planted: a byte behind an allocation, a write through a shared reference, memory that was not written. It cannot run assembly and
// calls of the system (src/backend/assembly.rs, src/hw/system/miri.rs). Whole chunks of streams, the models of the ciphers and most inputs
// of shares are left out, because they would take hours.
//
// Miri comes with a nightly compiler, which --install adds by rustup: .ci/run cannot have it, so the hosted workflow runs this check.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { collect } from '../../scripts/child.mjs'
import { forEachBeside, root, run } from '../../scripts/tools.mjs'
import { RUST } from '../fuzz/targets.mjs'

/** Any host will do, since Miri interprets. It does not know the AES instructions of arm64. */
const TARGET = 'x86_64-unknown-linux-gnu'
const COMPILER = 'nightly-2026-10-29'
const INSTALL = ['toolchain', 'install', COMPILER, '--profile', 'minimal', '--component', 'miri,rust-src']
/** What Miri must say of each fault that fuzz/src/plant.rs plants. */
const FAULTS = {
  outside: /Undefined Behavior: .*at or beyond the end of the allocation/,
  shared: /Undefined Behavior: .*SharedReadOnly/,
  unwritten: /Undefined Behavior: .*uninitialized/,
}
/** An input on which a planted fault acts. */
const ACTS = '90'
/** Of some targets, one input in so many is taken: one of the shares takes Miri a minute. */
const ONE_IN = { shares: 10 }
/** Inputs of one process: a process takes some seconds to begin, and the last ones leave a CPU idle. */
const AT_ONCE = 10

/** Runs a target on inputs, and gives the exit code, the lines of the standard output, and the standard error. */
async function replay(target, inputs, planted = '') {
  const args = [
    'run',
    COMPILER,
    'cargo',
    'miri',
    'run',
    '--quiet',
    '--locked',
    '--target',
    TARGET,
    '--bin',
    'replay',
  ]
  const options = {
    cwd: root,
    env: {
      ...env,
      FUZZ_PLANT: planted,
      MIRIFLAGS: '-Zmiri-env-forward=FUZZ_PLANT -Zmiri-strict-provenance -Zmiri-symbolic-alignment-check',
      // The features of every backend, without RDSEED. Miri knows the system's call of the C library, and no assembly.
      RUSTFLAGS:
        '-Ctarget-cpu=x86-64-v4 -Ctarget-feature=+aes,+pclmulqdq,+vaes,+vpclmulqdq --cfg getrandom_backend="linux_getrandom"',
      CARGO_TARGET_DIR: join(root, 'target', 'miri'),
    },
  }
  const all = [...args, '--manifest-path', 'fuzz/Cargo.toml', '--', target, ...inputs]
  const { code, stdout, both } = await collect('rustup', all, options)
  return { code, lines: stdout.trimEnd().split('\n'), report: both }
}

/** What Miri says of a planted fault. */
async function found(fault, says) {
  const { code, report } = await replay(RUST[0], [ACTS], fault)
  if (code === 0) return undefined
  if (!says.test(report)) throw new Error(`planted: ${fault}, but this was found:\n${report.slice(-4000)}`)
  return says.exec(report)[0].slice(0, 100)
}

/** The compiler, which `--install` adds. */
let isThere = false
function need({ install }) {
  if (isThere) return
  if (install) run('rustup', INSTALL)
  if (spawnSync('rustup', ['run', COMPILER, 'cargo', 'miri', '--version']).status !== 0)
    throw new Error(
      `Miri of ${COMPILER} is missing. To install it, give --install, which runs: rustup ${INSTALL.join(' ')}`,
    )
  isThere = true
}

export default {
  about:
    'The core has no undefined behaviour that CPUs hide: accesses, alignment, memory that was never written, references',
  flags: ['install'],
  operands: [0, RUST.length],
  among: RUST,
  plants: Object.fromEntries(
    Object.entries(FAULTS).map(([fault, says]) => [
      fault,
      ({ flags }) => {
        need(flags)
        return found(fault, says)
      },
    ]),
  ),
  async prove({ operands }) {
    const chosen = operands.length > 0 ? [...new Set(operands)] : RUST
    const jobs = new Map()
    for (const target of chosen) {
      const lines = readFileSync(join(root, 'fuzz', 'corpus', `${target}.txt`), 'latin1')
        .trim()
        .split('\n')
      const inputs = lines.filter((_, i) => i % (ONE_IN[target] ?? 1) === 0)
      for (let at = 0; at < inputs.length; at += AT_ONCE)
        jobs.set(`${target}, part ${at / AT_ONCE + 1}`, [target, inputs.slice(at, at + AT_ONCE)])
    }
    let [passed, backends] = [0, '']
    await forEachBeside(jobs.keys(), async name => {
      const [target, inputs] = jobs.get(name)
      const { code, lines, report } = await replay(target, inputs)
      const [on, ...done] = lines
      if (code !== 0 || done.join() !== inputs.join())
        throw new Error(`${name}: ended with ${code} after ${done.length} inputs:\n${report.slice(-6000)}`)
      console.log(`miri: ${name}: ${done.length} inputs without a report`)
      backends = on
      passed += done.length
    })
    return [
      `${passed} inputs of ${chosen.length} targets on ${backends}, without a report, on ${availableParallelism()} CPUs`,
    ]
  },
}
