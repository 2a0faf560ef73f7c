// Bundles a consumer with esbuild and runs the bundles; and traces its files as serverless platforms do.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from '../tools/cache.mjs'
import { child } from '../tools/child.mjs'

const OPTIONS = ['--bundle', '--platform=node', '--target=node20.19', '--log-level=warning']

/** The package outside of the bundle and inside, as ESM and as CommonJS. The binary stays in node_modules. */
export async function bundle(folder) {
  const esbuild = join(cached('esbuild@0.28.2'), 'esbuild/bin/esbuild')
  // esbuild warns that CommonJS has no import.meta; the package takes __filename there.
  for (const [file, ...options] of [
    ['external.mjs', '--format=esm', '--external:hardware-aes-gcm'],
    ['external.cjs', '--format=cjs', '--external:hardware-aes-gcm'],
    ['inside.mjs', '--format=esm'],
    ['inside.cjs', '--format=cjs', '--log-override:empty-import-meta=silent'],
    ['minified.mjs', '--format=esm', '--minify'],
  ]) {
    await run(esbuild, 'consumer.mts', `bundled/${file}`, options, folder)
  }
  await run(esbuild, 'bundled.mjs', 'bundled/required.mjs', ['--format=esm'], folder)
}

async function run(esbuild, entry, output, options, folder) {
  await child(execPath, [esbuild, entry, ...OPTIONS, ...options, `--outfile=${output}`], folder)
  await child(execPath, [output], folder)
}

/** The files that @vercel/nft finds a consumer to need: the binary must be among them. */
export async function trace(folder) {
  const { nodeFileTrace } = createRequire(join(cached('@vercel/nft@1.11.5'), 'x.cjs'))('@vercel/nft')
  for (const consumer of ['consumer.mjs', 'consumer.cjs']) {
    const { fileList } = await nodeFileTrace([join(folder, consumer)], { base: folder })
    if (![...fileList].some(file => file.endsWith('.node')))
      throw new Error(`@vercel/nft finds no binary for ${consumer}, only ${[...fileList].join(', ')}.`)
  }
}
