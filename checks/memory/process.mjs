// Runs a scenario in a process of its own, and examines it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { dump, searchCore } from './core.mjs'
import { memoryOf } from './memory.mjs'

const CHILD = fileURLToPath(new URL('child.mjs', import.meta.url))

/**
 * The finds of `search` in the memory of the process at the scenario's end, and in the core dump of its abortion there.
 * `search` may be a function of the scenario's last line. A scenario that `pauses` prints that line after its memory was
 * read.
 */
export async function examine({ package: folder, scenario, faults = [], pauses = false }, search) {
  const own = mkdtempSync(join(tmpdir(), 'check-memory-'))
  const node = [process.execPath, '--expose-gc', CHILD, folder, scenario, ...faults]
  const command = ['-c', 'ulimit -c unlimited && exec "$@"', 'sh', ...node]
  const child = spawn('sh', command, { cwd: own, stdio: 'pipe' })
  try {
    const line = linesOf(child)
    let said = await line()
    await stop(child)
    const mappings = memoryOf(child.pid)
    if (pauses) {
      child.kill('SIGCONT')
      child.stdin.write('\n')
      said = await line()
      await stop(child)
    }
    const wanted = typeof search === 'function' ? search(said) : search
    const memory = searchMemory(mappings, wanted)
    return { memory, core: searchCore(await dump(child, own), mappings, wanted) }
  } finally {
    child.kill('SIGKILL')
    rmSync(own, { recursive: true, force: true })
  }
}

/** Stops every thread of a process: only a stopped thread shows its stack pointer. */
async function stop(child) {
  child.kill('SIGSTOP')
  const threads = `/proc/${child.pid}/task`
  const stopped = thread => /^State:\tT/m.test(readFileSync(join(threads, thread, 'status'), 'utf8'))
  while (!readdirSync(threads).every(stopped)) await setTimeout(1)
}

function searchMemory(mappings, search) {
  let searched = 0
  const finds = mappings.flatMap(where =>
    where.pieces.flatMap(({ start, bytes }) => {
      searched += bytes.length
      const read = (buffer, at) => bytes.copy(buffer, 0, at - start)
      return search.in(read, start, bytes.length).map(({ name }) => ({ name, where }))
    }),
  )
  return { bytes: searched, finds }
}

/** Reads a process's output line by line, and throws its error output where the process ends instead. */
function linesOf(child) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const closed = once(child, 'close')
  return async () => {
    const late = globalThis.setTimeout(() => child.kill('SIGKILL'), 60_000)
    const { done, value } = await lines.next()
    clearTimeout(late)
    if (!done) return value
    await closed
    throw new Error(`a scenario ended before its end: ${errors.trim()}`)
  }
}
