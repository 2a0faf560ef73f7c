// Reads a package tarball, with the system's tar.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Its path, its bytes as packed, its files with their bytes, and its package.json. */
export function readTarball(path) {
  const tar = (flags, ...names) => execFileSync('tar', [flags, path, ...names], { maxBuffer: 2 ** 26 })
  const lines = flags => tar(flags).toString().trim().split('\n')
  // npm packs plain files only.
  const odd = lines('-tvzf').find(line => !/^-.* package\/\S+$/.test(line))
  if (odd !== undefined) throw new Error(`${path} holds what is no plain file under package/: ${odd}`)
  const files = lines('-tzf').map(name => ({
    name: name.slice('package/'.length),
    bytes: tar('-xzOf', name),
  }))
  const manifest = files.find(({ name }) => name === 'package.json')
  if (manifest === undefined) throw new Error(`${path} holds no package.json: pack it with npm.`)
  return { path, compressed: readFileSync(path), files, manifest: JSON.parse(manifest.bytes.toString()) }
}
