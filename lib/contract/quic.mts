// Fails to compile where the entry `hardware-aes-gcm/quic` and its manual, types/quic.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/quic'
import type required from '../quic/index.cjs'
import type { Proved, Public, Same, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required
type ActualProtection = InstanceType<Actual['PacketProtection']>

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, 'PacketProtection'>, Without<Actual, 'PacketProtection'>>,
    Same<
      ConstructorParameters<Promised['PacketProtection']>,
      ConstructorParameters<Actual['PacketProtection']>
    >,
    Same<keyof Promised['PacketProtection'], keyof Actual['PacketProtection']>,
    Same<keyof promised.PacketProtection, keyof ActualProtection>,
    Same<Omit<promised.PacketProtection, 'nextKeys'>, Omit<ActualProtection, 'nextKeys'>>,
    // Each side's method gives an object of its own class.
    Same<promised.PacketProtection['nextKeys'], () => promised.PacketProtection>,
    Same<ActualProtection['nextKeys'], () => ActualProtection>,
  ]
>
