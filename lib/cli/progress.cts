// A line on the terminal that shows how far long work is.
import type { Call, Option } from './command.cjs'
import { beforeEnd } from './ending.cjs'

export const NO_PROGRESS: Option = { help: 'Do not show on a terminal how far the work is' }
/** Milliseconds before the line appears, and between two of its states. */
const [PATIENCE, PAUSE] = [1000, 200]
/** Back to the start of the line, and erase it (ECMA-48, EL). */
const ERASE = '\r\u001b[K'
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Runs `work` with a function that it calls with the number of bytes that are done. `total` is null if it is not known how many bytes there are. */
export async function withProgress<Result>(
  call: Call,
  total: number | null,
  work: (progress: (done: number) => void) => Promise<Result>,
): Promise<Result> {
  const { stderr } = call.streams
  if (!stderr.isTTY || call.has('no-progress') || call.has('json')) return await work(() => {})
  const start = performance.now()
  let last = 0
  let erase = () => {}
  const show = (done: number) => {
    const now = performance.now()
    if (now - start < PATIENCE || now - last < PAUSE) return
    if (last === 0) {
      const release = beforeEnd(() => stderr.write(ERASE))
      erase = () => {
        release()
        stderr.write(ERASE)
      }
    }
    last = now
    stderr.write(`${ERASE}${lineOf(done, total, (now - start) / 1000)}`)
  }
  try {
    return await work(show)
  } finally {
    erase()
  }
}

function lineOf(done: number, total: number | null, seconds: number): string {
  const speed = `${amount(done / seconds)}/s`
  if (total === null) return `${amount(done)}, ${speed}`
  const percent = total === 0 ? 100 : Math.floor((100 * done) / total)
  return `${percent}%, ${amount(done)} of ${amount(total)}, ${speed}`
}

/** A number of bytes for people. */
export function amount(bytes: number): string {
  const unit = Math.floor(Math.log2(Math.max(bytes, 1)) / 10)
  const digits = unit === 0 ? 0 : 1
  return `${(bytes / 1024 ** unit).toFixed(digits)} ${UNITS[unit]}`
}
