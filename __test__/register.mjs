// The register of the tests: a row for each folder of test files says where they run again, and what they watch.
//
// A row whose key ends with / answers for all files of a folder. The row of a file overrides it, answer by answer. If a folder's row
// leaves an answer out, each file of the folder needs a row with it. repository/register.test.ts compares the table with the files.
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * `cap`: whether the files run again under AESGCM_CAP, as on a CPU without the better backends. A run without a cap already tries
 * every backend of its CPU, because tests name the backends one after the other; a cap changes the default, and the size of keys.
 * `windows`: whether they run on Windows, under Wine. A reason instead of `true` leaves them out.
 * `check`: the check of checks/list.mjs that runs them instead of `npm test`, if one does.
 * `lib`: the folders of lib/ whose mutants are tried on them early; empty if they start no code of lib/.
 * `src`: the files of src/node/, or folders of src/, whose mutants are tried on them; `kernel` is every other folder.
 * `role`: `memory` for files that find secrets in memory; `suite` for the slow one that tries every method, which comes last.
 *
 * @typedef {{ cap?: true | string, windows?: true | string, lib?: string, src?: string, check?: 'examples' | 'processes', role?: 'memory' | 'suite' }} Row
 */

const EVERY_BACKEND = 'names every backend in turn'
const REFUSED = 'refused calls, which are the same on every backend'
const NO_BACKEND_YET = 'arguments that are refused before a backend is asked'

