// Builds the addon for this platform into npm/, and the TypeScript into dist/.
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { root, run, stop, tool } from './tools.mjs'

/** The platform as the packages under npm/ are named. */
function platform() {
  const { platform, arch } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  const glibc = process.report.getReport().header.glibcVersionRuntime
  return `${platform}-${arch}-${glibc === undefined ? 'musl' : 'gnu'}`
}

/** Where the built addon lies. */
export function addon() {
  return join(root, 'npm', platform(), `hardware-aes-gcm.${platform()}.node`)
}

/**
 * What the addon is built with besides: where AESGCM_CAP caps the backends (src/backend/cap.rs), the feature that knows
 * of it.
 */
const CAPPED = process.env.AESGCM_CAP === undefined ? [] : ['faults']

/** Ends where backends are capped: `what` is of builds that nothing caps. */
export function refuseCap(what) {
  if (CAPPED.length > 0)
    stop(`${what} takes no AESGCM_CAP: it is for tests, and ${process.env.AESGCM_CAP} is set.`)
}

/** Builds the addon and gives the path that Cargo says it has, which its user's settings may decide. */
export function library(features = ['node', ...CAPPED]) {
  const args = ['build', '--release', '--features', features.join(), '--lib', '--locked', '--quiet']
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

export function build() {
  if (!existsSync(join(root, 'node_modules', 'typescript')))
    stop('What the build needs is not installed: run npm ci first.')
  if (!['linux', 'darwin'].includes(process.platform))
    stop(`hardware-aes-gcm does not build on ${process.platform} yet.`)
  const built = library()
  // A process may have the old file mapped: replaced, it keeps it; overwritten, it would crash.
  mkdirSync(join(root, 'npm', platform()), { recursive: true })
  copyFileSync(built, `${addon()}.new`)
  renameSync(`${addon()}.new`, addon())
  // A cap that the addon does not know ends this here, in the addon's own words.
  if (CAPPED.length > 0) run(process.execPath, ['--eval', 'require(process.argv[1])', addon()])
  compile()
}

/** lib/ into dist/, and the manual once more for the `require` condition, where types must say that they are CommonJS. */
function compile() {
  const dist = join(root, 'dist')
  rmSync(dist, { recursive: true, force: true })
  tool('typescript/bin/tsc', '-p', 'tsconfig.build.json')
  for (const name of readdirSync(dist, { recursive: true }).filter(name => name.endsWith('.cjs'))) {
    const file = join(dist, name)
    writeFileSync(file, withoutMark(readFileSync(file, 'utf8'), name))
  }
  copyFileSync(join(root, 'index.d.ts'), join(dist, 'index.d.cts'))
}

/**
 * Without the compiler's `__esModule`, which nobody asks for here: it is defined by a descriptor with a prototype, so that
 * importing would throw where Object.prototype has a property called `get`.
 */
function withoutMark(source, name) {
  const clean = source.replace('Object.defineProperty(exports, "__esModule", { value: true });\n', '')
  if (clean.includes('Object.defineProperty(exports')) stop(`dist/${name} defines exports by descriptors.`)
  return clean
}
