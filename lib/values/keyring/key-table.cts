// The keys of a keyring: a list from the oldest to the newest, and a map of their ids. No arrays:
// an assignment to an element could run a setter of Array.prototype.
import type { KeyPrefix } from '../../../types/keyring.d.ts'
import type { CipherSpec } from '../../cipher/aead/ciphers.cjs'
import { uncurried } from '../../cipher/base/builtins.cjs'
import { AesGcmError, outOfRange, wrongValue } from '../../cipher/base/errors.cjs'
import { allocateOffHeap, wipe } from '../../cipher/base/views.cjs'
import { fill } from '../../cipher/machine/random.cjs'
import type { ArenaHandle, KeyHandle, SealingNumbers } from '../../cipher/native/binding.cjs'
import type { KeyForm, KeysetForm } from './keyset/form.cjs'
import type { KeyTypeSpec } from './keyset/key-types.cjs'
import { type KnownKey, MAX_RAW_KEYS, type UnsupportedKey } from './keyset/model.cjs'
import { markIn, markOf, NO_MARK, pairIn, prefixInText } from './prefix.cjs'

/** A key that can be used, or that can again after it is enabled. `Self` is its own interface. */
export interface AnyKey<Self> {
  readonly id: number
  readonly type: KeyForm
  readonly prefix: KeyPrefix
  /** The prefix of its values as a number, for the raw functions, and its length. */
  readonly valuePrefix: number
  readonly prefixBytes: number
  enabled: boolean
  next: Self | KeptKey<Self> | undefined
}

/** A key of class Keyring. */
export interface Key extends AnyKey<Key> {
  readonly type: KeyTypeSpec
  readonly cipher: CipherSpec
  /** Another object's of the same key after `exchange`, so that its counts go on. */
  handle: KeyHandle
  /** The numbers of `handle` and of the prefix. */
  numbers: SealingNumbers
  /** The mark of its texts, if no other key of the keyring has the same, else NO_MARK. */
  mark: number
  /** Values that it opened. */
  opened: number
}

/** A key that this package cannot use. It is kept for export. */
interface KeptKey<Usable> extends UnsupportedKey {
  next: Usable | KeptKey<Usable> | undefined
}

export type TableKey<Usable extends AnyKey<Usable> = Key> = Usable | KeptKey<Usable>

/** What a class of keyrings does with its keys. */
export interface KeyringKind<Usable extends AnyKey<Usable>> {
  readonly keysets: KeysetForm<Usable['type']>
  /** A key of a keyset, for the table. The caller wipes its bytes. */
  expand(table: KeyTable<Usable>, key: KnownKey<Usable['type']>): Usable
  /** A key's bytes in a keyset, in their own memory, which the caller wipes. */
  bytesOf(key: Usable): Uint8Array
  wipe(key: Usable): void
}

/** Backend, arena and message limit of new keys, as arguments of `create`. */
export interface Settings {
  readonly backend: number
  readonly arena: ArenaHandle | undefined
  /** For each key; undefined for the most that its type allows. */
  readonly maxMessages: number | undefined
}

const KeysById = Map<number, object>
const get: (map: Map<number, object>, id: number) => object | undefined = uncurried(KeysById.prototype.get)
const set: (map: Map<number, object>, id: number, key: object) => unknown = uncurried(KeysById.prototype.set)
const remove: (map: Map<number, object>, id: number) => unknown = uncurried(KeysById.prototype.delete)

export class KeyTable<Usable extends AnyKey<Usable> = Key> {
  readonly kind: KeyringKind<Usable>
  primary: Usable | undefined
  first: TableKey<Usable> | undefined
  last: TableKey<Usable> | undefined
  /** Enabled keys without a prefix. */
  rawKeys = 0
  destroyed = false
  /** By id as a signed number of 32 bits, which V8 does not allocate. */
  #byId = new KeysById()

  constructor(kind: KeyringKind<Usable>) {
    this.kind = kind
  }

  /** Whether a value is a KeyTable, which no caller can have. */
  static is(value: unknown): value is KeyTable<never> {
    return typeof value === 'object' && value !== null && #byId in value
  }

