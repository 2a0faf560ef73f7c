// The type of the native binding: the raw functions and facts that src/node exports. Only types live here.

/** A key in native memory. Only the binding can read it. */
export type KeyHandle = object & { readonly __key: never }

/** An arena of keys in native memory. */
export type ArenaHandle = object & { readonly __arena: never }

/**
 * The raw functions (src/node). Each returns zero or more on success, and a negative number when it refuses; `refusal`
 * turns that number into an error.
 */
export interface Binding {
  readonly abiVersion: number
  readonly reasons: readonly string[]
  /** The backends that this CPU runs, best first. */
  readonly backends: readonly string[]
  /** Bytes of an expanded key on each of `backends`. */
  readonly stateBytes: readonly number[]
  /** All backends of all architectures: `create` takes a position in this list. */
  readonly backendNames: readonly string[]
  /** As JSON, which no setter of Object.prototype can disturb: CPU features, and whether each is there. */
  cpuFeatures(): string | number
  create(
    backend: number,
    key: unknown,
    nonceAtEnd: boolean,
    verifyFirst: boolean,
    maxMessages: number,
    maxFailures: number,
    arena: ArenaHandle | undefined,
  ): KeyHandle | number
  destroy(key: KeyHandle): number
  /** Gives the binding `%TypedArray%.prototype.at` as it was when this package was imported. */
  validateWith(at: unknown): number
  messagesEncrypted(key: KeyHandle): number
  bytesEncrypted(key: KeyHandle): number
  failedDecryptions(key: KeyHandle): number
  isDestroyed(key: KeyHandle): boolean
  createArena(keys: number): ArenaHandle | number
  // An undefined arena is the thread's own.
  /** 0 where the arena grows. */
  arenaCapacity(arena: ArenaHandle | undefined): number
  arenaUsed(arena: ArenaHandle | undefined): number
  isArenaLocked(arena: ArenaHandle | undefined): boolean
  isArenaDestroyed(arena: ArenaHandle | undefined): boolean
  destroyArena(arena: ArenaHandle): number
  /** Fills all of `view` with random bytes; 1 where the CPU's entropy source was dropped on the way. */
  random(view: unknown): number
  /** 1 where the CPU's entropy source was dropped on the way. */
  reseed(): number
  /** As JSON: RandomInfo of index.d.ts. */
  randomInfo(): string | number
  encryptInPlace(key: KeyHandle, frame: unknown, aad?: unknown): number
  decryptInPlace(key: KeyHandle, frame: unknown, aad?: unknown): number
  encryptInto(key: KeyHandle, target: unknown, plaintext: unknown, aad?: unknown): number
  decryptInto(key: KeyHandle, target: unknown, frame: unknown, aad?: unknown): number
  encryptDetached(key: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
  decryptDetached(key: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
}
