// Makes random calls, and prints the number of each outcome: node program.mjs COUNT. The seed is AESGCM_SEED, or a new one.
import { argv, version } from 'node:process'
import { SEED } from '../conformance/checks.mjs'
import { randomCalls } from './index.mjs'

// Stacks take a fifth of the time; the seed repeats a call.
Error.stackTraceLimit = 0
const outcomes = await randomCalls(Number(argv[2]))
console.log(JSON.stringify({ node: version, seed: SEED, outcomes }))
