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
  'raw/': { cap: true, windows: true, lib: 'cipher/native' },
  'raw/aead': {
    src: 'node/aead node/arena node/arguments node/batch node/bytes node/call node/lists node/object node/objects node/scalars node/status node/table node/values key',
  },
  'raw/handles': {
    src: 'node/aead node/arena node/arguments node/batch node/bytes node/chunks node/jobs node/memory node/objects node/packet node/scratch node/sealed node/sealed_text node/table node/text',
  },
  'raw/jobs': { src: 'node/job_table node/jobs node/memory' },
  'raw/keyring': {
    src: 'node/scalars node/scratch node/sealed node/sealed_short node/sealed_text node/text',
  },
  'raw/intrusion': { cap: 'the order of steps in lib/', windows: 'makes a symbolic link' },
  'raw/places': { src: 'node/slate' },
  'raw/quic': { src: 'node/arguments node/bytes node/packet node/scalars node/values' },
  'raw/sealed-place': { src: 'node/scratch node/sealed_short node/sealed_text node/text' },
  'raw/shamir': { src: 'node/arguments node/bytes node/lists node/scalars node/shamir node/values' },
  'raw/slate': { src: 'node/memory node/objects node/short node/slate node/values' },
  'raw/stream': { src: 'node/arguments node/bytes node/chunks node/scalars node/values' },
  'raw/validator': { src: 'node/batch node/bytes node/lists node/packet' },

  'cipher/aead/': { windows: true, lib: 'cipher/aead cipher/siv cipher/xaes' },
  'cipher/aead/agreement': { cap: EVERY_BACKEND },
  'cipher/aead/allocation': {
    cap: 'memory of results, which is the same on every backend',
    lib: 'cipher/aead cipher/base values/columns values/keyring protocols/shamir protocols/stream',
  },
  'cipher/aead/arena': { cap: true, src: 'key' },
  'cipher/aead/async': { cap: true, src: 'node/job_table node/jobs node/memory' },
  'cipher/aead/async-abort': { cap: REFUSED, src: 'node/bytes node/jobs node/memory node/scalars' },
  'cipher/aead/async-copies': { cap: REFUSED, src: 'node/jobs node/memory node/objects' },
  'cipher/aead/async-refusals': { cap: REFUSED },
  'cipher/aead/backends': { cap: true, src: 'node/call node/cpu node/mod' },
  'cipher/aead/classes': {
    cap: 'receivers, arenas and calls off the thread, which are the same on every backend',
    src: 'node/aead node/arena node/jobs key',
  },
  'cipher/aead/conformance': {
    cap: true,
    lib: 'cipher/aead cipher/base cipher/machine cipher/native cipher/siv cipher/xaes',
    src: 'node/batch',
    role: 'suite',
  },
  'cipher/aead/hostile-arena': {
    cap: true,
    src: 'node/arena node/bytes node/object node/objects node/table',
  },
  'cipher/aead/pieces': { cap: EVERY_BACKEND },
  'cipher/aead/rows': { cap: true, src: 'node/batch' },
  'cipher/aead/siv': {
    cap: 'sizes, limits and texts of errors',
    src: 'node/aead node/arguments node/batch node/bytes node/lists node/scalars key',
  },
  'cipher/aead/siv-oracle': { cap: EVERY_BACKEND },
  'cipher/aead/siv-vectors': { cap: EVERY_BACKEND, src: 'node/aead' },
  'cipher/aead/slabs': {
    cap: 'memory of results, which is the same on every backend',
    lib: 'cipher/aead cipher/base values/keyring',
  },
  'cipher/aead/xaes': { cap: 'sizes, limits and texts of errors', src: 'node/aead node/batch' },
  'cipher/aead/xaes-oracle': { cap: EVERY_BACKEND },
  'cipher/aead/xaes-vectors': { cap: EVERY_BACKEND, src: 'node/aead' },

  'calls/': { cap: true, windows: true, lib: 'cipher/base' },
  'calls/judge': { cap: 'the judge of random-calls' },

  'cli/': {
    cap: 'the command: its cipher and shares are those of other files',
    windows: true,
    lib: 'cli cipher/files',
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

  'values/columns/': {
    cap: 'rows, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'values/columns',
  },
  'databases/rotation/': {
    cap: 'rows, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'databases/rotation',
  },
  'databases/rotation/sources': {
    windows: 'needs SQLite compiled to WebAssembly, which is not in that tree',
  },
  'values/columns/conditions': { windows: 'needs SQLite compiled to WebAssembly, which is not in that tree' },

  'values/cookie/': {
    cap: 'cookies, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'values/cookie',
  },
  'databases/drizzle/': {
    cap: 'rows of columns, in the hands of another library',
    windows: true,
    lib: 'databases/drizzle',
  },

  'documents/': {
    cap: 'the code in documents, manuals and examples: its ciphers are those of other files',
    lib: '',
  },
  'documents/documents': { windows: true, check: 'examples' },
  'documents/manuals': { windows: 'parses by the TypeScript compiler, which is not in that tree' },
  'documents/recipes': {
    windows: 'examples in JavaScript, whose parts are tested there by other files',
    lib: 'values/keyring',
    check: 'examples',
  },
  'documents/typescript': {
    windows: 'needs the TypeScript compiler, which is not in that tree',
    check: 'examples',
  },

  'errors/': {
    cap: 'arguments that are refused before a backend is asked, and the texts of errors',
    windows: true,
    lib: 'cipher/base',
  },
  'errors/without-code': { src: 'node/call node/status' },

  'values/hybrid/': {
    cap: 'key exchange and keysets over node:crypto, whose one cipher is that of conformance',
    windows: true,
    lib: 'values/hybrid values/keyring',
  },
  'values/hybrid/random-recipients': { lib: 'values/hybrid protocols/stream' },
  'values/hybrid/recipients': { lib: 'values/hybrid protocols/stream' },

  'values/keyring/': {
    cap: 'values, tokens and keysets, whose ciphers are those of conformance; HMAC and encodings, which have none',
    windows: true,
    lib: 'values/keyring',
  },
  'values/keyring/hostile': { src: 'node/scratch node/sealed node/sealed_text node/text' },
  'values/keyring/keyring': { src: 'node/scratch node/sealed node/sealed_text node/text' },
  'values/keyring/tink': { src: 'node/sealed node/sealed_text' },

  'values/kms/': { cap: 'keysets in the hands of key services', windows: true, lib: 'values/kms' },
  'values/passphrase/': {
    cap: 'protected files, whose cipher is that of conformance',
    windows: true,
    lib: 'values/passphrase',
  },

  'values/legacy/': {
    cap: 'texts of other programs, which node:crypto opens',
    windows: true,
    lib: 'values/legacy',
  },

  'package/': { windows: true, lib: 'cipher/machine cipher/native' },
  'package/diagnostics': { cap: 'messages of channels' },
  'package/entry': {
    cap: 'the names that the package exports',
    src: 'node/arena node/cpu node/mod node/objects',
  },
  'package/environments': {
    cap: 'workers that end',
    src: 'node/job_table node/jobs node/mod node/objects node/table',
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

  'databases/prisma/': {
    cap: 'arguments that are rewritten for Prisma: their values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'databases/prisma',
  },

  'protocols/quic/': { windows: true, lib: 'protocols/quic' },
  'protocols/quic/arena': { cap: true, src: 'node/arena node/object node/objects node/packet' },
  'protocols/quic/arguments': { cap: NO_BACKEND_YET, src: 'node/packet node/status' },
  'protocols/quic/events': { cap: 'messages of channels' },
  'protocols/quic/example': { cap: 'examples/quic', check: 'examples' },
  'protocols/quic/keys': { cap: true, src: 'node/packet' },
  'protocols/quic/limits': { cap: true, src: 'node/bytes node/packet key' },
  'protocols/quic/objects': { cap: true, src: 'node/objects' },
  'protocols/quic/oracle': { cap: true },
  'protocols/quic/runs': { cap: true, src: 'node/packet' },
  'protocols/quic/schedule': { cap: 'keys from secrets, which node:crypto derives' },
  'protocols/quic/tampering': { cap: true, src: 'node/packet' },
  'protocols/quic/updates': { cap: true, src: 'node/packet' },
  'protocols/quic/vectors': { cap: true, src: 'node/packet kernel' },

  'cipher/random/': { cap: true, windows: true, lib: 'cipher/machine' },
  'cipher/random/hostile': { src: 'node/arguments node/bytes node/random rng' },
  'cipher/random/nonces': { src: 'rng key' },
  'cipher/random/random': { src: 'node/fault node/random node/random_info rng' },
  'cipher/random/reseed': { src: 'node/call node/fault node/random node/random_info rng key' },

  'repository/': {
    cap: 'documents, sources and scripts, which reach no backend',
    windows: 'documents and sources as texts, and scripts, which do not run on Windows',
    lib: '',
  },
  'repository/command-lines': { check: 'processes' },

  'databases/sequelize/': {
    cap: 'models, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'databases/sequelize',
  },

  'protocols/session/': {
    cap: 'streams and records: their cipher is that of conformance and session/vectors',
    windows: true,
    lib: 'protocols/session',
  },
  'protocols/session/basic': { cap: true },
  'protocols/session/example': { check: 'examples' },
  'protocols/session/garbage': { check: 'examples' },
  'protocols/session/vectors': { cap: true },

  'protocols/shamir/': {
    cap: 'lists, texts and objects: their field is that of basic and cases',
    windows: true,
    lib: 'protocols/shamir',
  },
  'protocols/shamir/arguments': { src: 'node/shamir node/status' },
  'protocols/shamir/basic': { cap: true, src: 'node/call node/shamir node/values kernel secret' },
  'protocols/shamir/cases': { cap: true },
  'protocols/shamir/envelope': { cap: true, src: 'node/shamir' },
  'protocols/shamir/example': { check: 'examples' },
  'protocols/shamir/hostile': { src: 'node/shamir' },
  'protocols/shamir/lists': { src: 'node/lists node/shamir' },
  'protocols/shamir/odd-lists': { src: 'node/lists' },

  'protocols/stream/': { windows: true, lib: 'protocols/stream cipher/files' },
  'protocols/stream/arguments': { cap: REFUSED, src: 'node/chunks node/status' },
  'protocols/stream/arguments-that-change': { cap: REFUSED },
  'protocols/stream/files': { cap: 'files: the chunks are those of other files' },
  'protocols/stream/flow': { cap: 'consumers that wait, stop and fail' },
  'protocols/stream/forgeries': { cap: 'the Rust tests forge chunks on every backend' },
  'protocols/stream/pieces': { cap: true, src: 'node/chunks' },
  'protocols/stream/reader': { cap: 'positions in messages', src: 'node/chunks' },
  'protocols/stream/wycheproof': { cap: true, src: 'node/chunks' },

  'traces/': {
    cap: 'memory of JavaScript, where no backend lies',
    windows: true,
    lib: 'cipher/base',
    role: 'memory',
  },

  'databases/typeorm/': {
    cap: 'entities, whose values are sealed by the ciphers of conformance',
    windows: true,
    lib: 'databases/typeorm',
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
  const row = [name, name.replace(/[^/]*$/, '')]
    .filter(key => Object.hasOwn(rows, key))
    .map(key => rows[key])
    .find(row => row?.[question] !== undefined)
  if (row === undefined && REQUIRED.includes(question))
    throw new Error(`__test__/register.mjs has no row that answers "${question}" for ${name}`)
  return row?.[question] ?? ''
}

/** Whether a file or folder of src/ is among those that the register has for a file. */
export const watches = (name, place) => answer(name, 'src').split(' ').includes(place)

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
