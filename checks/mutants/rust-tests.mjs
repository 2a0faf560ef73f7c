// The tests that are tried on a mutant of src/, by its place: programs of Rust, and files of __test__/ through the addon.
import { names, watches } from '../../__test__/register.mjs'
import { stop } from '../../scripts/tools.mjs'
import { command } from './processes.mjs'

/** Tests of `cipher` that take many seconds each without optimisation; other tests try the same with fewer cases. */
const SLOW = `
  splits_have_uniform short_frames_in_pairs the_kernel_on_arrays shares_are_the_values_of_the
  products_of_a_million_random_pairs coefficients_that_are_never coefficients_that_depend
`
  .trim()
  .split(/\s+/)
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

/** Files of __test__/ for a file of src/node/ or a folder of src/, as their register says. */
const typescript = place => names().filter(name => watches(name, place))

/** The steps for a mutant of the file, in order, as Trial takes them. */
export const stepsOf = file => namesOf(file).map(name => ({ name, seconds: 20, failing: [] }))

/** Names of STEPS, then of files of __test__/. */
function namesOf(file) {
  const [, folder, name] = file.match(/^src\/(\w+)(?:\/(\w+))?/)
  if (folder === 'node') {
    const found = typescript(`node/${name}`)
    if (found.length === 0)
      stop(`checks/mutants has no tests for ${file}: name it in a row of __test__/register.mjs.`)
    return ['unit', ...found]
  }
  if (folder === 'rng') return ['generator', 'unit', 'cipher', 'fork', ...typescript('rng')]
  if (folder === 'secret') return ['unit', 'wipe', 'cipher', 'memory', ...typescript('secret')]
  if (folder === 'key') return ['cipher', 'unit', 'generator', 'wipe', 'memory', 'fork', ...typescript('key')]
  if (name === 'packet') return ['packets', 'cipher', 'unit', 'wipe', ...typescript('node/packet')]
  if (name === 'shamir') return ['shares', 'unit', 'cipher', 'wipe', ...typescript('node/shamir')]
  if (name === 'chunks') return ['chunks', 'unit', 'cipher', 'wipe', ...typescript('node/chunks')]
  if (name === 'sealed') return ['sealed', 'unit', 'cipher', ...typescript('node/sealed')]
  if (name === 'base64url' || name === 'utf8')
    return ['sealed', 'unit', 'cipher', ...typescript('node/sealed_text')]
  return ['cipher', 'unit', 'wipe', ...typescript('kernel')]
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
