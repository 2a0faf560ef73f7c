// The keys of a keyring: a list from the oldest to the newest, and a map of their ids. No arrays:
// an assignment to an element could run a setter of Array.prototype.
import type { KeyPrefix } from '../../types/keyring.d.ts'
import type { CipherSpec } from '../aead/ciphers.cjs'
import { uncurried } from '../base/builtins.cjs'
import { AesGcmError, nodeError } from '../base/errors.cjs'
import { allocateOffHeap, wipe } from '../base/views.cjs'
import { fill } from '../machine/random.cjs'
import type { ArenaHandle, KeyHandle } from '../native/binding.cjs'
import { destroy } from '../native/calls.cjs'
import type { KeyTypeSpec } from './keyset/key-types.cjs'
import { MAX_RAW_KEYS, type UnsupportedKey } from './keyset/model.cjs'

/** A key that can be used, or that can again after it is enabled. */
export interface Key {
  readonly id: number
  readonly type: KeyTypeSpec
  readonly cipher: CipherSpec
  readonly prefix: KeyPrefix
  /** Another object's of the same key after `exchange`, so that its counts go on. */
  handle: KeyHandle
  /** Values that it opened. */
  opened: number
  /** The prefix of its values as a number, for the raw functions, and its length. */
  readonly valuePrefix: number
  readonly prefixBytes: number
  enabled: boolean
  next: TableKey | undefined
}

/** A key that this package cannot use. It is kept for export. */
interface KeptKey extends UnsupportedKey {
  next: TableKey | undefined
}

export type TableKey = Key | KeptKey

/** Backend, arena and message limit of new keys, as arguments of `create`. */
export interface Settings {
  readonly backend: number
  readonly arena: ArenaHandle | undefined
  /** For each key; undefined for the most that its type allows. */
  readonly maxMessages: number | undefined
}

const KeysById = Map<number, TableKey>
const get: (map: Map<number, TableKey>, id: number) => TableKey | undefined = uncurried(
  KeysById.prototype.get,
)
const set: (map: Map<number, TableKey>, id: number, key: TableKey) => unknown = uncurried(
  KeysById.prototype.set,
)
const remove: (map: Map<number, TableKey>, id: number) => unknown = uncurried(KeysById.prototype.delete)

export class KeyTable {
  readonly settings: Settings
  primary: Key | undefined
  first: TableKey | undefined
  last: TableKey | undefined
  /** Enabled keys without a prefix. */
  rawKeys = 0
  destroyed = false
  /** Values refused as forgeries, values of unknown keys, and values that `rotate` sealed anew. */
  forged = 0
  unknown = 0
  rotated = 0
  /** By id as a signed number of 32 bits, which V8 does not allocate. */
  #byId = new KeysById()

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Whether a value is a KeyTable, which no caller can have. */
  static is(value: unknown): value is KeyTable {
    return typeof value === 'object' && value !== null && #byId in value
  }

  /** The key of an id, whatever its status. */
  find(id: number): TableKey | undefined {
    return get(this.#byId, id | 0)
  }

  /** The enabled key whose values have this prefix. */
  keyWithPrefix(prefix: number): Key | undefined {
    // The primary key is always enabled, and most values are its.
    if (this.primary?.valuePrefix === prefix) return this.primary
    const key = get(this.#byId, prefix | 0)
    return isUsable(key) && key.valuePrefix === prefix && key.enabled ? key : undefined
  }

  /** Whether a key came after the primary one, which it has not replaced in this process yet. */
  isNewer(key: TableKey): boolean {
    let at = this.primary?.next
    while (at !== undefined && at !== key) at = at.next
    return at === key
  }

  /** Adds the newest key, whose id is free. */
  append(key: TableKey): void {
    if (this.last === undefined) this.first = key
    else this.last.next = key
    this.last = key
    this.#index(key)
  }

  /** Adds the oldest key, whose id is free. */
  prepend(key: TableKey): void {
    key.next = this.first
    this.first = key
    this.last ??= key
    this.#index(key)
  }

  #index(key: TableKey): void {
    set(this.#byId, key.id | 0, key)
    if (isUsable(key) && key.enabled && key.prefixBytes === 0) this.rawKeys++
  }

  /** Takes a key out, and wipes it. */
  remove(key: TableKey): void {
    let before: TableKey | undefined
    for (let at = this.first; at !== key; at = at?.next) before = at
    if (before === undefined) this.first = key.next
    else before.next = key.next
    if (this.last === key) this.last = before
    remove(this.#byId, key.id | 0)
    if (isUsable(key)) this.enable(key, false)
    wipeKey(key)
  }

  enable(key: Key, enabled: boolean): void {
    if (key.prefixBytes === 0 && key.enabled !== enabled) this.rawKeys += enabled ? 1 : -1
    key.enabled = enabled
  }

  /**
   * Takes the keys of another table in one step, and leaves it its own. A key that both have keeps
   * its handle here, which counts its messages. Allocates nothing, so it does not fail half way.
   */
  exchange(newer: KeyTable): void {
    for (let key = newer.first; key !== undefined; key = key.next) {
      const known = get(this.#byId, key.id | 0)
      if (!isUsable(key) || !isUsable(known)) continue
      const { handle, opened } = key
      key.handle = known.handle
      key.opened = known.opened
      known.handle = handle
      known.opened = opened
    }
    const { primary, first, last, rawKeys } = this
    const byId = this.#byId
    this.primary = newer.primary
    this.first = newer.first
    this.last = newer.last
    this.rawKeys = newer.rawKeys
    this.#byId = newer.#byId
    newer.primary = primary
    newer.first = first
    newer.last = last
    newer.rawKeys = rawKeys
    newer.#byId = byId
  }

  destroy(): void {
    this.destroyed = true
    for (let key = this.first; key !== undefined; key = key.next) wipeKey(key)
  }
}

/** Whether there is a key, and it is one that this package can use. */
export function isUsable(key: TableKey | undefined): key is Key {
  return key !== undefined && key.type !== null
}

/** Wipes a key that no keyring has any more. */
export function wipeKey(key: TableKey): void {
  if (isUsable(key)) destroy(key.handle)
  else if (key.value !== null) wipe(key.value, 0)
}

/** The error of every call on a destroyed keyring. */
export function keyringDestroyed(): Error {
  return new AesGcmError('ERR_AESGCM_DESTROYED', 'this keyring was destroyed')
}

/** Refuses a taken id. `name` names the argument. */
export function refuseTaken(table: KeyTable, name: string, id: number): void {
  if (table.find(id) === undefined) return
  throw nodeError(
    TypeError,
    'ERR_INVALID_ARG_VALUE',
    `"${name}" is ${id}, which another key of this keyring has`,
  )
}

/** Refuses one more enabled key without a prefix than a keyring may have. */
export function refuseRawKey(table: KeyTable): void {
  if (table.rawKeys < MAX_RAW_KEYS) return
  const what = `a keyring has at most ${MAX_RAW_KEYS} enabled keys without a prefix ('raw'), since all of them are tried`
  throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
}

/** A random id, not 0. Its first 28 bits differ from all others, so texts begin differently. */
export function freshId(table: KeyTable): number {
  const bytes = allocateOffHeap(4)
  for (;;) {
    fill(bytes)
    let id = 0
    for (let i = 0; i < 4; i++) id = ((id << 8) | (bytes[i] as number)) >>> 0
    if (id >>> 4 !== 0 && !isLike(table, id)) return id
  }
}

function isLike(table: KeyTable, id: number): boolean {
  for (let key = table.first; key !== undefined; key = key.next) if (key.id >>> 4 === id >>> 4) return true
  return false
}
