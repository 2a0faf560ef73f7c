// A core dump, taken on purpose: by the kernel, where it writes them to files, otherwise by gdb's gcore.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

/** Of the segments of an ELF file, the notes: threads' registers, and no bytes of memory. */
const NOTES = 4

/** The note with a thread's vector registers: NT_X86_XSTATE, NT_FPREGSET. */
const VECTORS = process.arch === 'x64' ? 0x202 : 2

/** Names for finds in a core dump that lie in no mapping. */
const REGISTERS = { name: 'the registers of a thread', stack: false }
const LATE = { name: 'memory mapped at the end', stack: false }

/** Which program takes core dumps on this machine; `missing` is a sentence where there is no such program. */
export function dumper() {
  if (kernelsFolder('.') !== undefined) return { who: 'the kernel' }
  if (spawnSync('gcore', ['--version']).error === undefined) return { who: 'gcore' }
  const wanted = 'make that a file name (echo core > /proc/sys/kernel/core_pattern), or install gdb for gcore'
  return { missing: `The kernel gives core dumps to "${pattern()}": ${wanted}.` }
}

/** Aborts a stopped process, or has gcore look at it, and gives the path of the core dump. */
export async function dump(child, own) {
  const folder = kernelsFolder(own)
  if (folder === undefined) {
    const { status, stderr } = spawnSync('gcore', ['-o', join(own, 'core'), child.pid], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`gcore gave no core dump: ${stderr}`)
    return join(own, `core.${child.pid}`)
  }
  const before = readdirSync(folder)
  const ended = once(child, 'exit')
  child.kill('SIGABRT')
  child.kill('SIGCONT')
  await ended
  const made = readdirSync(folder).filter(name => !before.includes(name))
  if (made.length !== 1)
    throw new Error(`an abortion left ${made.length} files in ${folder}, not a core dump`)
  return join(folder, made[0])
}

const pattern = () => readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim()

/** Where the kernel puts the core dump of a process that runs in `folder`, if anywhere. */
function kernelsFolder(folder) {
  const name = pattern()
  if (name === '' || name.startsWith('|')) return undefined
  const inside = isAbsolute(name) ? dirname(name) : join(folder, dirname(name))
  try {
    // In a container the pattern is the host's, and the folder may exist on the host alone.
    accessSync(inside, constants.W_OK)
    return inside
  } catch {
    return undefined
  }
}

/** The finds of a search in a core dump, each with the mapping of the process that it lies in. Deletes the dump. */
export function searchCore(path, mappings, search) {
  const file = openSync(path)
  try {
    const segments = segmentsOf(file)
    if (!notesOf(file, segments).includes(VECTORS)) throw new Error('a core dump lacks vector registers')
    const { size: bytes } = statSync(path)
    const read = (buffer, at) => readSync(file, buffer, 0, buffer.length, at)
    const finds = search.in(read, 0, bytes).map(({ name, address: at }) => {
      const inside = segments.find(({ offset, length }) => at >= offset && at < offset + length)
      if (inside === undefined || inside.type === NOTES) return { name, where: REGISTERS }
      const address = at - inside.offset + inside.address
      return { name, where: mappings.find(({ start, end }) => address >= start && address < end) ?? LATE }
    })
    return { bytes, finds }
  } finally {
    closeSync(file)
    rmSync(path)
  }
}

/** The segments of a 64-bit ELF file: type, place in the file, address. */
function segmentsOf(file) {
  const header = at(file, 0, 64)
  if (header.readUInt32BE(0) !== 0x7f454c46 || header[4] !== 2)
    throw new Error('a core dump is no 64-bit ELF file')
  const [table, size, count] = [number(header, 32), header.readUInt16LE(54), header.readUInt16LE(56)]
  return Array.from({ length: count }, (_, i) => at(file, table + i * size, size)).map(entry => ({
    type: entry.readUInt32LE(),
    offset: number(entry, 8),
    address: number(entry, 16),
    length: number(entry, 32),
  }))
}

/** The types of the notes. A note has two lengths, its type, then name and content, each padded to whole words. */
function notesOf(file, segments) {
  const types = []
  const words = bytes => Math.ceil(bytes / 4) * 4
  for (const { offset, length } of segments.filter(({ type }) => type === NOTES)) {
    const notes = at(file, offset, length)
    for (
      let i = 0;
      i + 12 <= length;
      i += 12 + words(notes.readUInt32LE(i)) + words(notes.readUInt32LE(i + 4))
    )
      types.push(notes.readUInt32LE(i + 8))
  }
  return types
}

function at(file, offset, length) {
  const bytes = Buffer.alloc(length)
  readSync(file, bytes, 0, length, offset)
  return bytes
}

const number = (bytes, offset) => Number(bytes.readBigUInt64LE(offset))
