// The checks by name, in the order in which .ci/run runs them. run.mjs says what a check is.
//
// `file` is in this folder: a module, or a script of bash, which gets `first` and then the arguments. `ci` names a list of .ci/run, `turn`
// the turn to which the check belongs, if it takes turns, and `args` are its arguments there. A check without `ci` says in `elsewhere` what
// runs it.
const install = { args: ['--install'], flags: ['install'], on: 'x64 Linux' }

export const CHECKS = {
  cap: { file: 'cap.mjs', ci: 'tests' },

  crates: { file: 'supply/crates.mjs', ci: 'lint' },
  supply: { file: 'supply/check.mjs', ci: 'lint' },
  proofs: { file: 'proofs/check.mjs', ci: 'lint' },
  valgrind: {
    ...install,
    file: 'valgrind/check.sh',
    ci: 'secrets',
    about: 'No branch and no address depends on a secret',
    flags: ['install', 'self-test'],
  },
  memory: { file: 'memory/check.mjs', ci: 'memory', args: ['--self-test'] },
  streams: { file: 'streams/check.mjs', ci: 'others' },
  tink: { file: 'tink/check.mjs', ci: 'others' },
  legacy: { file: 'legacy/check.mjs', ci: 'others' },
  peers: { file: 'peers/check.mjs', ci: 'others' },
  calls: { file: 'calls/check.mjs', ci: 'others' },
  recipes: { file: 'recipes/check.mjs', ci: 'others' },
  residency: { file: 'residency/check.mjs', ci: 'residency' },
  async: { file: 'async/check.mjs', ci: 'traffic' },
  session: { file: 'session/check.mjs', ci: 'traffic' },
  // The hosted workflow has a minute for each target.
  fuzz: { file: 'fuzz/check.mjs', ci: 'fuzz', args: ['--self-test', '--seconds', '3'] },

  arm64: {
    ...install,
    file: 'arm64.sh',
    ci: 'arm64',
    about: 'The arm64 kernels compute the same',
    flags: ['install', 'whole'],
  },

  binary: { file: 'binary/check.mjs', ci: 'consumers', args: ['--self-test'] },
  package: { file: 'package/check.mjs', ci: 'consumers' },
  codegen: { file: 'codegen/x64.mjs', ci: 'consumers', args: ['--self-test'] },
  'codegen-arm64': { file: 'codegen/arm64.mjs', ci: 'consumers' },
  reproducible: { file: 'reproducible.mjs', ci: 'again', turn: 'builds' },
  ...Object.fromEntries(
    Object.entries({
      package: 'The Windows package installs and runs, under Wine',
      typescript: 'The TypeScript tests pass on Windows, under Wine',
      rust: 'The Rust tests pass on Windows, under Wine',
    }).map(([part, about]) => [
      `wine-${part}`,
      {
        ...install,
        file: 'wine/check.sh',
        first: [part],
        ci: 'systems',
        turn: { typescript: 'windows', rust: 'builds' }[part],
        about,
      },
    ]),
  ),
  emulate: {
    ...install,
    file: 'emulate/check.sh',
    ci: 'systems',
    turn: 'systems',
    about: 'The packages run on other CPUs and systems, each with the backends that it must have',
    operands: [0, 6],
    among: ['x86', 'darwin-x64', 'musl-x64', 'arm64', 'darwin-arm64', 'musl-arm64'],
  },

  sanitizers: { file: 'sanitizers/check.mjs', elsewhere: 'npm run assurance' },
  statistics: { file: 'statistics/check.mjs', elsewhere: 'npm run assurance -- --whole' },
  mutants: { file: 'mutants/check.mjs', elsewhere: 'a sample in the hosted workflow' },
  miri: { file: 'miri/check.mjs', elsewhere: 'the hosted workflow, where rustup installs it' },
}

/** For each check of .ci/run, those of other turns left out: its list, its name and its arguments. */
export const inTurn = turn =>
  Object.entries(CHECKS)
    .filter(([, row]) => row.ci && (turn === 'whole' || [undefined, turn].includes(row.turn)))
    .map(([name, { ci, args = [] }]) => [ci, name, ...args])

const fileOf = name => new URL(CHECKS[name].file, import.meta.url)

/** A check, with its name and the URL of its file. */
export async function load(name) {
  const [row, file] = [CHECKS[name], fileOf(name)]
  return { ...row, ...(row.file.endsWith('.sh') ? {} : (await import(file)).default), name, file }
}
