// Follows secrets through the general registers and the stack of a kernel, to find branches and addresses that depend on a secret.
//
// Every byte of memory that a kernel reads is taken for a secret: keys, texts, tags, nonces, elements. So is every result of an
// instruction on vectors, except of moves. Public are the kernel's arguments themselves, the structs and lists that some of them point
// at (LISTS), constants, and what the kernel computes from these: lengths, counters, pointers. A conditional jump, an address, a
// repetition or a division that depends on anything else is a fault. Moves by a condition, and masked moves of vectors, are not: their
// time does not depend on the condition. Unlike the proof of checks/machine-code, this pass takes every path of every kernel, in seconds.
import { isVector, memoryOf } from './count.mjs'
import { general } from './flow.mjs'

/**
 * The kinds of values in a register. `struct` points at public words. `frame` points into the stack, as `frame:SPACE:OFFSET` where the offset
 * is known; `mixed` points into the stack or elsewhere.
 */
const [PUBLIC, STRUCT, MIXED, SECRET] = ['public', 'struct', 'mixed', 'secret']

/**
 * Arguments that point at a message, or at a list of pointers and lengths, by register (src/backend/entry.rs, in whose signatures they
 * are `Message` and `&[Bytes]`). Tags are returned through a pointer, which comes before the first argument.
 */
const LISTS = {
  keystream: ['rdx'],
  seal: ['rcx'],
  seal_pieces: ['rcx', 'r8'],
  seal_pair: ['rcx', 'r8'],
  open: ['rcx'],
  authenticate: ['rcx'],
  seal_siv: ['rcx'],
  open_siv: ['rcx'],
  authenticate_siv: ['rcx'],
  keystream_siv: ['rdx'],
}

const SIZES = { BYTE: 1, WORD: 2, DWORD: 4, QWORD: 8, XMMWORD: 16, YMMWORD: 32, ZMMWORD: 64 }
/** The places for the result of a function, such as a tag. No code reads the other registers that a call changes. */
const GIVEN = ['rax', 'low rax', 'rdx', 'low rdx', 'flags']

const isFrame = value => value.startsWith('frame')
const isMask = operand => /^k[0-7]$/.test(operand)
/** A constant as objdump writes it, in 64 bits. */
const number = text =>
  /^-?(?:0x[0-9a-f]+|\d+)$/.test(text) ? Number(BigInt.asIntN(64, BigInt(text))) : undefined

/** The facts that hold for both values. */
function join(a, b) {
  if (a === b) return a
  if (a === SECRET || b === SECRET) return SECRET
  if (isFrame(a) && isFrame(b)) return 'frame'
  return isFrame(a) || isFrame(b) || a === MIXED || b === MIXED ? MIXED : PUBLIC
}

/** The sum of two values, or their difference. */
function sum(a, b) {
  if (a === SECRET || b === SECRET) return SECRET
  for (const pointer of [MIXED, 'frame', STRUCT])
    if (a.startsWith(pointer) || b.startsWith(pointer)) return pointer
  return PUBLIC
}

/** A pointer into the stack, moved by some bytes. */
function moved(value, bytes) {
  const [, space, at] = value.split(':')
  return space === undefined || bytes === undefined ? 'frame' : `frame:${space}:${Number(at) + bytes}`
}

/** The place of a register: a general one by its 64-bit name, a vector register by its number. Masks of vectors have no place. */
const register = operand => (isVector(operand) ? `v${/\d+/.exec(operand)[0]}` : general(operand))

/** The value of a place that is not listed: vectors are secrets unless they were moved from public words. */
const unlisted = place => (/^(?:low )?v\d/.test(place) ? SECRET : PUBLIC)

/** The facts known before an instruction: values of registers, of the flags, and of words of the stack. */
class Known {
  constructor(registers) {
    this.values = new Map(registers)
  }
  get(place) {
    return this.values.get(place) ?? unlisted(place)
  }
  set(place, value) {
    if (place === undefined) return
    if (value === unlisted(place)) this.values.delete(place)
    else this.values.set(place, value)
  }
  /** The value of a register, or of its lowest byte, which is known by itself. */
  read(operand) {
    return this.get(LOW.test(operand) ? `low ${general(operand)}` : register(operand))
  }
  write(operand, value) {
    const place = register(operand)
    // The other bits of a register stay as they were.
    this.set(place, NARROW.test(operand) ? sum(this.get(place), value) : value)
    if (!/^[a-d]h$/.test(operand)) this.set(`low ${place}`, value)
  }
  copy() {
    return new Known(this.values)
  }
  /** Adds what holds on another way to the same place; whether that changed anything. */
  merge(other) {
    let changed = false
    for (const place of new Set([...this.values.keys(), ...other.values.keys()])) {
      const both = join(this.get(place), other.get(place))
      if (both !== this.get(place)) changed = true
      this.set(place, both)
    }
    return changed
  }

