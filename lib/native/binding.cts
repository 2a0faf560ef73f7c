// The type of the native binding: the raw functions and facts that src/node exports. Only types live here.

/** A key in native memory. Only the binding can read it. */
export type KeyHandle = object & { readonly __key: never }

/** An arena of keys in native memory. */
export type ArenaHandle = object & { readonly __arena: never }

/**
 * The raw functions (src/node). Each returns zero or more when it did its work, and a negative number when it
 * refused; `refusal` turns that number into an error.
 */
export interface Binding {
  readonly abiVersion: number
  readonly reasons: readonly string[]
  /** The backends that this CPU runs, best first. */
  readonly backends: readonly string[]
  /** Every backend on any CPU: `create` takes a position in this list. */
  readonly backendNames: readonly string[]
  cpuFeatures(): Record<string, boolean>
  create(
    backend: number,
    key: unknown,
    nonceAtEnd: boolean,
    verifyFirst: boolean,
    maxMessages: number,
    maxFailures: number,
    arena: ArenaHandle | undefined,
  ): KeyHandle | number
  destroy(handle: KeyHandle): number
  /** Gives the binding `%TypedArray%.prototype.at` as it was when this package was imported. */
  validateWith(at: unknown): number
  counts(handle: KeyHandle, which: number): number
  createArena(keys: number): ArenaHandle | number
  /** Of an arena, or of the thread's own: its capacity (0), keys in use (1), whether it is locked (2) or destroyed (3). */
  arenaInfo(arena: ArenaHandle | undefined, which: number): number
  disposeArena(arena: ArenaHandle): number
  /** Fills all of `view` with random bytes; 1 where the CPU's entropy source was dropped on the way. */
  random(view: unknown): number
  /** 1 where the CPU's entropy source was dropped on the way. */
  reseed(): number
  /** Facts of the generator, by the numbers that `random.cts` gives names. */
  randomInfo(which: number): number
  encryptInPlace(handle: KeyHandle, frame: unknown, aad?: unknown): number
  decryptInPlace(handle: KeyHandle, frame: unknown, aad?: unknown): number
  encryptInto(handle: KeyHandle, target: unknown, plaintext: unknown, aad?: unknown): number
  decryptInto(handle: KeyHandle, target: unknown, frame: unknown, aad?: unknown): number
  encryptDetached(handle: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
  decryptDetached(handle: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
}
