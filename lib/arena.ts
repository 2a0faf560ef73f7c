// The class KeyArena: locked memory in which expanded keys lie. Its promises are in index.d.ts.
import { type ArenaHandle, load } from './binding.js'
import { mistake } from './errors.js'
import { count, optionsOf } from './parse.js'
import { refusal } from './refusal.js'
import { kindOf } from './views.js'

const MAX_KEYS = 2 ** 20

export interface KeyArenaOptions {
  keys: number
}

/** Asks the constructor for the thread's own arena. Nobody outside has it. */
const OF_THE_THREAD = {} as KeyArenaOptions
let ofTheThread: KeyArena | undefined

/** What the binding knows a KeyArena by: its handle, or nothing for the thread's own. Refuses what is no KeyArena. */
export let arenaOf: (value: unknown) => ArenaHandle | undefined

export class KeyArena implements Disposable {
  readonly #handle: ArenaHandle | undefined

  static {
    arenaOf = value => {
      if (typeof value === 'object' && value !== null && #handle in value) return value.#handle
      const got = kindOf(value)
      throw mistake(TypeError, 'ERR_INVALID_ARG_TYPE', `"options.arena" must be a KeyArena, got ${got}`)
    }
  }

  static get default(): KeyArena {
    ofTheThread ??= new KeyArena(OF_THE_THREAD)
    return ofTheThread
  }

  constructor(options: KeyArenaOptions) {
    if (options === OF_THE_THREAD) return
    const raw = load()
    const keys = count('options.keys', optionsOf(options, ['keys'])('keys'), 1, MAX_KEYS)
    const handle = raw.createArena(keys)
    if (typeof handle === 'number') throw refusal(handle, ['keys'], keys)
    this.#handle = handle
  }

  get capacity(): number {
    const handle = KeyArena.#check(this)
    return handle === undefined ? Infinity : load().arenaInfo(handle, 0)
  }

  get used(): number {
    return load().arenaInfo(KeyArena.#check(this), 1)
  }

  get locked(): boolean {
    return load().arenaInfo(KeyArena.#check(this), 2) === 1
  }

  destroy(): void {
    KeyArena.#destroy(this)
  }

  [Symbol.dispose](): void {
    KeyArena.#destroy(this)
  }

  static #destroy(self: unknown): void {
    const handle = KeyArena.#check(self)
    if (handle === undefined) {
      const what = 'KeyArena.default cannot be destroyed: every key without an arena of its own lives there'
      throw mistake(TypeError, 'ERR_INVALID_THIS', what)
    }
    load().disposeArena(handle)
  }

  /** The handle of a receiver that is an arena. */
  static #check(self: unknown): ArenaHandle | undefined {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw mistake(TypeError, 'ERR_INVALID_THIS', 'Value of "this" must be of type KeyArena')
  }
}
