// The tarballs of `npm run dist` and a place to install them, for the checks of the package.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { faults, isPlatform } from '../../scripts/dist/contents.mjs'
import { PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { readTarball } from '../../scripts/dist/tarball.mjs'
import { root } from '../../scripts/tools.mjs'

const began = Date.now()

/** A temporary folder, which vanishes with the process. */
export function temporary() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'check-package-')))
  // At the end: after an error, others still write there, and the error must be shown first.
  process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** The tarballs in artifacts/, the root package first. Throws if one does not hold what it should. */
export function packed() {
  const artifacts = join(root, 'artifacts')
  let files = []
  try {
    files = readdirSync(artifacts).filter(name => name.endsWith('.tgz'))
  } catch {} // no folder, no tarballs
  const tarballs = files.map(name => readTarball(join(artifacts, name)))
  const main = tarballs.filter(tarball => !isPlatform(tarball))
  const platforms = tarballs.filter(isPlatform)
  if (main.length !== 1 || !platforms.some(({ manifest }) => manifest.name.endsWith('/linux-x64-gnu')))
    throw new Error('artifacts/ lacks the packages of one release: empty it and run `npm run dist` first.')
  const all = [...main, ...platforms]
  const found = all.flatMap(tarball => faults(tarball, main[0].manifest.version))
  if (found.length > 0) throw new Error(found.join('\n'))
  return all
}

/** The platforms without a tarball, which `npm run dist` did not make. */
export function untried(tarballs) {
  const names = tarballs.map(({ manifest }) => manifest.name.split('/').at(-1))
  const missing = Object.keys(PLATFORMS).filter(name => !names.includes(name))
  return missing.length > 0 ? `; not tried, for want of a tarball: ${missing.join(', ')}` : ''
}

/** Prints what has been done, and when. */
export function step(text) {
  console.log(`${((Date.now() - began) / 1000).toFixed(0).padStart(5)} s  ${text}`)
}
