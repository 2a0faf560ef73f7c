// The class KeyArena: locked memory in which expanded keys lie. index.d.ts is its manual.

import type { KeyArenaOptions } from '../index.d.ts'
import { define, dispose, getPrototypeOf, hasOwn, markAsUncloneable, types } from './builtins.cjs'
import { mistake } from './errors.cjs'
import { showAs } from './inspection.cjs'
import { load } from './native/binary.cjs'
import type { ArenaHandle } from './native/binding.cjs'
import {
  arenaCapacity,
  arenaUsed,
  createArena,
  destroyArena,
  isArenaDestroyed,
  isArenaLocked,
} from './native/calls.cjs'
import { refusal } from './native/refusal.cjs'
import { count, optionsOf } from './parse.cjs'
import { kindOf } from './views.cjs'

const MAX_KEYS = 2 ** 20

/** Asks the constructor for the thread's own arena. Not exported, so callers cannot ask. */
const THREAD_ARENA = {} as KeyArenaOptions
let threadArena: KeyArena | undefined

/** The binding's handle of a KeyArena; undefined for the thread's own. Throws if `value` is not a KeyArena. */
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
      throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.arena" must be a KeyArena, got ${got}`)
    }
    // From private fields, because a subclass may replace the getters.
    showAs(
      KeyArena,
      'KeyArena',
      self => #handle in self,
      self => ({
        capacity: capacityOf(self.#handle),
        used: arenaUsed(self.#handle),
        locked: isArenaLocked(self.#handle),
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
    // Loads before it reads the options: without a binary, every use throws the same error.
    load()
    const keys = count('options.keys', optionsOf(options, ['keys'])('keys'), 1, MAX_KEYS)
    const handle = createArena(keys)
    if (typeof handle === 'number') throw refusal(handle, ['keys'], keys)
    this.#handle = handle
  }

  get capacity(): number {
    return capacityOf(KeyArena.#check(this))
  }

  get used(): number {
    return arenaUsed(KeyArena.#check(this))
  }

  get locked(): boolean {
    return isArenaLocked(KeyArena.#check(this))
  }

  get destroyed(): boolean {
    return isDestroyed(KeyArena.#check(this))
  }

  destroy(): void {
    KeyArena.#destroy(this)
  }

  [dispose](): void {
    KeyArena.#destroy(this)
  }

  static #destroy(self: unknown): void {
    const handle = KeyArena.#check(self)
    if (handle === undefined) {
      const what = 'KeyArena.default cannot be destroyed: every key without an arena of its own lives there'
      throw mistake(TypeError, 'ERR_INVALID_THIS', what)
    }
    destroyArena(handle)
  }

  /** The handle of `self`; throws if `self` is not a KeyArena. */
  static #check(self: unknown): ArenaHandle | undefined {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw mistake(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type KeyArena')
  }
}
