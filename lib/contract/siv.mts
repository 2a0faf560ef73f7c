// Fails to compile where the entry `hardware-aes-gcm/siv` and its manual, types/siv.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/siv'
import type required from '../siv/index.cjs'
import type { Proved, Public, Same, Surface, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, 'AesGcmSiv'>, Without<Actual, 'AesGcmSiv'>>,
    Same<Surface<Promised['AesGcmSiv']>, Surface<Actual['AesGcmSiv']>>,
  ]
>
