// Disassembles a library: its functions by symbol, their instructions, and the targets of indirect calls and jumps.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The output of objdump. Throws if objdump is missing or cannot read the file. */
function objdump(...options) {
  const { status, stdout, stderr, error } = spawnSync('objdump', options, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
  })
  if (error) throw new Error(`objdump could not be started (Debian: binutils): ${error.message}`)
  if (status !== 0) throw new Error(`objdump: ${stderr.trim()}`)
  return stdout
}

/** All facts about a library that the gate needs. */
export function open(library) {
  const functions = parse(objdump('-d', '--no-show-raw-insn', '-C', '-M', 'intel', library))
  return {
    functions,
    slots: slots(objdump('-R', '-C', library), functions),
    word: words(readFileSync(library)),
  }
}

/** A name as before Rust 1.96, which puts the type of a method into brackets and appends the types that a function is for. */
const plain = name => name.replace(/^<([\w:]+)>::/, '$1::').replace(/::<.*>$/, '')

/** Functions of a disassembly, by address. Their lines are not yet decoded. */
export function parse(text) {
  const functions = new Map()
  let lines
  for (const line of text.split('\n')) {
    const head = /^([0-9a-f]+) <(.*)>:$/.exec(line)
    if (head) {
      lines = []
      const start = Number.parseInt(head[1], 16)
      functions.set(start, { name: plain(head[2]), start, lines })
    } else if (lines && /^ +[0-9a-f]+:\t/.test(line)) {
      lines.push(line)
    }
  }
  return functions
}

const PREFIXES = /^(?:(?:bnd|notrack|lock|data16|repn?z?|[c-gs]s|rex(?:\.\w+)?|\{\w+\}) +)+/

/** The instructions of a function: address, size, mnemonic, operands, and the address that an instruction names, if any. */
export function decode(fn) {
  const code = fn.lines.map(line => {
    const [, at, text] = /^ +([0-9a-f]+):\t(.*)$/.exec(line)
    const [, body, address] = /^(.*?)(?:\s+# (?:0x)?([0-9a-f]+).*)?$/.exec(text)
    const [, op, operands] = /^(\S+)\s*(.*)$/.exec(body.replace(PREFIXES, ''))
    const instruction = { at: Number.parseInt(at, 16), op, text: `${op} ${operands}`, args: [] }
    if (address) instruction.address = Number.parseInt(address, 16)
    const direct = /^(?:j|call|loop)/.test(op) && /^([0-9a-f]+)(?: <(.*)>)?$/.exec(operands)
    if (direct) {
      instruction.target = Number.parseInt(direct[1], 16)
      instruction.label = direct[2]
    } else {
      // Commas inside brackets or braces do not separate operands.
      instruction.args = operands.match(/(?:\[[^\]]*\]|\{[^}]*\}|[^,[{])+/g) ?? []
    }
    return instruction
  })
  code.forEach((instruction, i) => {
    instruction.size = (code[i + 1] ?? instruction).at - instruction.at
  })
  return code
}

/** Names of the functions that the dynamic linker writes into the slots for indirect calls, by address of the slot. */
function slots(relocations, functions) {
  const names = new Map()
  for (const line of relocations.split('\n')) {
    const found = /^([0-9a-f]+) R_X86_64_(\w+) +(.*)$/.exec(line)
    if (!found) continue
    const [, slot, type, value] = found
    const address = type === 'RELATIVE' ? Number.parseInt(value.replace(/.*0x/, ''), 16) : undefined
    names.set(Number.parseInt(slot, 16), functions.get(address)?.name ?? value)
  }
  return names
}

/** Returns a function that reads the signed 32-bit word at a virtual address of an ELF file; undefined outside of it. */
function words(file) {
  const segments = []
  const [at, size, count] = [Number(file.readBigUInt64LE(32)), file.readUInt16LE(54), file.readUInt16LE(56)]
  for (let header = at; header < at + size * count; header += size) {
    const [offset, address, , length] = [8, 16, 24, 32].map(field =>
      Number(file.readBigUInt64LE(header + field)),
    )
    if (file.readUInt32LE(header) === 1) segments.push({ offset, address, length })
  }
  return address => {
    const segment = segments.find(s => s.address <= address && address + 4 <= s.address + s.length)
    return segment && file.readInt32LE(address - segment.address + segment.offset)
  }
}

/**
 * The possible targets of the jump through a register at `code[i]`, from LLVM's jump table of 32-bit offsets from the table
 * itself. Empty if the jump does not use such a table.
 */
export function cases(code, i, word) {
  const before = match => {
    for (let j = i - 1; j >= 0; j--) if (match(code[j])) return code[j]
  }
  const [through] = code[i].args
  const sum = before(({ op, args }) => op === 'add' && args[0] === through)
  const entry = before(({ op, args }) => op === 'movsxd' && sum?.args.includes(args[0]))
  const base = sum?.args.find(register => register !== entry?.args[0])
  const table = before(({ op, args, address }) => op === 'lea' && args[0] === base && address)?.address
  if (!entry?.args[1].includes(`[${base}+`) || table === undefined) return []

  const instructions = new Set(code.map(({ at }) => at))
  const tables = new Set(code.filter(({ op }) => op === 'lea').map(({ address }) => address))
  const targets = []
  for (let at = table; at === table || !tables.has(at); at += 4) {
    const target = table + word(at)
    if (!instructions.has(target)) break
    targets.push(target)
  }
  return targets
}
