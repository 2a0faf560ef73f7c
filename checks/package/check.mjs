// Proves that the packed tarballs work on the runtimes and with the tools of users: checks/run.mjs package [RUNTIME]...
//
// Takes the tarballs of `npm run dist` from artifacts/: reads them, lints them, installs them from a registry on localhost
// into empty folders, and there compiles, bundles and runs consumers, with nothing on the PATH. Without arguments on
// every runtime. Runtimes and tools come from npm and stay in the cache folder. For x64 Linux with glibc.
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { faults, isPlatform, listing } from '../../scripts/dist/contents.mjs'
import { PLATFORMS } from '../../scripts/dist/platforms.mjs'
import { readTarball } from '../../scripts/dist/tarball.mjs'
import { forEachBeside, root } from '../../scripts/tools.mjs'
import { child } from '../tools/child.mjs'
import { obtain, RUNTIMES } from '../tools/runtimes.mjs'
import { bundle, trace } from './bundles.mjs'
import { linked } from './command.mjs'
import { consume } from './consume.mjs'
import { install, MANAGERS } from './install.mjs'
import { jest } from './jest.mjs'
import { lint } from './lints.mjs'
import { next } from './next.mjs'
import { plantInPrograms, plantInTarball } from './planted.mjs'
import { serve } from './registry.mjs'
import { compile } from './types.mjs'

const ALL = Object.keys(RUNTIMES)
const began = Date.now()

export default {
  about: 'The packed tarballs work on the runtimes and with the tools of users',
  on: 'x64 Linux',
  operands: [0, ALL.length],
  among: ALL,
  prove({ operands }) {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'check-package-')))
    // At the end: after an error, others still write there, and the error must be shown first.
    process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    return prove(folder, operands.length > 0 ? operands : ALL)
  },
}

async function prove(folder, names) {
  const tarballs = packed()
  for (const tarball of tarballs) console.log(`${listing(tarball)}\n`)
  const found = tarballs.flatMap(tarball => faults(tarball, tarballs[0].manifest.version))
  if (found.length > 0) throw new Error(found.join('\n'))
  step(`contents: ${tarballs.length} tarballs hold what they should${untried(tarballs)}`)
  step(`planted in a tarball and found: ${plantInTarball(tarballs[0], tarballs.slice(1)).join(', ')}`)

  const registry = await serve(tarballs)
  const installed = Object.keys(MANAGERS).map(manager => join(folder, manager.replace(' ', '-')))
  const without = join(folder, 'without-optional')
  try {
    for (const [index, manager] of Object.keys(MANAGERS).entries()) {
      await install(installed[index], manager, registry.url)
      const backend = await child(execPath, ['consumer.mjs'], installed[index])
      await linked(execPath, installed[index])
      step(`${manager}: installed, runs on ${backend}, and so does its command`)
    }
    await install(without, Object.keys(MANAGERS)[0], registry.url, '--omit=optional')
  } finally {
    registry.close()
  }

  await plantInPrograms({ installed: installed[0], without })
  step('without the binary a consumer fails, and is seen to')

  // As many at a time as there are CPUs, those that take longest first. Jest looks at all files of a folder, so nobody writes in its own.
  const compiling = compile(installed[0])
  compiling.catch(() => {}) // a runtime that waits for it reports the error
  const rows = {}
  const jobs = {
    ...Object.fromEntries(
      names.toReversed().map(name => [
        name,
        async () => {
          const program = await obtain(RUNTIMES[name], folder)
          const { compiled } = await compiling
          rows[name] = await consume(RUNTIMES[name], program, { installed: installed[0], compiled, without })
          return `${rows[name].runtime}: passed`
        },
      ]),
    ),
    publint: async () => {
      await lint(tarballs, folder)
      return 'publint and arethetypeswrong: nothing to remark'
    },
    esbuild: async () => {
      await bundle(installed[0])
      return 'esbuild: the package outside of a bundle and inside, ESM and CommonJS, minified'
    },
    nft: async () => {
      await trace(installed[0])
      return '@vercel/nft: finds the binary'
    },
    jest: async () =>
      `Jest ${(await jest(installed[1])).join(', ')}: CommonJS without settings, jsdom, ts-jest, ES modules`,
    next: async () =>
      `Next.js ${await next(installed[0], folder)}: a standalone server answers from its own folder`,
    types: async () =>
      `TypeScript ${(await compiling).compilers.join(', ')}: node16, nodenext and bundler, ESM and CommonJS, aliased, two versions, lib.dom`,
  }
  await forEachBeside(Object.keys(jobs), async name => step(await jobs[name]()))
  console.log(`\n${markdown(names.map(name => rows[name]))}\n`)
  return [`${tarballs.length} tarballs, ${names.length} runtimes${untried(tarballs)}`]
}

/** The platforms without a tarball, which `npm run dist` did not make. */
function untried(tarballs) {
  const packed = tarballs.map(({ manifest }) => manifest.name.split('/').at(-1))
  const missing = Object.keys(PLATFORMS).filter(name => !packed.includes(name))
  return missing.length > 0 ? `; not tried, for want of a tarball: ${missing.join(', ')}` : ''
}

/** The tarballs in artifacts/, the root package first. */
function packed() {
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
  return [...main, ...platforms]
}

/** A table for the documentation, from objects that have the same keys. */
function markdown(rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  const columns = Object.keys(rows[0])
  return [line(columns), line(columns.map(() => '---')), ...rows.map(row => line(Object.values(row)))].join(
    '\n',
  )
}

function step(text) {
  console.log(`${seconds().padStart(5)} s  ${text}`)
}

function seconds() {
  return ((Date.now() - began) / 1000).toFixed(0)
}
