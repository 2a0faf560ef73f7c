// All memory of a stopped process, through /proc.
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Bytes of a page, asked only when memory is read. */
let pageSize
function pageBytes() {
  pageSize ??= Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))
  return pageSize
}

/** Mappings of the kernel, which no process can read in full. */
const KERNELS = /^\[(vvar|vsyscall)/

/**
 * Every mapping with pages in memory, readable for the process or not: its start, end and name, whether it is a thread's
 * stack, whether a core dump shows it, and `pieces`, the runs of its pages that are in memory.
 */
export function memoryOf(pid) {
  const mappings = mappingsOf(pid).filter(({ name, kept }) => kept > 0 && !KERNELS.test(name))
  const [memory, pagemap] = [openSync(`/proc/${pid}/mem`), openSync(`/proc/${pid}/pagemap`)]
  for (const mapping of mappings)
    mapping.pieces = runsOf(pagemap, mapping).map(({ start, end }) => ({
      start,
      bytes: bytesOf(memory, start, end),
    }))
  for (const file of [memory, pagemap]) closeSync(file)
  return mappings
}

function mappingsOf(pid) {
  const stacks = stackPointers(pid)
  const mappings = []
  for (const line of readFileSync(`/proc/${pid}/smaps`, 'utf8').split('\n')) {
    const head = /^([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+ *(.*)$/.exec(line)
    if (head !== null) {
      const [start, end] = [Number(`0x${head[1]}`), Number(`0x${head[2]}`)]
      const thread = stacks.find(({ pointer }) => pointer >= start && pointer < end)
      const name = thread === undefined ? head[3] || 'anonymous memory' : `the stack of thread ${thread.name}`
      mappings.push({ start, end, name, stack: thread !== undefined, dumped: true, kept: 0 })
    }
    const kept = /^(?:Rss|Swap|\w+_Hugetlb): +(\d+) kB$/.exec(line)
    if (kept !== null) mappings.at(-1).kept += Number(kept[1])
    const flags = /^VmFlags: (.*)$/.exec(line)
    if (flags?.[1].split(' ').includes('dd')) mappings.at(-1).dumped = false
  }
  return mappings
}

/** Each thread's stack pointer. */
function stackPointers(pid) {
  const threads = `/proc/${pid}/task`
  return readdirSync(threads).map(thread => {
    const name = readFileSync(join(threads, thread, 'comm'), 'utf8').trim()
    // The number of the system call that it waits in and its arguments, or -1; stack pointer; program counter.
    const pointer = Number(
      readFileSync(join(threads, thread, 'syscall'), 'utf8')
        .split(' ')
        .at(-2),
    )
    if (!(pointer > 0)) throw new Error(`/proc does not say where the stack of thread ${name} is`)
    return { name, pointer }
  })
}

/** The runs of pages of a mapping that are in memory or swapped out: the top bits of their entries in the page map. */
function runsOf(pagemap, { start, end }) {
  const bytes = pageBytes()
  const entries = Buffer.alloc(((end - start) / bytes) * 8)
  readSync(pagemap, entries, 0, entries.length, (start / bytes) * 8)
  const runs = []
  for (let page = start, i = 7; page < end; page += bytes, i += 8) {
    if ((entries[i] & 0xc0) === 0) continue
    if (runs.at(-1)?.end === page) runs.at(-1).end += bytes
    else runs.push({ start: page, end: page + bytes })
  }
  return runs
}

/** Bytes of a process; zeros where no process may read, as in guard pages. */
function bytesOf(memory, start, end) {
  const bytes = Buffer.alloc(end - start)
  for (let done = 0; done < bytes.length; ) {
    try {
      done += readSync(memory, bytes, done, bytes.length - done, start + done)
    } catch (error) {
      if (error.code !== 'EIO') throw error
      done += pageBytes()
    }
  }
  return bytes
}
