// The mutants of src/: a sample is compiled in at once, and a file chooses one when a test starts. cargo-mutants would compile the crate,
// and the addon for the tests of TypeScript, once for each mutant.
import { spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, stop } from '../../scripts/tools.mjs'
import { installed } from './installed.mjs'
import { marked } from './keys.mjs'
import { Refused } from './refused.mjs'
import { inError, insert } from './rust-inserted.mjs'
import { mutantsOfRust } from './rust-list.mjs'
import { compileIn, copyTree, files } from './tree.mjs'

/** What is mutated: what is ours to decide. `backend` and `hw` are instructions and system calls. */
const MUTATED = /^src\/(key|rng|protocol|kernel|node)\/|^src\/secret\.rs$/

/** All mutants, from the files of the copy: { copy, sources, mutants }. */
export async function mutantsOfSources() {
  const copy = copyTree('rust', /^src\/|^tests\/cipher\/backends\.txt$|\.node$/)
  compileIn(copy)
  const require = installed()
  const { Parser, Language } = require('web-tree-sitter')
  await Parser.init()
  const parser = new Parser()
  parser.setLanguage(await Language.load(require.resolve('tree-sitter-rust/tree-sitter-rust.wasm')))
  const names = files().filter(name => /^src\/.*\.rs$/.test(name))
  const sources = new Map(names.sort().map(name => [name, readFileSync(join(root, name), 'utf8')]))
  const mutants = []
  for (const [file, content] of sources) {
    if (!MUTATED.test(file)) continue
    const tree = parser.parse(content)
    if (tree.rootNode.hasError) stop(`checks/mutants cannot parse ${file}.`)
    const lines = content.split('\n')
    const positionOf = index => {
      const before = content.slice(0, index).split('\n')
      return { line: before.length - 1, column: before.at(-1).length }
    }
    for (const mutant of mutantsOfRust(file, content, tree)) {
      const [start, end] = [positionOf(mutant.start), positionOf(mutant.end)]
      mutants.push({ ...mutant, line: marked(lines, start, end), at: start.line + 1 })
    }
  }
  return {
    copy,
    sources,
    // Ids begin at 1, because 0 is no mutant. keyOf() reads the replacement as `to`.
    mutants: mutants.map((mutant, i) => ({ ...mutant, id: i + 1, until: mutant.to, to: mutant.replacement })),
  }
}

const CARGO = [
  '--locked',
  '--quiet',
  '--features',
  'faults,node',
  '--profile',
  'mutants',
  ...[
    'inherits="test"',
    'opt-level=1',
    'debug=false',
    'debug-assertions=true',
    'incremental=true',
    'codegen-units=64',
    'lto="off"',
  ].flatMap(it => ['--config', `profile.mutants.${it}`]),
]
const PROGRAMS = ['cipher', 'generator', 'fork', 'memory', 'wipe']

function cargo(copy, command, args) {
  const { stdout, stderr, status } = spawnSync(
    'cargo',
    [command, ...CARGO, '--message-format=json', ...args],
    {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      // The flags of .cargo/config.toml, which the variable replaces, and no warning about brackets that are not needed.
      env: {
        ...process.env,
        CARGO_TARGET_DIR: join(copy, 'target'),
        RUSTFLAGS: '--cfg getrandom_backend="linux_raw" -A warnings',
      },
    },
  )
  const messages = stdout
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line))
  return { messages, stderr, status }
}

/**
 * Compiles `sample` into the copy, without the mutants that do not compile: { viable, programs }, `programs` being the paths of the
 * test programs by name. One backend stays unless `all` backends are asked, because the compiler needs most of its time for kernels.
 */
export function compile({ copy, sources }, sample, all = false) {
  const rows = 'tests/cipher/backends.txt'
  const texts = new Map([...sources, [rows, readFileSync(join(root, rows), 'utf8')]])
  if (!all) oneBackend(texts, rows)
  const refused = new Refused(sources)
  let viable = sample.filter(mutant => !refused.has(mutant)).map(mutant => ({ ...mutant, to: mutant.until }))
  for (;;) {
    insert(copy, texts, viable)
    const { messages, status, stderr } = cargo(copy, 'check', ['--lib'])
    if (status === 0) break
    const bad = inError(copy, messages, viable)
    if (bad.size === 0) {
      const errors = messages
        .filter(({ message }) => message?.level === 'error')
        .map(({ message }) => message.rendered)
      stop(
        `The mutants do not compile, and the compiler does not say which:\n${errors.join('').slice(0, 3000)}${stderr.slice(-2000)}`,
      )
    }
    refused.add(sample.filter(({ id }) => bad.has(id)))
    viable = viable.filter(({ id }) => !bad.has(id))
  }
  const { messages, status, stderr } = cargo(copy, 'test', [
    '--no-run',
    '--lib',
    ...PROGRAMS.flatMap(name => ['--test', name]),
  ])
  if (status !== 0) {
    const errors = messages
      .filter(({ message }) => message?.level === 'error')
      .map(({ message }) => message.rendered)
    stop(`The tests do not compile with mutants:\n${errors.join('').slice(0, 3000)}${stderr.slice(-2000)}`)
  }
  const programs = {}
  for (const { target, executable, filenames } of messages.filter(
    ({ reason }) => reason === 'compiler-artifact',
  )) {
    if (executable) programs[target.kind.includes('test') ? target.name : 'unit'] = executable
    const addon = filenames.find(file => file.endsWith('libhardware_aes_gcm.so'))
    if (addon) programs.addon = addon
  }
  // Node has the library mapped while tests run, so the copy is a file of its own.
  const [folder] = readdirSync(join(copy, 'npm')).filter(name => name === 'linux-x64-gnu')
  copyFileSync(programs.addon, join(copy, 'npm', folder, `hardware-aes-gcm.${folder}.node`))
  const kept = new Set(viable.map(({ id }) => id))
  return { viable: sample.filter(({ id }) => kept.has(id)), programs }
}

/** Leaves `aesni` alone in the lists of backends for x64. */
function oneBackend(texts, rows) {
  const list = 'src/backend/list.rs'
  texts.set(list, texts.get(list).replace(/^.*"vaes(512|256)" => .*\n/gm, ''))
  texts.set(rows, texts.get(rows).replace(/^x86_64 +vaes.*\n/gm, ''))
}
