// The targets of Rust: one program with libFuzzer, which an environment variable tells the target.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { collect } from '../../scripts/child.mjs'
import { root } from '../../scripts/tools.mjs'
import { ADDRESS, COVERAGE, cargo, OPTIONS } from '../tools/instrumented.mjs'

const FOLDER = join(root, 'target', 'fuzz')
/** Longer inputs only repeat bytes: src/input.rs makes long texts of short inputs. */
const LONGEST = 600
/** Little freed memory is kept from use, because memory that is new to the process costs time. An input frees some kilobytes. */
const FAST = 'quarantine_size_mb=8:malloc_context_size=8'
/** Inputs of a target that are committed, at most. */
const KEPT = 60
/** Faults that plant.rs plants, with the sentence that must tell of them. */
const SAYS = { wrong: /assertion .*failed/, outside: /AddressSanitizer: heap-buffer-overflow/ }
export const FAULTS = Object.keys(SAYS)
/** Seconds after which a planted fault counts as not found. It takes some seconds on a busy machine. */
const PATIENCE = 180

let program

export function build() {
  const flags = ['--cfg', 'fuzzing', ...ADDRESS, ...COVERAGE]
  const made = cargo(['build', '--release', '--bin', 'fuzz', '--manifest-path', 'fuzz/Cargo.toml'], {
    flags,
    instrumented: ['hardware-aes-gcm', 'fuzz'],
    profile: 'release',
    folder: 'fuzz',
  })
  program = made.find(({ target }) => target.name === 'fuzz' && target.kind.includes('bin')).executable
}

/** Runs the program, and gives its exit code, its output and the milliseconds that it took. */
async function fuzz(target, args, variables = {}) {
  const began = Date.now()
  const options = {
    cwd: FOLDER,
    // The end alone matters, and a long run prints much.
    most: 200_000,
    env: {
      ...env,
      ...OPTIONS,
      ASAN_OPTIONS: `${OPTIONS.ASAN_OPTIONS}:${FAST}`,
      ...variables,
      FUZZ_TARGET: target,
    },
  }
  const { code, both } = await collect(program, args, options)
  return { code, output: both, milliseconds: Date.now() - began }
}

/** Options of each run. libFuzzer takes a seed of 32 bits, and draws one for 0. */
const common = seed => [
  `-seed=${Number(seed) % 2 ** 32 || 1}`,
  `-max_len=${LONGEST}`,
  // Inputs that reach rare edges come no more often than others: to weigh them took 30% of the time.
  '-entropic=0',
  '-print_final_stats=1',
  '-rss_limit_mb=2048',
]

const executed = output => Number(/number_of_executed_units: (\d+)/.exec(output)?.[1])

/** The folder of inputs that runs on this machine found, which is never committed. */
function found(target) {
  const folder = join(FOLDER, 'found', target)
  mkdirSync(folder, { recursive: true })
  return folder
}

const corpus = target => join(root, 'fuzz', 'corpus', `${target}.txt`)

/** The committed inputs, lines of hexadecimal digits, as files of a folder, which is how libFuzzer takes them. */
function committed(target) {
  const folder = join(FOLDER, 'committed', target)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const lines = readFileSync(corpus(target), 'latin1').trim().split('\n')
  for (const [i, line] of lines.entries()) writeFileSync(join(folder, String(i)), Buffer.from(line, 'hex'))
  return folder
}

export async function run(target, { executions, seconds }, seed) {
  const limit = executions ? `-runs=${executions}` : `-max_total_time=${seconds}`
  const artifact = join(FOLDER, `finding-${target}-`)
  const folders = [found(target), committed(target)]
  const args = [...common(seed), limit, `-artifact_prefix=${artifact}`, ...folders]
  const { code, output, milliseconds } = await fuzz(target, args)
  if (code !== 0 || !(executed(output) > 0)) {
    const repeat = `FUZZ_TARGET=${target} ${program} FILE`
    throw new Error(`${target} ended with ${code}; to repeat it: ${repeat}\n${output.slice(-6000)}`)
  }
  return { executions: executed(output), milliseconds }
}

/** Plants a fault, and gives a sentence about how it was found. Throws if it was not. */
export async function planted(target, fault, seed) {
  const folder = mkdtempSync(join(tmpdir(), 'aesgcm-fuzz-'))
  try {
    const args = [...common(seed), `-max_total_time=${PATIENCE}`, `-artifact_prefix=${folder}/`]
    const { code, output } = await fuzz(target, [...args, '-max_len=100'], { FUZZ_PLANT: fault })
    if (code === 0) throw new Error(`${target}: planted: ${fault}, and it was not found in ${PATIENCE} s`)
    if (!SAYS[fault].test(output))
      throw new Error(`${target}: planted: ${fault}, but this was found:\n${output.slice(-4000)}`)
    return `${fault}, after ${executed(output)} executions`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Replaces the committed inputs by some of those with which libFuzzer has the coverage of all that are known. */
export async function minimise(target) {
  const merged = mkdtempSync(join(tmpdir(), 'aesgcm-fuzz-'))
  try {
    const sources = [...(existsSync(corpus(target)) ? [committed(target)] : []), found(target)]
    const { code, output } = await fuzz(target, ['-merge=1', `-max_len=${LONGEST}`, merged, ...sources])
    if (code !== 0) throw new Error(`${target}: minimising ended with ${code}:\n${output.slice(-4000)}`)
    const inputs = readdirSync(merged).map(name => readFileSync(join(merged, name), 'hex'))
    const kept = inputs.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).filter(input => input !== '')
    // Evenly by length, so that long inputs stay, too.
    const lines = kept.filter((_, i) => i % Math.ceil(kept.length / KEPT) === 0)
    writeFileSync(corpus(target), `${lines.join('\n')}\n`)
    console.log(`fuzz: ${target}: ${lines.length} of ${inputs.length} inputs are kept in fuzz/corpus`)
  } finally {
    rmSync(merged, { recursive: true })
  }
}
