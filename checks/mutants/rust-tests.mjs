// The tests that are tried on a mutant of src/, by its place: programs of Rust, and files of __test__/ through the addon.
import { stop } from '../../scripts/tools.mjs'
import { command } from './processes.mjs'

/** Tests of `cipher` that take many seconds each without optimisation; other tests try the same with fewer cases. */
const SLOW = [
  'a_million_splits',
  'short_frames_in_pairs',
  'the_kernel_on_arrays',
  'shares_are_the_values_of_the',
  'products_of_a_million_random_pairs',
  'coefficients_that_are_never',
  'coefficients_that_depend',
]
/** Tests that ask for all backends of the CPU, or read the sources. */
const NOT_HERE = ['every_backend_the_kernel']

const QUIET = ['-Zunstable-options', '--fail-fast', '--quiet']
const skip = names => names.flatMap(name => ['--skip', name])
/** The steps in Rust: a program of the copy, and its arguments. `fork` and `memory` have no test harness. */
const STEPS = {
  unit: ['unit', QUIET],
  cipher: ['cipher', [...QUIET, ...skip([...SLOW, ...NOT_HERE])]],
  packets: ['cipher', [...QUIET, 'packet']],
  shares: ['cipher', [...QUIET, 'shares::', ...skip(SLOW)]],
  chunks: ['cipher', [...QUIET, 'chunks::']],
  sealed: ['cipher', [...QUIET, 'sealed::']],
  generator: ['generator', QUIET],
  wipe: ['wipe', QUIET],
  fork: ['fork', []],
  memory: ['memory', []],
}

/** Files of __test__/ for the functions that JavaScript calls, by the name of the file in src/node/. */
export const NODE = {
  aead: 'hostile-binding siv xaes xaes-vectors siv-vectors inspect',
  arena: 'hostile-arena quic-arena hostile-binding entry',
  arguments: 'hostile-binding quic-binding shamir-binding stream-binding hostile-random siv',
  batch: 'rows hostile-binding siv xaes conformance',
  bytes:
    'hostile-binding hostile-arena hostile-random quic-binding shamir-binding stream-binding async-abort siv quic-limits',
  call: 'hostile-binding self-test backends errors-without-code shamir-basic reseed',
  chunks: 'stream-binding stream-arguments stream-reader stream-wycheproof stream-pieces',
  cpu: 'backends entry',
  fault: 'random reseed self-test',
  jobs: 'async-abort async async-copies environments',
  lists: 'shamir-odd-lists shamir-lists hostile-binding shamir-binding siv',
  mod: 'entry backends environments pinned self-test',
  objects: 'hostile-binding environments hostile-arena quic-objects quic-arena async-copies entry',
  packet:
    'quic-vectors quic-keys quic-limits quic-updates quic-binding quic-tampering quic-runs quic-arguments quic-arena',
  scalars: 'hostile-binding quic-binding shamir-binding stream-binding async-abort keyring-binding siv',
  random: 'random hostile-random reseed',
  random_info: 'random reseed',
  sealed: 'keyring-binding keyring keyring-tink keyring-hostile',
  shamir: 'shamir-basic shamir-binding shamir-arguments shamir-hostile shamir-lists shamir-envelope',
  status: 'errors-without-code hostile-binding quic-arguments shamir-arguments stream-arguments',
  table: 'hostile-binding environments hostile-arena',
  text: 'keyring-binding keyring keyring-hostile',
  values: 'hostile-binding quic-binding shamir-binding stream-binding shamir-basic',
}

/** The steps for a mutant of the file, in order, as Trial takes them. */
export const stepsOf = file => namesOf(file).map(name => ({ name, seconds: 20, failing: [] }))

/** Names of STEPS, then of files of __test__/. */
function namesOf(file) {
  const [, folder, name] = file.match(/^src\/(\w+)(?:\/(\w+))?/)
  if (folder === 'node') {
    if (!Object.hasOwn(NODE, name))
      stop(`checks/mutants has no tests for ${file}: add a row to NODE in rust-tests.mjs.`)
    return ['unit', ...NODE[name].split(' ')]
  }
  if (folder === 'rng')
    return ['generator', 'unit', 'cipher', 'fork', 'random', 'reseed', 'hostile-random', 'nonces']
  if (folder === 'secret') return ['unit', 'wipe', 'cipher', 'memory', 'shamir-basic']
  if (folder === 'key')
    return [
      'cipher',
      'unit',
      'generator',
      'wipe',
      'fork',
      'siv',
      'hostile-binding',
      'quic-limits',
      'reseed',
      'nonces',
    ]
  if (name === 'packet') return ['packets', 'cipher', 'unit', 'wipe', ...NODE.packet.split(' ')]
  if (name === 'shamir') return ['shares', 'unit', 'cipher', 'wipe', ...NODE.shamir.split(' ')]
  if (name === 'chunks') return ['chunks', 'unit', 'cipher', 'wipe', ...NODE.chunks.split(' ')]
  if (name === 'sealed' || name === 'base64url')
    return ['sealed', 'unit', 'cipher', ...NODE.sealed.split(' ')]
  return ['cipher', 'unit', 'wipe', 'shamir-basic', 'quic-vectors']
}

/** A runner for Trial that takes both kinds of steps. */
export class Steps {
  #copy
  #programs
  #runner

  constructor(copy, programs, runner) {
    this.#copy = copy
    this.#programs = programs
    this.#runner = runner
  }

  async run(test, limit) {
    if (!Object.hasOwn(STEPS, test.name)) return this.#runner.run(test, limit)
    const [program, args] = STEPS[test.name]
    const { code, output, seconds } = await command(this.#programs[program], args, {
      limit,
      cwd: this.#copy,
      env: {
        ...process.env,
        RUSTC_BOOTSTRAP: '1',
        RUST_MIN_STACK: String(8 << 20),
        RUST_BACKTRACE: '0',
        CARGO_MANIFEST_DIR: this.#copy,
      },
    })
    if (code === 0) return { passed: 1, failed: [], seconds }
    const [, name] = /^(?:---- (\S+) stdout|thread '(\S+?)')/m.exec(output) ?? []
    return { passed: 0, failed: [code === 'timeout' ? 'timeout' : (name ?? `ended by ${code}`)], seconds }
  }
}
