// The control flow of a function: its blocks, its loops, and which registers point into the stack at each instruction.
import { cases } from './image.mjs'

/**
 * Blocks of a function, in order of address, and its loops, outer before inner. A block has its instructions, successors
 * and predecessors. `leaves` are the jumps out of the function or to unknown targets.
 */
export function flow(code, word) {
  const index = new Map(code.map(({ at }, i) => [at, i]))
  const leaves = []
  const targets = new Map()
  code.forEach((instruction, i) => {
    if (!/^(?:j|loop)/.test(instruction.op)) return
    const all = instruction.target === undefined ? cases(code, i, word) : [instruction.target]
    const inside = all.filter(at => index.has(at))
    targets.set(i, inside)
    if (inside.length === 0) leaves.push(instruction)
  })

  const ends = ({ op }) => /^(?:j|loop|ret|ud[012]|hlt)/.test(op)
  const starts = new Set([0, ...[...targets.values()].flat().map(at => index.get(at))])
  code.forEach((instruction, i) => {
    if (ends(instruction) && i + 1 < code.length) starts.add(i + 1)
  })
  const order = [...starts].sort((a, b) => a - b)
  const blocks = order.map((start, n) => ({ code: code.slice(start, order[n + 1]), next: [], from: [] }))
  const blockAt = new Map(blocks.map(block => [block.code[0].at, block]))
  blocks.forEach((block, n) => {
    const last = block.code.at(-1)
    const falls = !/^(?:jmp|ret|ud[012]|hlt)/.test(last.op) && n + 1 < blocks.length
    const next = (targets.get(index.get(last.at)) ?? []).map(at => blockAt.get(at))
    block.next = [...new Set(falls ? [...next, blocks[n + 1]] : next)]
    for (const successor of block.next) successor.from.push(block)
  })
  return { blocks, leaves, loops: [...loops(blocks)] }
}

/**
 * The loops among `blocks`: the sets of blocks that reach each other, and, without the edges into the head of such a set,
 * the smaller sets inside it. The range from a backward jump to its target would not do: blocks that run rarely lie far away
 * and jump back into the middle of a loop.
 */
function* loops(blocks, cut = new Set()) {
  for (const component of components(blocks, cut)) {
    const inside = new Set(component)
    if (component.length === 1 && !component[0].next.includes(component[0])) continue
    const outer = component.filter(block => block.from.some(from => !inside.has(from)))
    const head = (outer.length > 0 ? outer : component).reduce((a, b) =>
      a.code[0].at < b.code[0].at ? a : b,
    )
    yield { head, blocks: inside }
    yield* loops(
      component.filter(block => block !== head),
      new Set([...cut, head]),
    )
  }
}

/** Tarjan's strongly connected components of the graph on `blocks`, without edges into `cut`. */
function components(blocks, cut) {
  const inside = new Set(blocks)
  const [number, low, stack, open, found] = [new Map(), new Map(), [], new Set(), []]
  const visit = block => {
    number.set(block, number.size)
    low.set(block, number.get(block))
    stack.push(block)
    open.add(block)
    for (const next of block.next) {
      if (!inside.has(next) || cut.has(next)) continue
      if (!number.has(next)) visit(next)
      if (open.has(next)) low.set(block, Math.min(low.get(block), low.get(next)))
    }
    if (low.get(block) !== number.get(block)) return
    const component = stack.splice(stack.indexOf(block))
    for (const member of component) open.delete(member)
    found.push(component)
  }
  for (const block of blocks) if (!number.has(block)) visit(block)
  return found
}

const LEGACY = ['ax', 'cx', 'dx', 'bx', 'si', 'di', 'bp', 'sp']
const GENERAL = new Set([
  ...LEGACY.map(name => `r${name}`),
  ...[8, 9, 10, 11, 12, 13, 14, 15].map(n => `r${n}`),
])

/** The 64-bit register that `name` is, or is a part of; undefined if `name` is not a general register. */
export function general(name = '') {
  const part = /^[er]?([a-d]x|[sd]i|[bs]p)$|^([a-d])[lh]$|^([sd]i|[bs]p)l$|^(r\d+)[dwb]?$/.exec(name)
  if (!part) return undefined
  const [, whole, letter, low, numbered] = part
  return numbered ?? `r${whole ?? low ?? `${letter}x`}`
}

/** The registers that an operand in brackets adds, without scaled ones. */
export function bases(operand = '') {
  const inside = /\[(.*)\]/.exec(operand)?.[1] ?? ''
  return inside.split(/[+-]/).flatMap(term => {
    const register = general(term.replace(/\*1$/, ''))
    return register ? [register] : []
  })
}

const READS_ONLY = /^(?:cmp|test|push|bt|j|nop|prefetch|ret|ud|loop)/
const CHANGED_BY = [
  [/^call/, ['rax', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11']],
  [/^(?:i?mul|i?div|cpuid|cqo|cdq|rdtsc|cmpxchg)/, ['rax', 'rbx', 'rcx', 'rdx']],
  [/^(?:movs[bwdq]?|stos|lods|cmps|scas)$/, ['rsi', 'rdi', 'rcx']],
  [/^leave/, ['rbp']],
]

/** Updates `pointers`, the registers that point into the stack, for one instruction. */
function step(pointers, { op, args }) {
  for (const [pattern, registers] of CHANGED_BY) {
    if (pattern.test(op)) for (const register of registers) pointers.delete(register)
  }
  const written = general(args[0])
  if (/^(?:xchg|xadd|mulx)/.test(op)) pointers.delete(general(args[1]))
  if (written === undefined || written === 'rsp' || READS_ONLY.test(op)) return
  const had = pointers.has(written)
  const source = pointers.has(general(args[1]))
  const points =
    GENERAL.has(args[0]) &&
    ((op === 'mov' && source) ||
      (op === 'lea' && bases(args[1]).some(register => pointers.has(register))) ||
      (op === 'add' && (had || source)) ||
      (/^(?:sub|and|or|inc|dec)$/.test(op) && had) ||
      (/^cmov/.test(op) && had && source))
  if (points) pointers.add(written)
  else pointers.delete(written)
}

/**
 * Calls `visit(instruction, pointers)` for every instruction. `pointers` are the registers that point into the stack on
 * every way to the instruction: rsp, rbp if it is a frame pointer, and registers computed from these.
 */
export function withPointers(blocks, visit) {
  const entering = new Map([[blocks[0], new Set(['rsp'])]])
  const work = [blocks[0]]
  while (work.length > 0) {
    const block = work.pop()
    const pointers = new Set(entering.get(block))
    for (const instruction of block.code) step(pointers, instruction)
    for (const next of block.next) {
      const known = entering.get(next)
      const both = known ? new Set([...known].filter(register => pointers.has(register))) : pointers
      if (known?.size === both.size) continue
      entering.set(next, new Set(both))
      work.push(next)
    }
  }
  for (const block of blocks) {
    const pointers = new Set(entering.get(block) ?? ['rsp'])
    for (const instruction of block.code) {
      visit(instruction, pointers)
      step(pointers, instruction)
    }
  }
}
