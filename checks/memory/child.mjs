// The process that is examined: child.mjs PACKAGE SCENARIO [FAULT...]. Says one line when its scenario is over, and waits.
//
// It holds the bytes that the parent looks for only in buffers of its own, which it wipes, and in the library.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { argv, stdin } from 'node:process'
import { pathToFileURL } from 'node:url'
import { HYBRID } from './hybrid.mjs'
import { FILES } from './hybrid-files.mjs'
import { binaryIn } from './package.mjs'
import { PASSPHRASES } from './passphrases.mjs'
import { SCENARIOS } from './scenarios.mjs'
import { STREAMS } from './stream-scenarios.mjs'

const [folder, scenario, ...faults] = argv.slice(2)
const [name, backend] = scenario.split(' on ')
for (const fault of faults) createRequire(import.meta.url)(binaryIn(folder)).fault(fault, true)

const entry = pathToFileURL(join(folder, 'dist', 'index.mjs')).href
const all = { ...SCENARIOS, ...STREAMS, ...PASSPHRASES, ...HYBRID, ...FILES }
const said = await all[name](entry, backend, async () => {
  writeSync(1, '\n')
  await once(stdin, 'data')
})
// At once after the scenario: as little as possible may overwrite the scenario's residues.
writeSync(1, `${said ?? ''}\n`)
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