/** @type {Record<string, Row>} */
export const ROWS = {
  'raw/': { cap: true, windows: true, lib: 'native' },
  'raw/aead': {
    src: 'node/aead node/arena node/arguments node/batch node/bytes node/call node/lists node/objects node/scalars node/status node/table node/values key',
  },
  'raw/handles': {
    src: 'node/aead node/arena node/arguments node/batch node/bytes node/chunks node/jobs node/memory node/objects node/packet node/sealed node/sealed_text node/table node/text',
  },
  'raw/jobs': { src: 'node/jobs node/memory' },
  'raw/keyring': { src: 'node/scalars node/sealed node/sealed_text node/text' },
  'raw/intrusion': { cap: 'the order of steps in lib/', windows: 'makes a symbolic link' },
  'raw/places': { src: 'node/slate' },
  'raw/quic': { src: 'node/arguments node/bytes node/packet node/scalars node/values' },
  'raw/sealed-place': { src: 'node/sealed_place node/sealed_text node/text' },
  'raw/shamir': { src: 'node/arguments node/bytes node/lists node/scalars node/shamir node/values' },
  'raw/slate': { src: 'node/memory node/objects node/short node/slate node/values' },
  'raw/stream': { src: 'node/arguments node/bytes node/chunks node/scalars node/values' },
  'raw/validator': { src: 'node/batch node/bytes node/lists node/packet' },

  'aead/': { windows: true, lib: 'aead siv xaes' },
  'aead/agreement': { cap: EVERY_BACKEND },
  'aead/allocation': {
    cap: 'memory of results, which is the same on every backend',
    lib: 'aead base columns keyring shamir stream',
  },
  'aead/arena': { cap: true, src: 'key' },
  'aead/async': { cap: true, src: 'node/jobs node/memory' },
  'aead/async-abort': { cap: REFUSED, src: 'node/bytes node/jobs node/memory node/scalars' },
  'aead/async-copies': { cap: REFUSED, src: 'node/jobs node/memory node/objects' },
  'aead/async-refusals': { cap: REFUSED },
  'aead/backends': { cap: true, src: 'node/call node/cpu node/mod' },
  'aead/classes': {
    cap: 'receivers, arenas and calls off the thread, which are the same on every backend',
    src: 'node/aead node/arena node/jobs key',
  },
  'aead/conformance': {
    cap: true,
    lib: 'aead base machine native siv xaes',
    src: 'node/batch',
    role: 'suite',
  },
  'aead/hostile-arena': { cap: true, src: 'node/arena node/bytes node/objects node/table' },
  'aead/pieces': { cap: EVERY_BACKEND },
  'aead/rows': { cap: true, src: 'node/batch' },
  'aead/siv': {
    cap: 'sizes, limits and texts of errors',
    src: 'node/aead node/arguments node/batch node/bytes node/lists node/scalars key',
  },
  'aead/siv-oracle': { cap: EVERY_BACKEND },
  'aead/siv-vectors': { cap: EVERY_BACKEND, src: 'node/aead' },
  'aead/slabs': { cap: 'memory of results, which is the same on every backend', lib: 'aead base keyring' },
  'aead/xaes': { cap: 'sizes, limits and texts of errors', src: 'node/aead node/batch' },
  'aead/xaes-oracle': { cap: EVERY_BACKEND },
  'aead/xaes-vectors': { cap: EVERY_BACKEND, src: 'node/aead' },

  'calls/': { cap: true, windows: true, lib: 'base' },
  'calls/judge': { cap: 'the judge of random-calls' },

  'cli/': {
    cap: 'the command: its cipher and shares are those of other files',
    windows: true,
    lib: 'cli files',
  },
  'cli/encrypt': { check: 'processes' },
  'cli/faults': { check: 'processes' },
  'cli/key-programs': { check: 'processes' },
  'cli/keyset-processes': { check: 'processes' },
  'cli/outputs': { check: 'processes' },
  'cli/recipients': { check: 'processes' },
  'cli/terminal': { check: 'processes' },
  'cli/rotate': {
    windows: 'needs SQLite compiled to WebAssembly, which is not in that tree',
    check: 'processes',
  },
  'cli/rotate-arguments': { windows: 'needs SQLite compiled to WebAssembly, which is not in that tree' },

  'columns/': {
    cap: 'rows, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'columns',
  },
  'rotation/': {
    cap: 'rows, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'rotation',
  },
  'rotation/sources': { windows: 'needs SQLite compiled to WebAssembly, which is not in that tree' },
  'columns/conditions': { windows: 'needs SQLite compiled to WebAssembly, which is not in that tree' },

  'cookie/': {
    cap: 'cookies, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'cookie',
  },
  'drizzle/': {
    cap: 'rows of columns, in the hands of another library',
    windows: true,
    lib: 'drizzle',
  },

  'documents/': {
    cap: 'the code in documents, manuals and examples: its ciphers are those of other files',
    lib: '',
  },
  'documents/documents': { windows: true, check: 'examples' },
  'documents/manuals': { windows: 'parses by the TypeScript compiler, which is not in that tree' },
  'documents/recipes': {
    windows: 'examples in JavaScript, whose parts are tested there by other files',
    lib: 'keyring',
    check: 'examples',
  },
  'documents/typescript': {
    windows: 'needs the TypeScript compiler, which is not in that tree',
    check: 'examples',
  },

  'errors/': {
    cap: 'arguments that are refused before a backend is asked, and the texts of errors',
    windows: true,
    lib: 'base',
  },
  'errors/without-code': { src: 'node/call node/status' },

  'hybrid/': {
    cap: 'key exchange and keysets over node:crypto, whose one cipher is that of conformance',
    windows: true,
    lib: 'hybrid keyring',
  },
  'hybrid/random-recipients': { lib: 'hybrid stream' },
  'hybrid/recipients': { lib: 'hybrid stream' },

  'keyring/': {
    cap: 'values, tokens and keysets, whose ciphers are those of conformance; HMAC and encodings, which have none',
    windows: true,
    lib: 'keyring',
  },
  'keyring/hostile': { src: 'node/sealed node/sealed_text node/text' },
  'keyring/keyring': { src: 'node/sealed node/sealed_text node/text' },
  'keyring/tink': { src: 'node/sealed node/sealed_text' },

  'kms/': {
    cap: 'keysets in the hands of key services',
    windows: true,
    lib: 'kms',
  },
  'passphrase/': {
    cap: 'protected files, whose cipher is that of conformance',
    windows: true,
    lib: 'passphrase',
  },

  'legacy/': { cap: 'texts of other programs, which node:crypto opens', windows: true, lib: 'legacy' },

  'package/': { windows: true, lib: 'machine native' },
  'package/diagnostics': { cap: 'messages of channels' },
  'package/entry': {
    cap: 'the names that the package exports',
    src: 'node/arena node/cpu node/mod node/objects',
  },
  'package/environments': {
    cap: 'workers that end',
    src: 'node/jobs node/mod node/objects node/table',
    check: 'processes',
  },
  'package/first-use': { cap: true },
  'package/immutable': { cap: NO_BACKEND_YET },
  'package/inspect': { cap: 'how objects are printed', src: 'node/aead' },
  'package/loading': { cap: 'how a binary is found', check: 'processes' },
  'package/other-realms': {
    cap: 'what a realm lacks',
    windows: 'runs programs of checks/package, which are not in that tree',
  },
  'package/pinned': { cap: 'workers that end', src: 'node/mod' },
  'package/self-test': { cap: true, src: 'node/call node/fault node/mod' },
  'package/snapshot': { cap: 'snapshots, which contain no binary', check: 'processes' },

  'prisma/': {
    cap: 'arguments that are rewritten for Prisma: their values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'prisma',
  },

  'quic/': { windows: true, lib: 'quic' },
  'quic/arena': { cap: true, src: 'node/arena node/objects node/packet' },
  'quic/arguments': { cap: NO_BACKEND_YET, src: 'node/packet node/status' },
  'quic/events': { cap: 'messages of channels' },
  'quic/example': { cap: 'examples/quic', check: 'examples' },
  'quic/keys': { cap: true, src: 'node/packet' },
  'quic/limits': { cap: true, src: 'node/bytes node/packet key' },
  'quic/objects': { cap: true, src: 'node/objects' },
  'quic/oracle': { cap: true },
  'quic/runs': { cap: true, src: 'node/packet' },
  'quic/schedule': { cap: 'keys from secrets, which node:crypto derives' },
  'quic/tampering': { cap: true, src: 'node/packet' },
  'quic/updates': { cap: true, src: 'node/packet' },
  'quic/vectors': { cap: true, src: 'node/packet kernel' },

  'random/': { cap: true, windows: true, lib: 'machine' },
  'random/hostile': { src: 'node/arguments node/bytes node/random rng' },
  'random/nonces': { src: 'rng key' },
  'random/random': { src: 'node/fault node/random node/random_info rng' },
  'random/reseed': { src: 'node/call node/fault node/random node/random_info rng key' },

  'repository/': {
    cap: 'documents, sources and scripts, which reach no backend',
    windows: 'documents and sources as texts, and scripts, which do not run on Windows',
    lib: '',
  },
  'repository/command-lines': { check: 'processes' },

  'sequelize/': {
    cap: 'models, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'sequelize',
  },

  'session/': {
    cap: 'streams and records: their cipher is that of conformance and session/vectors',
    windows: true,
    lib: 'session',
  },
  'session/basic': { cap: true },
  'session/example': { check: 'examples' },
  'session/garbage': { check: 'examples' },
  'session/vectors': { cap: true },

  'shamir/': {
    cap: 'lists, texts and objects: their field is that of basic and cases',
    windows: true,
    lib: 'shamir',
  },
  'shamir/arguments': { src: 'node/shamir node/status' },
  'shamir/basic': { cap: true, src: 'node/call node/shamir node/values kernel secret' },
  'shamir/cases': { cap: true },
  'shamir/envelope': { cap: true, src: 'node/shamir' },
  'shamir/example': { check: 'examples' },
  'shamir/hostile': { src: 'node/shamir' },
  'shamir/lists': { src: 'node/lists node/shamir' },
  'shamir/odd-lists': { src: 'node/lists' },

  'stream/': { windows: true, lib: 'stream files' },
  'stream/arguments': { cap: REFUSED, src: 'node/chunks node/status' },
  'stream/arguments-that-change': { cap: REFUSED },
  'stream/files': { cap: 'files: the chunks are those of other files' },
  'stream/flow': { cap: 'consumers that wait, stop and fail' },
  'stream/forgeries': { cap: 'the Rust tests forge chunks on every backend' },
  'stream/pieces': { cap: true, src: 'node/chunks' },
  'stream/reader': { cap: 'positions in messages', src: 'node/chunks' },
  'stream/wycheproof': { cap: true, src: 'node/chunks' },

  'traces/': {
    cap: 'memory of JavaScript, where no backend lies',
    windows: true,
    lib: 'base',
    role: 'memory',
  },

  'typeorm/': {
    cap: 'entities, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'typeorm',
  },
}

