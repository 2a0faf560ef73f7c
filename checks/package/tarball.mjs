// Reads a package tarball.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const BLOCK = 512

/** Its path, its bytes as packed, its files with their bytes, and its package.json. */
export function readTarball(path) {
  const compressed = readFileSync(path)
  const tar = unzipped(path, compressed)
  const files = []
  for (let at = 0; at < tar.length && tar[at] !== 0; ) {
    const field = (from, to) => tar.toString('utf8', at + from, at + to).split('\0')[0]
    const name = field(0, 100)
    const size = Number.parseInt(field(124, 136), 8)
    // npm packs plain files only, and its names are short.
    if (field(156, 157) !== '0' || !name.startsWith('package/') || Number.isNaN(size))
      throw new Error(`${path} holds ${name}, which is no plain file under package/: pack it with npm.`)
    at += BLOCK
    files.push({ name: name.slice('package/'.length), bytes: tar.subarray(at, at + size) })
    at += Math.ceil(size / BLOCK) * BLOCK
  }
  const manifest = files.find(({ name }) => name === 'package.json')
  if (manifest === undefined) throw new Error(`${path} holds no package.json: pack it with npm.`)
  return {
    path,
    compressed,
    packed: compressed.length,
    files,
    manifest: JSON.parse(manifest.bytes.toString()),
  }
}

function unzipped(path, compressed) {
  try {
    return gunzipSync(compressed)
  } catch (error) {
    throw new Error(`${path} is no whole tarball (${error.message}): run \`npm run dist\` again.`)
  }
}
