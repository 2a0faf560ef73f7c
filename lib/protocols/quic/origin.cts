// Where a PacketProtection's keys come from: a secret, keys, or the object of the previous phase.
import type { PacketKeys, PacketProtectionOptions } from '../../../types/quic.d.ts'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { wrongKeyLength } from '../../cipher/base/key-text.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import type { Binding, PacketHandle } from '../../cipher/native/binding.cjs'
import { packetCreate } from '../../cipher/native/calls.cjs'
import { begin, forget, keysOf, type Lineage } from './lineage.cjs'
import { type GivenKeys, givenKeys, isSecret, read, type Settings, wipeKeys } from './options.cjs'
import { packetRefusal } from './refusal.cjs'
import { scheduleOf } from './schedule.cjs'

const CREATE = ['backend', 'key', 'iv', 'hp']

/** Callers cannot get one, so only `nextKeys` reaches this path of the constructor. */
export class Origin {
  readonly #source: Lineage | GivenKeys
  readonly settings: Settings
  /** Undefined if the object is made from keys. */
  readonly lineage: Lineage | undefined
  /** Failed opens of the connection so far. */
  readonly failures: number

  private constructor(
    settings: Settings,
    source: Lineage | GivenKeys,
    lineage: Lineage | undefined,
    failures: number,
  ) {
    this.#source = source
    this.settings = settings
    this.lineage = lineage
    this.failures = failures
  }

  /** Whether a value is an Origin. Runs no code of the value. */
  static is(value: unknown): value is Origin {
    return typeof value === 'object' && value !== null && #source in value
  }

  /** From the arguments of the constructor. */
  static of(
    keys: Uint8Array | PacketKeys,
    options: PacketProtectionOptions | undefined,
    binding: Binding,
  ): Origin {
    const settings = read(options, binding)
    if (!isSecret(keys)) return new Origin(settings, givenKeys(keys), undefined, 0)
    const length = lengthOf('keys', keys)
    const schedule = scheduleOf(settings.version, length)
    if (schedule === undefined) throw wrongKeyLength('keys', 'a secret of 32 or 48 bytes', keys)
    return Origin.next(settings, begin(schedule, keys, length), 0)
  }

  /** From a lineage. */
  static next(settings: Settings, lineage: Lineage, failures: number): Origin {
    return new Origin(settings, lineage, lineage, failures)
  }

  get phase(): number {
    return this.lineage?.phase ?? 0
  }

  get keyBits(): 128 | 256 {
    return (byteLength(this.#source.hp) * 8) as 128 | 256
  }

  /** The bytes of the keys, which `create` wipes. */
  keys(): GivenKeys {
    const { lineage } = this
    if (lineage === undefined) return this.#source as GivenKeys
    const { key, iv } = keysOf(lineage.schedule, lineage.secret)
    return { key, iv, hp: lineage.hp }
  }
}

/** The handle of new native keys. Wipes all copies, except a lineage that the object keeps. */
export function create(origin: Origin): PacketHandle {
  const { settings, lineage, phase, failures } = origin
  const { backendNumber, maxPackets, maxFailures, arena } = settings
  let handle: PacketHandle | number | undefined
  try {
    const keys = origin.keys()
    const { key, iv, hp } = keys
    try {
      handle = packetCreate(backendNumber, key, iv, hp, phase % 2, maxPackets, maxFailures, failures, arena)
    } finally {
      wipeKeys(keys)
      if (lineage === undefined) wipe(hp, 0)
    }
    if (typeof handle !== 'object') throw packetRefusal(handle, CREATE, backendNumber)
    return handle
  } finally {
    if (typeof handle !== 'object' && lineage !== undefined) forget(lineage)
  }
}
