// Fails to compile where the entry `hardware-aes-gcm/keyring` and its manual, types/keyring.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type * as promised from 'hardware-aes-gcm/keyring'
import type required from '../keyring/index.cjs'
import type { Proved, Public, Same, Surface, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required
type Classes = 'BlindIndex' | 'Keyring' | 'UnknownKeyError'

/** Every promised export exists, and its type is assignable to the promised one. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, Classes>, Without<Actual, Classes>>,
    Same<Surface<Promised['BlindIndex']>, Surface<Actual['BlindIndex']>>,
    Same<Surface<Promised['UnknownKeyError']>, Surface<Actual['UnknownKeyError']>>,
    Same<ConstructorParameters<Promised['Keyring']>, ConstructorParameters<Actual['Keyring']>>,
    Same<Public<promised.Keyring>, Public<InstanceType<Actual['Keyring']>>>,
    // Each side's static methods give an instance of its own class.
    Same<keyof Promised['Keyring'], keyof Actual['Keyring']>,
    Same<Parameters<Promised['Keyring']['generate']>, Parameters<Actual['Keyring']['generate']>>,
    Same<Parameters<Promised['Keyring']['parse']>, Parameters<Actual['Keyring']['parse']>>,
    Same<Parameters<Promised['Keyring']['unwrap']>, Parameters<Actual['Keyring']['unwrap']>>,
  ]
>
