// A consumer in TypeScript, as an ES module: what is typed must run, and what is marked as an error must not compile.
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import {
  type AbortError,
  type Aead,
  AesGcm,
  AesGcmError,
  type AesGcmOptions,
  type AsyncOptions,
  AuthenticationError,
  type Backend,
  type CpuInfo,
  cpu,
  type DiagnosticsMessages,
  type ErrorCode,
  KeyArena,
  OVERHEAD,
  type RandomInfo,
  randomBytes,
  randomFillSync,
  randomInfo,
  reseed,
} from 'hardware-aes-gcm'
import { type EncryptedColumnsOptions, encryptedColumns, NotSealedError } from 'hardware-aes-gcm/columns'
import { type SealedCookie, sealedCookie } from 'hardware-aes-gcm/cookie'
import { type HybridKeyType, PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { BlindIndex, Keyring, type OpenTextOptions } from 'hardware-aes-gcm/keyring'
import { type LegacyReader, layoutReader, type TypeormOptions, typeormReader } from 'hardware-aes-gcm/legacy'
import { encryptedModels, fieldValue } from 'hardware-aes-gcm/prisma'
import {
  initialSecrets,
  type PacketKeys,
  PacketProtection,
  type PacketProtectionOptions,
  retryIntegrityTag,
  VERSION_1,
  VERSION_2,
  type Version,
} from 'hardware-aes-gcm/quic'
import { type RotationResult, type RowSource, rotateColumns, sqliteRows } from 'hardware-aes-gcm/rotation'
import {
  type Cipher,
  type Count,
  Handshake,
  negotiateCipher,
  type RecordReader,
  type RecordWriter,
  type SecureStream,
  type SecureStreamOptions,
  type SessionOptions,
  secureStream,
  supportedCiphers,
} from 'hardware-aes-gcm/session'
import {
  type CombineOptions,
  combineAndOpen,
  combineKey,
  type OpenOptions,
  recoverShare,
  type SealOptions,
  type ShareFormat,
  type SplitOptions,
  sealAndSplit,
  splitKey,
} from 'hardware-aes-gcm/shamir'
import { AesGcmSiv, type AesGcmSivOptions, OVERHEAD as SIV_OVERHEAD } from 'hardware-aes-gcm/siv'
import {
  createEncryptStream,
  type DecryptionReader,
  decryptBuffer,
  EncryptionStream,
  encryptBuffer,
  type FileOptions,
  type Source,
} from 'hardware-aes-gcm/stream'
import { OVERHEAD as LONG_OVERHEAD, XAesGcm, type XAesGcmOptions } from 'hardware-aes-gcm/xaes'

const options: AesGcmOptions = { nonceAt: 'end', maxMessages: 2 }
const key: Buffer = AesGcm.generateKey(128)
const text = new TextEncoder().encode('typed')

function roundTrip(): Backend {
  using aes = new AesGcm(key, options)
  const frame: Buffer = aes.encrypt(text)
  const bytes: number = frame.length - OVERHEAD
  if (bytes !== text.length || !aes.tryDecryptInPlace(frame, null)) throw new Error('the frame does not open')
  return aes.backend
}

/** Bytes of a frame round its text, for a class that has the methods of every class. */
function overheadOf(key: Aead): number {
  const frame: Buffer = key.encrypt(text)
  return frame.length - key.decrypt(frame).length
}

/** How many of two rows open under the additional data of their places, less those that open without it. */
function rows(): number {
  using aes = new AesGcm(key)
  const frames: Buffer[] = aes.encryptBatch([text, Buffer.alloc(9)], {
    aad: (_: Uint8Array, i) => Buffer.of(i),
  })
  const opened: Buffer[] = aes.decryptBatch(frames, { aad: (_: Buffer, i) => Uint8Array.of(i) })
  const without: (Buffer | null)[] = aes.tryDecryptBatch(frames)
  return opened.length - without.filter(row => row !== null).length
}

function codeOfBadFrame(): ErrorCode | undefined {
  using aes = new AesGcm(key)
  const opened: Buffer | null = aes.tryDecrypt(Buffer.alloc(OVERHEAD))
  const written: number | null = aes.tryDecryptInto(Buffer.alloc(1), Buffer.alloc(OVERHEAD))
  if (opened !== null || written !== null) throw new Error('a bad frame was opened')
  try {
    aes.decrypt(Buffer.alloc(OVERHEAD))
  } catch (error) {
    // A minifier gives classes other names, and errors keep theirs.
    if (
      error instanceof AuthenticationError &&
      error instanceof AesGcmError &&
      error.name === 'AuthenticationError'
    )
      return error.code
  }
  return undefined
}

function places(): number {
  using arena = new KeyArena({ keys: 3 })
  new AesGcm(key, { arena })
  return arena.capacity - arena.used
}

function seeded(): RandomInfo['lastSeed'] {
  const view: Float64Array = randomFillSync(new Float64Array(4), 1, 2)
  const bytes: Buffer = randomBytes(view.byteLength)
  reseed()
  return bytes.length === 32 ? randomInfo().lastSeed : null
}

/** Off the main thread. The memory of a frame that was refused comes back in the error. */
async function offThread(): Promise<number> {
  const aes = new AesGcm(key)
  const options: AsyncOptions = { signal: new AbortController().signal }
  const sealed: Buffer = await aes.encryptInPlaceAsync(randomBytes(OVERHEAD + 5), null, options)
  let frame: Buffer | undefined
  try {
    await aes.decryptInPlaceAsync(sealed, text)
  } catch (error) {
    const refused = error as AesGcmError | AbortError
    if (refused.code !== 'ABORT_ERR') frame = refused.frame
  }
  // A slice of the pool, which is copied.
  const opened: Buffer = await aes.decryptInPlaceAsync(Buffer.from(frame ?? []))
  await crypto.subtle.digest('SHA-256', opened)
  return opened.length
}

/** Packets of both versions, sealed in a run and opened in a run. */
function packets(version: Version): number[] {
  using arena = new KeyArena({ keys: 9 })
  const options: PacketProtectionOptions = { version, arena, maxPackets: 4 }
  const { client }: { client: Buffer } = initialSecrets(version, text)
  const run = Buffer.alloc(120)
  const sender: PacketProtection = new PacketProtection(client, options)
  sender.sealRun(run, 40, 8, 3)
  const numbers: Float64Array = new PacketProtection(client, options).openRun(
    run,
    Uint32Array.of(40, 80, 120),
    7,
    2,
  )
  const keys: PacketKeys = { key, iv: key.subarray(4), hp: key }
  const mask: Buffer = new PacketProtection(keys).headerProtectionMask(retryIntegrityTag(version, text, text))
  return [...numbers, mask.length, sender.nextKeys().keyPhase]
}

/** Messages from one side to the other. */
function session(): Cipher {
  const options: SessionOptions = {
    secret: [Buffer.alloc(32)],
    role: 'initiator',
    ciphers: supportedCiphers(),
  }
  const initiator = new Handshake(options)
  const responder = new Handshake({ ...options, role: 'responder', allowSelf: true })
  const hello: Buffer = initiator.hello
  const { writer }: { writer: RecordWriter } = initiator.finish(responder.hello)
  const { reader, cipher }: { reader: RecordReader; cipher: Cipher } = responder.finish(hello)
  const pieces: Buffer[] = reader.open(writer.seal(text))
  const { bytes }: Count = reader.stats
  if (pieces.length !== 1 || bytes !== text.length) throw new Error('a message came back otherwise')
  return negotiateCipher([cipher], ['chacha20-poly1305', 'aes-256-gcm'])
}

/** A stream is a Duplex of Node's. */
function stream(): Cipher | null {
  const options: SecureStreamOptions = { secret: Buffer.alloc(32), role: 'responder', handshakeTimeout: 5 }
  const secure: SecureStream = secureStream(new PassThrough(), options)
  // This socket brings our own hello back.
  secure.on('error', () => {})
  secure.on('secure', () => secure.rekey(Buffer.alloc(32)).then(() => secure.end('text'))).destroy()
  return secure.cipher
}

/** Shares of every form, with the types that each has. */
function shares(): number {
  const options: SplitOptions = { threshold: 2, shares: 3 }
  const binary: Buffer[] = splitKey(key, { threshold: 2, shares: 3 })
  const texts: string[] = splitKey(key, { ...options, format: 'text' })
  const either: Buffer[] | string[] = splitKey(key, { ...options, format: 'text' as ShareFormat })
  const again: Buffer = recoverShare(binary, 9)
  const combined: Buffer = combineKey([again, ...binary])
  const sealing: SealOptions & { format: 'horcrux' } = { ...options, format: 'horcrux', aad: text }
  const { sealed, shares }: { sealed: Buffer; shares: string[] } = sealAndSplit(text, sealing)
  const read: CombineOptions = { format: 'horcrux', threshold: 2 }
  const other: string = recoverShare(shares, 200, read)
  const opening: OpenOptions = { ...read, aad: text }
  const opened: Buffer = combineAndOpen([other, ...shares], sealed, opening)
  if (!opened.equals(text) || !combined.equals(key)) throw new Error('shares give something else')
  return either.length + texts.length
}

const CHANNEL = 'hardware-aes-gcm:key-exhausted'
const heard: DiagnosticsMessages[typeof CHANNEL][] = []

function limitOfSpentKey(): 'encryptions' | 'failures' | undefined {
  using aes = new AesGcm(key, { maxMessages: 0 })
  subscribe(CHANNEL, message => heard.push(message as DiagnosticsMessages[typeof CHANNEL]))
  try {
    aes.encrypt(text)
  } catch {
    return heard[0]?.limit
  }
  return undefined
}

/** Never called: each line compiles only because it is an error, which it would not be if the types were lost. */
export function mistakes(aes: AesGcm): void {
  // @ts-expect-error a nonce is no option
  new AesGcm(key, { nonce: text })
  // @ts-expect-error a string is not bytes
  aes.encrypt('text')
  // @ts-expect-error the keys of XAES-256-GCM have 256 bits
  XAesGcm.generateKey(128)
  // @ts-expect-error the keys of AES-GCM-SIV have 128 or 256 bits
  AesGcmSiv.generateKey(192)
  // @ts-expect-error AES-192 is refused
  AesGcm.generateKey(192)
  // @ts-expect-error a counter cannot be set
  aes.messagesEncrypted = 0
  // @ts-expect-error a frame comes later
  aes.encryptInPlaceAsync(text).length
  // @ts-expect-error places are fixed
  KeyArena.default.capacity = 1
  // @ts-expect-error an arena is no object of options
  new AesGcm(key, { arena: { keys: 1 } })
  // @ts-expect-error no such version
  initialSecrets(2, text)
  // @ts-expect-error a header key is missing
  new PacketProtection({ key, iv: text })
  // @ts-expect-error a packet number is a number
  new PacketProtection(key).seal(text, 8, 1n)
  // @ts-expect-error a password is no secret
  secureStream(new PassThrough(), { secret: 'password', role: 'initiator' })
  // @ts-expect-error no such role
  new Handshake({ secret: text, role: 'client' })
  // @ts-expect-error no such cipher
  negotiateCipher(['aes-192-gcm'], [])
  // @ts-expect-error no such form
  splitKey(key, { threshold: 2, shares: 3, format: 'hex' })
  // @ts-expect-error texts are no Buffers
  recoverShare(splitKey(key, { threshold: 2, shares: 3, format: 'text' }), 4).byteLength
  // @ts-expect-error one share is no list
  combineKey(text)
  // @ts-expect-error no such limit
  heard.push({ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit: 'patience' })
}

/** Readers of old texts: options with the names of the original, and a layout. */
function oldTexts(): string | null {
  const options: TypeormOptions = { key: '10'.repeat(32), algorithm: 'aes-256-gcm', ivLength: 16 }
  const sealed = 'eOi0BxmnAjpmzqYa39nQGhEytf3uJJ1RxbGrR83mVK3CbNN+FjrWeLhpMtxCx7m0ik215zbaz0MpFLjS6h5y4w=='
  const reader: LegacyReader = typeormReader(options)
  const other = layoutReader({
    key,
    layout: { iv: '{iv}', data: '{ct}{tag}' },
    encoding: 'base64',
    aad: aad => aad,
  })
  interface Row {
    id: number
    iv: Uint8Array
    box: string | null
  }
  const row: Row = { id: 17, iv: key, box: null }
  const columns = layoutReader({
    key: [{ sha256: 'a secret', digest: 'hex' }, key],
    layout: { iv: '{iv}', box: { data: '{ct:mime}{tag:mime}' } },
    outerEncoding: 'base64url',
  })
  const bytes: Buffer | null = columns.tryOpenBytes(row)
  const { fallback }: OpenTextOptions = { fallback: [reader, columns, { tryOpen: () => null }] }
  // @ts-expect-error a reader of a package takes texts alone
  if (bytes !== null || fallback === undefined) reader.tryOpen(row)
  // @ts-expect-error a mode without a tag
  options.algorithm = 'aes-256-cbc'
  return other.tryOpen(sealed, text) ?? reader.open(sealed, null)
}

/** A message to a public key, and back. */
function publicKeys(type: HybridKeyType): string {
  const keyring: PrivateKeyring = PrivateKeyring.generate(type, { prefix: 'raw' })
  const sender: PublicKeyring = PublicKeyring.parse(keyring.publicKeyset())
  const sealed: Buffer = sender.seal(text, null)
  // @ts-expect-error a public keyring opens nothing
  if (sender.open !== undefined) throw new Error()
  // @ts-expect-error keyrings are not made by `new`
  if (keyring.keys.length === 0) new PrivateKeyring()
  return keyring.tryOpen(sealed)?.toString() ?? ''
}

/** The types of rows, which follow from the declaration. */
function columns(): number {
  const keyring = Keyring.generate()
  const users = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey: BlindIndex.generateKey(),
    columns: {
      email: { type: 'text', index: 'email_index', normalizer: text => text.toLowerCase() },
      photo: 'bytes',
      age: 'number',
    },
  })
  interface User {
    id: number
    name: string
    email: string
    photo: Uint8Array | null
    age?: number
  }
  const user: User = { id: 17, name: 'Ada', email: 'Ada@example.org', photo: text }
  const sealed = users.seal(user)
  const stored: { id: number; name: string; email: string; email_index: string; photo: string | null } =
    sealed
  const opened = users.open(sealed)
  const again: { email: string; photo: Buffer | null; age?: number } = opened
  const terms: string[] = users.lookup('email', 'ada@example.org')
  const of: EncryptedColumnsOptions<{ email: 'text' }, never> = {
    keyring,
    rowKey: false,
    columns: { email: 'text' },
  }
  const loose: string | null | undefined = encryptedColumns('logs', of).tryOpen({ email: null } as Record<
    string,
    unknown
  >)?.email
  // @ts-expect-error an index is no column of an opened row
  if (opened.email_index !== undefined || loose !== null) throw new NotSealedError('email')
  const wrong = () => {
    // @ts-expect-error the row has no key
    users.seal({ email: 'ada@example.org' })
    // @ts-expect-error a column of text is no number
    users.seal({ id: 1, email: 7 })
    // @ts-expect-error no such column
    users.condition('emial', 'sqlite')
    // @ts-expect-error a column without an index
    users.lookup('age', 7)
    // @ts-expect-error no such type
    encryptedColumns('users', { keyring, rowKey: 'id', columns: { email: 'string' } })
    // @ts-expect-error whether values are bound to their row must be said
    encryptedColumns('users', { keyring, columns: { email: 'text' } })
  }
  const extension = encryptedModels({ User: users }, { newKey: { User: () => 17 } })
  const age: string = fieldValue(36)
  // @ts-expect-error a model that is not declared
  if (age.length === 0) encryptedModels({ User: users }, { newKey: { Post: () => 17 } })
  if (typeof extension !== 'function') return -1
  return terms[0] === stored.email_index && again.email === user.email ? wrong.length : -1
}

