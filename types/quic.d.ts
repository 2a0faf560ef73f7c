/// <reference types="node" />

/**
 * Packet protection of QUIC with AES-GCM (RFC 9001 section 5, RFC 9369).
 *
 * One call seals or opens the payload and header of a packet, or of a run of packets, in place. The transport is yours:
 * connections, acknowledgements, timers, the TLS handshake.
 *
 * Wrong arguments throw as in the main entry, and change no buffer.
 */

import type { AesGcmError, Backend, KeyArena } from '../index.d.ts'

/** A Buffer over its own `ArrayBuffer`, as the types of WebCrypto and fetch require. */
type OwnBuffer = ReturnType<typeof Buffer.alloc>
/** A Float64Array over its own `ArrayBuffer`. */
type OwnNumbers = ReturnType<typeof Float64Array.of>

/** QUIC version 1 (RFC 9000), as written in long headers. */
export declare const VERSION_1: 1
/** QUIC version 2 (RFC 9369), as written in long headers. */
export declare const VERSION_2: 0x6b3343cf
/** A version of QUIC; others throw `ERR_INVALID_ARG_VALUE`. */
export type Version = 1 | 0x6b3343cf

/**
 * The secrets of Initial packets, 32 bytes each: `client` protects packets of the client, and `server` those of the server.
 *
 * @example
 * const { client, server } = initialSecrets(VERSION_1, destinationConnectionId)
 *
 * @remarks
 * Anyone who sees the connection id can derive them (RFC 9001 section 5.2, RFC 9369 section 3.3.1).
 * @param destinationConnectionId from the client's first Initial packet, 0 to 20 bytes, read once; it may be in shared memory
 * @throws `ERR_INVALID_ARG_VALUE` for any other version; `ERR_OUT_OF_RANGE` for a longer id; `ERR_INVALID_ARG_TYPE`,
 * `ERR_AESGCM_DETACHED_BUFFER`.
 */
export declare function initialSecrets(
  version: Version,
  destinationConnectionId: Uint8Array,
): { client: OwnBuffer; server: OwnBuffer }

/**
 * The last 16 bytes of a Retry packet, which the client compares with the received ones.
 *
 * @example
 * const tag = retryIntegrityTag(VERSION_1, originalDestinationConnectionId, packet.subarray(0, -16))
 * if (!tag.equals(packet.subarray(-16))) drop(packet)
 *
 * @remarks
 * The key is public (RFC 9001 section 5.8, RFC 9369 section 3.3.3), so `crypto.timingSafeEqual` is not needed. Both arguments are
 * read once, and may be in shared memory.
 * @param originalDestinationConnectionId from the Initial packet that the Retry packet answers, 0 to 20 bytes
 * @param retryPacketWithoutTag the packet without these 16 bytes, at most 65 519 bytes
 * @throws as {@link initialSecrets}; `ERR_OUT_OF_RANGE` for a longer packet; `ERR_AESGCM_ARENA_FULL`; the errors of first use
 * (docs/errors.md).
 */
export declare function retryIntegrityTag(
  version: Version,
  originalDestinationConnectionId: Uint8Array,
  retryPacketWithoutTag: Uint8Array,
): OwnBuffer

/** Keys to use instead of a secret, a plain object: only own properties count. */
export interface PacketKeys {
  /** The packet protection key: 16 bytes (AES-128-GCM) or 32 bytes (AES-256-GCM). */
  key: Uint8Array
  /** The packet protection IV: 12 bytes. */
  iv: Uint8Array
  /** The header protection key, as long as `key`. */
  hp: Uint8Array
}

/**
 * Options of {@link PacketProtection}, a plain object: only own properties count, and an unknown name throws
 * `ERR_INVALID_ARG_VALUE`.
 */
export interface PacketProtectionOptions {
  /** The version whose labels derive keys from a secret: {@link VERSION_1} by default; ready-made keys need no version. */
  version?: Version | undefined
  /**
   * Memory for the expanded keys: by default `KeyArena.default`.
   *
   * An object occupies two places, and one more from the first packet on that may show a key update.
   * {@link PacketProtection.dropPreviousKeys} needs a fourth place while it runs.
   */
  arena?: KeyArena | undefined
  /** Use this backend instead of the best one; throws `ERR_AESGCM_UNSUPPORTED_CPU` if this CPU cannot run it. */
  backend?: Backend | undefined
  /** Number of packets that may be sealed under one key, from 0 to 2^23, the default (RFC 9001 section 6.6). */
  maxPackets?: number | undefined
  /**
   * Number of packets that may fail authentication, from 1 to 2^52, the default (RFC 9001 section 6.6).
   *
   * After that, {@link PacketProtection.open} throws `ERR_AESGCM_KEY_EXHAUSTED`, even for authentic packets. An object counts its
   * own packets, and the packets of the objects from which {@link PacketProtection.nextKeys} made it.
   */
  maxFailures?: number | undefined
}

