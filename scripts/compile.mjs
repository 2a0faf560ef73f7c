// Builds the addon for this platform into npm/, and the TypeScript into dist/.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run, stop, tool } from './tools.mjs'

const LIBRARIES = { linux: 'libhardware_aes_gcm.so', darwin: 'libhardware_aes_gcm.dylib' }

/** The platform as the packages under npm/ are named. */
function platform() {
  const { platform, arch } = process
  if (platform !== 'linux') return `${platform}-${arch}`
  const glibc = process.report.getReport().header.glibcVersionRuntime
  return `${platform}-${arch}-${glibc === undefined ? 'musl' : 'gnu'}`
}

/** Where the built addon lies. */
function addon() {
  return join(root, 'npm', platform(), `hardware-aes-gcm.${platform()}.node`)
}

export function build() {
  if (!existsSync(join(root, 'node_modules', 'typescript')))
    stop('What the build needs is not installed: run npm ci first.')
  const library = LIBRARIES[process.platform]
  if (library === undefined) stop(`hardware-aes-gcm does not build on ${process.platform} yet.`)
  run('cargo', ['build', '--release', '--features', 'node', '--locked', '--quiet'])
  const metadata = execFileSync('cargo', ['metadata', '--no-deps', '--format-version', '1'], { cwd: root })
  const built = join(JSON.parse(metadata).target_directory, 'release', library)
  // A process may have the old file mapped: replaced, it keeps it; overwritten, it would crash.
  mkdirSync(join(root, 'npm', platform()), { recursive: true })
  copyFileSync(built, `${addon()}.new`)
  renameSync(`${addon()}.new`, addon())
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  tool('typescript/bin/tsc', '-p', 'tsconfig.build.json')
}