/** A session over the types of the web, of Node and of a program. */
function user(request: Request, message: IncomingMessage, response: ServerResponse): string | undefined {
  const keyring = Keyring.generate()
  const session: SealedCookie<{ user: string }> = sealedCookie<{ user: string }>('session', {
    keyring,
    maxAge: 60,
  })
  session.write(response, { user: 'ada' }, message)
  session.clear(new Response(), request)
  return session.renew(request, new Headers())?.user
}
if (typeof user !== 'function') throw new Error('no function')

/** A rotation of a declared table, and a source that a caller writes. */
function rotations(): Promise<RotationResult> {
  const users = encryptedColumns('users', {
    keyring: Keyring.generate(),
    rowKey: 'id',
    columns: { email: { type: 'text', fallback: { tryOpen: () => null }, parts: ['email_iv'] } },
  })
  const { email_iv }: { email_iv: null } = users.seal({ id: 1, email: 'ada@example.org' })
  const source: RowSource = {
    read: async ({ after }) => ({ rows: [], next: email_iv ?? after }),
    write: changes => changes.map(() => false),
    count: () => [],
  }
  const wrong = () => {
    // @ts-expect-error no such way
    rotateColumns(users, source, { to: 'cleartext' })
    // @ts-expect-error a source has three functions
    rotateColumns(users, { read: source.read })
    const database = { exec() {}, prepare: () => ({ all: () => [], run: () => ({ changes: 0 }) }) }
    // @ts-expect-error a key is needed
    sqliteRows(database, { table: 'users' })
  }
  return rotateColumns(users, source, { batchSize: wrong.length + 1, onProgress: ({ seen }) => void seen })
}

