// Judges the kernels of an arm64 addon, since no arm64 machine has timed them: arm64.mjs [LIBRARY]
//
// LIBRARY is an addon with its symbols; without LIBRARY, it is the twin of the one that `npm run dist` made to be published.
import { spawnSync } from 'node:child_process'
import { commandLine } from '../../scripts/command-line.mjs'
import { twin } from '../../scripts/dist/stage.mjs'
import { stop } from '../../scripts/tools.mjs'
import { parse } from './image.mjs'
import { judgeArm64 } from './judge-arm64.mjs'

const [library = twin('linux-arm64-gnu')] = commandLine(import.meta.url, { operands: [0, 1] }).operands
const OBJDUMP = 'aarch64-linux-gnu-objdump'
const { status, stdout, stderr, error } = spawnSync(OBJDUMP, ['-d', '--no-show-raw-insn', '-C', library], {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
})
if (status !== 0) stop(`${OBJDUMP} (Debian: binutils-aarch64-linux-gnu): ${error?.message ?? stderr.trim()}`)

// Faults that the check must find, because a check that never fails proves nothing.
const PLANTED = [
  [
    'a call',
    'a function of its own|calls',
    text => text.replace(/\taese\tv\d+\.16b, v\d+\.16b/, '\tbl\t0 <memcpy>'),
  ],
  [
    'a round torn apart',
    'apart from their AESE',
    text => text.replace(/(\taese\tv\d+)(.*\n.*\taesmc)/, '\tnop\tv0$2'),
  ],
  [
    'EOR3 on every CPU',
    'has EOR3',
    text => text.replace(/(armv8::ENTRY::seal>:\n[^\n]*:\t).*/, '$1eor3\tv0.16b'),
  ],
  [
    'a deep frame',
    'into the stack',
    text => text.replace(/(armv8::ENTRY::seal>:\n[^\n]*:\t).*/, '$1sub\tsp, sp, #0x290'),
  ],
  ['no bulk loop', 'has no loop', text => text.replaceAll('\taese\t', '\tnop\t')],
  ['no EOR3', 'fewer than', text => text.replaceAll('\teor3\t', '\teor\t')],
]
for (const [name, expected, plant] of PLANTED) {
  const { faults } = judgeArm64(parse(plant(stdout)))
  if (!faults.some(fault => new RegExp(expected).test(fault))) stop(`self-test: ${name} was not found.`)
}
console.log(`self-test: planted and found: ${PLANTED.map(([name]) => name).join(', ')}`)

const { faults, rows } = judgeArm64(parse(stdout))
console.table(Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts])))
for (const fault of faults) console.error(fault)
if (faults.length > 0) stop(`${faults.length} faults in the compiled arm64 kernels.`)
