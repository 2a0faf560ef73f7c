// Runs the consumers on a runtime, with and without its permissions.
import { child } from '../tools/child.mjs'
import { commands, linked } from './command.mjs'

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
    await child(program, [...flags, ...runtime.permissions, 'consumer.mjs', 'brief'], folder)
}

async function workers(run, folder) {
  const alone = await run(folder, 'workers.mjs', 'alone')
  const shared = await run(folder, 'workers.mjs')
  console.log(`    alone:  ${alone}\n    shared: ${shared}`)
  return '2 x 60'
}
