/// <reference types="node" />

/**
 * Packet protection of QUIC with AES-GCM (RFC 9001 section 5, RFC 9369): payload and header of a packet, or of a run of packets,
 * are sealed or opened in place, in one call. The transport is yours: connections, acknowledgements, timers, the TLS handshake.
 *
 * Wrong arguments throw as in the main entry, and change no buffer.
 */

import type { AesGcmError, Backend, KeyArena } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer` of its own, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>
/** A Float64Array over an `ArrayBuffer` of its own. */
type OwnNumbers = ReturnType<typeof Float64Array.of>

/** QUIC version 1 (RFC 9000), as it is in long headers. */
export declare const VERSION_1: 1
/** QUIC version 2 (RFC 9369), as it is in long headers. */
export declare const VERSION_2: 0x6b3343cf
/** A version of QUIC. Others throw `ERR_INVALID_ARG_VALUE`. */
export type Version = 1 | 0x6b3343cf

/**
 * The secrets of Initial packets (RFC 9001 section 5.2, RFC 9369 section 3.3.1), 32 bytes each: `client` protects packets of the
 * client, and `server` those of the server. Anyone who sees the connection id can derive them.
 * @param destinationConnectionId that of the client's first Initial packet, 0 to 20 bytes. It is read once, and may lie in shared
 * memory.
 * @throws `ERR_INVALID_ARG_VALUE` for another version; `ERR_OUT_OF_RANGE` for a longer id; `ERR_INVALID_ARG_TYPE`,
 * `ERR_AESGCM_DETACHED_BUFFER`.
 */
export declare function initialSecrets(
  version: Version,
  destinationConnectionId: Uint8Array,
): { client: OwnBuffer; server: OwnBuffer }

/**
 * The last 16 bytes of a Retry packet (RFC 9001 section 5.8, RFC 9369 section 3.3.3). The client compares them with those that it
 * received; `crypto.timingSafeEqual` is not needed, because the key is public.
 * @param originalDestinationConnectionId that of the Initial packet which the Retry packet answers, 0 to 20 bytes
 * @param retryPacketWithoutTag the packet without these 16 bytes, at most 65 519 bytes. Both are read once, and may lie in shared
 * memory.
 * @throws as {@link initialSecrets}; `ERR_OUT_OF_RANGE` for a longer packet; the errors of the constructor of `AesGcm` if the
 * native binary cannot be used, or if there is no memory for a key.
 */
export declare function retryIntegrityTag(
  version: Version,
  originalDestinationConnectionId: Uint8Array,
  retryPacketWithoutTag: Uint8Array,
): OwnBuffer

/** A plain object, of which only own properties count. */
export interface PacketKeys {
  /** 16 bytes (AES-128-GCM) or 32 bytes (AES-256-GCM). */
  key: Uint8Array
  /** 12 bytes. */
  iv: Uint8Array
  /** The header protection key, as long as `key`. */
  hp: Uint8Array
}

/** A plain object, of which only own properties count. Unknown option names throw `ERR_INVALID_ARG_VALUE`. */
export interface PacketProtectionOptions {
  /** Its labels derive keys from a secret. Default: {@link VERSION_1}. Keys that are given need no version. */
  version?: Version | undefined
  /**
   * The memory for the expanded keys. Default: `KeyArena.default`. An object takes two places, and one more from the first packet
   * on that may show a key update; {@link PacketProtection.dropPreviousKeys} needs a fourth place while it runs.
   */
  arena?: KeyArena | undefined
  /** Use this backend instead of the best one. Throws `ERR_AESGCM_UNSUPPORTED_CPU` if this CPU cannot run it. */
  backend?: Backend | undefined
  /** Number of packets that may be sealed under one key, from 0 to 2^23. Default: 2^23 (RFC 9001 section 6.6). */
  maxPackets?: number | undefined
  /**
   * Number of packets that may be not authentic, from 1 to 2^52. Default: 2^52 (RFC 9001 section 6.6). After that,
   * {@link PacketProtection.open} throws `ERR_AESGCM_KEY_EXHAUSTED`, also for authentic packets. RFC 9001 limits the packets of a
   * connection; an object counts its own, and those of the objects from which {@link PacketProtection.nextKeys} made it.
   */
  maxFailures?: number | undefined
}

/**
 * The keys of one direction of a connection at one encryption level, expanded in native memory. A connection has two objects for
 * each level: one seals what it sends, the other opens what it receives.
 *
 * A packet is `header ‖ payload ‖ tag(16)`. Its header ends with the packet number, truncated to 1 to 4 bytes; the low two bits of
 * the first byte give the number of these bytes minus 1 (RFC 9000 section 17). You write all of the header but the packet number,
 * the Key Phase bit of short headers included.
 *
 * Packet numbers are whole numbers from 0 to 2^53 - 1; QUIC allows numbers up to 2^62 - 1. `pathId`, from 0 to 2^32 - 1 and 0 by
 * default, is for several paths with packet numbers of their own (draft-ietf-quic-multipath): it enters the nonce. The limits
 * count the packets of all paths together.
 *
 * Every call that seals or opens throws these errors before it writes a byte: `ERR_AESGCM_DESTROYED` after `destroy`,
 * `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`, `ERR_INVALID_ARG_TYPE`, and `ERR_OUT_OF_RANGE` for a number outside of
 * its range.
 *
 * **A copy of the process (a fork, a restored virtual machine) must not go on with a connection of the original**: both would seal
 * packets under the same numbers, which breaks their secrecy. This package cannot detect it, because the numbers are yours.
 *
 * An object belongs to the thread that made it, as an `AesGcm` does, and is neither cloned nor shown with its keys.
 *
 * @example
 * const { client } = initialSecrets(VERSION_1, connectionId)
 * const [sender, receiver] = [new PacketProtection(client), new PacketProtection(client)]
 * sender.seal(packet, headerLength, 0) // packet: header, payload, 16 free bytes
 * receiver.open(packet, headerLength - 4, -1) // 0, the number that 4 bytes of this header carry
 */
export declare class PacketProtection implements Disposable {
  /**
   * Derives the keys from a traffic secret, or takes them as they are. Secrets and keys are read once, may lie in shared memory,
   * and stay unchanged: wipe yours when you no longer need them.
   *
   * An object that was made from a secret keeps a secret and the header key in Buffers of its own, outside of the arena, for
   * later key phases. {@link destroy} wipes them, and otherwise they are wiped after the object was garbage-collected. `destroy` of
   * the arena does not wipe them.
   *
   * @param keys a secret of 32 bytes (AES-128-GCM and SHA-256) or of 48 bytes (AES-256-GCM and SHA-384), or keys. Keys that are
   * given have no key updates: packets with either Key Phase bit open with the one key.
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for another length of a secret, `key` or `hp`; `ERR_OUT_OF_RANGE` for one of `iv`.
   * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` for an unknown name in `keys` or `options`; otherwise as the
   * constructor of `AesGcm`. If the constructor throws, its copies of the keys are wiped.
   */
  constructor(keys: Uint8Array | PacketKeys, options?: PacketProtectionOptions)

  /** The backend that these keys use. */
  readonly backend: Backend
  /** 128 for AES-128-GCM, 256 for AES-256-GCM. */
  readonly keyBits: 128 | 256
  /**
   * Number of key updates so far, 0 at first. Its lowest bit is the Key Phase bit of the short headers that these keys protect. It
   * rises by one when a packet of the next key phase opens: seal with {@link nextKeys} of your sending object from then on (RFC
   * 9001 section 6.2), and call {@link dropPreviousKeys} later.
   */
  readonly keyPhase: number
  /** Number of packets sealed under the current keys. */
  readonly packetsSealed: number
  /** Number of packets of the connection that were not authentic. {@link nextKeys} takes it along. */
  readonly failedOpens: number
  /** Whether the keys were wiped, by {@link destroy} or with their arena. Counters can still be read. */
  readonly destroyed: boolean

  /**
   * Seals a packet in place: writes the truncated packet number into the last 1 to 4 bytes of the header, encrypts the payload,
   * writes the tag, and masks the header (RFC 9001 sections 5.3 and 5.4). A call that throws does not write, and is not counted.
   *
   * You choose the length of the packet number in the first byte: with too few bytes, the receiver recovers another number and
   * drops the packet (RFC 9000 section A.2 has the rule).
   * @param packet header, payload and 16 free bytes, together at most 65 535 bytes. The tag overwrites the last 16 bytes.
   * @param headerLength bytes of the header, the packet number included
   * @param packetNumber larger than every number that this object has sealed on this path
   * @throws `ERR_OUT_OF_RANGE` for a packet number that is not larger, if packet number and payload have fewer than 4 bytes
   * together (such a packet has no sample), if the header ends before the packet number does, and for a longer packet.
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` after `maxPackets` packets: go on with {@link nextKeys}.
   * @throws `ERR_AESGCM_ARENA_FULL` if there is no memory for the number of a new path.
   */
  seal(packet: Uint8Array, headerLength: number, packetNumber: number, pathId?: number): void

  /**
   * {@link seal} for a run of packets in one memory, with consecutive packet numbers: one call costs less than one for each packet,
   * and segmentation offload sends such a run in one system call. All packets are checked before the first one is sealed; an error
   * about a packet names its index.
   * @param ends a number: every packet has this many bytes, the last one may be shorter. Or where each packet ends in `packets`,
   * ascending: packet `i` is `packets.subarray(ends[i - 1] ?? 0, ends[i])`. An array is copied before the work begins.
   * @param headerLength of every packet
   * @param firstPacketNumber that of the first packet
   * @throws as {@link seal}; `ERR_OUT_OF_RANGE` if `ends` descend or lie outside of `packets`, or if the numbers pass 2^53 - 1.
   */
  sealRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    headerLength: number,
    firstPacketNumber: number,
    pathId?: number,
  ): void

  /**
   * Opens a packet in place, and returns its packet number. Header and payload are then in clear: with the number length `n` that
   * the first byte gives, the payload is `packet.subarray(packetNumberOffset + n, -16)`. **Judge the reserved bits of the first byte
   * yourself** (RFC 9000 sections 17.2 and 17.3.1): they are authentic now.
   *
   * Returns -1 for a packet to drop, and leaves every byte of it unchanged: one that is not authentic, that is too short for a
   * sample (fewer than 20 bytes from `packetNumberOffset` on) or longer than 65 535 bytes, or whose number is above 2^53 - 1.
   * Only packets that are not authentic count in {@link failedOpens}. Before the limit of failures, no packet makes this method
   * throw, if the arena has a place for the next keys.
   *
   * **A packet that comes twice opens twice**: refuse the numbers that you have already seen (RFC 9000 section 12.3).
   *
   * A short header (first byte below 0x80) may show a key update (RFC 9001 section 6). The Key Phase bit chooses among the keys
   * that the object holds: the current ones, and either the next or the previous ones. When a packet opens with the next keys,
   * {@link keyPhase} rises, and the keys that were current are the previous ones. A packet that asks for previous keys opens only
   * if its number is lower than those opened with current keys. Otherwise it gives -1, even if it is authentic, where section 6.4
   * asks for a connection error (KEY_UPDATE_ERROR). The first packet with a short header takes longer, because the next keys are
   * derived before it is opened.
   *
   * @param packet one packet, which may be empty: you split coalesced packets of a datagram
   * @param packetNumberOffset where the packet number begins, at least 1
   * @param largestReceived the largest packet number that was opened on this path; -1 if there is no such packet. The truncated
   * number is recovered by it (RFC 9000 section A.3).
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` after `maxFailures` packets that were not authentic: close the connection.
   * @throws `ERR_AESGCM_ARENA_FULL` if there is no place or memory for the next keys, or for a new path.
   */
  open(packet: Uint8Array, packetNumberOffset: number, largestReceived: number, pathId?: number): number

  /**
   * {@link open} for a run of packets in one memory, with `ends` as in {@link sealRun}: returns the packet number of each, or -1
   * for a packet to drop. The largest number rises with the packets of the run.
   * @throws as {@link open}; `ERR_OUT_OF_RANGE` as {@link sealRun} for `ends`, or if there is no memory for the numbers. If the
   * limit of failures is reached, `stoppedAt` of the {@link AesGcmError} is the index of the first packet that was not touched;
   * the numbers of the packets before it are lost.
   */
  openRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    packetNumberOffset: number,
    largestReceived: number,
    pathId?: number,
  ): OwnNumbers

  /**
   * The mask of a header (RFC 9001 section 5.4.1), 5 bytes: for tests and tools, since {@link seal} and {@link open} mask headers.
   * @param sample 16 bytes, read once; may lie in shared memory
   * @throws `ERR_OUT_OF_RANGE` for another length.
   */
  headerProtectionMask(sample: Uint8Array): OwnBuffer

  /**
   * A new object with the keys of the next key phase (RFC 9001 section 6.1): the header key stays, `keyPhase` is larger by one, and
   * {@link failedOpens} and all options are taken along. This object stays as it is; destroy it when you no longer need it.
   *
   * Packet numbers go on rising, but the new object does not know those of this one. **A second call gives an object with the same
   * keys**: to seal one number with both would repeat a nonce, so seal with one of them.
   *
   * A sender begins a key update in this way, or answers that of its peer. A receiver needs no call: {@link open} follows updates.
   * @throws an `Error` with the code `ERR_INVALID_STATE` if this object was made from `{ key, iv, hp }`; `ERR_AESGCM_DESTROYED`;
   * `ERR_AESGCM_ARENA_FULL`.
   */
  nextKeys(): PacketProtection

  /**
   * Replaces the previous keys by the next ones. Call it about three times the probe timeout after {@link keyPhase} rose (RFC 9001
   * section 6.5). Before the call, a further update of the peer is not followed: its packets give -1. The next keys are derived
   * here, so that the time that a packet takes does not show a key update (section 9.5).
   *
   * Has no effect if the object has no previous keys, or after {@link destroy}.
   * @throws `ERR_AESGCM_ARENA_FULL`: the previous keys then stay.
   */
  dropPreviousKeys(): void

  /**
   * Wipes the keys. Later calls throw `ERR_AESGCM_DESTROYED`; counters stay readable. A second `destroy` has no effect. Without
   * `destroy`, the keys are wiped after the object is garbage-collected; those in native memory also when the thread ends.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}
