// Fails to compile where an entry and its manual disagree in either direction. Interfaces and type
// aliases need no proof: they exist in the manuals alone, and lib/ imports them. No file imports
// this one: the types are exported because the compiler refuses unused ones.
import type { Duplex } from 'node:stream'
import type * as main from 'hardware-aes-gcm'
import type * as columns from 'hardware-aes-gcm/columns'
import type * as cookie from 'hardware-aes-gcm/cookie'
import type * as drizzle from 'hardware-aes-gcm/drizzle'
import type * as hybrid from 'hardware-aes-gcm/hybrid'
import type * as keyring from 'hardware-aes-gcm/keyring'
import type * as kms from 'hardware-aes-gcm/kms'
import type * as legacy from 'hardware-aes-gcm/legacy'
import type * as passphrase from 'hardware-aes-gcm/passphrase'
import type * as prisma from 'hardware-aes-gcm/prisma'
import type * as quic from 'hardware-aes-gcm/quic'
import type * as rotation from 'hardware-aes-gcm/rotation'
import type * as sequelize from 'hardware-aes-gcm/sequelize'
import type * as session from 'hardware-aes-gcm/session'
import type * as shamir from 'hardware-aes-gcm/shamir'
import type * as siv from 'hardware-aes-gcm/siv'
import type * as stream from 'hardware-aes-gcm/stream'
import type * as typeorm from 'hardware-aes-gcm/typeorm'
import type * as xaes from 'hardware-aes-gcm/xaes'
import type sivEntry from '../cipher/siv/index.cjs'
import type xaesEntry from '../cipher/xaes/index.cjs'
import type drizzleEntry from '../databases/drizzle/index.cjs'
import type prismaEntry from '../databases/prisma/index.cjs'
import type rotationEntry from '../databases/rotation/index.cjs'
import type sequelizeEntry from '../databases/sequelize/index.cjs'
import type typeormEntry from '../databases/typeorm/index.cjs'
import type mainEntry from '../index.cjs'
import type quicEntry from '../protocols/quic/index.cjs'
import type sessionEntry from '../protocols/session/index.cjs'
import type shamirEntry from '../protocols/shamir/index.cjs'
import type streamEntry from '../protocols/stream/index.cjs'
import type columnsEntry from '../values/columns/index.cjs'
import type cookieEntry from '../values/cookie/index.cjs'
import type hybridEntry from '../values/hybrid/index.cjs'
import type keyringEntry from '../values/keyring/index.cjs'
import type kmsEntry from '../values/kms/index.cjs'
import type legacyEntry from '../values/legacy/index.cjs'
import type { Reader } from '../values/legacy/reader.cjs'
import type passphraseEntry from '../values/passphrase/index.cjs'
import type { Agrees, Kept, Proved, Public, Same, Surface, Without } from './compare.mjs'

type Arena = (typeof mainEntry)['KeyArena']
/** A class with its constructor and its members alone. */
type WithoutStatics<Class extends abstract new (...values: never) => unknown> = abstract new (
  ...parameters: ConstructorParameters<Class>
) => InstanceType<Class>

export type Main = Proved<
  [
    Kept<typeof main, typeof mainEntry>,
    ...Agrees<typeof main, typeof mainEntry, 'AesGcm' | 'AesGcmError' | 'AuthenticationError', 'KeyArena'>,
    // Each side's `default` is an instance of that side's class.
    Same<keyof typeof main.KeyArena, keyof Arena>,
    Same<typeof main.KeyArena.default, main.KeyArena>,
    Same<Arena['default'], InstanceType<Arena>>,
    Same<Surface<WithoutStatics<typeof main.KeyArena>>, Surface<WithoutStatics<Arena>>>,
  ]
>

type Ring = (typeof keyringEntry)['Keyring']

export type Keyring = Proved<
  [
    Kept<typeof keyring, typeof keyringEntry>,
    ...Agrees<typeof keyring, typeof keyringEntry, 'BlindIndex' | 'UnknownKeyError', 'Keyring'>,
    Same<ConstructorParameters<typeof keyring.Keyring>, ConstructorParameters<Ring>>,
    Same<Public<keyring.Keyring>, Public<InstanceType<Ring>>>,
    // Each side's static methods return an instance of that side's class.
    Same<keyof typeof keyring.Keyring, keyof Ring>,
    Same<Parameters<typeof keyring.Keyring.generate>, Parameters<Ring['generate']>>,
    Same<Parameters<typeof keyring.Keyring.parse>, Parameters<Ring['parse']>>,
    Same<Parameters<typeof keyring.Keyring.unwrap>, Parameters<Ring['unwrap']>>,
  ]
>

export type ColumnsEntry = Proved<
  [
    Kept<typeof columns, typeof columnsEntry>,
    ...Agrees<typeof columns, typeof columnsEntry, 'NotSealedError'>,
  ]
>

export type Cookie = Proved<
  [Kept<typeof cookie, typeof cookieEntry>, ...Agrees<typeof cookie, typeof cookieEntry>]
>

export type Drizzle = Proved<
  [Kept<typeof drizzle, typeof drizzleEntry>, ...Agrees<typeof drizzle, typeof drizzleEntry>]
>

type Hybrid = typeof hybridEntry

