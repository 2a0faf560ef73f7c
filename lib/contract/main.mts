// Fails to compile where the main entry of lib/ and its manual, index.d.ts, disagree in either direction. Interfaces and type
// aliases need no proof: they exist in index.d.ts alone, and lib/ imports them from there. No file imports this one.
import type * as promised from 'hardware-aes-gcm'
import type required from '../index.cjs'
import type { Proved, Public, Same, Surface, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required
type Classes = 'AesGcm' | 'AesGcmError' | 'AuthenticationError' | 'KeyArena'

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, Classes>, Without<Actual, Classes>>,
    Same<Surface<Promised['AesGcm']>, Surface<Actual['AesGcm']>>,
    Same<Surface<Promised['AesGcmError']>, Surface<Actual['AesGcmError']>>,
    Same<Surface<Promised['AuthenticationError']>, Surface<Actual['AuthenticationError']>>,
    // Each side's `default` is an instance of its own class.
    Same<keyof Promised['KeyArena'], keyof Actual['KeyArena']>,
    Same<Promised['KeyArena']['default'], promised.KeyArena>,
    Same<Actual['KeyArena']['default'], InstanceType<Actual['KeyArena']>>,
    Same<Surface<WithoutStatics<Promised['KeyArena']>>, Surface<WithoutStatics<Actual['KeyArena']>>>,
  ]
>

/** A class with its constructor and its members alone. */
type WithoutStatics<Class extends abstract new (...values: never) => unknown> = abstract new (
  ...parameters: ConstructorParameters<Class>
) => InstanceType<Class>
