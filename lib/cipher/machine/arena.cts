// The class KeyArena, documented in index.d.ts: locked memory for expanded keys.
import type { KeyArenaOptions } from '../../../index.d.ts'
import { define, dispose, getPrototypeOf, hasOwn, markAsUncloneable, types } from '../base/builtins.cjs'
import { nodeError, wrongReceiver, wrongType } from '../base/errors.cjs'
import { showAs } from '../base/inspection.cjs'
import { count, optionsOf } from '../base/parse.cjs'
import { kindOf } from '../base/views.cjs'
import { load } from '../native/binary.cjs'
import type { ArenaHandle } from '../native/binding.cjs'
import {
  arenaCapacity,
  arenaUsed,
  createArena,
  destroyArena,
  isArenaDestroyed,
  isArenaExcludedFromDumps,
  isArenaLocked,
} from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'

const MAX_KEYS = 2 ** 20

/** With this, the constructor makes `KeyArena.default`. Not exported, so callers cannot pass it. */
const THREAD_ARENA = {} as KeyArenaOptions
let threadArena: KeyArena | undefined

/** Set by the class: a KeyArena's handle, undefined for the default. Throws for other values. */
export let arenaOf: (value: unknown) => ArenaHandle | undefined

/** Marks the prototype of KeyArena in every copy of this package. */
const MARK = Symbol.for('hardware-aes-gcm:KeyArena')

function isOfAnotherCopy(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false
  const prototype = getPrototypeOf(value)
  return prototype !== null && !types.isProxy(prototype) && hasOwn(prototype, MARK)
}

function capacityOf(handle: ArenaHandle | undefined): number {
  return handle === undefined ? Infinity : arenaCapacity(handle)
}

function isDestroyed(handle: ArenaHandle | undefined): boolean {
  return handle !== undefined && isArenaDestroyed(handle)
}

export class KeyArena implements Disposable {
  readonly #handle: ArenaHandle | undefined

  static {
    arenaOf = value => {
      if (typeof value === 'object' && value !== null && #handle in value) return value.#handle
      const got = isOfAnotherCopy(value)
        ? 'one of another copy of hardware-aes-gcm: two copies are loaded'
        : kindOf(value)
      throw wrongType(`"options.arena" must be a KeyArena, got ${got}`)
    }
    // Reads the fields directly, since a subclass may replace the getters.
    showAs(
      KeyArena,
      'KeyArena',
      self => #handle in self,
      self => ({
        capacity: capacityOf(self.#handle),
        used: arenaUsed(self.#handle),
        locked: isArenaLocked(self.#handle),
        excludedFromDumps: isArenaExcludedFromDumps(self.#handle),
        destroyed: isDestroyed(self.#handle),
      }),
    )
    define(KeyArena.prototype, MARK, true)
  }

  static get default(): KeyArena {
    threadArena ??= new KeyArena(THREAD_ARENA)
    return threadArena
  }

  constructor(options: KeyArenaOptions) {
    markAsUncloneable(this)
    if (options === THREAD_ARENA) return
    // Loads first, as `new AesGcm` does: a missing binary is reported before a wrong option.
    load()
    const keys = count('options.keys', optionsOf(options, ['keys'])('keys'), 1, MAX_KEYS)
    const handle = createArena(keys)
    if (typeof handle === 'number') throw refusal(handle, ['keys'], keys)
    this.#handle = handle
  }

  get capacity(): number {
    return capacityOf(KeyArena.#handleOf(this))
  }

  get used(): number {
    return arenaUsed(KeyArena.#handleOf(this))
  }

  get locked(): boolean {
    return isArenaLocked(KeyArena.#handleOf(this))
  }

  get excludedFromDumps(): boolean {
    return isArenaExcludedFromDumps(KeyArena.#handleOf(this))
  }

  get destroyed(): boolean {
    return isDestroyed(KeyArena.#handleOf(this))
  }

  destroy(): void {
    KeyArena.#destroy(this)
  }

  [dispose](): void {
    KeyArena.#destroy(this)
  }

  static #destroy(self: unknown): void {
    const handle = KeyArena.#handleOf(self)
    if (handle === undefined) {
      const what = 'KeyArena.default cannot be destroyed: it holds every key without its own arena'
      throw nodeError(TypeError, 'ERR_INVALID_THIS', what)
    }
    destroyArena(handle)
  }

  /** The handle of `self`; throws if `self` is not a KeyArena. */
  static #handleOf(self: unknown): ArenaHandle | undefined {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw wrongReceiver('KeyArena')
  }
}
