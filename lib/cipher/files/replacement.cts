// New content for a file that several processes may change at once, such as a keyset. It replaces
// only the content that it was made from, so no change is lost.
//
// The new content is complete and on the disk under a temporary name before it gets a second name,
// that of the lock, which one process at a time can have. That process compares the file with the
// content that it read, and renames the lock to the file: this replaces the file and releases the
// lock in one step. So a lock lasts for microseconds. A process killed meanwhile leaves a lock,
// which a person removes: between checking an old lock and removing it, another process may have
// taken a new one.
import { codeOf, crypto, fs, buffer as node, performance } from '../base/builtins.cjs'
import { hexOf } from '../base/encoded.cjs'
import { flushFolder, NO_LINKS, OWNER_ALONE, remove, temporaryName } from './part-file.cjs'
import { identityOf, isOne } from './same-file.cjs'

const { closeSync, constants, copyFileSync, fchmodSync, fchownSync, fstatSync, fsyncSync } = fs
const { linkSync, lstatSync, openSync, renameSync } = fs
const { basename, dirname, join } = process.getBuiltinModule('node:path')
const WINDOWS = process.platform === 'win32'
/** Milliseconds after which to report a stuck lock. Its holder gives up after half this time. */
export const LEASE = 10_000
/** Codes of a rename on Windows while another program has the file open. */
const IN_USE = ['EACCES', 'EBUSY', 'EPERM']

/** Bytes of the longest name that a lock repeats. eCryptfs permits names of 143 bytes in all. */
const LONGEST = 120

/** The owner of a file and the rights of others to it. */
interface Permissions {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

export class Replacement {
  readonly #path: string
  readonly #temporary: string
  readonly #lock: string
  #descriptor: number | undefined

  /** Creates the file under a temporary name, with owner, group and mode of the one to replace. */
  constructor(path: string, like: Permissions) {
    const folder = dirname(path)
    this.#path = path
    this.#temporary = join(folder, temporaryName())
    this.#lock = lockOf(path)
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    this.#descriptor = openSync(this.#temporary, flags, OWNER_ALONE)
    try {
      if (!WINDOWS) takeOver(this.#descriptor, like)
    } catch (error) {
      this.discard()
      throw error
    }
  }

  /** The descriptor to write to, until `flush`. */
  get descriptor(): number {
    return this.#descriptor as number
  }

  /** Puts the content on the disk. */
  flush(): void {
    fsyncSync(this.descriptor)
    this.#close()
  }

  /**
   * Replaces the file if `isUnchanged`. Without a turn of the event loop, so signals find no lock.
   * @returns `'changed'` if the file is another one by now; `'locked'` if another process has the
   * lock
   */
  replace(isUnchanged: () => boolean): 'replaced' | 'changed' | 'locked' {
    const since = performance.now()
    if (!this.#take()) return 'locked'
    let held = true
    try {
      if (!isUnchanged()) return 'changed'
      // A process that paused for so long may have lost its lock to a person.
      held = performance.now() - since < LEASE / 2
      if (!held) return 'locked'
      renameSync(this.#lock, this.#path)
      held = false
    } catch (error) {
      if (!WINDOWS || !IN_USE.includes(String(codeOf(error)))) throw error
      return 'locked'
    } finally {
      if (held) remove(this.#lock)
    }
    flushFolder(dirname(this.#path))
    return 'replaced'
  }

  /** Removes the temporary name. Call it at the end in any case. */
  discard(): void {
    this.#close()
    remove(this.#temporary)
  }

  #close(): void {
    if (this.#descriptor === undefined) return
    closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  /** Takes the lock, unless another process has it. */
  #take(): boolean {
    try {
      linkSync(this.#temporary, this.#lock)
      return true
    } catch (error) {
      // NFS may report this of a link that it made, if its answer was late and it was asked again.
      if (codeOf(error) === 'EEXIST') return isOne(identityOf(this.#temporary), identityOf(this.#lock))
      if (!NO_LINKS.includes(String(codeOf(error)))) throw error
    }
    try {
      copyFileSync(this.#temporary, this.#lock, constants.COPYFILE_EXCL)
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      throw error
    }
  }
}

/**
 * The name of the lock of a file. It is hidden, and unlikely to be the name of anything else. It
 * has a hash in place of a long name: the system may refuse a longer one.
 */
export function lockOf(path: string): string {
  const name = basename(path)
  const short = node.Buffer.byteLength(name) <= LONGEST ? name : hashOf(name)
  return join(dirname(path), `.hardware-aes-gcm-${short}.lock`)
}

function hashOf(name: string): string {
  const hash = crypto.createHash('sha256').update(name.normalize().toLowerCase()).digest()
  return hexOf(hash, 0, hash.length)
}

/** The current lock of a file, as a string that differs for each lock; undefined if none. */
export function lockAt(path: string): string | undefined {
  const found = lstatSync(lockOf(path), { bigint: true, throwIfNoEntry: false })
  return found === undefined ? undefined : `${found.dev} ${found.ino} ${found.mtimeNs}`
}

/** Copies owner, group and mode to a file that is still empty, since they may grant more. */
function takeOver(descriptor: number, { mode, uid, gid }: Permissions): void {
  const own = fstatSync(descriptor)
  if (own.uid !== uid || own.gid !== gid) fchownSync(descriptor, uid, gid)
  fchmodSync(descriptor, mode & 0o777)
}
