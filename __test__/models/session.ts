// Sessions on node:crypto alone, written from docs/formats.md and apart from the package: the tests' oracle.
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'

export type Cipher = 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305'
export type Role = 'initiator' | 'responder'

/** Everything that a cipher fixes: its id in a hello, its label in the key schedule, the bytes of its keys. */
export const CIPHERS = {
  'aes-256-gcm': { id: 1, label: 'KeibiDrop-AES-256-GCM-SEK', keyBytes: 32 },
  'aes-128-gcm': { id: 2, label: 'KeibiDrop-AES-128-GCM-SEK', keyBytes: 16 },
  'chacha20-poly1305': { id: 3, label: 'KeibiDrop-ChaCha20-Poly1305-SEK', keyBytes: 32 },
} as const
/** In the fixed order of preference. */
export const NAMES = Object.keys(CIPHERS) as Cipher[]
export const TYPES = { confirm: 0, data: 1, rekey: 2, end: 3 } as const
export const ROLES: readonly Role[] = ['initiator', 'responder']
/** The byte for the direction in which this role writes. */
const DIRECTION = { initiator: 1, responder: 2 } as const
export const other = (role: Role): Role => (role === 'initiator' ? 'responder' : 'initiator')

/** Header and tag. */
export const HEADER = 5
export const TAG = 16

const hmac = (key: Buffer, data: Buffer) => createHmac('sha512', key).update(data).digest()
const u16 = (value: number) => Buffer.of(value >> 8, value & 0xff)
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Each behind its length. */
export const prefixed = (parts: readonly Buffer[]): Buffer =>
  Buffer.concat(parts.flatMap(part => [u32(part.length), part]))

export const hello = (role: Role, random: Buffer, ids: readonly number[]): Buffer =>
  Buffer.concat([
    Buffer.from('HAGS'),
    Buffer.of(1, role === 'initiator' ? 0 : 1),
    random,
    Buffer.of(ids.length, ...ids),
  ])

/** A hello as it goes over a stream. */
export const framed = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes])

export const idsOf = (bytes: Buffer): number[] => [...bytes.subarray(39)]
export const randomOf = (bytes: Buffer): Buffer => bytes.subarray(6, 38)

/** The first of the fixed order that both lists hold. */
export const chosen = (a: readonly number[], b: readonly number[]): Cipher | undefined =>
  NAMES.find(name => a.includes(CIPHERS[name].id) && b.includes(CIPHERS[name].id))

export const transcriptOf = (initiator: Buffer, responder: Buffer, context?: Buffer): Buffer =>
  createHash('sha512')
    .update(
      Buffer.concat(
        [initiator, responder, ...(context === undefined ? [] : [context])].map(part => framed(part)),
      ),
    )
    .digest()

/** HKDF-Extract (RFC 5869 2.2). */
export const extract = (salt: Buffer, secrets: readonly Buffer[]): Buffer => hmac(salt, prefixed(secrets))

/** HKDF-Expand (RFC 5869 2.3) for outputs of at most one hash: T(1). */
const expand = (prk: Buffer, info: Buffer, length: number): Buffer =>
  hmac(prk, Buffer.concat([info, Buffer.of(1)])).subarray(0, length)

export interface Keys {
  key: Buffer
  iv: Buffer
  chain: Buffer
}

/** The keys of the direction in which `writer` writes. */
export function keysOf(prk: Buffer, cipher: Cipher, writer: Role): Keys {
  const { label, keyBytes } = CIPHERS[cipher]
  const of = (purpose: string, length: number) =>
    expand(
      prk,
      Buffer.concat([Buffer.from(label), Buffer.of(0, DIRECTION[writer]), Buffer.from(purpose)]),
      length,
    )
  return { key: of('key', keyBytes), iv: of('iv', 12), chain: of('chain', 64) }
}

/** The keys of the next epoch. */
export const nextKeys = (keys: Keys, cipher: Cipher, writer: Role, extra: readonly Buffer[] = []): Keys =>
  keysOf(hmac(keys.chain, prefixed(extra)), cipher, writer)

const authTagLength = TAG

/** The AEAD, for both wires. */
export function sealed(cipher: Cipher, key: Buffer, nonce: Buffer, plaintext: Buffer, aad: Buffer): Buffer {
  const aead = createCipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  aead.setAAD(aad)
  return Buffer.concat([aead.update(plaintext), aead.final(), aead.getAuthTag()])
}

export function opened(cipher: Cipher, key: Buffer, nonce: Buffer, bytes: Buffer, aad: Buffer): Buffer {
  const aead = createDecipheriv(cipher as 'aes-256-gcm', key, nonce, { authTagLength })
  aead.setAAD(aad)
  aead.setAuthTag(bytes.subarray(-TAG))
  return Buffer.concat([aead.update(bytes.subarray(0, -TAG)), aead.final()])
}