/**
 * The keys of one direction of a connection at one encryption level: one object seals what a side sends, another opens what it
 * receives.
 *
 * @example
 * const { client } = initialSecrets(VERSION_1, connectionId)
 * const [sender, receiver] = [new PacketProtection(client), new PacketProtection(client)]
 * sender.seal(packet, headerLength, 0) // packet: header, payload, 16 free bytes
 * receiver.open(packet, headerLength - 4, -1) // 0, the number that 4 bytes of this header carry
 *
 * @remarks
 * Packet numbers are whole numbers from 0 to 2^53 - 1; `pathId`, 0 to 2^32 - 1 and 0 by default, is for several paths with
 * separate numbers. docs/guide/quic.md describes the layout of a packet, paths and key updates.
 *
 * **A copy of the process (a fork, a restored virtual machine) must not continue a connection of the original.** Both would seal
 * packets under the same numbers, which breaks their secrecy, and this package cannot detect it.
 *
 * Calls that seal or open also throw errors about their arguments' memory, before they write a byte (docs/errors.md).
 */
export declare class PacketProtection implements Disposable {
  /**
   * Derives the keys from a traffic secret, or uses ready-made keys.
   *
   * @example
   * const receiver = new PacketProtection(serverTrafficSecret) // 32 or 48 bytes, of the TLS handshake
   *
   * @remarks
   * Secrets and keys are read once, may be in shared memory, and stay unchanged: wipe yours. If the constructor throws, its
   * copies are wiped. For later key phases, an object made from a secret keeps secrets outside the arena: `destroy` of the object
   * wipes them, `destroy` of the arena does not (docs/security.md, "QUIC packets").
   * @param keys a secret of 32 bytes (AES-128-GCM and SHA-256) or of 48 bytes (AES-256-GCM and SHA-384), or keys. Keys have no
   * key updates: packets with either Key Phase bit open with the one key
   * @throws `ERR_AESGCM_INVALID_KEY_LENGTH` for a wrong length of a secret, `key` or `hp`; `ERR_OUT_OF_RANGE` for a wrong length
   * of `iv`; otherwise as the constructor of `AesGcm`.
   */
  constructor(keys: Uint8Array | PacketKeys, options?: PacketProtectionOptions)

  /** The backend that these keys use. */
  readonly backend: Backend
  /** 128 for AES-128-GCM, 256 for AES-256-GCM. */
  readonly keyBits: 128 | 256
  /**
   * Number of key updates so far, 0 at first; its lowest bit is the Key Phase bit of the short headers that these keys protect.
   *
   * It rises by one when a packet of the next key phase opens, whose number must exceed all those opened on its path (RFC 9001
   * section 6.4). From then on, seal with {@link nextKeys} of your sending object (section 6.2), and call
   * {@link dropPreviousKeys} later.
   */
  readonly keyPhase: number
  /** Number of packets sealed under the current keys. */
  readonly packetsSealed: number
  /** Number of packets of the connection that failed authentication; {@link nextKeys} carries it over. */
  readonly failedOpens: number
  /** Whether the keys were wiped, by {@link destroy} or with their arena; counters stay readable. */
  readonly destroyed: boolean

  /**
   * Seals a packet in place: number, payload, tag and header protection.
   *
   * @example
   * sender.seal(packet, headerLength, packetNumber)
   *
   * @remarks
   * The first byte of the header says how many bytes encode the number, 1 to 4: with too few, the receiver recovers another
   * number (RFC 9000 section A.2). A call that throws does not write, and is not counted.
   * @param packet header, payload and 16 free bytes for the tag, together at most 65 535 bytes
   * @param headerLength bytes of the header, the packet number included
   * @param packetNumber larger than every number that this object has sealed on this path
   * @throws `ERR_OUT_OF_RANGE` for other lengths or numbers, and if number and payload together have fewer than 4 bytes (RFC 9001
   * section 5.4.2).
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` after `maxPackets`: continue with {@link nextKeys}; `ERR_AESGCM_ARENA_FULL` without memory
   * for a new path.
   */
  seal(packet: Uint8Array, headerLength: number, packetNumber: number, pathId?: number): void

