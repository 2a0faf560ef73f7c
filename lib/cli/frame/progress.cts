// A line on the terminal that shows how far long work is, and what the command waits for.
import type { Call, Option } from './command.cjs'
import { beforeEnd } from './ending.cjs'
import type { Streams } from './streams.cjs'

export const NO_PROGRESS: Option = { help: 'Do not show progress on a terminal' }
/** Milliseconds before the line appears, and between two of its states. */
const [PATIENCE, PAUSE] = [1000, 200]
/** Back to the start of the line, and erase it (ECMA-48, EL). */
const ERASE = '\r\u001b[K'
const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

type Unit = 'bytes' | 'rows'

/** The work of a command, as the line shows it. */
export interface Progress {
  /** Work begins: `total` bytes or rows, or null if unknown. */
  begin(total: number | null, unit?: Unit): void
  /** This many bytes or rows are done. */
  at(done: number): void
  /** All bytes are done, and the system writes them through to the disk. */
  flushing(): void
  /** Other output comes now: the line goes away until its next state. */
  erase(): void
}

/** Runs `work`, and shows its progress on a terminal. */
export async function withProgress<Result>(
  call: Call,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const { stderr } = call.streams
  const line = new Line(stderr)
  if (!stderr.isTTY || call.has('no-progress') || call.has('json')) return await work(line)
  const release = beforeEnd(() => line.erase())
  // By a timer, the line also changes while the work waits for its input or for the disk.
  const timer = setInterval(() => line.show(), PAUSE)
  try {
    const result = await work(line)
    line.end()
    return result
  } finally {
    clearInterval(timer)
    release()
    line.erase()
  }
}

class Line implements Progress {
  readonly #screen: Streams['stderr']
  #start = Number.POSITIVE_INFINITY
  #total: number | null = null
  #done = 0
  #amount = amount
  #isFlushing = false
  #isShown = false

  constructor(screen: Streams['stderr']) {
    this.#screen = screen
  }

  begin(total: number | null, unit: Unit = 'bytes'): void {
    this.#start = performance.now()
    this.#total = total
    this.#done = 0
    this.#amount = unit === 'rows' ? rows : amount
  }

  at(done: number): void {
    this.#done = done
  }

  flushing(): void {
    this.#isFlushing = true
  }

  show(): void {
    const elapsed = performance.now() - this.#start
    if (elapsed < PATIENCE) return
    // A line that is too wide would continue in the next one, which is not erased.
    const width = (this.#screen.columns || Number.POSITIVE_INFINITY) - 1
    this.#screen.write(`${ERASE}${this.#textAfter(elapsed / 1000).slice(0, width)}`)
    this.#isShown = true
  }

  /** Shows that all is done, if it took so long that the line is there. */
  end(): void {
    if (this.#isShown) this.show()
  }

  erase(): void {
    if (this.#isShown) this.#screen.write(ERASE)
    this.#isShown = false
  }

  #textAfter(seconds: number): string {
    const done = this.#done
    const total = this.#total
    const shown = this.#amount
    const speed = done / seconds
    if (this.#isFlushing) return `100%, ${shown(done)}, flushing to disk`
    if (total === null) return `${shown(done)}, ${shown(speed)}/s`
    // Of a file that grows while it is read, there is more than its size.
    const rest = Math.max(total - done, 0)
    const percent = total === 0 ? 100 : Math.floor((100 * (total - rest)) / total)
    const left = speed > 0 ? `, ${time(rest / speed)} left` : ''
    const part = shown === rows ? grouped(done) : shown(done)
    return `${percent}%, ${part} of ${shown(total)}, ${shown(speed)}/s${left}`
  }
}

/** A number of rows for people. */
export function rows(count: number): string {
  return `${grouped(count)} rows`
}

/** A whole number, with a space between groups of three digits. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ')
}

/** A number of bytes for people. */
export function amount(bytes: number): string {
  const unit = Math.floor(Math.log2(Math.max(bytes, 1)) / 10)
  const digits = unit === 0 ? 0 : 1
  return `${(bytes / 1024 ** unit).toFixed(digits)} ${UNITS[unit]}`
}

/** A time for people, in its two largest units. */
export function time(seconds: number): string {
  const whole = Math.ceil(seconds)
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`
}