export function nonceOf(iv: Buffer, number: number): Buffer {
  const nonce = Buffer.from(iv)
  nonce.writeBigUInt64BE(iv.readBigUInt64BE(4) ^ BigInt(number), 4)
  return nonce
}

export interface Record {
  type: number
  data: Buffer
}

/** One direction of a session. */
export class Direction {
  readonly cipher: Cipher
  readonly writer: Role
  keys: Keys
  /** Of the next record. */
  number = 0
  epoch = 0

  constructor(cipher: Cipher, writer: Role, keys: Keys) {
    this.cipher = cipher
    this.writer = writer
    this.keys = keys
  }

  /** Any type and data, also such as no writer sends. Numbers rise, and keys change only by `rekeyed`. */
  seal(type: number, data: Buffer = Buffer.alloc(0)): Buffer {
    const header = Buffer.concat([u32(1 + data.length + TAG), Buffer.of(type)])
    const nonce = nonceOf(this.keys.iv, this.number++)
    return Buffer.concat([header, sealed(this.cipher, this.keys.key, nonce, data, header)])
  }

  /** Exactly one record. Throws if it is not authentic. */
  open(record: Buffer): Record {
    const header = record.subarray(0, HEADER)
    if (header.readUInt32BE() !== record.length - 4) throw new Error('another length')
    const nonce = nonceOf(this.keys.iv, this.number++)
    const data = opened(this.cipher, this.keys.key, nonce, record.subarray(HEADER), header)
    return { type: header.readUInt8(4), data }
  }

  /** The next epoch. */
  rekeyed(extra: readonly Buffer[] = []): void {
    this.keys = nextKeys(this.keys, this.cipher, this.writer, extra)
    this.number = 0
    this.epoch++
  }

  rekey(extra?: readonly Buffer[]): Buffer {
    const record = this.seal(TYPES.rekey, Buffer.of(extra === undefined ? 0 : 1))
    this.rekeyed(extra)
    return record
  }

  /** Opens records one after the other and follows their rekeys; `extras` are those of the rekeys that have one. */
  openAll(bytes: Buffer, extras: (readonly Buffer[])[] = []): Record[] {
    return cut(bytes).map(record => {
      const opened = this.open(record)
      if (opened.type === TYPES.rekey) this.rekeyed(opened.data[0] === 1 ? extras.shift() : [])
      return opened
    })
  }
}

/** The records in `bytes`, whole ones only. */
export function cut(bytes: Buffer): Buffer[] {
  const records: Buffer[] = []
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    records.push(bytes.subarray(at, end))
    at = end
  }
  return records
}

/** Both directions of a session between these hellos, as `role` uses them. */
export function session(role: Role, own: Buffer, peer: Buffer, secrets: readonly Buffer[], context?: Buffer) {
  const [initiator, responder] = role === 'initiator' ? [own, peer] : [peer, own]
  const cipher = chosen(idsOf(initiator), idsOf(responder))
  if (cipher === undefined) throw new Error('no cipher in common')
  const prk = extract(transcriptOf(initiator, responder, context), secrets)
  const direction = (writer: Role) => new Direction(cipher, writer, keysOf(prk, cipher, writer))
  return { cipher, writer: direction(role), reader: direction(other(role)) }
}

/** KeibiDrop's key: no salt, the secrets one after the other, its label. */
export const keibidropKey = (cipher: Exclude<Cipher, 'aes-128-gcm'>, secrets: readonly Buffer[]): Buffer =>
  expand(hmac(Buffer.alloc(64), Buffer.concat(secrets)), Buffer.from(CIPHERS[cipher].label), 32)

/** KeibiDrop's frames in one direction, as commit c79aa2a of KeibiSoft/KeibiDrop writes them: first counter 1, no AAD. */
export class KeibidropWriter {
  readonly cipher: Cipher
  readonly prefix: Buffer
  key: Buffer
  counter: bigint

  constructor(cipher: Cipher, key: Buffer, { prefix = 'OUTB', counter = 1n } = {}) {
    this.cipher = cipher
    this.prefix = Buffer.from(prefix)
    this.key = key
    this.counter = counter
  }

  seal(data: Buffer): Buffer {
    const nonce = Buffer.concat([this.prefix, Buffer.alloc(8)])
    nonce.writeBigUInt64BE(this.counter++, 4)
    const body = Buffer.concat([nonce, sealed(this.cipher, this.key, nonce, data, Buffer.alloc(0))])
    return Buffer.concat([u32(body.length), body])
  }
}

/** One KeibiDrop frame; any nonce is read, as the original's reader does. */
export function openKeibidrop(cipher: Cipher, key: Buffer, frame: Buffer): { nonce: Buffer; data: Buffer } {
  const nonce = frame.subarray(4, 16)
  return { nonce, data: opened(cipher, key, nonce, frame.subarray(16), Buffer.alloc(0)) }
}
