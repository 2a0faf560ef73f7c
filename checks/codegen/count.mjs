// What the instructions of a loop do, counted, and the table of all bulk loops.

export const isVector = operand => /^[xyz]mm\d/.test(operand)
export const isLastRound = ({ op }) => /^v?aesenclast$/.test(op)
export const memoryOf = ({ args }) => args.find(operand => operand.includes('['))

/** Whether it writes a vector register to memory. */
export const storesVector = ({ args }) => args[0]?.includes('[') && args.slice(1).some(isVector)

const SHUFFLE =
  /^v?(?:p?shuf|p?unpck|p?align|p?blend|p?broadcast|p?ins|p?extr|perm|ps[lr]ldq|pack|mov(?:hl|lh|[sd]))/

/** What an instruction with a vector register computes: the first that fits. */
const KINDS = [
  ['aes', /^v?aes(?:enc|dec)/],
  ['clmul', /^v?pclmul/],
  ['move', /^v?mov(?:[adnqu]|[hl]p[sd]$)(?!dup)/],
  ['shuffle', SHUFFLE],
  ['logic', /^v?(?:p?xor|p?and|p?or|ptern)/],
  ['add', /^v?p(?:add|sub)/],
  ['other', /^/],
]
const COMPUTES = [...KINDS.map(([name]) => name), 'copy', 'scalar']
const ACCESSES = ['load', 'store', 'const', 'reload', 'save', 'spill']

/** Bytes that `code`, once through, encrypts: sixteen for each lane of a last round. */
function encrypted(code) {
  const lanes = { x: 1, y: 2, z: 4 }
  return code.filter(isLastRound).reduce((sum, { args }) => sum + 16 * lanes[args[0][0]], 0)
}

/** Bytes that the farthest pointer moves by: what a loop gets through that encrypts nothing, or in a loop of its own. */
function moved(code) {
  const steps = code.flatMap(({ op, args: [register, by] }) => {
    const immediate = /^(?:add|sub)$/.test(op)
      ? /^0x([0-9a-f]+)$/.exec(by)
      : op === 'lea' && new RegExp(`\\[${register}[+-]0x([0-9a-f]+)\\]`).exec(by)
    return immediate ? [Math.abs(Number(BigInt.asIntN(64, BigInt(`0x${immediate[1]}`))))] : []
  })
  return Math.max(0, ...steps)
}

/**
 * Counts of a loop. Every instruction is of one kind: a `move` is one from or to memory, a `copy` one between
 * registers, and `scalar` has no vector register. Its memory operand counts besides: as load, store or constant
 * (relative to the code); or, where `onStack` holds the instruction, as reload, as save (of a general register) or
 * as spill (of a vector register).
 */
export function count(code, onStack = new Set()) {
  const counts = Object.fromEntries([...COMPUTES, ...ACCESSES].map(name => [name, 0]))
  for (const instruction of code) {
    const { op, args } = instruction
    const memory = /^(?:lea|nop|prefetch)/.test(op) ? undefined : memoryOf(instruction)
    const kind = args.some(isVector) ? KINDS.find(([, pattern]) => pattern.test(op))[0] : 'scalar'
    counts[kind === 'move' && !memory ? 'copy' : kind]++
    if (memory) counts[access(instruction, memory, onStack.has(instruction))]++
  }
  const bytes = Math.max(encrypted(code), moved(code))
  return { ...counts, bytes, instructions: code.length, size: code.reduce((sum, { size }) => sum + size, 0) }
}

function access({ op, args }, memory, onStack) {
  const vector = args[0] === memory && args.slice(1).some(isVector)
  const stores = vector || (args[0] === memory && /^k?mov/.test(op))
  if (onStack) return vector ? 'spill' : stores ? 'save' : 'reload'
  if (stores) return 'store'
  return memory.includes('[rip') ? 'const' : 'load'
}

/** The bulk loops of `kernels`, a row each; beside the counts, what they come to for 64 bytes of message. */
export function table(kernels) {
  const rows = kernels.flatMap(({ short, bulk }) =>
    bulk.map(({ at, counts }) => {
      const per64 = n => (counts.bytes > 0 ? ((n * 64) / counts.bytes).toFixed(1) : '-')
      const { bytes, size, instructions } = counts
      const numbers = [...COMPUTES, ...ACCESSES].map(name => counts[name])
      return [`${short} +0x${at.toString(16)}`, bytes, size, instructions, ...numbers].concat(
        per64(counts.aes),
        per64(instructions),
      )
    }),
  )
  const heads = ['bulk loop', 'message', 'code', 'instr', ...COMPUTES, ...ACCESSES, 'aes/64', 'instr/64']
  const all = [heads, ...rows].map(row => row.map(String))
  const widths = heads.map((_, column) => Math.max(...all.map(row => row[column].length)))
  const line = row => row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
  return all.map(row => line(row).join(' ')).join('\n')
}
