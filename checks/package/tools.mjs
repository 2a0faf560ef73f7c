// Proves that the packed tarballs work with the tools of users: checks/run.mjs package-tools
//
// Takes the tarballs of `npm run dist` from artifacts/: lints them, installs them from a registry on localhost into empty folders, and
// there compiles, bundles, traces and tests consumers, with nothing on the PATH. Tools come from npm and stay in the cache folder. For
// x64 Linux with glibc.
import { join } from 'node:path'
import { forEachBeside } from '../../scripts/tools.mjs'
import { bundle, trace } from './bundles.mjs'
import { install, MANAGERS } from './install.mjs'
import { jest } from './jest.mjs'
import { lint } from './lints.mjs'
import { next } from './next.mjs'
import { serve } from './registry.mjs'
import { packed, step, temporary, untried } from './tarballs.mjs'
import { compile } from './types.mjs'

export default {
  about: 'The packed tarballs work with the tools of users',
  on: 'x64 Linux',
  prove: () => prove(temporary()),
}

async function prove(folder) {
  const tarballs = packed()
  const [manager] = Object.keys(MANAGERS)
  // Jest looks at all files of a folder, so nobody else writes in its own.
  const [installed, tested] = ['installed', 'tested'].map(name => join(folder, name))
  const registry = await serve(tarballs)
  try {
    for (const place of [installed, tested]) await install(place, manager, registry.url)
  } finally {
    registry.close()
  }
  step(`${manager}: installed twice`)

  // As many at a time as there are CPUs, those that take longest first, which are the last.
  const jobs = {
    publint: async () => {
      await lint(tarballs, folder)
      return 'publint and arethetypeswrong: nothing to remark'
    },
    nft: async () => {
      await trace(installed)
      return '@vercel/nft: finds the binary'
    },
    esbuild: async () => {
      await bundle(installed)
      return 'esbuild: the package outside of a bundle and inside, ESM and CommonJS, minified'
    },
    jest: async () =>
      `Jest ${(await jest(tested)).join(', ')}: CommonJS without settings, jsdom, ts-jest, ES modules`,
    next: async () =>
      `Next.js ${await next(installed, folder)}: a standalone server answers from its own folder`,
    types: async () =>
      `TypeScript ${(await compile(installed)).join(', ')}: node16, nodenext and bundler, ESM and CommonJS, aliased, two versions, lib.dom`,
  }
  await forEachBeside(Object.keys(jobs), async name => step(await jobs[name]()))
  return [`${tarballs.length} tarballs, ${Object.keys(jobs).length} kinds of tools${untried(tarballs)}`]
}
