// Fuzzes the core and the readers:
// checks/run.mjs fuzz [TARGET]... [--seconds N] [--executions N] [--self-test] [--minimise]
//
// The targets of Rust (fuzz/src/targets) run under libFuzzer and AddressSanitizer, on every backend of this CPU against the slow models of
// the tests: gcm, xaes, siv, pieces, batches, ranges, chunks, packets, shares, texts. Those of TypeScript (checks/fuzz/typescript)
// change genuine records, hellos, streams, shares and command lines, and expect documented errors alone: sessions, streams, share-texts,
// arguments. Each target runs for 10 seconds, or for --seconds; with --executions instead until there were as many. --self-test first
// plants faults that each target must find. --minimise replaces fuzz/corpus by fewer inputs of the same coverage, with those that this
// run found. A finding is printed with the seed and the file that repeat it; AESGCM_SEED repeats a run.
//
// For x64 Linux. Needs g++, for libFuzzer.
import { availableParallelism } from 'node:os'
import { forEachBeside } from '../../scripts/tools.mjs'
import { seed } from '../tools/random.mjs'
import { RUST, TYPESCRIPT } from './targets.mjs'

const TARGETS = [...RUST, ...TYPESCRIPT]

export default {
  about: 'The core reads and writes within its arguments, and does what slow models do on any input',
  on: 'x64 Linux',
  needs: ['build', 'g++'],
  flags: ['self-test', 'minimise'],
  numbers: ['seconds', 'executions'],
  operands: [0, TARGETS.length],
  among: TARGETS,
  random: true,
  async prove({ flags, numbers, operands }) {
    const chosen = operands.length > 0 ? [...new Set(operands)] : TARGETS
    const rust = await import('./rust.mjs')
    const typescript = await import('./typescript.mjs')
    const runner = target => (RUST.includes(target) ? rust : typescript)
    if (chosen.some(target => RUST.includes(target))) rust.build()

    const limit = { executions: numbers.executions, seconds: numbers.seconds ?? 10 }
    let sum = 0
    await forEachBeside(chosen.toReversed(), async target => {
      if (flags['self-test']) {
        for (const fault of runner(target).FAULTS)
          console.log(
            `fuzz: ${target}: planted and found: ${await runner(target).planted(target, fault, seed)}`,
          )
      }
      const { executions, milliseconds } = await runner(target).run(target, limit, seed)
      sum += executions
      const rate = Math.round((1000 * executions) / milliseconds)
      console.log(`fuzz: ${target}: ${executions} executions without a finding, ${rate} a second`)
    })
    if (flags.minimise) for (const target of chosen) await runner(target).minimise?.(target)
    return [`${sum} executions of ${chosen.length} targets on ${availableParallelism()} CPUs`]
  },
}
