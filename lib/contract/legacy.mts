// Fails to compile where the entry `hardware-aes-gcm/legacy` and its manual, types/legacy.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/legacy'
import type required from '../legacy/index.cjs'
import type { Reader } from '../legacy/reader.cjs'
import type { Proved, Public, Same, Surface, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, parameter or member goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, 'UnknownLayoutError'>, Without<Actual, 'UnknownLayoutError'>>,
    Same<Surface<Promised['UnknownLayoutError']>, Surface<Actual['UnknownLayoutError']>>,
    Same<Public<promised.LegacyReader<string | object>>, Public<Reader>>,
  ]
>