/** Messages of any size, through the types of Node and of the web. */
function streams(): number {
  const message: Buffer = encryptBuffer(text, key, { context: 'typed' })
  const source: Source = { size: message.length, read: (at, length) => message.subarray(at, at + length) }
  const body: ReadableStream<Uint8Array> | undefined = new EncryptionStream(key).readable as never
  const files: FileOptions = {
    force: true,
    onProgress: (done: number, total: number | null) => void [done, total],
  }
  const size = (reader: DecryptionReader): number => reader.size
  createEncryptStream(key, { highWaterMark: 2 ** 20 }).destroy()
  if (body === undefined || files.force !== true || size.length !== 1) return 0
  return decryptBuffer(message, key, { context: 'typed' }).length + source.size
}

const { backend }: CpuInfo = cpu()
if (oldTexts()?.length !== 32) throw new Error('an old text does not open')
if (publicKeys('X25519-AES-256-GCM') !== 'typed') throw new Error('another message')
if (columns() !== 0) throw new Error('a row has another index')
// No await: a bundle may be CommonJS.
rotations().then(({ done }) => {
  if (!done) throw new Error('an empty table is not done')
})
if (streams() !== 5 + 77) throw new Error('a message has another size')
if (roundTrip() !== backend) throw new Error('the key does not run on the best backend')
if (codeOfBadFrame() !== 'ERR_AESGCM_AUTHENTICATION_FAILED') throw new Error('a bad frame was not refused')
const long: XAesGcmOptions = { maxMessages: 2 ** 40 }
const xaes = new XAesGcm(XAesGcm.generateKey(), long)
if (overheadOf(xaes) !== LONG_OVERHEAD || overheadOf(new AesGcm(key)) !== OVERHEAD)
  throw new Error('frames have another overhead')
const repeating: AesGcmSivOptions = { maxMessages: 2 ** 48 }
const siv = new AesGcmSiv(AesGcmSiv.generateKey(), repeating)
if (overheadOf(siv) !== SIV_OVERHEAD) throw new Error('frames of AES-GCM-SIV have another overhead')
if (rows() !== 2) throw new Error('rows do not open as they were sealed')
if (places() !== 2) throw new Error('a key takes one place')
if (seeded()?.cause !== 'reseed') throw new Error('a reseed is the last seed')
if (limitOfSpentKey() !== 'encryptions') throw new Error('a spent key was not told of')
for (const version of [VERSION_1, VERSION_2] as const)
  if (packets(version).join() !== '3,4,5,5,1') throw new Error('a run of packets came back otherwise')
if (session() !== 'aes-256-gcm' || stream() !== null) throw new Error('a session has another cipher')
if (shares() !== 6) throw new Error('a key has another number of shares')
// No top-level await, which CommonJS lacks. A rejection ends the process with an error.
offThread().then(bytes => {
  if (bytes !== 5) throw new Error('a frame came back with another length')
})
console.log(backend)