  /** Words of the stack that an operand covers, of four bytes each; undefined if the place is not known. */
  slots({ frame, size }) {
    const [, space, at] = frame.split(':')
    if (space === undefined) return undefined
    const [first, last] = [Math.floor(at / 4), Math.floor((Number(at) + size - 1) / 4)]
    return Array.from({ length: last - first + 1 }, (_, i) => `stack:${space}:${first + i}`)
  }
  load(operand) {
    if (operand.constant) return PUBLIC
    if (operand.frame === undefined) return operand.base === STRUCT ? PUBLIC : SECRET
    const slots = this.slots(operand) ?? [...this.values.keys()].filter(place => place.startsWith('stack:'))
    return this.get('stack') === SECRET
      ? SECRET
      : slots.map(slot => this.get(slot)).reduce(join, this.get(slots[0]))
  }
  store(operand, value) {
    if (operand.frame === undefined && operand.base !== MIXED) return
    const slots = operand.frame && this.slots(operand)
    // Somewhere in the stack: a secret may then be anywhere in it.
    if (!slots) this.set('stack', join(this.get('stack'), value === SECRET ? SECRET : PUBLIC))
    for (const slot of slots ?? []) this.set(slot, operand.size < 4 ? join(this.get(slot), value) : value)
  }
}

/** The memory that an operand names: its size, whether its address is a secret, and where it points. */
function memory(operand, known) {
  const [, kind] = /^(\w+) PTR/.exec(operand) ?? []
  const inside = /\[(.*?)\]/.exec(operand)[1]
  const found = { size: SIZES[kind] ?? 64, secret: false, constant: inside.startsWith('rip'), base: PUBLIC }
  let offset = 0
  for (const [, sign, term] of inside.matchAll(/([+-]?)([^+-]+)/g)) {
    const [name, scale] = term.split('*')
    const register = general(name)
    if (register === undefined) {
      if (isVector(name)) found.secret = true
      else if (name !== 'rip') offset += Number(`${sign === '-' ? '-' : ''}1`) * (number(name) ?? 0)
      continue
    }
    const value = known.get(register)
    if (value === SECRET) found.secret = true
    const plain = scale === undefined || scale === '1'
    if (isFrame(value) && found.frame === undefined && plain) found.frame = value
    else {
      // An index: somewhere in the stack, if the base is there.
      found.indexed = true
      found.base = join(found.base === PUBLIC ? value : found.base, value === PUBLIC ? found.base : value)
    }
  }
  if (found.frame !== undefined) found.frame = found.indexed ? 'frame' : moved(found.frame, offset)
  return found
}

const SILENT =
  /^(?:mov|lea|push|pop$|cmov|set|not|xchg|j|nop|endbr|bswap|mulx|rorx|s[ha][lr]x|pdep|pext|call|ret|prefetch|ud|cld)/
const TESTS = /^(?:v?ptest|vtestp|v?u?comis|kortest|ktest)/
const CARRIES = /^(?:adc|sbb|rc[lr]|adcx|adox)/
const READS = /^(?:cmp|test|bt$|j|nop|prefetch|ret|ud)/
/** Moves that replace all of their target, if it is a register of at least 32 bits. */
const MOVES = /^(?:mov(?:abs|zx|sxd?|be)?|kmov[bwdq]|v?mov(?:[dq]|[au]p[sd]|dq[au]\d*))$/
const NARROW = /^(?:[a-d][lhx]|[sd]il?|[bs]pl?|r\d+[bw])$/
const LOW = /^(?:[a-d]l|[sd]il|[bs]pl|r\d+b)$/

/** An instruction with the memory that it names and a function that reads its operands. */
function read(known, instruction) {
  const text = memoryOf(instruction)
  const place = text === undefined ? undefined : memory(text, known)
  const value = operand => {
    if (operand === undefined || number(operand) !== undefined) return PUBLIC
    if (operand === text) return known.load(place)
    return isMask(operand) ? SECRET : known.read(operand)
  }
  return { ...instruction, text, place, value }
}

/** What of an instruction depends on a secret. */
function* leaks(known, { op, args, place, value }) {
  if (place?.secret && !/^(?:lea|nop)/.test(op)) yield 'an address'
  const decides = [
    /^j(?!mp)/.test(op) && known.get('flags'),
    /^(?:j[er]?cxz|loop)/.test(op) && known.get('rcx'),
    /^jmp/.test(op) && args.length > 0 && value(args[0]),
  ]
  if (decides.includes(SECRET)) yield 'a branch'
  const divided = /^i?div/.test(op) && [value(args[0]), known.get('rax'), known.get('rdx')]
  const repeated = /^(?:stos|movs[bwdq]?$|scas|cmps|lods)/.test(op) && [known.get('rcx')]
  if ((divided || repeated || []).includes(SECRET)) yield 'an instruction'
}