/** Programs of tests/: the names of their tests that run under a cap, all of them if the list is empty; or the reason to leave it out. */
export const PROGRAMS = {
  cipher: ['cpu::'],
  fork: [],
  generator: [],
  layers: 'reads the sources',
  memory: [],
  no_aes: 'checks/cap.mjs runs it',
  poison: 'checks/valgrind runs it',
  seccomp: [],
  shapes: 'no backend; checks/shapes.mjs runs it',
  timing: 'a register of arm64',
  wipe: [],
}

/** The names of all test files: their paths below this folder, or below that of a copy, without .test.ts. */
export const names = (folder = fileURLToPath(new URL('.', import.meta.url))) =>
  readdirSync(folder, { recursive: true })
    .map(file => String(file).replaceAll('\\', '/'))
    .filter(file => file.endsWith('.test.ts'))
    .map(file => file.replace('.test.ts', ''))
    .sort()

/** The questions that have an answer for every file. */
export const REQUIRED = ['cap', 'windows', 'lib']

/**
 * What the register says of a file; an empty string if it need not and does not. Throws for a file without an answer that it must have.
 * @template {keyof Row} Question
 * @param {string} name
 * @param {Question} question
 * @returns {NonNullable<Row[Question]> | ''}
 */
export function answer(name, question, rows = ROWS) {
  const row = [name, `${name.split('/')[0]}/`]
    .filter(key => Object.hasOwn(rows, key))
    .map(key => rows[key])
    .find(row => row?.[question] !== undefined)
  if (row === undefined && REQUIRED.includes(question))
    throw new Error(`__test__/register.mjs has no row that answers "${question}" for ${name}`)
  return row?.[question] ?? ''
}

/** Whether a folder of lib/, or a file or folder of src/, is among those that the register has for a file. */
export const watches = (name, question, place) => answer(name, question).split(' ').includes(place)

/** The files that a check runs. */
export const checkedBy = check => names().filter(name => answer(name, 'check') === check)

/** The files that `npm test` leaves to checks. */
export const leftToChecks = () => names().filter(name => answer(name, 'check') !== '')

/** The files that run, by `cap` or `windows`. */
export const kept = question => names().filter(name => answer(name, question) === true)

/** The other files, each with the reason. */
export const leftOut = question =>
  names().flatMap(name => {
    const reason = answer(name, question)
    return reason === true ? [] : [[name, reason]]
  })
