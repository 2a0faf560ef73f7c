// Publishes the tarballs in artifacts/, the platform packages before the root: release.mjs [--publish]
//
// Without --publish it does all but that, and needs no network. Run again after a failure halfway it goes on: what the
// registry has already is left alone.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env } from 'node:process'
import { checkBinary } from './dist/check.mjs'
import { binaryOf, PLATFORMS } from './dist/platforms.mjs'
import { root, run, stop } from './tools.mjs'

const publish = argv[2] === '--publish'
if (argv.length > (publish ? 3 : 2)) stop('usage: release.mjs [--publish]')

const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
if (publish && env.GITHUB_REF_NAME !== `v${version}`)
  stop(`A release is published from its tag: v${version}, not ${env.GITHUB_REF_NAME ?? 'from here'}.`)
if (publish && !readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${version}`))
  stop(`CHANGELOG.md has no section "## ${version}".`)

/** A tarball and its package.json; stops where it is not what is to be published. */
function packed(file, expected) {
  const path = join(root, 'artifacts', file)
  if (!existsSync(path)) stop(`artifacts/${file} is not there: run npm run dist.`)
  const manifest = JSON.parse(
    execFileSync('tar', ['-xOzf', path, 'package/package.json'], { encoding: 'utf8' }),
  )
  if (manifest.name !== expected || manifest.version !== version)
    stop(`artifacts/${file} holds ${manifest.name}@${manifest.version}, not ${expected}@${version}.`)
  const unwanted = ['scripts', 'dependencies', 'devDependencies'].filter(field => field in manifest)
  if (unwanted.length > 0) stop(`artifacts/${file} has ${unwanted.join(' and ')} in its package.json.`)
  return { path, manifest, spec: `${expected}@${version}` }
}

/** Checks the binary that is in the tarball, not the one it was packed from. */
function checkPacked(platform, path) {
  const folder = mkdtempSync(join(tmpdir(), 'hardware-aes-gcm-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  execFileSync('tar', ['-xzf', path, '-C', folder])
  checkBinary(platform, join(folder, 'package', binaryOf(platform)))
}

const platforms = Object.keys(PLATFORMS).map(platform => {
  const tarball = packed(`${name}-${platform}-${version}.tgz`, `@${name}/${platform}`)
  checkPacked(platform, tarball.path)
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
