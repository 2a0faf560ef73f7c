// The keys of a keyring: a list from the oldest to the newest, and the places of their ids. No arrays, because an assignment to an
// element of an array could run a setter of Array.prototype.
import type { KeyPrefix } from '../../types/keyring.d.ts'
import type { CipherSpec } from '../aead/ciphers.cjs'
import { uncurried } from '../base/builtins.cjs'
import { AesGcmError, nodeError } from '../base/errors.cjs'
import { allocateOffHeap, wipe } from '../base/views.cjs'
import { fill } from '../machine/random.cjs'
import type { ArenaHandle, KeyHandle } from '../native/binding.cjs'
import { destroy } from '../native/calls.cjs'
import type { KeyTypeSpec } from './keyset/key-types.cjs'
import { MAX_RAW_KEYS, type OtherKey } from './keyset/model.cjs'

/** A key that can be used, or that can again after it is enabled. */
export interface Key {
  readonly id: number
  readonly type: KeyTypeSpec
  readonly cipher: CipherSpec
  readonly prefix: KeyPrefix
  readonly handle: KeyHandle
  /** The prefix of its frames, as the raw functions take it, and the length of this. */
  readonly head: number
  readonly skip: number
  enabled: boolean
  next: Node | undefined
}

/** A key of a keyset that this package cannot use. It is kept for export. */
export interface Stranger {
  readonly id: number
  readonly type: undefined
  readonly other: OtherKey
  next: Node | undefined
}

export type Node = Key | Stranger

/** Where keys lie and how they are limited: as `create` takes it. */
export interface Settings {
  readonly backend: number
  readonly arena: ArenaHandle | undefined
  /** For each key; undefined for the most that its type allows. */
  readonly maxMessages: number | undefined
}

const Places = Map<number, Node>
const get: (map: Map<number, Node>, id: number) => Node | undefined = uncurried(Places.prototype.get)
const set: (map: Map<number, Node>, id: number, key: Node) => unknown = uncurried(Places.prototype.set)
const remove: (map: Map<number, Node>, id: number) => unknown = uncurried(Places.prototype.delete)

export class Ring {
  readonly settings: Settings
  primary: Key | undefined
  first: Node | undefined
  last: Node | undefined
  /** Enabled keys without a prefix. */
  raws = 0
  destroyed = false
  /** By id as a signed number of 32 bits, which V8 does not allocate. */
  readonly #places = new Places()

  constructor(settings: Settings) {
    this.settings = settings
  }

  /** Whether a value is a Ring, which no caller can have. */
  static is(value: unknown): value is Ring {
    return typeof value === 'object' && value !== null && #places in value
  }

  /** The key of an id, whatever its status. */
  find(id: number): Node | undefined {
    return get(this.#places, id | 0)
  }

  /** The enabled key whose values have this prefix. */
  keyOf(prefix: number): Key | undefined {
    // The primary key is always enabled, and most values are its.
    if (this.primary?.head === prefix) return this.primary
    const key = get(this.#places, prefix | 0)
    return key?.type !== undefined && key.head === prefix && key.enabled ? key : undefined
  }

  /** Whether a key came after the primary one, and has not replaced it yet in the keyset of this process. */
  isNewer(key: Node): boolean {
    let at = this.primary?.next
    while (at !== undefined && at !== key) at = at.next
    return at === key
  }

  /** Adds the newest key, whose id is free. */
  append(key: Node): void {
    if (this.last === undefined) this.first = key
    else this.last.next = key
    this.last = key
    this.#place(key)
  }

  /** Adds the oldest key, whose id is free. */
  prepend(key: Node): void {
    key.next = this.first
    this.first = key
    this.last ??= key
    this.#place(key)
  }

  #place(key: Node): void {
    set(this.#places, key.id | 0, key)
    if (key.type !== undefined && key.enabled && key.skip === 0) this.raws++
  }

  /** Takes a key out, and wipes it. */
  remove(key: Node): void {
    let before: Node | undefined
    for (let at = this.first; at !== key; at = at?.next) before = at
    if (before === undefined) this.first = key.next
    else before.next = key.next
    if (this.last === key) this.last = before
    remove(this.#places, key.id | 0)
    if (key.type !== undefined) this.enable(key, false)
    wipeKey(key)
  }

  enable(key: Key, enabled: boolean): void {
    if (key.skip === 0 && key.enabled !== enabled) this.raws += enabled ? 1 : -1
    key.enabled = enabled
  }

  destroy(): void {
    this.destroyed = true
    for (let key = this.first; key !== undefined; key = key.next) wipeKey(key)
  }
}

/** Wipes a key that no keyring has any more. */
export function wipeKey(key: Node): void {
  if (key.type !== undefined) destroy(key.handle)
  else if (key.other.value !== null) wipe(key.other.value, 0)
}

/** The error of every call on a keyring that was destroyed. */
export function ringDestroyed(): Error {
  return new AesGcmError('ERR_AESGCM_DESTROYED', 'this keyring was destroyed')
}

/** Refuses an id that is taken. `name` is the name of the argument. */
export function refuseTaken(ring: Ring, name: string, id: number): void {
  if (ring.find(id) === undefined) return
  throw nodeError(
    TypeError,
    'ERR_INVALID_ARG_VALUE',
    `"${name}" is ${id}, which another key of this keyring has`,
  )
}

/** Refuses one more enabled key without a prefix than a keyring may have. */
export function refuseRaw(ring: Ring): void {
  if (ring.raws < MAX_RAW_KEYS) return
  const what = `a keyring has at most ${MAX_RAW_KEYS} enabled keys without a prefix ('raw'), since all of them are tried`
  throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', what)
}

/** A new id: random, not 0, and with other first 28 bits than every id of the keyring, so that the beginnings of texts differ. */
export function freshId(ring: Ring): number {
  const bytes = allocateOffHeap(4)
  for (;;) {
    fill(bytes)
    let id = 0
    for (let i = 0; i < 4; i++) id = ((id << 8) | (bytes[i] as number)) >>> 0
    if (id >>> 4 !== 0 && !isLike(ring, id)) return id
  }
}

function isLike(ring: Ring, id: number): boolean {
  for (let key = ring.first; key !== undefined; key = key.next) if (key.id >>> 4 === id >>> 4) return true
  return false
}
