// Judges the compiled arm64 kernels: no call, no panic, fused AES rounds, EOR3 only where allowed, and few instructions.

/**
 * The bulk loops of seal and open on AES-256, eight blocks per turn. `eor3` is the least number of EOR3 in a loop. `most` is
 * the largest number of instructions for 64 bytes, a few more than the compiler needs today. This limit replaces timing: no
 * arm64 machine has been timed.
 */
const BACKENDS = { 'armv8::ENTRY': { eor3: 0, most: 192 }, 'armv8::EOR3': { eor3: 20, most: 182 } }
const BLOCKS = 8
/** Each block needs fourteen rounds and three products; the reduction needs two more products. */
const DUTY = { aese: 14 * BLOCKS, pmull: 3 * BLOCKS + 2 }

/** Bytes of the stack that `forget` clears (src/backend), of which Apple's red zone is 128. */
const CLEARED = 768 - 128

/** The instructions of a function from `parse` (image.mjs): address, mnemonic, operands, and the target of a jump. */
function decode({ lines }) {
  return lines.map(line => {
    const [, at, op, operands = ''] = /^ +([0-9a-f]+):\t(\S+)\s*([^/]*)/.exec(line)
    const target = /([0-9a-f]+) <.*>/.exec(operands)?.[1]
    return {
      at: Number.parseInt(at, 16),
      op,
      operands: operands.trim(),
      target: target && Number.parseInt(target, 16),
    }
  })
}

/** Judges the functions of an arm64 library with its symbols: `rows` for the bulk loops, and `faults`. */
export function judgeArm64(functions) {
  const faults = []
  const rows = []
  // Without the closures that ask what the CPU has: from Rust 1.96 on, they are named after the table that holds them.
  const kernels = [...functions.values()].filter(
    ({ name }) => /backend::armv8::/.test(name) && !/\{closure#\d+\} as /.test(name),
  )
  for (const fn of functions.values()) {
    const body = decode(fn)
    const own = Object.keys(BACKENDS).find(backend => fn.name.includes(backend))
    if (body.some(({ op }) => op === 'eor3') && !own?.includes('EOR3'))
      faults.push(`${fn.name} has EOR3, but also runs on CPUs without EOR3`)
    if (!kernels.includes(fn)) {
      if (body.some(({ op }) => op === 'aese' || op === 'pmull'))
        faults.push(`${fn.name} is a function of its own`)
      continue
    }
    for (const { op, operands } of body) {
      if (/^blr?$/.test(op)) faults.push(`${fn.name} calls ${operands}`)
      if (op === 'brk' || op === 'udf') faults.push(`${fn.name} runs into ${op}`)
    }
    const bytes = stack(body)
    if (bytes > CLEARED)
      faults.push(`${fn.name} reaches ${bytes} bytes into the stack, of which ${CLEARED} are cleared`)
    const torn = body.filter(({ op, operands }, i) => {
      const before = body[i - 1]
      return (
        op === 'aesmc' && !(before?.op === 'aese' && before.operands.split(',')[0] === operands.split(',')[0])
      )
    })
    if (torn.length > 0)
      faults.push(`${fn.name} has ${torn.length} AESMC apart from their AESE: no CPU fuses them`)
  }
  for (const [backend, { eor3, most }] of Object.entries(BACKENDS)) {
    for (const entry of ['seal', 'open']) {
      const name = `${backend}::${entry}`
      const fn = kernels.find(kernel => kernel.name.endsWith(name))
      const counts = fn && bulk(decode(fn))
      if (!counts) {
        faults.push(`${name} has no loop of ${DUTY.aese} AESE and ${DUTY.pmull} PMULL`)
        continue
      }
      const each64 = (counts.all * 4) / BLOCKS
      rows.push({ name, each64, ...counts })
      if (each64 > most) faults.push(`${name} takes ${each64} instructions for 64 bytes, more than ${most}`)
      if (counts.eor3 < eor3) faults.push(`${name} has ${counts.eor3} EOR3 in its loop, fewer than ${eor3}`)
    }
  }
  return { faults, rows }
}

/** Bytes of the stack that a function takes. */
function stack(body) {
  const taken = body.map(({ op, operands }) => {
    const [, whole] = (op === 'sub' && /^sp, sp, #(0x[0-9a-f]+|\d+)/.exec(operands)) || []
    const [, pushed] = /\[sp, #-(\d+)\]!/.exec(operands) ?? []
    return Number(whole ?? pushed ?? 0)
  })
  return taken.reduce((sum, bytes) => sum + bytes, 0)
}

/** Counts of the shortest loop that does the work of a bulk loop. */
function bulk(body) {
  const blocks = blocksOf(body)
  const heads = new Set([...blocks].flatMap(([start, { next }]) => next.filter(to => to <= start)))
  const ways = [...heads].map(head => shortest(blocks, head)).filter(way => way !== undefined)
  return ways.map(way => count(way.flatMap(start => blocks.get(start).code))).sort((a, b) => a.all - b.all)[0]
}

/** The blocks of a function by the index of their first instruction: their code, counts and successors. */
function blocksOf(body) {
  const index = new Map(body.map(({ at }, i) => [at, i]))
  const starts = new Set([0])
  body.forEach(({ op, target }, i) => {
    if (index.has(target)) starts.add(index.get(target))
    if (/^(?:b$|b\.|cb|tb|ret)/.test(op) && i + 1 < body.length) starts.add(i + 1)
  })
  const order = [...starts].sort((a, b) => a - b)
  return new Map(
    order.map((start, n) => {
      const code = body.slice(start, order[n + 1])
      const { op, target } = code.at(-1)
      const falls = /^(?:b|ret)$/.test(op) ? undefined : order[n + 1]
      return [
        start,
        { code, ...count(code), next: [index.get(target), falls].filter(to => to !== undefined) },
      ]
    }),
  )
}

/** Dijkstra: the way from a block back to itself with exactly the work of a bulk loop and the fewest instructions. */
function shortest(blocks, head) {
  const known = new Set()
  const open = [{ at: head, all: 0, aese: 0, pmull: 0, way: [] }]
  while (open.length > 0) {
    const best = open.reduce((least, state, i) => (state.all < open[least].all ? i : least), 0)
    const [{ at, all, aese, pmull, way }] = open.splice(best, 1)
    if (at === head && aese === DUTY.aese && pmull === DUTY.pmull) return way
    const state = `${at} ${aese} ${pmull}`
    if (known.has(state) || (at === head && way.length > 0)) continue
    known.add(state)
    const block = blocks.get(at)
    const done = { all: all + block.all, aese: aese + block.aese, pmull: pmull + block.pmull }
    if (done.aese > DUTY.aese || done.pmull > DUTY.pmull) continue
    for (const to of block.next) open.push({ at: to, ...done, way: [...way, at] })
  }
}

function count(code) {
  const of = pattern => code.filter(({ op, operands }) => pattern.test(`${op} ${operands}`)).length
  return {
    all: code.length,
    aese: of(/^aese /),
    pmull: of(/^pmull2? /),
    eor3: of(/^eor3 /),
    eor: of(/^eor v/),
    loads: of(/^ld/),
    stores: of(/^st/),
    spilled: of(/^st\S* q.*\[sp/),
  }
}
