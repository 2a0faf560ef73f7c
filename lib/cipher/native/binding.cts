// The type of the native binding: the raw functions and facts that src/node exports. Types alone.

/** A key in native memory. Only the binding can read it. */
export type KeyHandle = object & { readonly __key: never }

/** The number by which the slate names a key (slate.cts), in two halves. */
export interface KeyNumber {
  readonly low: number
  readonly high: number
}

/** A key and the prefix of its values, as the slate names both. */
export interface SealingNumbers extends KeyNumber {
  readonly prefixLow: number
  readonly prefixHigh: number
}

/** An arena of keys in native memory. */
export type ArenaHandle = object & { readonly __arena: never }

/** The keys of one direction of a QUIC connection, in native memory. */
export type PacketHandle = object & { readonly __packets: never }

/** The key of one message in chunks, in native memory. */
export type ChunksHandle = object & { readonly __chunks: never }

/**
 * The raw functions (src/node). A refused call returns a negative number, which `refusal` turns
 * into an error. A function without a result returns 0.
 */
export interface Binding {
  readonly abiVersion: number
  readonly reasons: readonly string[]
  /** The backends that this CPU runs, best first. */
  readonly backends: readonly string[]
  /** Bytes of an expanded key on each of `backends`. */
  readonly stateBytes: readonly number[]
  /** All backends of all architectures: `create` accepts a position in this list. */
  readonly backendNames: readonly string[]
  /** The CPU features that backends need, and whether this CPU has each, as JSON. */
  cpuFeatures(): string | number
  /**
   * `cipher` is 0 for AES-GCM, 1 for XAES-256-GCM and 2 for AES-GCM-SIV; the other functions of
   * a key serve all of them. A `backend` past the end of `backendNames` means the best one.
   */
  create(
    cipher: number,
    backend: number,
    key: unknown,
    nonceAtEnd: boolean,
    verifyFirst: boolean,
    maxMessages: number,
    maxFailures: number,
    arena: ArenaHandle | undefined,
  ): KeyHandle | number
  destroy(key: KeyHandle): number
  /**
   * Called once after loading. `at` (`%TypedArray%.prototype.at`) checks views that look empty;
   * `transfer` (views.cts) moves the memory of async calls. Returns the short way, where there is
   * one; refuses every other call, as of another copy of this package.
   */
  validateWith(at: unknown, transfer: unknown): ShortWay | number
  /** The number of a key, as its handle carries it. */
  numberOf(key: KeyHandle): number
  messagesEncrypted(key: KeyHandle): number
  bytesEncrypted(key: KeyHandle): number
  failedDecryptions(key: KeyHandle): number
  isDestroyed(key: KeyHandle): boolean
  createArena(keys: number): ArenaHandle | number
  // An undefined arena is the default arena.
  /** Number of places; 0 if the arena grows. */
  arenaCapacity(arena: ArenaHandle | undefined): number
  arenaUsed(arena: ArenaHandle | undefined): number
  isArenaLocked(arena: ArenaHandle | undefined): boolean
  isArenaExcludedFromDumps(arena: ArenaHandle | undefined): boolean
  isArenaDestroyed(arena: ArenaHandle | undefined): boolean
  destroyArena(arena: ArenaHandle): number
  /** Fills `view`. Returns 1 if the CPU's entropy source was dropped since the last success. */
  random(view: unknown): number
  /** Returns 1 as `random` does. */
  reseed(): number
  /** `RandomInfo` of index.d.ts, as JSON (see src/node/random_info.rs). */
  randomInfo(): string | number
  encryptInPlace(key: KeyHandle, frame: unknown, aad?: unknown): number
  decryptInPlace(key: KeyHandle, frame: unknown, aad?: unknown): number
  encryptInto(key: KeyHandle, target: unknown, plaintext: unknown, aad?: unknown): number
  /** Two or three pieces, or an array of them. */
  encryptPiecesInto(key: KeyHandle, target: unknown, aad: unknown, ...pieces: readonly unknown[]): number
  decryptInto(key: KeyHandle, target: unknown, frame: unknown, aad?: unknown): number
  encryptBatchInPlace(key: KeyHandle, frames: unknown, ends: unknown, aad: unknown, aadEnds: unknown): number
  /**
   * 0 if every frame was authentic. Otherwise the indexes of the frames that failed, then the index
   * of the first untouched frame, or 0 if there is none.
   */
  decryptBatchInPlace(
    key: KeyHandle,
    frames: unknown,
    ends: unknown,
    aad: unknown,
    aadEnds: unknown,
  ): Uint32Array | number
  encryptDetached(key: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
  decryptDetached(key: KeyHandle, data: unknown, nonce: unknown, tag: unknown, aad?: unknown): number
  encryptInPlaceAsync: Job
  decryptInPlaceAsync: Job
  /** Cancels a job that has not begun. Other numbers have no effect. */
  cancelJob(job: number): number
  /** `backend` as in `create`; `phase`: the Key Phase bit; `failures`: the failed opens so far. */
  packetCreate(
    backend: number,
    key: Uint8Array,
    iv: Uint8Array,
    headerKey: Uint8Array,
    phase: number,
    maxPackets: number,
    maxFailures: number,
    failures: number,
    arena: ArenaHandle | undefined,
  ): PacketHandle | number
  /** Gives the keys of the next key phase, which replace the previous ones. */
  packetSetNext(
    packets: PacketHandle,
    key: Uint8Array,
    iv: Uint8Array,
    arena: ArenaHandle | undefined,
  ): number
  packetDestroy(packets: PacketHandle): number
  packetIsDestroyed(packets: PacketHandle): boolean
  packetsSealed(packets: PacketHandle): number
  failedOpens(packets: PacketHandle): number
  /** Key updates of the peer since `packetCreate`. */
  keyUpdates(packets: PacketHandle): number
  // An undefined path id is 0.
  packetSeal(
    packets: PacketHandle,
    packet: unknown,
    headerLength: unknown,
    packetNumber: unknown,
    pathId: unknown,
  ): number
  packetSealRun(
    packets: PacketHandle,
    run: unknown,
    ends: unknown,
    headerLength: unknown,
    firstPacketNumber: unknown,
    pathId: unknown,
  ): number
  /** The packet number; 2^53 to drop the packet. A `largestReceived` of -1 means none. */
  packetOpen(
    packets: PacketHandle,
    packet: unknown,
    packetNumberOffset: unknown,
    largestReceived: unknown,
    pathId: unknown,
  ): number
  /** Fills `numbers`, a double for each packet: its number, or -1 for a packet to drop. */
  packetOpenRun(
    packets: PacketHandle,
    run: unknown,
    ends: unknown,
    packetNumberOffset: unknown,
    largestReceived: unknown,
    pathId: unknown,
    numbers: Uint8Array,
  ): number
  /** Encrypts the 16 bytes of `sample` in place. */
  packetMask(packets: PacketHandle, sample: Uint8Array): number
  /** The key of one message of C2SP chunked-encryption. `backend` is as in `create`. */
  chunksCreate(
    backend: number,
    key: Uint8Array,
    baseNonce: Uint8Array,
    arena: ArenaHandle | undefined,
  ): ChunksHandle | number
  chunksDestroy(chunks: ChunksHandle): number
  /** Seals the next whole chunks, with `last` a shorter last one. Returns the bytes written. */
  chunksSeal(chunks: ChunksHandle, source: unknown, target: unknown, last: boolean): number
  /** Opens the chunks from number `first` on. Returns the bytes written. */
  chunksOpen(chunks: ChunksHandle, first: number, source: unknown, target: unknown, last: boolean): number
  // Sealed values (`Keyring`). `prefix` is the five bytes before a frame as a number, the version
  // in the highest one; 2^40 means no prefix. `skip` is the number of bytes before the frame. A
  // string as `aad` is its UTF-8.
  /** Returns the bytes written. */
  sealInto(key: KeyHandle, prefix: number, target: unknown, plaintext: unknown, aad?: unknown): number
  /** Returns the bytes written. */
  openInto(key: KeyHandle, skip: number, target: unknown, sealed: unknown, aad?: unknown): number
  /** The sealed value of a text, in base64url. */
  sealText(key: KeyHandle, prefix: number, text: unknown, aad?: unknown): string | number
  openText(key: KeyHandle, skip: number, sealed: unknown, aad?: unknown): string | number
  /** Fills `out`, which has the length of the key, with the key as `create` took it. */
  keyBytes(key: KeyHandle, out: Uint8Array): number
  // Secret sharing. A set is several shares in sequence: 84 bytes each in this package's form; 64
  // bytes of x and y in horcrux's, whose functions begin with `points`.
  /** Fills `set` with shares of a secret of 16 or 32 bytes. */
  sharesSplit(
    secret: Uint8Array,
    blind: Uint8Array,
    check: Uint8Array,
    threshold: number,
    set: Uint8Array,
  ): number
  /** Writes 64 unverified bytes to `out`: the element of the secret, and the blind. */
  sharesCombine(set: Uint8Array, out: Uint8Array): number
  /** Like `sharesCombine`, 64 bytes for each share left out. For threshold + 1 shares. */
  sharesLeaveOut(set: Uint8Array, out: Uint8Array): number
  /** Flags corrupted shares with 1 and returns their number; 0 if they cannot be located. */
  sharesLocate(set: Uint8Array, flags: Uint8Array): number
  /** Writes the share at `x` to `out`, for a set that `sharesCombine` accepts. */
  sharesRecover(set: Uint8Array, x: number, out: Uint8Array): number
  /** Fills `set` with points of a secret of 32 bytes. If `random` is false, their x are 1, 2, … */
  pointsSplit(secret: Uint8Array, threshold: number, random: boolean, set: Uint8Array): number
  /** Writes the secret, 32 bytes. Refuses points that disagree. */
  pointsCombine(set: Uint8Array, threshold: number, out: Uint8Array): number
  pointsLocate(set: Uint8Array, threshold: number, flags: Uint8Array): number
  /** Writes the point at `x`, an element of 32 bytes. Refuses points that disagree. */
  pointsRecover(set: Uint8Array, threshold: number, x: Uint8Array, out: Uint8Array): number
  // Text, one byte for each character.
  encodeBase32(bytes: Uint8Array, out: Uint8Array): number
  decodeBase32(text: Uint8Array, out: Uint8Array): number
  encodeHex(bytes: Uint8Array, out: Uint8Array): number
  decodeHex(text: Uint8Array, out: Uint8Array): number
}

/**
 * The slate (slate.cts), and the functions of the key whose number is there. They are no exports,
 * because they need no handle.
 */
export interface ShortWay {
  readonly words: Int32Array
  /** Does what the slate says (slate.cts), and writes the status there. */
  call(): void
  /** Keeps the ArrayBuffers of the frame and of the additional data on the slate. */
  remember(frame: ArrayBuffer, aad: ArrayBuffer): number
  /** As `sealInto`, with the key and its prefix on the slate (slate.cts). */
  sealIntoShortly(target: unknown, plaintext: unknown, aad?: unknown): number
  /** As `openInto`, with the key and its prefix on the slate. */
  openIntoShortly(target: unknown, sealed: unknown, aad?: unknown): number
  /** As `sealText`, with the key and its prefix on the slate. Without `aad`, or with a string. */
  sealTextShortly(text: unknown, aad?: string): string | number
  /**
   * As `openText`, with the key and its prefix on the slate. A text whose first characters do not
   * name the prefix is refused before the key is used. With a `rowKey`, the additional data are a
   * place: `aad` and then the key of the row after its length, as `context` encodes its last part;
   * a UUID is in small letters. Refuses, in a place, long strings, surrogates without their other
   * half, and U+FFFD.
   */
  openTextShortly(sealed: unknown, aad?: string, rowKey?: string): string | number
  /**
   * As `openIntoShortly`, for the base64url of a value and the additional data of
   * `openTextShortly`. A text that is not base64url is refused before the key is used.
   */
  openBytesShortly(target: Uint8Array, sealed: string, aad?: string, rowKey?: string): number
}

/**
 * Starts work on all of `memory` and returns the job's number. At the end, `done` gets 0 or a
 * refusal, and the bytes of `memory` in a new ArrayBuffer. A returned refusal leaves `memory`
 * unchanged.
 */
export type Job = (
  key: KeyHandle,
  memory: unknown,
  aad: unknown,
  done: (status: number, memory: ArrayBuffer) => void,
) => number
