// The bill of materials of a package (SBOM, CycloneDX 1.6), by which scanners find packages with known vulnerabilities.
//
// The same sources give the same bytes: a bill has no date and no random serial number, which the standard leaves out freely.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, stop } from '../tools.mjs'
import { PLATFORMS } from './platforms.mjs'

const OWN = 'hardware-aes-gcm'
const read = file => readFileSync(join(root, file), 'utf8')
const { version, license } = JSON.parse(read('package.json'))

/** The bill of the root package: it has no dependency but the platform packages, of which a machine installs one. */
export function sbomOfRoot() {
  const packages = Object.keys(PLATFORMS).map(name => ownPackage(`@${OWN}/${name}`, 'optional'))
  return bill(ownPackage(OWN), packages)
}

/** The bill of a platform's package: the crates that are compiled into its binary or compile it as macros. */
export function sbomOfPlatform(name) {
  return bill(ownPackage(`@${OWN}/${name}`), linkedCrates(PLATFORMS[name].target).map(component))
}

/** The crates, as `cargo metadata` describes each, that the addon of a target depends on, without those of tests and build scripts. */
export function linkedCrates(target) {
  const options = ['--format-version', '1', '--locked', '--features', 'node', '--filter-platform', target]
  const { status, stdout } = spawnSync('cargo', ['metadata', ...options], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0) stop('cargo could not tell the crates, for the reason above.')
  const { packages, resolve } = JSON.parse(stdout)
  const nodes = new Map(resolve.nodes.map(node => [node.id, node]))
  const reached = new Set()
  const reach = id => {
    if (reached.has(id)) return
    reached.add(id)
    for (const { pkg, dep_kinds: kinds } of nodes.get(id).deps)
      if (kinds.some(({ kind }) => kind === null)) reach(pkg)
  }
  reach(resolve.root)
  return packages.filter(({ id, name }) => reached.has(id) && name !== OWN)
}

function ownPackage(name, scope) {
  return {
    type: 'library',
    'bom-ref': purl(name),
    name,
    version,
    ...(scope && { scope }),
    licenses: [{ license: { id: license } }],
    purl: purl(name),
  }
}

const purl = name => `pkg:npm/${name.replace('@', '%40')}@${version}`

function component({ name, version, license: expression }) {
  const reference = `pkg:cargo/${name}@${version}`
  return {
    type: 'library',
    'bom-ref': reference,
    name,
    version,
    hashes: [{ alg: 'SHA-256', content: checksum(name, version) }],
    // Older crates write a slash for OR.
    licenses: [{ expression: expression.replaceAll('/', ' OR ') }],
    purl: reference,
  }
}

/** The hash of a crate's file on crates.io, by Cargo.lock. */
function checksum(name, version) {
  const block = `[[package]]\nname = "${name}"\nversion = "${version}"\n`
  const [, found] = /^checksum = "([0-9a-f]{64})"$/m.exec(read('Cargo.lock').split(block)[1]) ?? []
  return found ?? stop(`Cargo.lock has no checksum of ${name} ${version}.`)
}

function bill(described, components) {
  const sorted = components.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1))
  return `${JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      version: 1,
      metadata: { component: described },
      components: sorted,
      dependencies: [{ ref: described['bom-ref'], dependsOn: sorted.map(entry => entry['bom-ref']) }],
    },
    null,
    2,
  )}\n`
}
