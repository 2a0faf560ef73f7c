// The traffic secret of an object, from which keys of later phases derive (RFC 9001 section 6.1).
import type { Buffer } from 'node:buffer'
import { uncurried } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { expand, type Schedule } from './schedule.cjs'

/** Bytes of keys, off V8's heap. Their owner wipes them. */
export interface KeyBytes {
  readonly key: Buffer
  readonly iv: Buffer
}

/** A secret and the header key that belongs to all of its key phases. */
export interface Lineage {
  readonly schedule: Schedule
  /** The secret of the key phase `phase`. */
  secret: Buffer
  readonly hp: Buffer
  phase: number
}

const Registry = FinalizationRegistry
const registry = new Registry<Lineage>(forget)
const register: (registry: object, owner: object, lineage: Lineage) => void = uncurried(
  Registry.prototype.register as never,
)

/** The lineage that begins with `secret`, a copy of its first `length` bytes. */
export function begin(schedule: Schedule, secret: Uint8Array, length: number): Lineage {
  const own = copied(secret, length)
  const hp = orWipe(own, () => expand(schedule.hash, own, schedule.hp))
  return { schedule, secret: own, hp, phase: 0 }
}

/** The same lineage from a later key phase on: this one or the next. */
export function continued(lineage: Lineage, phase: number): Lineage {
  const { schedule, secret, hp } = lineage
  const own = phase === lineage.phase ? copied(secret) : secretAfter(lineage)
  return { schedule, secret: own, hp: orWipe(own, () => copied(hp)), phase }
}

export function keysOf(schedule: Schedule, secret: Uint8Array): KeyBytes {
  const key = expand(schedule.hash, secret, schedule.key)
  return { key, iv: orWipe(key, () => expand(schedule.hash, secret, schedule.iv)) }
}

/** The secret of the key phase after that of `lineage`. */
export function secretAfter({ schedule, secret }: Lineage): Buffer {
  return expand(schedule.hash, secret, schedule.ku)
}

export function forget({ secret, hp }: Lineage): void {
  wipe(secret, 0)
  wipe(hp, 0)
}

/** Wipes a lineage after its owner was garbage-collected. */
export function forgetWith(owner: object, lineage: Lineage): void {
  register(registry, owner, lineage)
}
