// Fails to compile where lib/ and index.d.ts disagree, in either direction. Nothing imports it.
import type * as promised from 'hardware-aes-gcm'
import type * as actual from './index.js'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Public<T> = { [K in keyof T]: T[K] }
type Promised = typeof promised
type Actual = typeof actual

/** Every promised export exists and serves. Classes with private fields are compared by name in this direction only. */
export const kept: Public<Promised> = {} as Public<Actual>

/** No export, static, member or type goes unpromised, and none is wider than it is. */
export const exact: [
  Same<keyof Promised, keyof Actual>,
  Same<keyof Promised['AesGcm'], keyof Actual['AesGcm']>,
  Same<keyof promised.AesGcm, keyof actual.AesGcm>,
  Same<ConstructorParameters<Promised['AesGcm']>, ConstructorParameters<Actual['AesGcm']>>,
  Same<promised.Backend, actual.Backend>,
  Same<promised.ErrorCode, actual.ErrorCode>,
  Same<Public<promised.AesGcmOptions>, Public<actual.AesGcmOptions>>,
  Same<Public<promised.CpuInfo>, Public<actual.CpuInfo>>,
] = [true, true, true, true, true, true, true, true]

/** Members have the types they are promised to have, in both directions. */
export const promise: Public<promised.AesGcm> = {} as Public<actual.AesGcm>
export const code: Public<actual.AesGcm> = {} as Public<promised.AesGcm>
