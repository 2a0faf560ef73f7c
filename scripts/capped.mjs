// The tests that run again under AESGCM_CAP, as on a CPU without the better backends, and those that do not, with the reason.
//
// A run without a cap already tries every backend of its CPU, because its tests name the backends one after the other. A cap
// changes the backend that is taken by default, and the size of the keys. __test__/capped.test.ts holds this table to the files.

/** Files of __test__/ whose calls take the backend by default. */
export const FILES = [
  'arena',
  'async',
  'backends',
  'capped',
  'conformance',
  'first-use',
  'hostile-arena',
  'hostile-binding',
  'hostile-random',
  'nonces',
  'quic-arena',
  'quic-keys',
  'quic-limits',
  'quic-objects',
  'quic-oracle',
  'quic-runs',
  'quic-tampering',
  'quic-updates',
  'quic-vectors',
  'random',
  'random-calls',
  'reseed',
  'rows',
  'self-test',
  'session-basic',
  'session-vectors',
  'shamir-basic',
  'shamir-cases',
  'shamir-envelope',
  'stream-pieces',
  'stream-wycheproof',
]

/** Reasons to leave out a file whose name begins with the key. */
export const LEFT_OUT = {
  agreement: 'names every backend in turn',
  'async-': 'refused and aborted calls, which are the same on every backend',
  'bench-': 'how the benchmark prints its figures',
  'cli-': 'the command: its cipher and shares are those of other files',
  'command-lines': 'how scripts read their arguments',
  diagnostics: 'messages of channels',
  documents: 'the code in the documents',
  entry: 'the names that the package exports',
  'errors-without-code': 'arguments that are refused before a backend is asked',
  environments: 'workers that end',
  inspect: 'how objects are printed',
  layers: 'reads the sources',
  links: 'the documents as texts',
  loading: 'how a binary is found',
  manuals: 'the comments of the manuals, and their examples',
  pieces: 'names every backend in turn',
  pinned: 'workers that end',
  'quic-arguments': 'arguments that are refused before a backend is asked',
  'quic-binding': 'the raw functions, whose arguments are refused before a backend is asked',
  'quic-events': 'messages of channels',
  'quic-example': 'examples/quic',
  'quic-schedule': 'keys from secrets, which node:crypto derives',
  'session-': 'streams and records: their cipher is that of conformance and session-vectors',
  'random-calls-judge': 'the judge of random-calls',
  'shamir-': 'lists, texts and objects: their field is that of shamir-basic and shamir-cases',
  'stream-arguments-that-change': 'refused calls, which are the same on every backend',
  'stream-arguments': 'refused calls, which are the same on every backend',
  'stream-binding': 'refused calls of raw functions, which are the same on every backend',
  'stream-files': 'files: the chunks are those of other files',
  'stream-flow': 'consumers that wait, stop and fail',
  'stream-forgeries': 'the Rust tests forge chunks on every backend',
  'stream-reader': 'positions in messages',
  siv: 'sizes, limits and texts of errors',
  'siv-': 'names every backend in turn',
  'text-as-bytes': 'the texts of errors',
  xaes: 'sizes, limits and texts of errors',
  'xaes-': 'names every backend in turn',
}

/** Programs of tests/, each with the names of its tests that run under a cap: all tests of the program, if it gives no name. */
export const PROGRAMS = {
  cipher: ['cpu::'],
  fork: [],
  generator: [],
  memory: [],
  seccomp: [],
  wipe: [],
}

/** Reasons to leave out a program. */
export const PROGRAMS_LEFT_OUT = {
  layers: 'reads the sources',
  no_aes: 'checks/cap.mjs runs it',
  poison: 'checks/valgrind runs it',
  timing: 'a register of arm64',
}
