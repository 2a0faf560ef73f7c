// Fails to compile where lib/ and index.d.ts disagree, in either direction. Nothing imports it.
import type * as promised from 'hardware-aes-gcm'
import type * as aesGcm from './aes-gcm.cjs'
import type * as arena from './arena.cjs'
import type * as cpu from './cpu.cjs'
import type * as diagnostics from './diagnostics.cjs'
import type * as errors from './errors.cjs'
import type required from './index.cjs'
import type * as imported from './index.mjs'
import type * as options from './options.cjs'
import type * as random from './random.cjs'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
type Public<T> = { [K in keyof T]: T[K] }
type Proved<Comparisons extends readonly true[]> = Comparisons
type Promised = typeof promised
type Actual = typeof imported

/** Every promised export exists and serves. Classes with private fields are compared by name in this direction only. */
export const kept: Public<Promised> = {} as Public<Actual>

/** Where a class with private fields is named, only its own side has the same one. */
type Own<T extends { arena?: unknown }, Arena> = [
  Public<Omit<T, 'arena'>>,
  Same<T['arena'], Arena | undefined>,
]
type Taken<Class extends abstract new (...values: never) => unknown> = [
  ConstructorParameters<Class>[0],
  ConstructorParameters<Class>['length'],
]

/** No export, static, member or type goes unpromised, and none is wider than it is. */
export type Exact = Proved<
  [
    Same<keyof Promised, keyof Actual>,
    Same<keyof typeof required, keyof Actual>,
    Same<keyof Promised['AesGcm'], keyof Actual['AesGcm']>,
    Same<keyof promised.AesGcm, keyof aesGcm.AesGcm>,
    Same<Public<promised.AesGcm>, Public<aesGcm.AesGcm>>,
    Same<Taken<Promised['AesGcm']>, Taken<Actual['AesGcm']>>,
    Same<ConstructorParameters<Promised['AesGcm']>[1], promised.AesGcmOptions | undefined>,
    Same<ConstructorParameters<Actual['AesGcm']>[1], options.AesGcmOptions | undefined>,
    Same<Own<promised.AesGcmOptions, promised.KeyArena>, Own<options.AesGcmOptions, arena.KeyArena>>,
    Same<keyof Promised['KeyArena'], keyof Actual['KeyArena']>,
    Same<keyof promised.KeyArena, keyof arena.KeyArena>,
    Same<Public<promised.KeyArena>, Public<arena.KeyArena>>,
    Same<Promised['KeyArena']['default'], promised.KeyArena>,
    Same<Actual['KeyArena']['default'], arena.KeyArena>,
    Same<ConstructorParameters<Promised['KeyArena']>, ConstructorParameters<Actual['KeyArena']>>,
    Same<Promised['randomBytes'], Actual['randomBytes']>,
    Same<Promised['randomFillSync'], Actual['randomFillSync']>,
    Same<Promised['reseed'], Actual['reseed']>,
    Same<Promised['randomInfo'], Actual['randomInfo']>,
    Same<promised.RandomInfo, random.RandomInfo>,
    Same<promised.DiagnosticsMessages, diagnostics.DiagnosticsMessages>,
    Same<promised.Backend, options.Backend>,
    Same<promised.ErrorCode, errors.ErrorCode>,
    Same<promised.KeyArenaOptions, arena.KeyArenaOptions>,
    Same<Public<promised.CpuInfo>, Public<cpu.CpuInfo>>,
  ]
>
