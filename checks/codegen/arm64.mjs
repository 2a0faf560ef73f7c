// Judges the kernels of an arm64 addon, since no arm64 machine has timed them: checks/run.mjs codegen-arm64 [LIBRARY]
//
// LIBRARY is an addon with its symbols; without LIBRARY, it is the twin of the one that `npm run dist` made to be published.
import { spawnSync } from 'node:child_process'
import { twin } from '../../scripts/dist/stage.mjs'
import { parse } from './image.mjs'
import { judgeArm64 } from './judge-arm64.mjs'

const OBJDUMP = 'aarch64-linux-gnu-objdump'

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

export default {
  about: 'The arm64 kernels are as short as the tables say, and call nothing',
  needs: [OBJDUMP],
  operands: [0, 1],
  *prove({ operands: [library = twin('linux-arm64-gnu')] }) {
    const { status, stdout, stderr } = spawnSync(OBJDUMP, ['-d', '--no-show-raw-insn', '-C', library], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    if (status !== 0) throw new Error(`${OBJDUMP} (Debian: binutils-aarch64-linux-gnu): ${stderr.trim()}`)
    for (const [name, expected, plant] of PLANTED) {
      const { faults } = judgeArm64(parse(plant(stdout)))
      if (!faults.some(fault => new RegExp(expected).test(fault)))
        throw new Error(`planted: ${name}, and it was not found`)
    }
    yield `planted and found: ${PLANTED.map(([name]) => name).join(', ')}`

    const { faults, rows } = judgeArm64(parse(stdout))
    console.table(Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts])))
    if (faults.length > 0)
      throw new Error(`${faults.length} faults in the compiled arm64 kernels:\n${faults.join('\n')}`)
    yield `${rows.length} kernels`
  },
}
