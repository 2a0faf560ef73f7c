// Fails to compile where the entry `hardware-aes-gcm/session` and its manual, types/session.d.ts, disagree in either direction (see
// main.mts). No file imports this one.
import type { Duplex } from 'node:stream'
import type * as promised from 'hardware-aes-gcm/session'
import type required from '../session/index.cjs'
import type { Proved, Public, Same, Without } from './compare.mjs'

type Promised = typeof promised
type Actual = typeof required
type Classes = 'Handshake' | 'RecordReader' | 'RecordWriter' | 'SecureStream'
type Functions = Classes | 'secureStream'

type ActualStream = InstanceType<Actual['SecureStream']>
type ActualHandshake = InstanceType<Actual['Handshake']>
type Finished<Shake extends { finish(hello: Uint8Array): unknown }> = ReturnType<Shake['finish']>

/** The members of a stream that a Duplex does not have. */
type Own<Stream> = Without<Stream, keyof Duplex>

/** No export, member or parameter goes unpromised, and each has the promised type. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<Without<Promised, Functions>, Without<Actual, Functions>>,
    Same<Parameters<Promised['secureStream']>, Parameters<Actual['secureStream']>>,
    Same<ConstructorParameters<Promised['SecureStream']>, ConstructorParameters<Actual['SecureStream']>>,
    Same<Own<promised.SecureStream>, Own<ActualStream>>,
    Same<ReturnType<Actual['secureStream']>, ActualStream>,
    Same<ConstructorParameters<Promised['Handshake']>, ConstructorParameters<Actual['Handshake']>>,
    Same<Without<promised.Handshake, 'finish'>, Without<ActualHandshake, 'finish'>>,
    Same<Parameters<promised.Handshake['finish']>, Parameters<ActualHandshake['finish']>>,
    Same<
      { [Name in keyof Finished<promised.Handshake>]: Public<Finished<promised.Handshake>[Name]> },
      { [Name in keyof Finished<ActualHandshake>]: Public<Finished<ActualHandshake>[Name]> }
    >,
  ]
>

/** Every promised class is a stream where it says so. */
export const stream: Duplex = {} as ActualStream
