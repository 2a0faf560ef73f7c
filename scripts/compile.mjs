// Builds the addon for this platform into npm/, and the TypeScript into dist/.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { copyCrates } from './crates.mjs'
import { root, run, stop, tool } from './tools.mjs'

/** The name of this platform's folder under npm/. */
function platform() {
  const { platform, arch } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  const glibc = process.report.getReport().header.glibcVersionRuntime
  return `${platform}-${arch}-${glibc === undefined ? 'musl' : 'gnu'}`
}

/** The path of the built addon. */
export function addon() {
  return join(root, 'npm', platform(), `hardware-aes-gcm.${platform()}.node`)
}

/** Further features of the addon: if AESGCM_CAP is set, the feature that reads it (src/backend/cap.rs). */
const CAPPED = process.env.AESGCM_CAP === undefined ? [] : ['faults']

/** Ends the process if AESGCM_CAP is set, because `command` needs a build with all backends. */
export function refuseCap(command) {
  if (CAPPED.length > 0) stop(`${command} does not work with AESGCM_CAP, which is for tests: unset it.`)
}

/**
 * Builds the addon and gives its path as Cargo reports it, because the user's settings of Cargo may change the path. An addon with
 * faults has another folder: in one folder, Cargo keeps the addon of one set of features and builds the other anew.
 */
export function library(features = ['node', ...CAPPED]) {
  const args = ['build', '--release', '--features', features.join(), '--lib', '--locked']
  if (features.includes('faults')) {
    const folder = resolve(root, process.env.CARGO_TARGET_DIR ?? 'target')
    copyCrates(join(folder, 'release'), join(folder, 'faults', 'release')) // the same ones
    args.push('--target-dir', join(folder, 'faults'))
  }
  // On a terminal, Cargo shows its progress. Elsewhere, its lines would fill a log.
  if (!process.stderr.isTTY) args.push('--quiet')
  const { status, stdout } = spawnSync('cargo', [...args, '--message-format=json-render-diagnostics'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 27,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) process.exit(status ?? 1)
  const messages = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  const files = messages.flatMap(({ reason, filenames }) => (reason === 'compiler-artifact' ? filenames : []))
  return files.findLast(file => /libhardware_aes_gcm\.(?:so|dylib)$/.test(file))
}

/** Ends the process on a system on which the package does not build. */
export function needSystem() {
  if (!['linux', 'darwin'].includes(process.platform))
    stop(
      `hardware-aes-gcm does not build on ${process.platform} yet. The package for Windows is built on Linux.`,
    )
}

export function build() {
  needSystem()
  const built = library()
  if (!existsSync(addon()) || !readFileSync(addon()).equals(readFileSync(built))) {
    // The file is replaced, not overwritten: a process that has the old file mapped would crash if it changed. Another build may do
    // the same at this moment.
    mkdirSync(join(root, 'npm', platform()), { recursive: true })
    const whole = `${addon()}.${process.pid}`
    copyFileSync(built, whole)
    renameSync(whole, addon())
  }
  // Loads the addon, which refuses a cap that it does not know.
  if (CAPPED.length > 0) run(process.execPath, ['--eval', 'require(process.argv[1])', addon()])
  compile()
}

/** What the compiler reads, and what it has written. */
const SOURCES = ['lib', 'types', 'index.d.ts', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json']
const STAMP = join(root, 'target', 'dist.sha256')

/** A digest of the sources and of dist/: if it is that of the last build, dist/ is what a build would make. */
function digestOfBuild() {
  const hash = createHash('sha256')
  for (const name of [...SOURCES, 'scripts/compile.mjs', 'dist'].flatMap(filesOf)) {
    const content = readFileSync(join(root, name))
    hash.update(`${name} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}

/** A file, or the files in a folder, which need not be there. */
function filesOf(name) {
  const path = join(root, name)
  if (!existsSync(path)) return []
  if (lstatSync(path).isFile()) return [name]
  const files = readdirSync(path, { recursive: true }).map(file => join(name, file))
  return files.filter(file => lstatSync(join(root, file)).isFile()).sort()
}

/**
 * Compiles lib/ into dist/, and writes for each entry what `import` loads and the types of both: the manual, index.d.cts, since a
 * CommonJS module can import no types of an ES module, and an index.d.mts that exports the same. Leaves dist/ alone if it is up to
 * date, so that programs which use it may run meanwhile.
 */
export function compile() {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === digestOfBuild()) return
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  tool('typescript/bin/tsc', '-p', 'tsconfig.build.json')
  for (const name of readdirSync(dist, { recursive: true }).filter(name => name.endsWith('.cjs'))) {
    const file = join(dist, name)
    writeFileSync(file, withoutMark(readFileSync(file, 'utf8'), name))
  }
  for (const folder of entryFolders()) {
    writeFileSync(join(dist, folder, 'index.mjs'), entryForImport(folder))
    writeFileSync(join(dist, folder, 'index.d.mts'), "export * from './index.cjs'\n")
  }
  copyFileSync(join(root, 'index.d.ts'), join(dist, 'index.d.cts'))
  for (const file of readdirSync(join(root, 'types'))) {
    const manual = readFileSync(join(root, 'types', file), 'utf8')
    const folder = folderOf(file.replace('.d.ts', ''))
    const to = path => `'${posix.relative(folder, path)}'`
    const main = manual.replaceAll("'../index.d.ts'", to('index.d.cts'))
    const all = main.replaceAll(/'\.\/(\w+)\.d\.ts'/g, (_, name) => to(`${folderOf(name)}/index.d.cts`))
    writeFileSync(join(dist, folder, 'index.d.cts'), all)
  }
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, digestOfBuild())
}

/**
 * Removes the compiler's `__esModule`, which is not used here. It is defined by a descriptor with a prototype, so importing
 * would throw if Object.prototype had a property called `get`.
 */
function withoutMark(source, name) {
  const clean = source.replace('Object.defineProperty(exports, "__esModule", { value: true });\n', '')
  if (clean.includes('Object.defineProperty(exports')) stop(`dist/${name} defines exports by descriptors.`)
  return clean
}

/** Entries that never load the binary. */
const WITHOUT_BINARY = ['legacy']

/** The folders of lib/ that are entries, as paths below it; '.' is the main one. */
export const entryFolders = () =>
  readdirSync(join(root, 'lib'), { recursive: true })
    .filter(name => basename(name) === 'index.cts')
    .map(name => dirname(name).replaceAll('\\', '/'))

/** The folder of an entry, by its name. */
export const folderOf = entry => entryFolders().find(folder => basename(folder) === entry)

/** The entry for `import` of a folder of lib/: the exports of its index.cts, so that its classes exist once in a process. */
function entryForImport(folder) {
  const source = readFileSync(join(root, 'lib', folder, 'index.cts'), 'utf8')
  const [, names] =
    /^export = \{([\w\s,]+)\} as const;?$/m.exec(source) ?? stop(`lib/${folder}/index.cts has no exports.`)
  const path = posix.relative(folder, 'cipher/native/binary.cjs')
  const binary = `import { lookFrom } from '${path.startsWith('.') ? path : `./${path}`}';\n`
  const looks = !WITHOUT_BINARY.includes(basename(folder))
  const list = names.split(',').flatMap(name => name.trim() || [])
  return `${looks ? binary : ''}import implementation from './index.cjs';
${looks ? 'lookFrom(import.meta.url);\n' : ''}export const { ${list.join(', ')} } = implementation;
`
}
