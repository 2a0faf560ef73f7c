// The class PacketProtection, documented in types/quic.d.ts: holds the native keys of one
// direction, and derives those of later key phases.
import type { Buffer } from 'node:buffer'
import type { Backend } from '../../../index.d.ts'
import type { PacketKeys, PacketProtectionOptions } from '../../../types/quic.d.ts'
import { dispose, markAsUncloneable, types } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { authenticationFailed } from '../../cipher/base/diagnostics.cjs'
import { keyDestroyed, wrongLength, wrongReceiver, wrongState } from '../../cipher/base/errors.cjs'
import { showAs } from '../../cipher/base/inspection.cjs'
import { viewOf, wipe } from '../../cipher/base/views.cjs'
import { load } from '../../cipher/native/binary.cjs'
import type { PacketHandle } from '../../cipher/native/binding.cjs'
import {
  failedOpens,
  keyUpdates,
  packetDestroy,
  packetIsDestroyed,
  packetMask,
  packetOpen,
  packetOpenRun,
  packetSeal,
  packetSealRun,
  packetSetNext,
  packetsSealed,
} from '../../cipher/native/calls.cjs'
import { continued, forget, forgetWith, keysOf, type Lineage, secretAfter } from './lineage.cjs'
import { numbersFor, numbersOf } from './numbers.cjs'
import { type Settings, wipeKeys } from './options.cjs'
import { create, Origin } from './origin.cjs'
import { packetRefusal } from './refusal.cjs'

const { isUint8Array } = types

/** `packetOpen`'s result for a packet to drop. */
const DROPPED = 2 ** 53
/** The form bit of the first byte: 0 in short headers (RFC 9000 section 17.3). */
const LONG_HEADER = 0x80
const SAMPLE_BYTES = 16
const MASK_BYTES = 5

// The arguments of the raw functions, under the names that callers know.
const SET_NEXT = ['handle', 'key', 'iv']
const SEAL = ['handle', 'packet', 'headerLength', 'packetNumber', 'pathId']
const SEAL_RUN = ['handle', 'packets', 'ends', 'headerLength', 'firstPacketNumber', 'pathId']
const OPEN = ['handle', 'packet', 'packetNumberOffset', 'largestReceived', 'pathId']
const OPEN_RUN = ['handle', 'packets', 'ends', 'packetNumberOffset', 'largestReceived', 'pathId']
const MASK = ['handle', 'sample']

export class PacketProtection implements Disposable {
  readonly #handle: PacketHandle
  readonly #settings: Settings
  readonly #keyBits: 128 | 256
  /** The key phase of the keys that the object was made with. */
  readonly #firstPhase: number
  /** Undefined for objects made from keys, and after `destroy`. Has the newest phase. */
  #lineage: Lineage | undefined
  /** Whether the first packet that may show a key update is still to come. */
  #awaitsNextKeys: boolean
  /** The failed opens for which events were published. */
  #failuresTold: number

