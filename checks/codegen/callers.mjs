// Checks that every function that calls a kernel clears the registers and the stack afterwards, from the same frame.

import { flow } from './flow.mjs'
import { decode } from './image.mjs'

const TABLE = /^hardware_aes_gcm::backend::\w+::(ENTRY|SINGLE_BLOCKS)::(\w+)$/

/** Functions that do not call through a table of entry points: kernels, detection, and users of Node-API's own tables. */
const ELSEWHERE = /::(?:ENTRY|SINGLE_BLOCKS)::|^<*hardware_aes_gcm::(?:node|backend::features|backend::Cpu)\b/

/** Must be among the callers. They are never inlined into functions of `node`, where a call of a kernel is not recognised. */
const EXPECTED = ['open', 'open_one', 'mask'].map(name => `protocol::packet::Protection::${name}`)

/**
 * The offsets of the kernels and of `forget` in their tables (src/backend/entry.rs, `repr(C)`). `forget` is the last word of
 * a table of entry points. A table of single blocks has two words of features, then `expand` and `encrypt`, then functions of
 * sealed values, after which nothing is cleared.
 */
export function layout(slots) {
  const tables = [...slots].flatMap(([at, name]) => {
    const [, table, entry] = TABLE.exec(name) ?? []
    return table ? [{ at, table, entry }] : []
  })
  const last = tables
    .filter(({ entry }) => entry === 'forget')
    .map(({ at }) => at)
    .sort((a, b) => a - b)
  if (last.length < 2) throw new Error('fewer than two tables of entry points found')
  if (tables.every(({ table }) => table === 'ENTRY')) throw new Error('no table of single blocks found')
  const bytes = last[1] - last[0]
  const kernels = new Set()
  for (const { at, table, entry } of tables) {
    const single = table === 'SINGLE_BLOCKS'
    if (single && entry === 'expand') kernels.add(0x10)
    if (single && entry === 'encrypt') kernels.add(0x18)
    if (!single && entry !== 'forget' && at > last[0] - bytes && at < last[0])
      kernels.add(bytes - 8 - (last[0] - at))
  }
  return { kernels, forget: bytes - 8 }
}

/** Marks each call or jump through a table with its offset. The operand is in the table, or a register loaded from it. */
function mark(code) {
  const inTable = operand => /^QWORD PTR \[(?!rip)\w+\+(0x[0-9a-f]+)\]$/.exec(operand)?.[1]
  code.forEach((instruction, i) => {
    const { op, args } = instruction
    if (!/^(?:call|jmp)$/.test(op) || args.length === 0) return
    const load = code.slice(0, i).findLast(({ op, args: [to] }) => op === 'mov' && to === args[0])
    const place = inTable(args[0]) ?? inTable(load?.args[1])
    if (place !== undefined) instruction.place = Number(place)
  })
  return code
}

/** Faults of callers, and the names of the functions that call kernels. `tables` comes from `layout`. */
export function judgeCallers(functions, word, tables) {
  const faults = []
  const callers = new Set()
  for (const fn of functions.values()) {
    if (!/hardware_aes_gcm::/.test(fn.name) || ELSEWHERE.test(fn.name)) continue
    const { blocks } = flow(mark(decode(fn)), word)
    for (const block of blocks)
      block.code.forEach((instruction, i) => {
        if (!tables.kernels.has(instruction.place)) return
        callers.add(fn.name)
        const left = wayOut(block, i, tables.forget)
        if (left === undefined) return
        const text = `${fn.name} calls a kernel (${instruction.text}) and leaves uncleared by ${left}`
        faults.push({ kind: 'caller', backend: fn.name.split('::').at(-1), text })
      })
  }
  for (const name of EXPECTED.filter(name => !callers.has(`hardware_aes_gcm::${name}`)))
    faults.push({ kind: 'missing', text: `${name} calls no kernel: was it inlined into a function of node?` })
  return { faults, callers: [...callers] }
}

/** The last instruction of a way out of the function, from the kernel's call at `block.code[i]`, that skips `forget`. */
function wayOut(block, i, forget) {
  if (block.code[i].op === 'jmp') return block.code[i].text
  const seen = new Set()
  const work = [[block, i + 1]]
  while (work.length > 0) {
    const [{ code, next }, from] = work.pop()
    if (code.slice(from).some(({ place }) => place === forget)) continue
    if (next.length === 0) return code.at(-1).text
    for (const follower of next.filter(follower => !seen.has(follower))) {
      seen.add(follower)
      work.push([follower, 0])
    }
  }
  return undefined
}
