// The checks by name, in the order in which .ci/run begins them. run.mjs says what a check is.
//
// `file` is in this folder: a module, or a script of bash, which gets the arguments and `first`. `ci` names a group of .ci/run, of which
// `dist` has what runs beside the build of the packages. `turn` lists the turns to which the check belongs, if it takes
// turns, and `args` its arguments there. `planted` lists the turns in which it plants its faults first, where that takes minutes. A
// check without `ci` says in `elsewhere` what runs it.
const install = { args: ['--install'], flags: ['install'], on: 'x64 Linux' }

const wine = (part, about, turn) => ({
  ...install,
  file: 'wine/check.sh',
  first: [part],
  ci: 'packages',
  turn,
  about,
})

const arm64 = (part, about, turn) => ({
  ...install,
  file: 'arm64.sh',
  first: [part],
  ci: 'code',
  turn,
  about,
  flags: ['install', 'whole'],
})

export const CHECKS = {
  shapes: { file: 'shapes.mjs', ci: 'tests', turn: ['tools'] },
  cap: { file: 'cap.mjs', ci: 'tests' },

  arm64: arm64('kernels', 'The arm64 kernels compute the same', ['arm64']),
  'arm64-system': arm64('system', 'Memory, forks and the generator hold on arm64', ['memory']),
  // The checks that take minutes are spread over the turns, so that each turn has about as many.
  databases: { file: 'databases/check.mjs', ci: 'code', turn: ['databases'], args: ['--install'] },
  cookies: { file: 'cookies/check.mjs', ci: 'code', turn: ['databases', 'consumers'] },
  kms: { file: 'kms/check.mjs', ci: 'code', turn: ['consumers', 'tools'] },
  valgrind: {
    ...install,
    file: 'valgrind/check.sh',
    ci: 'code',
    turn: ['systems', 'scratch'],
    about: 'No branch and no address depends on a secret',
    flags: ['install', 'self-test'],
  },
  tink: { file: 'tink/check.mjs', ci: 'code' },
  hybrid: { file: 'hybrid/check.mjs', ci: 'code', turn: ['consumers', 'tools'] },
  calls: { file: 'calls/check.mjs', ci: 'code', turn: ['systems', 'consumers'] },
  recipes: { file: 'recipes/check.mjs', ci: 'code' },
  reload: { file: 'reload/check.mjs', ci: 'code', turn: ['systems', 'consumers'] },
  session: { file: 'session/check.mjs', ci: 'code' },
  async: { file: 'async/check.mjs', ci: 'code' },
  proofs: { file: 'proofs/check.mjs', ci: 'code' },
  streams: { file: 'streams/check.mjs', ci: 'code' },
  legacy: { file: 'legacy/check.mjs', ci: 'code' },
  peers: { file: 'peers/check.mjs', ci: 'code' },
  supply: { file: 'supply/check.mjs', ci: 'code' },
  crates: { file: 'supply/crates.mjs', ci: 'code' },
  // Last, because it uses all CPUs. The hosted workflow has a minute for each target.
  fuzz: { file: 'fuzz/check.mjs', ci: 'code', turn: ['arm64'], args: ['--self-test', '--seconds', '3'] },

  // Beside the build of the packages, which takes one CPU.
  examples: {
    file: 'tests.mjs',
    ci: 'dist',
    turn: ['databases', 'consumers'],
    about: 'Every program of the documents and of examples/ runs as it stands',
  },
  processes: {
    file: 'tests.mjs',
    ci: 'dist',
    turn: ['memory', 'tools'],
    about: 'The command, scripts and workers hold in processes of their own',
  },

  'wine-typescript': {
    ...wine('typescript', 'The TypeScript tests pass on Windows, under Wine', ['windows']),
    operands: [0, 2],
    among: ['ciphers', 'programs'],
  },
  package: { file: 'package/runtimes.mjs', ci: 'packages', turn: ['consumers'] },
  'package-tools': { file: 'package/tools.mjs', ci: 'packages', turn: ['tools'] },
  'wine-rust': wine('rust', 'The Rust tests pass on Windows, under Wine', ['builds']),
  emulate: {
    ...install,
    file: 'emulate/check.sh',
    ci: 'packages',
    turn: ['systems'],
    about: 'The packages run on other CPUs and systems, each with the backends that it must have',
    operands: [0, 6],
    among: ['x86', 'darwin-x64', 'musl-x64', 'arm64', 'darwin-arm64', 'musl-arm64'],
  },
  reproducible: { file: 'reproducible.mjs', ci: 'packages', turn: ['scratch'] },
  // These two need no package: they are here to run beside what takes one CPU.
  memory: { file: 'memory/check.mjs', ci: 'packages', turn: ['memory', 'builds'], args: ['--self-test'] },
  residency: { file: 'residency/check.mjs', ci: 'packages', turn: ['databases'] },
  codegen: { file: 'codegen/x64.mjs', ci: 'packages', planted: ['scratch', 'databases', 'consumers'] },
  'wine-package': wine('package', 'The Windows package installs and runs, under Wine', ['release']),
  binary: { file: 'binary/check.mjs', ci: 'packages', args: ['--self-test'] },
  'machine-code': { file: 'machine-code/check.mjs', ci: 'packages', turn: ['tools'] },
  'codegen-arm64': { file: 'codegen/arm64.mjs', ci: 'packages', turn: ['arm64'] },

  sanitizers: { file: 'sanitizers/check.mjs', elsewhere: 'npm run assurance' },
  statistics: { file: 'statistics/check.mjs', elsewhere: 'npm run assurance -- --whole' },
  mutants: { file: 'mutants/check.mjs', elsewhere: 'a sample in the hosted workflow' },
  miri: { file: 'miri/check.mjs', elsewhere: 'the hosted workflow, where rustup installs it' },
}

/** For each check of .ci/run, those of other turns left out: its group, its name and its arguments. */
export const inTurn = turn =>
  Object.entries(CHECKS)
    .filter(([, row]) => row.ci && (turn === 'whole' || (row.turn ?? [turn]).includes(turn)))
    .map(([name, { ci, args = [], planted = [] }]) => {
      const isPlanted = planted.length > 0 && ['whole', ...planted].includes(turn)
      return [ci, name, ...args, ...(isPlanted ? ['--self-test'] : [])]
    })

/** The words that `inTurn` takes. */
export const TURNS = ['whole', ...new Set(Object.values(CHECKS).flatMap(({ turn }) => turn ?? []))]

const fileOf = name => new URL(CHECKS[name].file, import.meta.url)

/** A check, with its name and the URL of its file. */
export async function load(name) {
  const [row, file] = [CHECKS[name], fileOf(name)]
  return { ...row, ...(row.file.endsWith('.sh') ? {} : (await import(file)).default), name, file }
}