export type HybridEntry = Proved<
  [
    ...Agrees<typeof hybrid, Hybrid, never, 'PrivateKeyring' | 'PublicKeyring'>,
    // Each side's static methods return an instance of that side's class.
    Same<keyof typeof hybrid.PrivateKeyring, keyof Hybrid['PrivateKeyring']>,
    Same<Parameters<typeof hybrid.PrivateKeyring.generate>, Parameters<Hybrid['PrivateKeyring']['generate']>>,
    Same<Parameters<typeof hybrid.PrivateKeyring.parse>, Parameters<Hybrid['PrivateKeyring']['parse']>>,
    Same<Parameters<typeof hybrid.PrivateKeyring.unwrap>, Parameters<Hybrid['PrivateKeyring']['unwrap']>>,
    Same<Public<hybrid.PrivateKeyring>, Public<ReturnType<Hybrid['PrivateKeyring']['parse']>>>,
    Same<keyof typeof hybrid.PublicKeyring, keyof Hybrid['PublicKeyring']>,
    Same<Parameters<typeof hybrid.PublicKeyring.parse>, Parameters<Hybrid['PublicKeyring']['parse']>>,
    Same<Public<hybrid.PublicKeyring>, Public<ReturnType<Hybrid['PublicKeyring']['parse']>>>,
  ]
>

export type Kms = Proved<[Kept<typeof kms, typeof kmsEntry>, ...Agrees<typeof kms, typeof kmsEntry>]>

export type Legacy = Proved<
  [
    Kept<typeof legacy, typeof legacyEntry>,
    ...Agrees<typeof legacy, typeof legacyEntry, 'UnknownLayoutError'>,
    Same<Public<legacy.LegacyReader<string | object>>, Public<Reader>>,
  ]
>

export type Passphrase = Proved<
  [Kept<typeof passphrase, typeof passphraseEntry>, ...Agrees<typeof passphrase, typeof passphraseEntry>]
>

export type Prisma = Proved<
  [Kept<typeof prisma, typeof prismaEntry>, ...Agrees<typeof prisma, typeof prismaEntry>]
>

type Protection = (typeof quicEntry)['PacketProtection']
type Packets = InstanceType<Protection>

export type Quic = Proved<
  [
    Kept<typeof quic, typeof quicEntry>,
    ...Agrees<typeof quic, typeof quicEntry, never, 'PacketProtection'>,
    Same<ConstructorParameters<typeof quic.PacketProtection>, ConstructorParameters<Protection>>,
    Same<keyof typeof quic.PacketProtection, keyof Protection>,
    Same<keyof quic.PacketProtection, keyof Packets>,
    Same<Omit<quic.PacketProtection, 'nextKeys'>, Omit<Packets, 'nextKeys'>>,
    // Each side's method returns an object of that side's class.
    Same<quic.PacketProtection['nextKeys'], () => quic.PacketProtection>,
    Same<Packets['nextKeys'], () => Packets>,
  ]
>

export type Rotation = Proved<
  [Kept<typeof rotation, typeof rotationEntry>, ...Agrees<typeof rotation, typeof rotationEntry>]
>

export type Sequelize = Proved<
  [Kept<typeof sequelize, typeof sequelizeEntry>, ...Agrees<typeof sequelize, typeof sequelizeEntry>]
>

type Session = typeof sessionEntry
type SecureStream = InstanceType<Session['SecureStream']>
type Handshake = InstanceType<Session['Handshake']>
/** The members of a stream that a Duplex does not have. */
type Own<Stream> = Without<Stream, keyof Duplex>
type Finished<Shake extends { finish(hello: Uint8Array): unknown }> = {
  [Name in keyof ReturnType<Shake['finish']>]: Public<ReturnType<Shake['finish']>[Name]>
}

export type SessionEntry = Proved<
  [
    ...Agrees<
      typeof session,
      Session,
      never,
      'Handshake' | 'RecordReader' | 'RecordWriter' | 'SecureStream' | 'secureStream'
    >,
    Same<Parameters<typeof session.secureStream>, Parameters<Session['secureStream']>>,
    Same<ConstructorParameters<typeof session.SecureStream>, ConstructorParameters<Session['SecureStream']>>,
    Same<Own<session.SecureStream>, Own<SecureStream>>,
    Same<ReturnType<Session['secureStream']>, SecureStream>,
    // The promised class is a stream where it says so.
    SecureStream extends Duplex ? true : false,
    Same<ConstructorParameters<typeof session.Handshake>, ConstructorParameters<Session['Handshake']>>,
    Same<Without<session.Handshake, 'finish'>, Without<Handshake, 'finish'>>,
    Same<Parameters<session.Handshake['finish']>, Parameters<Handshake['finish']>>,
    Same<Finished<session.Handshake>, Finished<Handshake>>,
  ]
>

export type Shamir = Proved<
  [Kept<typeof shamir, typeof shamirEntry>, ...Agrees<typeof shamir, typeof shamirEntry>]
>

export type Siv = Proved<
  [Kept<typeof siv, typeof sivEntry>, ...Agrees<typeof siv, typeof sivEntry, 'AesGcmSiv'>]
>

type Reading<Class extends { open(...values: never): Promise<unknown> }> = {
  parameters: Parameters<Class['open']>
  members: Public<Awaited<ReturnType<Class['open']>>>
}

export type Stream = Proved<
  [
    ...Agrees<typeof stream, typeof streamEntry, 'DecryptionStream' | 'EncryptionStream', 'DecryptionReader'>,
    Same<Reading<typeof stream.DecryptionReader>, Reading<(typeof streamEntry)['DecryptionReader']>>,
  ]
>

export type TypeORM = Proved<
  [Kept<typeof typeorm, typeof typeormEntry>, ...Agrees<typeof typeorm, typeof typeormEntry>]
>

export type XAes = Proved<
  [Kept<typeof xaes, typeof xaesEntry>, ...Agrees<typeof xaes, typeof xaesEntry, 'XAesGcm'>]
>
