// The rules for a tarball: exactly the files on the list, no trace of the building machine, no script, no stray dependency.
import { readdirSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { entryFolders } from '../compile.mjs'
import { root } from '../tools.mjs'
import { LINK, NAMED } from './stage.mjs'

const PLATFORM = '@hardware-aes-gcm/'

/** `dist` holds the compiled files of lib/, without the contract's, which are types, the entries for `import`, and the types of both. */
const DIST = readdirSync(join(root, 'lib'), { recursive: true })
  .filter(name => /\.[cm]ts$/.test(name) && !name.startsWith('contract'))
  .map(name => `dist/${name.replace(/ts$/, 'js')}`)
  .concat(
    entryFolders().flatMap(folder =>
      ['mjs', 'd.mts', 'd.cts'].map(end => posix.join('dist', folder, `index.${end}`)),
    ),
  )

const COMMON = ['LICENSE', 'NOTICE', 'README.md', 'package.json', 'sbom.cdx.json']

/** Folders that a build leaves in strings: panic messages, debug information, source maps. */
const BUILD_PATH = /\/(?:root|home|tmp|Users)\/[\w.-]+|\/\.cargo\//

export function isPlatform({ manifest }) {
  return manifest.name.startsWith(PLATFORM)
}

function expected(tarball) {
  if (!isPlatform(tarball)) return [...COMMON, ...DIST, 'CHANGELOG.md', 'SECURITY.md']
  return [...COMMON, `hardware-aes-gcm.${tarball.manifest.name.slice(PLATFORM.length)}.node`]
}

/** The fields by which a package manager skips a platform's package elsewhere must agree with its name. */
function systemFaults({ name, os, cpu, libc }) {
  const [system, processor, library] = name.slice(PLATFORM.length).split('-')
  const wanted = { os: [system], cpu: [processor], libc: library && [library.replace('gnu', 'glibc')] }
  return Object.entries({ os, cpu, libc })
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(wanted[key]))
    .map(([key, value]) => `its "${key}" is ${JSON.stringify(value)}, not ${JSON.stringify(wanted[key])}`)
}

/** The relative links of a document, and the documents that a manual names, that the tarball does not have. */
function deadLinks(name, bytes, names) {
  if (name.endsWith('.d.cts')) return [...bytes.toString().matchAll(NAMED)].map(([path]) => path)
  if (!name.endsWith('.md')) return []
  const links = [...bytes.toString().matchAll(LINK)].map(([, , path]) => join(dirname(name), path))
  return links.filter(
    link => !names.some(packed => packed === link || packed.startsWith(`${link.replace(/\/$/, '')}/`)),
  )
}

/** Every fault of a tarball, each as a sentence. */
export function faults(tarball, version) {
  const { files, manifest } = tarball
  const names = files.map(({ name }) => name)
  const wanted = expected(tarball)
  const found = [
    ...names.filter(name => !wanted.includes(name)).map(name => `${name} must not be packed`),
    ...wanted.filter(name => !names.includes(name)).map(name => `${name} is missing`),
  ]
  for (const { name, bytes } of files) {
    if (bytes.length === 0) found.push(`${name} is empty`)
    const [path] = bytes.toString('latin1').match(BUILD_PATH) ?? []
    if (path !== undefined) found.push(`${name} names a folder of the machine it was made on: ${path}`)
    found.push(...deadLinks(name, bytes, names).map(link => `${name} links to ${link}, which is not packed`))
  }
  for (const key of ['scripts', 'gypfile', 'dependencies', 'devDependencies', 'bundleDependencies'])
    if (key in manifest) found.push(`package.json must have no "${key}"`)
  if (isPlatform(tarball)) found.push(...systemFaults(manifest))
  if (manifest.version !== version) found.push(`its version is ${manifest.version}, not ${version}`)
  for (const [name, range] of Object.entries(manifest.optionalDependencies ?? {}))
    if (!name.startsWith(PLATFORM) || range !== version)
      found.push(`"optionalDependencies" must name platform packages at ${version}, not ${name}@${range}`)
  return found.map(fault => `${manifest.name}: ${fault}.`)
}

/** A tarball's files and their sizes, for the reader. */
export function listing({ compressed, files, manifest }) {
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0)
  const rows = files.map(({ name, bytes }) => `${String(bytes.length).padStart(10)}  ${name}`)
  return [
    `${manifest.name}@${manifest.version}: ${compressed.length} bytes packed, ${total} unpacked`,
    ...rows,
  ].join('\n')
}
