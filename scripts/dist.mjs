// `npm run dist [-- PLATFORM...]`: makes the packages to publish, in artifacts/: the root package, and the packages of the
// named platforms or of all. Linux builds every platform, a Mac only its own.

import { checkBinary } from '../checks/binary/check.mjs'
import { refuseCap } from './compile.mjs'
import { buildLibrary } from './dist/build.mjs'
import { PLATFORMS } from './dist/platforms.mjs'
import { checkVersions, pack, stagePlatform, stageRoot } from './dist/stage.mjs'
import { setup } from './setup.mjs'
import { stop } from './tools.mjs'

const all = Object.keys(PLATFORMS).filter(name => process.platform === 'linux' || name.startsWith('darwin'))
const names = process.argv.length > 2 ? process.argv.slice(2) : all
const unknown = names.find(name => !all.includes(name))
if (unknown !== undefined)
  stop(`${unknown} is not built here: name some of ${all.join(', ')}, or name no platform to build all.`)

refuseCap('npm run dist')
checkVersions()
setup()

const tarballs = []
for (const name of names) {
  const began = performance.now()
  console.log(`\n${name}`)
  const library = buildLibrary(name)
  checkBinary(name, library)
  stagePlatform(name, library)
  tarballs.push(pack(name))
  console.log(`${Math.round((performance.now() - began) / 1000)} s`)
}
stageRoot()
tarballs.push(pack('root'))

console.log(`\n${'artifacts/'.padEnd(42)}   bytes  binary  sha256`)
for (const { tarball, packed, binary, sha256 } of tarballs) {
  console.log(`${tarball.padEnd(42)} ${String(packed).padStart(7)} ${String(binary).padStart(7)}  ${sha256}`)
}
