// Judges the compiled kernels: one body each, no call, no panic, no register spilled in a loop over the message, no branch and no
// address that depends on a secret.
import { count, isLastRound, isVector, memoryOf, storesVector } from './count.mjs'
import { deep } from './depth.mjs'
import { bases, flow, withPointers } from './flow.mjs'
import { decode } from './image.mjs'
import { taint } from './taint.mjs'

/** The entry points of every backend, and for each bulk loop that they must have its instructions. */
const DUTIES = {
  // Before the shorter names with which these begin.
  seal_siv: [['aes'], ['clmul']],
  open_siv: [['aes', 'clmul']],
  authenticate_siv: [['aes', 'clmul']],
  keystream_siv: [['aes']],
  derive_siv: [],
  seal: [['aes', 'clmul']],
  open: [['aes', 'clmul']],
  authenticate: [['clmul']],
  keystream: [['aes']],
  expand: [],
  derive: [],
  wipe: [],
  evaluate: [['clmul']],
  lagrange: [['clmul']],
  power_sums: [['clmul']],
  invert: [['clmul']],
  multiply: [],
  forget: [],
}
/** Entry points of GF(2^256), whose products have more parts than some backends have registers. */
const CROWDED = ['evaluate', 'lagrange', 'power_sums', 'invert', 'multiply']
/** An entry point that is compiled only for the narrowest backend. */
const ONCE = 'encrypt'

/** Functions that a kernel may call nevertheless. */
const ALLOWED = []

/** A function with at least this many AES or multiply instructions is a kernel, and such a loop a bulk loop. */
const BULK = 8

const CIPHER = /\tv?(?:aes(?:enc|dec)|pclmul)/
const PANIC = /panic|_fail(?:ed)?\b|alloc_error|unreachable|abort/
const OURS = /core::core_arch|\b_mm\d*_|hardware_aes_gcm::(?:lanes|kernel|backend)::/

/**
 * The kernels of a library (see `open` in image.mjs) with their bulk loops, and its faults, `{ kind, backend, text }`.
 * Kinds: outlined (a part of a kernel that is a function of its own), call, panic, spill, secret (a branch or an address that
 * depends on one), deep (on the stack), legacy (SSE among AVX), missing.
 */
export function judge({ functions, slots, word }, backends) {
  const faults = []
  const kernels = new Map()
  for (const fn of functions.values()) {
    const backend = /hardware_aes_gcm::backend::([a-z]\w*)::/.exec(fn.name)?.[1]
    const work = fn.lines.filter(line => CIPHER.test(line)).length
    const entry = (work > 0 || backends.includes(backend)) && entryOf(fn.name)
    if (entry || (work >= BULK && fn.name.startsWith('hardware_aes_gcm::backend::'))) {
      const short = fn.name.replace(/^hardware_aes_gcm::backend::/, '').replace('::ENTRY::', ' ')
      kernels.set(fn.start, { ...fn, backend, entry, short, large: work >= BULK, calls: new Set() })
    } else if (work > 0) {
      faults.push({ kind: 'outlined', backend, text: `${fn.name} is a function of its own` })
    }
  }
  const all = [...kernels.values()]
  for (const kernel of all) {
    kernel.code = decode(kernel)
    Object.assign(kernel, flow(kernel.code, word))
    kernel.bulk = bulkLoops(kernel)
    const found = [...leaving(kernel, { kernels, functions, slots })]
    const spilled = [...spills(kernel)]
    if (!CROWDED.includes(kernel.entry)) found.push(...spilled)
    kernel.jumps = taint(kernel, (what, { at, text }) => {
      found.push(['secret', `has ${what} that depends on a secret: ${text} (at ${place(kernel, at)})`])
    })
    for (const [kind, text] of found)
      faults.push({ kind, backend: kernel.backend, text: `${kernel.short} ${text}` })
  }
  for (const [{ backend, short }, text] of deep(all))
    faults.push({ kind: 'deep', backend, text: `${short} ${text}` })
  for (const backend of new Set([...backends, ...all.map(kernel => kernel.backend)])) {
    const own = all.filter(kernel => kernel.backend === backend)
    for (const [kind, text] of [...mixed(own), ...missing(own)])
      faults.push({ kind, backend, text: `${backend} ${text}` })
  }
  if (all.every(({ entry }) => entry !== ONCE))
    faults.push({ kind: 'missing', text: `no backend has ${ONCE}` })
  return { faults, kernels: all }
}

/** The entry point of a backend that a function is, or is a part of. */
function entryOf(name) {
  const [, path] = /^hardware_aes_gcm::backend::[a-z]\w*::(.*)$/.exec(name) ?? []
  return path && [...Object.keys(DUTIES), ONCE].find(entry => new RegExp(`(?:^|::)${entry}`).test(path))
}

/**
 * The innermost loops that encrypt or multiply many blocks at a time. AES-128 skips rounds, so a loop can contain itself
 * without these rounds; then the whole loop counts.
 */
