#!/usr/bin/env node
// Runs checks, which prove what the tests cannot: node checks/run.mjs NAME... [ARGUMENT]...
//
// --list prints the names, and NAME --help what a check proves and which arguments it has. Flags are for all checks that have them, other
// arguments for the last check. `--list TURN` is for .ci/run: it prints the group, the name and the arguments of each check that belongs to the turn.
//
// The file of a check (list.mjs) exports an object:
//   about     what it proves, in one line
//   on        `Linux` or `x64 Linux`, if it runs nowhere else
//   needs     `build`, if the package must be built first, and the programs that must be on the PATH
//   flags, numbers, operands, among   its arguments (scripts/command-line.mjs)
//   random    true if AESGCM_SEED repeats a run
//   plants    faults to plant first, by name: functions that return how the check found the fault, or nothing if it did not. A check
//             with a flag `self-test` plants them with this flag only, because that takes long.
//   prove     a function that returns lines, or yields them, and throws if the claim does not hold
import { spawnSync } from 'node:child_process'
import { arch, argv, execPath, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { commandLine } from '../scripts/command-line.mjs'
import { run, stop } from '../scripts/tools.mjs'
import { CHECKS, inTurn, load, TURNS } from './list.mjs'
import { seed } from './tools/random.mjs'

const args = argv.slice(2)
const checks = []
while (Object.hasOwn(CHECKS, args[0]) && !checks.at(-1)?.among?.includes(args[0]))
  checks.push(await load(args.shift()))
if (checks.length === 0) await list()
else {
  const last = checks.at(-1)
  const all = key => [...new Set(checks.flatMap(check => check[key] ?? []))]
  const { operands, among, name, file } = last
  const [flags, numbers] = ['flags', 'numbers'].map(all)
  const options = commandLine(file, { flags, numbers, operands, among, title: name }, args)
  if (checks.length === 1) await hold(last, options)
  // Each in a separate process, because a check may leave its process with another environment or with more memory.
  else
    for (const check of checks) {
      const words = [check.name, ...wordsOf(check, options), ...(check === last ? options.operands : [])]
      run(execPath, [fileURLToPath(import.meta.url), ...words])
    }
}

/** Prints the checks, or ends the process for want of a name. */
async function list() {
  const { flags, operands } = commandLine(import.meta.url, { flags: ['list'], operands: [0, 1] }, args)
  const [turn] = operands
  if (!flags.list)
    stop(`${turn === undefined ? 'A name is missing' : `'${turn}' is no check`}: see --list.`, 2)
  if (turn !== undefined && !TURNS.includes(turn)) stop(`'${turn}' is not one of ${TURNS.join(', ')}.`, 2)
  if (turn !== undefined) for (const words of inTurn(turn)) console.log(words.join(' '))
  else {
    // In one piece, which a reader such as `head` may leave unread.
    const lines = Object.keys(CHECKS).map(async each => `${each.padEnd(16)} ${(await load(each)).about}`)
    console.log((await Promise.all(lines)).join('\n'))
  }
}

async function hold(check, options) {
  const { name, needs = [], on = '', flags = [], plants = {} } = check
  const began = performance.now()
  try {
    if (on.includes('Linux') && platform !== 'linux') throw new Error(`it runs on ${on} only`)
    if (on.includes('x64') && arch !== 'x64') throw new Error(`it runs on ${on} only`)
    for (const program of needs.filter(need => need !== 'build'))
      if (spawnSync(program, ['--version'], { stdio: 'ignore' }).error) throw new Error(`it needs ${program}`)
    if (needs.includes('build')) {
      // Not earlier: the check `cap` decides what a build has.
      const { setup } = await import('../scripts/setup.mjs')
      setup()
    }
    if (!flags.includes('self-test') || options.flags['self-test'])
      for (const [fault, plant] of Object.entries(plants)) {
        const found = await plant(options)
        if (found === undefined) throw new Error(`planted: ${fault}, and it was not found`)
        console.log(`${name}: planted and found: ${fault} (${found})`)
      }
    for await (const line of (await (check.prove ?? script)(options, check)) ?? [])
      console.log(`${name}: ${line}`)
  } catch (error) {
    // The place of an error that nobody meant to throw.
    const told = error.name === 'Error' ? error.message : error.stack
    stop(`checks/${name}${check.random ? `, AESGCM_SEED=${seed}` : ''}: ${told}`)
  }
  console.log(`${name}: passed in ${((performance.now() - began) / 1000).toFixed(0)} s`)
}

/** Runs the script of a check. */
function script(options, check) {
  const { file, first = [] } = check
  run('bash', [fileURLToPath(file), ...wordsOf(check, options), ...first, ...options.operands])
}

/** The given options that a check has, as words of a command line. */
function wordsOf({ flags = [], numbers = [] }, given) {
  const counted = numbers.filter(name => given.numbers[name] !== undefined)
  return [
    ...flags.filter(flag => given.flags[flag]).map(flag => `--${flag}`),
    ...counted.map(name => `--${name}=${given.numbers[name]}`),
  ]
}
