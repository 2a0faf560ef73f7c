// Fails to compile where the entry `hardware-aes-gcm/shamir` and its manual, types/shamir.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/shamir'
import type required from '../shamir/index.cjs'
import type { Proved, Public, Same, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, overload or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [Same<keyof Promised, keyof Actual>, Same<Without<Promised, never>, Without<Actual, never>>]
>