function bulkLoops({ start, loops }) {
  const bulk = loops
    .map(({ head, blocks }) => {
      const code = [...blocks].flatMap(block => block.code)
      return { at: head.code[0].at - start, blocks, code, counts: count(code) }
    })
    .filter(({ code, counts }) => (counts.aes >= BULK && code.some(isLastRound)) || counts.clmul >= BULK)
  const holds = (loop, other) => other !== loop && [...other.blocks].every(block => loop.blocks.has(block))
  const same = (loop, other) => loop.counts.bytes === other.counts.bytes
  const whole = bulk.filter(loop => !bulk.some(other => holds(other, loop) && same(other, loop)))
  return whole.filter(loop => !whole.some(other => holds(loop, other))).sort((a, b) => a.at - b.at)
}

/** Every way out of a kernel except its return. Equal ways are reported once. */
function* leaving(kernel, { kernels, functions, slots }) {
  const ways = new Map()
  const note = (kind, text, { at }) => {
    const way = ways.get(text) ?? { kind, at, times: 0 }
    way.times++
    ways.set(text, way)
  }
  for (const instruction of kernel.code) {
    const { op, target, label } = instruction
    if (/^ud[012]/.test(op)) note('panic', `runs into ${op}`, instruction)
    if (op !== 'call' && !kernel.leaves.includes(instruction)) continue
    const inBulk = kernel.bulk.some(({ code }) => code.includes(instruction))
    // Code that runs rarely may be a function of the same backend, which is judged as well.
    const other = kernels.get(target)
    if (other?.large && other.backend === kernel.backend && !inBulk) {
      kernel.calls.add(other)
      continue
    }
    const named = functions.get(target)?.name ?? label ?? loaded(kernel.code, instruction, slots, functions)
    if (ALLOWED.includes(named)) continue
    const kind = PANIC.test(named) ? 'panic' : OURS.test(named) ? 'outlined' : 'call'
    note(
      kind,
      `${op === 'call' ? 'calls' : 'jumps to'} ${named}${inBulk ? ' in a bulk loop' : ''}`,
      instruction,
    )
  }
  for (const [text, { kind, at, times }] of ways) yield [kind, `${text} (${times} at ${place(kernel, at)})`]
}

const READS = /^(?:call|jmp|push|cmp|test)/

/** The name of the target of an indirect call or jump, found through a slot, or through the last load of a register. */
function loaded(code, { args, address, at, text }, slots, functions) {
  if (args.length === 0) return `no function: ${text}`
  const given = args[0].includes('[')
    ? { op: 'mov', address }
    : code.findLast(i => i.at < at && i.args[0] === args[0] && !READS.test(i.op))
  const name = given?.op === 'lea' ? functions.get(given.address)?.name : slots.get(given?.address)
  return name ?? `an unknown function through ${args[0]}`
}

const place = ({ start }, at) => `+0x${(at - start).toString(16)}`

/** Bulk loops that store vector registers to the stack. Also counts each loop's accesses to the stack. */
function* spills(kernel) {
  const onStack = new Set()
  withPointers(kernel.blocks, (instruction, pointers) => {
    if (bases(memoryOf(instruction)).some(register => pointers.has(register))) onStack.add(instruction)
  })
  for (const loop of kernel.bulk) {
    loop.counts = count(loop.code, onStack)
    const [first] = loop.code.filter(instruction => onStack.has(instruction) && storesVector(instruction))
    if (first === undefined) continue
    const where = place(kernel, loop.at + kernel.start)
    yield [
      'spill',
      `stores ${loop.counts.spill} vector registers to the stack in the loop at ${where}: ${first.text}`,
    ]
  }
}

/** SSE instructions of a backend that also has AVX instructions: every change between the two costs time. */
function* mixed(kernels) {
  const vectors = kernels.flatMap(kernel => kernel.code.filter(({ args }) => args.some(isVector)))
  const legacy = vectors.filter(({ op }) => !op.startsWith('v'))
  if (legacy.length === 0 || legacy.length === vectors.length) return
  yield ['legacy', `has ${legacy.length} SSE instructions among ${vectors.length}, such as ${legacy[0].text}`]
}

/** Entry points without the bulk loops that they need, in themselves or in the functions that they call. */
function* missing(kernels) {
  for (const [entry, wanted] of Object.entries(DUTIES)) {
    const reached = new Set(kernels.filter(kernel => kernel.entry === entry))
    if (reached.size === 0) {
      yield ['missing', `has no ${entry}`]
      continue
    }
    for (const kernel of reached) for (const other of kernel.calls) reached.add(other)
    const loops = [...reached].flatMap(kernel => kernel.bulk)
    for (const kinds of wanted)
      if (!loops.some(({ counts }) => kinds.every(kind => counts[kind] >= BULK)))
        yield ['missing', `has no bulk loop of ${kinds.join(' and ')} in ${entry}`]
  }
}
