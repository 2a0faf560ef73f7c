// `npm run dist [-- PLATFORM...]`: makes the packages to publish, in artifacts/: the root package, and the packages of the
// named platforms or of all. Linux builds every platform, a Mac only its own.

import { availableParallelism } from 'node:os'
import { checkBinary } from '../checks/binary/check.mjs'
import { compile, needSystem, refuseCap } from './compile.mjs'
import { buildLibrary } from './dist/build.mjs'
import { PLATFORMS } from './dist/platforms.mjs'
import { checkVersions, pack, stagePlatform, stageRoot } from './dist/stage.mjs'
import { prepare } from './setup.mjs'
import { stop } from './tools.mjs'

needSystem()
const all = Object.keys(PLATFORMS).filter(name => process.platform === 'linux' || name.startsWith('darwin'))
const names = process.argv.length > 2 ? process.argv.slice(2) : all
const unknown = names.find(name => !all.includes(name))
if (unknown !== undefined)
  stop(`${unknown} is not built here: name some of ${all.join(', ')}, or name no platform to build all.`)

refuseCap('npm run dist')
checkVersions()
prepare()
compile()

const waiting = [...names]
async function buildAll() {
  // From the last on: Windows and macOS take longest, with a standard library of their own to build.
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const began = performance.now()
    const library = await buildLibrary(name)
    checkBinary(name, library)
    stagePlatform(name, library)
    console.log(`${name}: ${Math.round((performance.now() - began) / 1000)} s`)
  }
}
// A platform for each CPU, because the compiler spends most of a build on one crate, in one thread.
await Promise.all(Array.from({ length: availableParallelism() }, buildAll))
stageRoot()
const tarballs = [...names, 'root'].map(pack)

console.log(`\n${'artifacts/'.padEnd(42)}   bytes  binary  sha256`)
for (const { tarball, packed, binary, sha256 } of tarballs) {
  console.log(`${tarball.padEnd(42)} ${String(packed).padStart(7)} ${String(binary).padStart(7)}  ${sha256}`)
}
