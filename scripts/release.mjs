// Publishes the tarballs in artifacts/, the platform packages before the root: node scripts/release.mjs [--publish]
//
// Without --publish, it checks everything, does not publish, and needs no network. After a failure halfway, run it again: it
// skips packages that the registry already has.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { commandLine } from './command-line.mjs'
import { faults } from './dist/contents.mjs'
import { binaryOf, PLATFORMS } from './dist/platforms.mjs'
import { readTarball } from './dist/tarball.mjs'
import { root, run, stop } from './tools.mjs'

const { publish } = commandLine(import.meta.url, { flags: ['publish'] }).flags

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
const lacking = [
  !changes.includes(`\n## ${version}\n`) && `CHANGELOG.md has no section "## ${version}"`,
  env.GITHUB_REF_NAME !== `v${version}` && `this is not the tag v${version}`,
].filter(Boolean)
if (publish && lacking.length > 0) stop(`Not published: ${lacking.join(', and ')}.`)

/** The tarball of a package. Ends the process if its contents are not fit for publication. */
function packed(file, expected) {
  const path = join(root, 'artifacts', file)
  if (!existsSync(path)) stop(`artifacts/${file} does not exist: run npm run dist.`)
  const tarball = readTarball(path)
  const found = faults(tarball, version)
  if (tarball.manifest.name !== expected) found.unshift(`it holds ${tarball.manifest.name}, not ${expected}`)
  if (found.length > 0) stop(`artifacts/${file}: ${found.join('\n')}`)
  return { ...tarball, spec: `${expected}@${version}` }
}

/** Checks the binary inside the tarball, not the file that was packed. */
function checkPacked(platform, { files }) {
  const folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const binary = join(folder, binaryOf(platform))
  writeFileSync(binary, files.find(file => file.name === binaryOf(platform)).bytes)
  run(execPath, ['checks/run.mjs', 'binary', binary])
}

const platforms = Object.keys(PLATFORMS).map(platform => {
  const tarball = packed(`${name}-${platform}-${version}.tgz`, `@${name}/${platform}`)
  checkPacked(platform, tarball)
  return tarball
})
const main = packed(`${name}-${version}.tgz`, name)
const asked = Object.entries(main.manifest.optionalDependencies ?? {}).map(entry => entry.join('@'))
if (String(asked.sort()) !== String(platforms.map(({ spec }) => spec).sort()))
  stop(`The root package asks for ${asked.join(', ') || 'no platform package'}.`)

for (const { path, spec } of [...platforms, main]) {
  if (!publish) console.log(`would publish ${spec}`)
  else if (spawnSync('npm', ['view', spec, 'version'], { encoding: 'utf8' }).stdout?.trim() === version)
    console.log(`${spec} is published already`)
  else run('npm', ['publish', path, '--access', 'public', '--provenance', '--ignore-scripts'])
}
if (!publish) for (const fault of lacking) console.log(`before that: ${fault}`)