  /** The key of an id, whatever its status. */
  find(id: number): TableKey<Usable> | undefined {
    return get(this.#byId, id | 0) as TableKey<Usable> | undefined
  }

  /** The enabled key whose values have this prefix. */
  keyWithPrefix(prefix: number): Usable | undefined {
    // The primary key is always enabled, and most values are its.
    if (this.primary?.valuePrefix === prefix) return this.primary
    const key = this.find(prefix)
    return isUsable(key) && key.valuePrefix === prefix && key.enabled ? key : undefined
  }

  /** Whether a key came after the primary one, which it has not replaced in this process yet. */
  isNewer(key: TableKey<Usable>): boolean {
    let at: TableKey<Usable> | undefined = this.primary?.next
    while (at !== undefined && at !== key) at = at.next
    return at === key
  }

  /** Adds the newest key, whose id is free. */
  append(key: TableKey<Usable>): void {
    if (this.last === undefined) this.first = key
    else this.last.next = key
    this.last = key
    this.#index(key)
  }

  /** Adds the oldest key, whose id is free. */
  prepend(key: TableKey<Usable>): void {
    key.next = this.first
    this.first = key
    this.last ??= key
    this.#index(key)
  }

  #index(key: TableKey<Usable>): void {
    set(this.#byId, key.id | 0, key)
    if (isUsable(key) && key.enabled && key.prefixBytes === 0) this.rawKeys++
  }

  /** Takes a key out, and wipes it. */
  remove(key: TableKey<Usable>): void {
    let before: TableKey<Usable> | undefined
    for (let at = this.first; at !== key; at = at?.next) before = at
    if (before === undefined) this.first = key.next
    else before.next = key.next
    if (this.last === key) this.last = before
    remove(this.#byId, key.id | 0)
    if (isUsable(key)) this.enable(key, false)
    this.wipe(key)
  }

  enable(key: Usable, enabled: boolean): void {
    if (key.prefixBytes === 0 && key.enabled !== enabled) this.rawKeys += enabled ? 1 : -1
    key.enabled = enabled
  }

  /** Swaps keys with another table. Allocates nothing, so it does not fail half way. */
  exchange(newer: KeyTable<Usable>): void {
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
    for (let key = this.first; key !== undefined; key = key.next) this.wipe(key)
  }

  /** Wipes a key that no keyring has any more. */
  wipe(key: TableKey<Usable>): void {
    if (isUsable(key)) this.kind.wipe(key)
    else if (key.value !== null) wipe(key.value, 0)
  }
}

/** The keys of a Keyring. */
export class AeadTable extends KeyTable<Key> {
  readonly settings: Settings
  /** The enabled key of the last text that was found by its prefix. */
  recent: Key | undefined
  /** Values refused as forgeries, values of unknown keys, and values that `rotate` re-encrypted. */
  forged = 0
  unknown = 0
  rotated = 0

  constructor(kind: KeyringKind<Key>, settings: Settings) {
    super(kind)
    this.settings = settings
  }

  /**
   * The key of a text: by two characters the primary or the recent one, else by all seven, each of
   * which takes V8 up to 5 ns. It may not be that key's: native code compares the prefix.
   */
  keyFor(text: string): Key | undefined {
    const pair = pairIn(text)
    const mark = markIn(pair)
    if (this.primary?.mark === mark) return this.primary
    if (this.recent?.mark === mark) return this.recent
    const key = this.keyWithPrefix(prefixInText(text, pair))
    if (key !== undefined) this.recent = key
    return key
  }

  override enable(key: Key, enabled: boolean): void {
    super.enable(key, enabled)
    this.recent = undefined
  }

  /** The mark for a new key: a mark that several keys would have belongs to none of them. */
  markFor(prefix: number): number {
    const mark = markOf(prefix)
    let isFree = true
    for (let key = this.first; key !== undefined; key = key.next) {
      if (!isUsable(key) || markOf(key.valuePrefix) !== mark) continue
      key.mark = NO_MARK
      isFree = false
    }
    return isFree ? mark : NO_MARK
  }

  /** A key that both tables have keeps its handle and its counts here. */
  override exchange(newer: AeadTable): void {
    for (let key = newer.first; key !== undefined; key = key.next) {
      const known = this.find(key.id)
      if (!isUsable(key) || !isUsable(known)) continue
      const { handle, numbers, opened } = key
      key.handle = known.handle
      key.numbers = known.numbers
      key.opened = known.opened
      known.handle = handle
      known.numbers = numbers
      known.opened = opened
    }
    this.recent = undefined
    newer.recent = undefined
    super.exchange(newer)
  }
}

/** Whether there is a key, and it is one that this package can use. */
export function isUsable<Usable extends AnyKey<Usable>>(key: TableKey<Usable> | undefined): key is Usable {
  return key !== undefined && key.type !== null
}

/** The error of every call on a destroyed keyring. */
export function keyringDestroyed(): Error {
  return new AesGcmError('ERR_AESGCM_DESTROYED', 'this keyring was destroyed')
}

/** Refuses a taken id. `name` names the argument. */
export function refuseTaken<Usable extends AnyKey<Usable>>(
  table: KeyTable<Usable>,
  name: string,
  id: number,
): void {
  if (table.find(id) === undefined) return
  throw wrongValue(`"${name}" is ${id}, which another key of this keyring has`)
}

/** Refuses one more enabled key without a prefix than a keyring may have. */
export function refuseRawKey({ rawKeys }: { readonly rawKeys: number }): void {
  if (rawKeys < MAX_RAW_KEYS) return
  const what = `a keyring has at most ${MAX_RAW_KEYS} enabled keys without a prefix ('raw'), since all of them are tried`
  throw outOfRange(what)
}

/** A random id, not 0. Its first 28 bits differ from all others, so texts begin differently. */
export function freshId<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>): number {
  const bytes = allocateOffHeap(4)
  for (;;) {
    fill(bytes)
    let id = 0
    for (let i = 0; i < 4; i++) id = ((id << 8) | (bytes[i] as number)) >>> 0
    if (id >>> 4 !== 0 && !isLike(table, id)) return id
  }
}

function isLike<Usable extends AnyKey<Usable>>(table: KeyTable<Usable>, id: number): boolean {
  for (let key = table.first; key !== undefined; key = key.next) if (key.id >>> 4 === id >>> 4) return true
  return false
}
