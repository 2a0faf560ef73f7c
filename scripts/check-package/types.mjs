// Compiles the TypeScript consumers with every compiler a user may have, under both ways to resolve the package.
import { join } from 'node:path'
import { execPath } from 'node:process'
import { cached } from './cache.mjs'
import { child } from './child.mjs'

/** The first with `using`, and the last of each line since. */
const COMPILERS = ['5.2.2', '5.9.3', '6.0.3', '7.0.2']
/** What the package is developed with: its output is what the runtimes get. */
const COMPILER = '6.0.3'

const OPTIONS = [
  ...[
    '--target',
    'es2022',
    '--lib',
    'es2022,esnext.disposable',
    '--types',
    'node',
    '--skipLibCheck',
    'false',
  ],
  ...['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess'],
]

/** Gives the compilers' versions, and the folder in which the compiled consumers lie. */
export async function compile(folder) {
  for (const version of COMPILERS) {
    const modules = cached(`typescript@${version}`, '@types/node@20.19.43')
    const files = ['--typeRoots', join(modules, '@types'), 'consumer.mts', 'consumer.cts']
    const compiler = (...args) =>
      child(execPath, [join(modules, 'typescript/bin/tsc'), ...args, ...OPTIONS, ...files], folder)
    await compiler('--module', 'node16', '--moduleResolution', 'node16', '--outDir', outputOf(version))
    await compiler('--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit')
    for (const file of ['consumer.mjs', 'consumer.cjs'])
      await child(execPath, [join(outputOf(version), file)], folder)
  }
  return { compilers: COMPILERS, compiled: outputOf(COMPILER) }
}

const outputOf = version => `compiled-${version}`
