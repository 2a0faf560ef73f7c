// Makes the packages to publish, in artifacts/: npm run dist [-- PLATFORM...]
//
// The root package, and the packages of the named platforms (the folders of npm/) or of all. Linux builds every platform, a Mac
// only its own. The first run on a machine takes about 13 minutes on two CPUs for all of them, because each has a standard library
// of its own; every later one, in any clone, about 4. Writes artifacts/, dist/, target/ and the user's cache folder (2 GB).
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { commandLine } from './command-line.mjs'
import { compile, needSystem, refuseCap } from './compile.mjs'
import { buildLibrary } from './dist/build.mjs'
import { binaryOf, PLATFORMS } from './dist/platforms.mjs'
import { checkVersions, discardPlatform, pack, stagePlatform, stageRoot } from './dist/stage.mjs'
import { prepare } from './setup.mjs'
import { forEachBeside, root, stop } from './tools.mjs'

const all = Object.keys(PLATFORMS).filter(name => process.platform === 'linux' || name.startsWith('darwin'))
const { operands } = commandLine(import.meta.url, { operands: [0, all.length], among: all })
const names = operands.length > 0 ? operands : all

/** Says what begins: builds take minutes. */
const say = (what, stage) => console.log(`${what}: ${stage}`)

needSystem()
refuseCap('npm run dist')
checkVersions()
say('root', 'checks the tools, installs npm packages if the lock file changed, and compiles TypeScript')
prepare()
compile()

// A platform for each CPU, because the compiler spends most of a build on one crate, in one thread.
await forEachBeside(names, async name => {
  const began = performance.now()
  const built = await buildLibrary(name, stage => say(name, stage))
  say(name, 'makes the folder of the package, and checks the binary in it')
  stagePlatform(name, built)
  const checked = ['checks/run.mjs', 'binary', join('artifacts', name, binaryOf(name))]
  if (spawnSync(process.execPath, checked, { cwd: root, stdio: 'inherit' }).status !== 0) {
    discardPlatform(name)
    stop(`${name}: the binary was refused, and its folder in artifacts/ is removed.`)
  }
  say(name, `is built, after ${Math.round((performance.now() - began) / 1000)} s`)
})
stageRoot()
const tarballs = [...names, 'root'].map(name => {
  say(name, 'is packed')
  return pack(name)
})

console.log(`\n${'artifacts/'.padEnd(42)}   bytes  binary  sha256`)
for (const { tarball, packed, binary, sha256 } of tarballs) {
  console.log(`${tarball.padEnd(42)} ${String(packed).padStart(7)} ${String(binary).padStart(7)}  ${sha256}`)
}
