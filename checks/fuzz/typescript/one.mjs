// Runs one target of TypeScript and prints its count: one.mjs TARGET SEED SECONDS EXECUTIONS [FAULT]
//
// Cases come in rounds of 100. Round i takes its random numbers from SEED + i alone, so that a finding is repeated by its own seed.
import { argv, exit } from 'node:process'
import { Chance } from '../../../__test__/calls/chance.mjs'
import { plant } from './expect.mjs'

const [target, seed, seconds, executions, fault = ''] = argv.slice(2)
const CASES = 100
const { once } = await import(`./${target}.mjs`)
plant(fault)

const began = performance.now()
const over = done =>
  Number(executions) > 0 ? done >= executions : performance.now() - began >= seconds * 1000
let done = 0
for (let round = Number(seed); !over(done); round++) {
  const chance = new Chance(round)
  try {
    for (let i = 0; i < CASES; i++, done++) await once(chance)
  } catch (error) {
    console.log(JSON.stringify({ executions: done, seed: round, finding: error.stack }))
    exit(1)
  }
}
console.log(JSON.stringify({ executions: done, milliseconds: performance.now() - began }))
exit()
