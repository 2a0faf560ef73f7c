// Fails to compile where the entry `hardware-aes-gcm/stream` and its manual, types/stream.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/stream'
import type required from '../stream/index.cjs'
import type { Proved, Public, Same, Surface, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required
type Classes = 'DecryptionReader' | 'DecryptionStream' | 'EncryptionStream'
type Reader<Class extends { open(...values: never): Promise<unknown> }> = {
  parameters: Parameters<Class['open']>
  members: Public<Awaited<ReturnType<Class['open']>>>
}

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, Classes>, Without<Actual, Classes>>,
    Same<Surface<Promised['EncryptionStream']>, Surface<Actual['EncryptionStream']>>,
    Same<Surface<Promised['DecryptionStream']>, Surface<Actual['DecryptionStream']>>,
    Same<Reader<Promised['DecryptionReader']>, Reader<Actual['DecryptionReader']>>,
  ]
>
