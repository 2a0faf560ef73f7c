// Changes a file as a whole, even if several processes do so at once: each builds on the last
// result.
import type { Buffer } from 'node:buffer'
import { fs, util } from '../../cipher/base/builtins.cjs'
import { LEASE, lockAt, lockOf, Replacement } from '../../cipher/files/replacement.cjs'
import { beforeEnd } from '../frame/ending.cjs'
import { Failure, systemFailure } from '../frame/failure.cjs'
import type { Streams } from '../frame/streams.cjs'
import { readInput } from '../reading/input.cjs'
import { refuseTaken } from './outputs.cjs'

const { lstatSync, readFileSync, writeSync } = fs
const sleep = util.promisify(setTimeout)
/** Milliseconds for which a process waits for others. */
const PATIENCE = 3 * LEASE
/** Milliseconds between two looks at a lock. */
const PAUSE = 10

/**
 * Replaces the content of the file `path` by `change` of it. Repeats `change` if another process
 * was faster. Wipes both contents.
 */
export async function changeFile(
  streams: Streams,
  path: string,
  limit: number,
  kind: string,
  change: (before: Buffer) => Promise<Buffer>,
): Promise<void> {
  const locks = new Locks(path)
  // There is nothing to clean up: a signal waits for the end of an attempt.
  const release = beforeEnd(() => {})
  try {
    while (!(await changed(streams, path, limit, kind, change, locks))) {}
  } finally {
    release()
  }
}

/** Makes the change to the content of this moment. False if another process was faster. */
async function changed(
  streams: Streams,
  path: string,
  limit: number,
  kind: string,
  change: (before: Buffer) => Promise<Buffer>,
  locks: Locks,
): Promise<boolean> {
  refuseTaken(path, true)
  const { bytes: before } = await readInput(streams, path, limit, kind)
  let after: Buffer | undefined
  try {
    after = await change(before)
    const outcome = attempt(path, before, after)
    if (outcome === 'locked') await locks.wait()
    else if (outcome === 'changed') locks.refuseTooLong()
    return outcome === 'replaced'
  } finally {
    before.fill(0)
    after?.fill(0)
  }
}

/** Without a turn of the event loop. */
function attempt(path: string, before: Buffer, after: Buffer): 'replaced' | 'changed' | 'locked' {
  let part: Replacement | undefined
  try {
    part = new Replacement(path, lstatSync(path))
    for (let at = 0; at < after.length; ) at += writeSync(part.descriptor, after, at)
    part.flush()
    return part.replace(() => isStill(path, before))
  } catch (error) {
    if (error instanceof Error && 'syscall' in error && error.syscall === 'fchown') {
      throw new Failure('EPERM', 'belongs to another user or group: only they can change it', { about: path })
    }
    throw systemFailure(error, path)
  } finally {
    part?.discard()
  }
}

/** Whether a file has this content. */
function isStill(path: string, bytes: Buffer): boolean {
  const now = readFileSync(path)
  try {
    return now.equals(bytes)
  } finally {
    now.fill(0)
  }
}

/** The locks of other processes on a file, as they come and go. */
class Locks {
  readonly #path: string
  /** When the first attempt failed: a prompt or a program may have preceded it. */
  #begun: number | undefined
  #last: string | undefined
  #since = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Waits a moment. Gives up if the lock was still for so long that its holder must be dead. */
  async wait(): Promise<void> {
    const lock = lockAt(this.#path)
    if (lock === undefined || lock !== this.#last) {
      this.#last = lock
      this.#since = performance.now()
    } else if (performance.now() - this.#since > LEASE) {
      const file = lockOf(this.#path)
      const what = `${file} is the lock of a killed process: delete it if no other process is changing ${this.#path}`
      throw new Failure('EBUSY', what, { files: [file] })
    }
    this.refuseTooLong()
    // Not all at the same moment.
    await sleep(PAUSE * (1 + Math.random()))
  }

  refuseTooLong(): void {
    const now = performance.now()
    this.#begun ??= now
    if (now - this.#begun < PATIENCE) return
    throw new Failure('EBUSY', 'other processes keep changing it', { about: this.#path })
  }
}
