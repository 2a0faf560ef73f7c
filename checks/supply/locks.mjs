// The lock files: every package from its ecosystem's registry with a hash, none in production on npm, and no script at installation.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/tools.mjs'
import { judge, planted } from './lines.mjs'

export const CARGO_LOCKS = ['Cargo.lock', 'bench/peers/Cargo.lock', 'fuzz/Cargo.lock']
const CRATES_IO = 'registry+https://github.com/rust-lang/crates.io-index'
const OWN = ['fuzz', 'hardware-aes-gcm', 'models', 'peers']
/** Our own packages, one for each platform, and the fields of package.json that would bring others. */
const BRINGS = ['dependencies', 'peerDependencies', 'optionalDependencies', 'bundleDependencies']

const read = file => readFileSync(join(root, file), 'utf8')

/** The packages of a lock file of Cargo, each an object of its fields that are strings. */
export function crates(text) {
  const blocks = text.split('[[package]]\n').slice(1)
  return blocks.map(block =>
    Object.fromEntries([...block.matchAll(/^(\w+) = "(.*)"$/gm)].map(([, key, value]) => [key, value])),
  )
}

function cargoFaults(file, text) {
  return crates(text)
    .filter(({ name }) => !OWN.includes(name))
    .filter(({ source, checksum }) => source !== CRATES_IO || !/^[0-9a-f]{64}$/.test(checksum))
    .map(({ name, source }) => `${file}: ${name} comes from ${source ?? 'a folder'}, or has no checksum`)
}

function npmFaults(manifest, { packages }) {
  const { '': ours, ...others } = packages
  const brought = BRINGS.filter(field => Object.keys(manifest[field] ?? ours[field] ?? {}).length > 0)
  return [
    ...brought.map(field => `package.json must have no ${field}`),
    ...Object.entries(others).flatMap(([path, { dev, integrity, hasInstallScript, resolved }]) => [
      ...(dev ? [] : [`package-lock.json: ${path} is not for development alone`]),
      ...(/^sha512-/.test(integrity) ? [] : [`package-lock.json: ${path} has no SHA-512 hash`]),
      ...(hasInstallScript ? [`package-lock.json: ${path} runs a script when it is installed`] : []),
      ...(resolved === undefined || resolved.startsWith('https://registry.npmjs.org/')
        ? []
        : [`package-lock.json: ${path} does not come from npm's registry`]),
    ]),
  ]
}

export function checkLocks() {
  const manifest = JSON.parse(read('package.json'))
  const lock = JSON.parse(read('package-lock.json'))
  const with_ = entry => ({ packages: { ...lock.packages, 'node_modules/planted': entry } })
  const good = { dev: true, integrity: 'sha512-AA==' }
  planted('development alone', npmFaults(manifest, with_({ ...good, dev: undefined })))
  planted('no SHA-512', npmFaults(manifest, with_({ ...good, integrity: 'sha1-AA==' })))
  planted('runs a script', npmFaults(manifest, with_({ ...good, hasInstallScript: true })))
  planted("npm's registry", npmFaults(manifest, with_({ ...good, resolved: 'git+ssh://example.com/x' })))
  planted('no dependencies', npmFaults({ ...manifest, dependencies: { aes: '1.0.0' } }, lock))
  planted('planted comes from a folder', cargoFaults('Cargo.lock', '[[package]]\nname = "planted"\n'))
  planted(
    'planted comes from git+https',
    cargoFaults('Cargo.lock', '[[package]]\nname = "planted"\nsource = "git+https://example.com/x"\n'),
  )
  const texts = CARGO_LOCKS.map(file => [file, read(file)])
  return judge(
    `lock files: ${Object.keys(lock.packages).length - 1} npm packages, all for development, with hashes and without scripts; ` +
      `${texts.map(([file, text]) => `${crates(text).length} crates in ${file}`).join(', ')}, all from crates.io with checksums`,
    [...npmFaults(manifest, lock), ...texts.flatMap(([file, text]) => cargoFaults(file, text))],
  )
}