  /**
   * {@link seal} for a run of contiguous packets, with consecutive packet numbers.
   *
   * @example
   * sender.sealRun(packets, 1200, headerLength, firstPacketNumber) // 1200 bytes each
   *
   * @remarks
   * One call costs less than one for each packet, and segmentation offload sends such a run in one system call. All packets are
   * checked before the first one is sealed; an error about a packet names its index.
   * @param ends a number: every packet has this many bytes, the last one may be shorter. Or where each packet ends in `packets`,
   * ascending: packet `i` is `packets.subarray(ends[i - 1] ?? 0, ends[i])`. An array is copied before the work begins.
   * @param headerLength of every packet
   * @param firstPacketNumber the number of the first packet
   * @throws as {@link seal}; `ERR_OUT_OF_RANGE` if `ends` descend or exceed `packets`, or if the numbers pass 2^53 - 1.
   */
  sealRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    headerLength: number,
    firstPacketNumber: number,
    pathId?: number,
  ): void

  /**
   * Opens a packet in place, header and payload, and returns its packet number, or -1 for a packet to drop.
   *
   * @example
   * const number = receiver.open(packet, packetNumberOffset, largestReceived)
   * if (number === -1) return // not authentic, or too short: every byte is as it was
   * const payload = packet.subarray(packetNumberOffset + 1 + (packet[0] & 3), -16)
   *
   * @remarks
   * **A packet that arrives twice opens twice**: refuse the numbers already seen (RFC 9000 section 12.3). **Check the reserved
   * bits of the first byte** (sections 17.2, 17.3.1): they are authentic now. docs/guide/quic.md explains key updates, which this
   * method follows, and all reasons for -1.
   * @param packet one packet, which may be empty: you split coalesced packets
   * @param packetNumberOffset at least 1
   * @param largestReceived the largest number opened on this path, or -1
   * @throws `ERR_AESGCM_KEY_EXHAUSTED` once `maxFailures` packets have failed authentication: close the connection.
   * @throws `ERR_AESGCM_ARENA_FULL` without a place for the next keys, or memory for a new path.
   */
  open(packet: Uint8Array, packetNumberOffset: number, largestReceived: number, pathId?: number): number

  /**
   * {@link open} for a run of contiguous packets: returns the packet number of each, or -1 for a packet to drop.
   *
   * @example
   * const numbers = receiver.openRun(packets, 1200, packetNumberOffset, largestReceived) // 1200 bytes each
   *
   * @remarks
   * `ends` is as in {@link sealRun}. The largest number rises with the packets of the run.
   * @throws as {@link open}; `ERR_OUT_OF_RANGE` as {@link sealRun} for `ends`, or if there is no memory for the numbers. If the
   * limit of failures is reached, `stoppedAt` of the {@link AesGcmError} is the index of the first packet left untouched; the
   * numbers of the packets before it are lost.
   */
  openRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    packetNumberOffset: number,
    largestReceived: number,
    pathId?: number,
  ): OwnNumbers

  /**
   * The mask of a header, 5 bytes (RFC 9001 section 5.4.1): for tests and tools, since {@link seal} and {@link open} mask
   * headers.
   *
   * @example
   * const mask = sender.headerProtectionMask(sample)
   *
   * @param sample 16 bytes, read once; may be in shared memory
   * @throws `ERR_OUT_OF_RANGE` for any other length.
   */
  headerProtectionMask(sample: Uint8Array): OwnBuffer

  /**
   * A new object with the keys of the next key phase, with which a sender begins a key update or answers its peer's.
   *
   * @example
   * const next = sender.nextKeys() // its keyPhase is larger by one
   * sender.destroy()
   *
   * @remarks
   * The header key, {@link failedOpens} and all options carry over (RFC 9001 section 6.1). Packet numbers keep rising, but the
   * new object does not know those of this one. **A second call returns an object with the same keys**: sealing one number with
   * both would repeat a nonce, so seal with one of them. A receiver needs no call: {@link open} follows updates.
   * @throws an `Error` with the code `ERR_INVALID_STATE` if this object was made from `{ key, iv, hp }`; `ERR_AESGCM_DESTROYED`;
   * `ERR_AESGCM_ARENA_FULL`.
   */
  nextKeys(): PacketProtection

  /**
   * Replaces the previous keys with the next ones, about three times the probe timeout after {@link keyPhase} rose.
   *
   * @example
   * setTimeout(() => receiver.dropPreviousKeys(), 3 * probeTimeout)
   *
   * @remarks
   * RFC 9001 section 6.5 specifies that time. Before the call, a further update of the peer is not followed: {@link open} returns
   * -1 for its packets. Has no effect if the object has no previous keys, or after {@link destroy}.
   * @throws `ERR_AESGCM_ARENA_FULL`: the previous keys then stay.
   */
  dropPreviousKeys(): void

  /**
   * Wipes the keys.
   *
   * @example
   * receiver.destroy()
   *
   * @remarks
   * Later calls throw `ERR_AESGCM_DESTROYED`; counters stay readable. A second `destroy` has no effect. Without `destroy`, the
   * keys are wiped after the object is garbage-collected. Those in native memory are also wiped when the thread ends.
   */
  destroy(): void
  /** {@link destroy}, for `using`. */
  [Symbol.dispose](): void
}