  static {
    // Reads the fields directly, since a subclass may replace the getters.
    showAs(
      PacketProtection,
      'PacketProtection',
      self => #handle in self,
      self => ({
        backend: self.#settings.backend,
        keyBits: self.#keyBits,
        keyPhase: self.#keyPhase(),
        packetsSealed: packetsSealed(self.#handle),
        failedOpens: failedOpens(self.#handle),
        destroyed: packetIsDestroyed(self.#handle),
      }),
    )
  }

  constructor(keys: Uint8Array | PacketKeys, options?: PacketProtectionOptions) {
    markAsUncloneable(this)
    const origin = Origin.is(keys) ? keys : Origin.of(keys, options, load())
    const { settings, lineage, phase, failures } = origin
    this.#handle = create(origin)
    this.#settings = settings
    this.#keyBits = origin.keyBits
    this.#firstPhase = phase
    this.#lineage = lineage
    this.#awaitsNextKeys = lineage !== undefined
    this.#failuresTold = failures
    if (lineage !== undefined) forgetWith(this, lineage)
  }

  get backend(): Backend {
    PacketProtection.#handleOf(this)
    return this.#settings.backend
  }

  get keyBits(): 128 | 256 {
    PacketProtection.#handleOf(this)
    return this.#keyBits
  }

  get keyPhase(): number {
    PacketProtection.#handleOf(this)
    return this.#keyPhase()
  }

  get packetsSealed(): number {
    return packetsSealed(PacketProtection.#handleOf(this))
  }

  get failedOpens(): number {
    return failedOpens(PacketProtection.#handleOf(this))
  }

  get destroyed(): boolean {
    return packetIsDestroyed(PacketProtection.#handleOf(this))
  }

  seal(packet: Uint8Array, headerLength: number, packetNumber: number, pathId?: number): void {
    const handle = PacketProtection.#handleOf(this)
    const status = packetSeal(handle, packet, headerLength, packetNumber, pathId)
    if (!(status >= 0)) throw packetRefusal(status, SEAL, handle, packet, headerLength, packetNumber, pathId)
  }

  sealRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    headerLength: number,
    firstPacketNumber: number,
    pathId?: number,
  ): void {
    const handle = PacketProtection.#handleOf(this)
    const status = packetSealRun(handle, packets, ends, headerLength, firstPacketNumber, pathId)
    if (status >= 0) return
    throw packetRefusal(status, SEAL_RUN, handle, packets, ends, headerLength, firstPacketNumber, pathId)
  }

  open(packet: Uint8Array, packetNumberOffset: number, largestReceived: number, pathId?: number): number {
    const handle = PacketProtection.#handleOf(this)
    if (this.#awaitsNextKeys && isUint8Array(packet) && (packet[0] as number) < LONG_HEADER)
      this.#holdNextKeys(handle)
    const number = packetOpen(handle, packet, packetNumberOffset, largestReceived, pathId)
    if (number >= 0 && number < DROPPED) return number
    if (number === DROPPED) {
      this.#tellFailures(handle)
      return -1
    }
    throw packetRefusal(number, OPEN, handle, packet, packetNumberOffset, largestReceived, pathId)
  }

  openRun(
    packets: Uint8Array,
    ends: Uint32Array | number,
    packetNumberOffset: number,
    largestReceived: number,
    pathId?: number,
  ): Float64Array<ArrayBuffer> {
    const handle = PacketProtection.#handleOf(this)
    const numbers = numbersFor(packets, ends)
    if (this.#awaitsNextKeys) this.#holdNextKeys(handle)
    const status = packetOpenRun(handle, packets, ends, packetNumberOffset, largestReceived, pathId, numbers)
    this.#tellFailures(handle)
    if (status >= 0) return numbersOf(numbers)
    throw packetRefusal(status, OPEN_RUN, handle, packets, ends, packetNumberOffset, largestReceived, pathId)
  }

  headerProtectionMask(sample: Uint8Array): Buffer<ArrayBuffer> {
    const handle = PacketProtection.#handleOf(this)
    if (lengthOf('sample', sample) !== SAMPLE_BYTES) throw wrongLength('sample', 'length 16', sample)
    const block = copied(sample, SAMPLE_BYTES)
    try {
      const status = packetMask(handle, block)
      if (!(status >= 0)) throw packetRefusal(status, MASK, handle, sample)
      return copied(viewOf(block, 0, MASK_BYTES) as Uint8Array)
    } finally {
      wipe(block, 0)
    }
  }

  nextKeys(): PacketProtection {
    const handle = PacketProtection.#handleOf(this)
    if (packetIsDestroyed(handle)) throw keyDestroyed()
    if (this.#lineage === undefined)
      throw wrongState('an object that was made from { key, iv, hp } has no next keys: make it from a secret')
    const lineage = continued(this.#lineage, this.#keyPhase() + 1)
    return new PacketProtection(Origin.next(this.#settings, lineage, failedOpens(handle)) as never)
  }

  dropPreviousKeys(): void {
    const handle = PacketProtection.#handleOf(this)
    if (this.#awaitsNextKeys || this.#lineage?.phase !== this.#keyPhase()) return
    if (!packetIsDestroyed(handle)) this.#holdNextKeys(handle)
  }

  destroy(): void {
    PacketProtection.#destroy(this)
  }

  [dispose](): void {
    PacketProtection.#destroy(this)
  }

  #keyPhase(): number {
    return this.#firstPhase + keyUpdates(this.#handle)
  }

  /** Gives the native object the keys after its newest ones. They replace the previous keys. */
  #holdNextKeys(handle: PacketHandle): void {
    const lineage = this.#lineage
    if (lineage === undefined) return
    const secret = secretAfter(lineage)
    let unused = secret
    try {
      const keys = keysOf(lineage.schedule, secret)
      let status: number
      try {
        status = packetSetNext(handle, keys.key, keys.iv, this.#settings.arena)
        if (status >= 0) {
          // Assignments alone: a call may overflow the stack after the native object has the keys.
          unused = lineage.secret
          lineage.secret = secret
          lineage.phase++
          this.#awaitsNextKeys = false
        }
      } finally {
        wipeKeys(keys)
      }
      if (!(status >= 0)) throw packetRefusal(status, SET_NEXT, handle)
    } finally {
      wipe(unused, 0)
    }
  }

  /** Publishes the failures of the last call. */
  #tellFailures(handle: PacketHandle): void {
    const before = this.#failuresTold
    const now = failedOpens(handle)
    // Set first: a subscriber may use the object again.
    this.#failuresTold = now
    for (let told = before; told < now; told++) authenticationFailed()
  }

  static #destroy(self: PacketProtection): void {
    packetDestroy(PacketProtection.#handleOf(self))
    if (self.#lineage !== undefined) forget(self.#lineage)
    self.#lineage = undefined
    self.#awaitsNextKeys = false
  }

  /** The handle of `self`; throws if `self` is not a PacketProtection. */
  static #handleOf(self: unknown): PacketHandle {
    if (typeof self === 'object' && self !== null && #handle in self) return self.#handle
    throw wrongReceiver('PacketProtection')
  }
}
