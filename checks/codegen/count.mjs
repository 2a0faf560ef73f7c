// Counts the instructions of a loop by kind, and prints the table of all bulk loops.

export const isVector = operand => /^[xyz]mm\d/.test(operand)
export const isLastRound = ({ op }) => /^v?aesenclast$/.test(op)
export const memoryOf = ({ args }) => args.find(operand => operand.includes('['))

/** Whether an instruction writes a vector register to memory. */
export const storesVector = ({ args }) => args[0]?.includes('[') && args.slice(1).some(isVector)

const SHUFFLE =
  /^v?(?:p?shuf|p?unpck|p?align|p?blend|p?broadcast|p?ins|p?extr|perm|ps[lr]ldq|pack|mov(?:hl|lh|[sd]))/

/** Kinds of instructions with a vector register. The first pattern that matches decides. */
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

/** Bytes that one pass through `code` encrypts: sixteen for each lane of a last round. */
function encrypted(code) {
  const lanes = { x: 1, y: 2, z: 4 }
  return code.filter(isLastRound).reduce((sum, { args }) => sum + 16 * lanes[args[0][0]], 0)
}

/** The largest step of a pointer, in bytes. It gives the progress of a loop that does not encrypt by itself. */
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
 * Counts of a loop. Every instruction has one kind: a `move` goes from or to memory, a `copy` between registers, and a
 * `scalar` instruction has no vector register. A memory operand is counted as well: as load, store or constant (relative to
 * the code). If `onStack` has the instruction, the operand counts as reload, save (of a general register) or spill (of a
 * vector register) instead.
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

/** A table with a row for each bulk loop of `kernels`: the counts, and the instructions for 64 bytes of message. */
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
