// Faults planted to see them found: a check that cannot fail proves nothing.
import { execPath } from 'node:process'
import { faults } from '../../scripts/dist/contents.mjs'
import { child } from '../tools/child.mjs'
import { commands, linked } from './command.mjs'

/** Tarballs that must be refused, each made from a good one. */
const TARBALLS = {
  'a source map': good => ({ ...good, files: [...good.files, file('dist/index.cjs.map', 'x')] }),
  'a lost file': good => ({ ...good, files: good.files.slice(1) }),
  'an empty file': good => ({ ...good, files: [file(good.files[0].name, ''), ...good.files.slice(1)] }),
  'a folder of the builder': good => ({
    ...good,
    files: [file(good.files[0].name, 'panicked at /home/builder/src/lib.rs'), ...good.files.slice(1)],
  }),
  'a dead link': good => ({
    ...good,
    files: good.files.map(packed =>
      packed.name === 'README.md'
        ? file('README.md', '[map](docs/none.md) [here](#a) [b](https://c.d)')
        : packed,
    ),
  }),
  'a manual that names a document by its path': good => ({
    ...good,
    files: good.files.map(packed =>
      packed.name === 'dist/index.d.cts'
        ? file(packed.name, '// docs/errors.md; https://c.d/docs/errors.md')
        : packed,
    ),
  }),
  'an install script': good => changed(good, { scripts: { install: 'node-gyp rebuild' } }),
  'a dependency': good => changed(good, { dependencies: { bindings: '1.5.0' } }),
  'another version': good => changed(good, { version: '0.0.0' }),
  'a loose range': good =>
    changed(good, { optionalDependencies: { '@hardware-aes-gcm/linux-x64-gnu': '*' } }),
}

/** And tarballs made from a good one of a platform. */
const PLATFORMS = {
  'a package for every system': good => changed(good, { os: undefined }),
  'a package for another CPU': good => changed(good, { cpu: ['mips'] }),
  'a C library that is not in the name': good => changed(good, { libc: ['bionic'] }),
}

const file = (name, text) => ({ name, bytes: Buffer.from(text) })
const changed = (good, keys) => ({ ...good, manifest: { ...good.manifest, ...keys } })

/** Every planted tarball has one fault. */
export function plantInTarball(main, platforms) {
  const plant = (what, good, bad) => {
    const found = faults(bad, good.manifest.version)
    if (found.length !== 1)
      throw new Error(`planted ${what}, and found ${found.length} faults: ${found.join(' ')}`)
  }
  for (const [what, spoil] of Object.entries(TARBALLS)) plant(what, main, spoil(main))
  for (const [what, spoil] of Object.entries(PLATFORMS))
    for (const good of platforms) plant(what, good, spoil(good))
  return [...Object.keys(TARBALLS), ...Object.keys(PLATFORMS)]
}

/** A fault that only the conformance suite finds: arguments that overlap are accepted. */
const OVERLAP = `
  import { AesGcm } from 'hardware-aes-gcm'
  const { encryptInto } = AesGcm.prototype
  AesGcm.prototype.encryptInto = function (...values) {
    try {
      return encryptInto.apply(this, values)
    } catch (error) {
      if (error.code !== 'ERR_AESGCM_BUFFER_OVERLAP') throw error
      return 0
    }
  }
  await import('./consumer.mjs')`

/**
 * A consumer and the command fail where the binary is missing or the package has a fault, `refused.mjs` where the binary is there,
 * and a killed program is no success.
 */
export async function plantInPrograms({ installed, without }) {
  for (const [folder, ...args] of [
    [without, 'consumer.mjs'],
    [installed, 'refused.mjs', 'ERR_AESGCM_BINARY_NOT_FOUND', ''],
    [installed, '--input-type=module', '--eval', OVERLAP],
    [installed, '--eval', "process.kill(process.pid, 'SIGKILL')"],
  ]) {
    const passed = await child(execPath, args, folder).then(
      () => true,
      () => false,
    )
    if (passed) throw new Error(`${args.join(' ')} passed where it must fail.`)
  }
  for (const run of [commands, linked]) {
    const passed = await run(execPath, without).then(
      () => true,
      () => false,
    )
    if (passed) throw new Error('the command passed without its binary.')
  }
}