/** Applies an instruction that moves the pointer of the stack, or a call; whether it is one. */
function movesStack(known, { op, args: [to], value }) {
  if (/^call/.test(op)) for (const place of GIVEN) known.set(place, SECRET)
  else if (op === 'push') {
    const below = moved(known.get('rsp'), -8)
    known.set('rsp', below)
    known.store({ frame: below, size: 8 }, value(to))
  } else if (op === 'pop') {
    known.write(to, known.load({ frame: known.get('rsp'), size: 8 }))
    known.set('rsp', moved(known.get('rsp'), 8))
  } else if (op === 'leave') {
    known.set('rsp', moved(known.get('rbp'), 8))
    known.set('rbp', known.load({ frame: known.get('rbp'), size: 8 }))
  } else return false
  return true
}

/** Sets the flags to what an instruction makes of its operands, whose sum is `all`. */
function setFlags(known, { op, args }, all) {
  if (TESTS.test(op)) known.set('flags', SECRET)
  else if (!SILENT.test(op) && !args.some(isVector) && !args.some(isMask)) {
    const carried = CARRIES.test(op) ? known.get('flags') : PUBLIC
    known.set('flags', [all, carried].includes(SECRET) ? SECRET : PUBLIC)
  }
}

/** Applies one instruction to `known`, and gives what of it depends on a secret. */
function* step(known, given) {
  const instruction = read(known, given)
  yield* leaks(known, instruction)
  const { op, args, text, place, value } = instruction
  const [to, ...from] = args
  const sources = from.map(value)
  const all = [value(to), ...sources].reduce(sum)
  if (movesStack(known, instruction)) return
  setFlags(known, instruction, all)
  if (to === undefined || READS.test(op) || isMask(to)) return
  const written = result(known, instruction, sources, all)
  if (to === text) known.store(place, written)
  else known.write(to, written)
  if (/^(?:xchg|xadd)/.test(op)) known.write(args[1], all)
  if (op === 'mulx') known.write(args[1], [value(args[2]), known.get('rdx')].reduce(sum))
  if (/^(?:mul|i?div)$/.test(op) || (op === 'imul' && args.length === 1))
    for (const half of ['rax', 'rdx']) known.write(half, sum(all, known.get('rax')))
}

/** The value that an instruction writes to its first operand. */
function result(known, { op, args, at, place, value }, sources, all) {
  const [to, from] = args
  if (MOVES.test(op) && args.length === 2 && !/\{/.test(to)) return sources[0]
  if (/^v?p?xor/.test(op) && args.slice(-2).every(operand => operand === args.at(-1)) && !/\{/.test(to))
    return PUBLIC
  // A pointer into the stack beside something else is followed no further: using it as an address is a fault.
  if (args.some(operand => isVector(operand) || isMask(operand)))
    return [value(to), ...sources].every(each => each === PUBLIC || each === STRUCT) ? PUBLIC : SECRET
  if (/^set/.test(op)) return known.get('flags')
  if (/^cmov/.test(op)) return known.get('flags') === SECRET ? SECRET : join(value(to), sources[0])
  if (op === 'lea') {
    if (place.secret) return SECRET
    if (place.frame !== undefined) return place.frame
    return place.constant ? STRUCT : place.base
  }
  if (op === 'sub' && to === from) return PUBLIC
  const constant = number(from ?? '')
  const before = value(to)
  if (isFrame(before) && constant !== undefined) {
    if (op === 'add') return moved(before, constant)
    if (op === 'sub') return moved(before, -constant)
    // The stack, aligned: a part of its own, since the distance to the part above is not known.
    if (op === 'and') return `frame:${at}:0`
  }
  if (op === 'sub' && before === STRUCT && sources[0] === STRUCT) return PUBLIC
  if (CARRIES.test(op) && known.get('flags') === SECRET) return SECRET
  return all
}

/**
 * Calls `visit(what, instruction)` for everything in a kernel that depends on a secret, and returns the number of its conditional
 * jumps. A kernel has its name and its blocks.
 */
export function taint({ name, blocks }, visit) {
  const lists = LISTS[name.split('::').at(-1)] ?? []
  const start = new Known([['rsp', 'frame:0:0'], ...lists.map(register => [register, STRUCT])])
  const entering = new Map([[blocks[0], start]])
  const work = [blocks[0]]
  while (work.length > 0) {
    const block = work.pop()
    const known = entering.get(block).copy()
    for (const instruction of block.code) for (const _ of step(known, instruction));
    for (const next of block.next) {
      const before = entering.get(next)
      if (before === undefined) entering.set(next, known.copy())
      else if (!before.merge(known)) continue
      work.push(next)
    }
  }
  let jumps = 0
  for (const [block, known] of entering)
    for (const instruction of block.code) {
      if (/^j(?!mp)/.test(instruction.op)) jumps++
      for (const what of step(known, instruction)) visit(what, instruction)
    }
  return jumps
}
