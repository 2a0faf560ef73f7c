// Makes a folder for each package in artifacts/, and packs the folders.
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { npm, root, stop } from '../tools.mjs'
import { binaryOf, PLATFORMS } from './platforms.mjs'
import { sbomOfPlatform, sbomOfRoot } from './sbom.mjs'

export const artifacts = join(root, 'artifacts')
const SBOM = 'sbom.cdx.json'
/** A relative link of a document, up to its `#`. */
export const LINK = /(\]\()(?![a-z]+:|#)([^)\s#]+)/g
/** The path of a document that a manual names. */
export const NAMED = /(?<![\w./-])docs\/[\w/-]+\.md/g
const read = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'))
const source = read('package.json')
/** The files of this version in the repository. */
const REPOSITORY = `${source.repository.url.replace(/^git\+|\.git$/g, '')}/blob/v${source.version}/`

/** Every package must have the version of package.json, because the addon and its loader belong together. */
export function checkVersions() {
  const cargo = readFileSync(join(root, 'Cargo.toml'), 'utf8').match(/^version = "(.*)"$/m)?.[1]
  const found = { 'Cargo.toml': cargo }
  for (const name of Object.keys(PLATFORMS)) {
    found[`npm/${name}/package.json`] = read('npm', name, 'package.json').version
  }
  for (const [file, version] of Object.entries(found)) {
    if (version !== source.version)
      stop(`${file} says version ${version} and package.json ${source.version}: make them equal.`)
  }
}

/** Where the twin of a published Linux binary lies, from which the binary was stripped of its symbols. */
const twinOf = name => join(artifacts, 'unstripped', name, PLATFORMS[name].library)

/** The twin of a published Linux binary. Ends the process if there is none. */
export function twin(name) {
  const path = twinOf(name)
  if (!existsSync(path)) stop(`There is no binary of ${name} with its symbols: run npm run dist first.`)
  return path
}

/** Makes the folder of a platform's package, with the built library under its published name. */
export function stagePlatform(name, { library, unstripped }) {
  const folder = emptied(name)
  for (const file of ['package.json', 'README.md']) cpSync(join(root, 'npm', name, file), join(folder, file))
  for (const file of ['LICENSE', 'NOTICE']) cpSync(join(root, file), join(folder, file))
  cpSync(library, join(folder, binaryOf(name)))
  writeFileSync(join(folder, SBOM), sbomOfPlatform(name))
  if (unstripped) cpSync(unstripped, twinOf(name))
}

/** Removes what `stagePlatform` made. */
export function discardPlatform(name) {
  rmSync(join(artifacts, name), { recursive: true, force: true })
  rmSync(twinOf(name), { force: true })
}

/**
 * Makes the folder of the root package. Only its package.json names the platform packages: if the repository's package.json
 * did, `npm ci` would look for them before they are published.
 */
export function stageRoot() {
  const folder = emptied('root')
  for (const file of [...source.files, 'LICENSE', 'README.md']) {
    cpSync(join(root, file), join(folder, file), { recursive: true })
  }
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name.endsWith('.md')) writeFileSync(join(folder, name), withLinks(folder, name))
    if (name.endsWith('.d.cts'))
      writeFileSync(join(folder, name), withAddresses(readFileSync(join(folder, name), 'utf8')))
  }
  writeFileSync(join(folder, SBOM), sbomOfRoot())
  const { devDependencies: _, scripts: __, ...published } = source
  published.files = [...source.files, SBOM]
  published.optionalDependencies = Object.fromEntries(
    Object.keys(PLATFORMS).map(name => [`@hardware-aes-gcm/${name}`, source.version]),
  )
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
}

/** A document whose links to files that are not packed lead to the repository. */
function withLinks(folder, name) {
  return readFileSync(join(folder, name), 'utf8').replaceAll(LINK, (whole, start, path) => {
    const target = join(folder, dirname(name), path)
    return existsSync(target) ? whole : `${start}${REPOSITORY}${relative(folder, target)}`
  })
}

/** A manual with the addresses of the documents that it names, which are not packed. */
export const withAddresses = manual => manual.replaceAll(NAMED, `${REPOSITORY}$&`)

/** An empty folder in artifacts/. Its earlier tarball is deleted; tarballs of other platforms stay. */
function emptied(name) {
  const folder = join(artifacts, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of readdirSync(artifacts)) {
    const version = file.startsWith(stemOf(name)) && file.slice(stemOf(name).length)
    if (/^-\d.*\.tgz$/.test(version)) rmSync(join(artifacts, file))
  }
  return folder
}

/** The beginning of the name that npm gives a package's tarball. */
const stemOf = name => (name === 'root' ? 'hardware-aes-gcm' : `hardware-aes-gcm-${name}`)

/** Packs a folder of artifacts/ and gives the tarball's name, sizes and hash. */
export function pack(name) {
  const folder = join(artifacts, name)
  npm(['pack', folder, '--pack-destination', artifacts, '--ignore-scripts', '--silent'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const tarball = `${stemOf(name)}-${source.version}.tgz`
  const bytes = readFileSync(join(artifacts, tarball))
  return {
    tarball,
    packed: bytes.length,
    binary: name === 'root' ? '' : statSync(join(folder, binaryOf(name))).size,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}
