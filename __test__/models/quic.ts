// QUIC packet protection on node:crypto alone, written from the standards and apart from the package: the tests' oracle.
import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'

export interface Keys {
  key: Buffer
  iv: Buffer
  hp: Buffer
}

/** The constants of a version of QUIC: RFC 9001 5.2 and 5.8 for version 1, RFC 9369 3.3 for version 2. */
const CONSTANTS = {
  1: {
    salt: '38762cf7f55934b34d179ae6a4c80cadccbb7f0a',
    prefix: 'quic',
    retryKey: 'be0c690b9f66575a1d766b54e368c84e',
    retryNonce: '461599d35d632bf2239825bb',
  },
  1798521807: {
    salt: '0dede3def700a6db819381be6e269dcbf9bd2ed9',
    prefix: 'quicv2',
    retryKey: '8fb4b01b56ac48e260fbcbcead7ccc92',
    retryNonce: 'd86969bc2d7c6d9990efb04a',
  },
}
export type Version = keyof typeof CONSTANTS
export const VERSIONS: readonly Version[] = [1, 0x6b3343cf]

const hex = (text: string) => Buffer.from(text, 'hex')
const hmac = (hash: string, key: Buffer, data: Buffer) => createHmac(hash, key).update(data).digest()

/** HKDF-Expand-Label with an empty context (RFC 8446 7.1), for outputs of at most one hash (RFC 5869 2.3: T(1)). */
function expandLabel(secret: Buffer, label: string, length: number): Buffer {
  const hash = secret.length === 48 ? 'sha384' : 'sha256'
  const name = Buffer.from(`tls13 ${label}`)
  const info = Buffer.concat([Buffer.of(0, length, name.length), name, Buffer.of(0)])
  return hmac(hash, secret, Buffer.concat([info, Buffer.of(1)])).subarray(0, length)
}

/** RFC 9001 5.2. */
export function initialSecrets(version: Version, destinationConnectionId: Buffer) {
  const initial = hmac('sha256', hex(CONSTANTS[version].salt), destinationConnectionId)
  return { client: expandLabel(initial, 'client in', 32), server: expandLabel(initial, 'server in', 32) }
}

/** RFC 9001 5.1. A secret of 32 bytes belongs to AES-128-GCM, one of 48 bytes to AES-256-GCM. */
export function keysOf(version: Version, secret: Buffer): Keys {
  const { prefix } = CONSTANTS[version]
  const length = secret.length === 48 ? 32 : 16
  return {
    key: expandLabel(secret, `${prefix} key`, length),
    iv: expandLabel(secret, `${prefix} iv`, 12),
    hp: expandLabel(secret, `${prefix} hp`, length),
  }
}

/** RFC 9001 6.1. */
export const nextSecret = (version: Version, secret: Buffer): Buffer =>
  expandLabel(secret, `${CONSTANTS[version].prefix} ku`, secret.length)

/** The keys of one direction in `count` phases. The header key is that of phase 0 (RFC 9001 6.1). */
export function phasesOf(version: Version, secret: Buffer, count: number): Keys[] {
  const { hp } = keysOf(version, secret)
  const phases: Keys[] = []
  for (let current = secret; phases.length < count; current = nextSecret(version, current))
    phases.push({ ...keysOf(version, current), hp })
  return phases
}

/** RFC 9001 5.8. */
export function retryIntegrityTag(version: Version, originalId: Buffer, retryWithoutTag: Buffer): Buffer {
  const { retryKey, retryNonce } = CONSTANTS[version]
  const cipher = createCipheriv('aes-128-gcm', hex(retryKey), hex(retryNonce))
  cipher.setAAD(Buffer.concat([Buffer.of(originalId.length), originalId, retryWithoutTag]))
  cipher.final()
  return cipher.getAuthTag()
}

/** RFC 9001 5.3; the path id goes in front of the number (draft-ietf-quic-multipath). */
export function nonceOf(iv: Buffer, number: number | bigint, pathId: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(pathId, 0)
  nonce.writeBigUInt64BE(BigInt(number), 4)
  return nonce.map((byte, n) => byte ^ (iv[n] as number)) as Buffer
}

/** RFC 9001 5.4.3: the first five bytes of the encrypted sample. */
export function maskOf(hp: Buffer, sample: Buffer): Buffer {
  const cipher = createCipheriv(`aes-${hp.length * 8}-ecb`, hp, null)
  return cipher.update(sample).subarray(0, 5)
}

const isLong = (firstByte: number) => (firstByte & 0x80) !== 0
/** The bits of the first byte under header protection (RFC 9001 5.4.1). */
const protectedBits = (firstByte: number) => (isLong(firstByte) ? 0x0f : 0x1f)
const numberLengthOf = (firstByte: number) => (firstByte & 0x03) + 1

/** RFC 9000 A.3, in its words. `largest` is -1 before the first packet. */
export function decodePacketNumber(largest: bigint, truncated: bigint, bits: bigint): bigint {
  const expected = largest + 1n
  const window = 1n << bits
  const half = window / 2n
  const mask = window - 1n
  const candidate = (expected & ~mask) | truncated
  if (candidate <= expected - half && candidate < (1n << 62n) - window) return candidate + window
  if (candidate > expected + half && candidate >= window) return candidate - window
  return candidate
}

/** `header` ends with room for the packet number, whose length its first byte tells. Gives the protected packet. */
export function seal(
  { key, iv, hp }: Keys,
  header: Buffer,
  payload: Buffer,
  number: number,
  pathId = 0,
): Buffer {
  const first = header.readUInt8(0)
  const length = numberLengthOf(first)
  const offset = header.length - length
  const clear = Buffer.from(header)
  clear.writeUIntBE(number % 2 ** (8 * length), offset, length)
  const cipher = createCipheriv(`aes-${key.length === 32 ? 256 : 128}-gcm`, key, nonceOf(iv, number, pathId))
  cipher.setAAD(clear)
  const packet = Buffer.concat([clear, cipher.update(payload), cipher.final(), cipher.getAuthTag()])
  const mask = maskOf(hp, packet.subarray(offset + 4, offset + 20))
  packet.writeUInt8(first ^ (mask.readUInt8(0) & protectedBits(first)), 0)
  for (let n = 0; n < length; n++)
    packet.writeUInt8(packet.readUInt8(offset + n) ^ mask.readUInt8(1 + n), offset + n)
  return packet
}

type Opened = { number: number; header: Buffer; payload: Buffer } | 'not authentic' | 'not tried' | 'too high'

/**
 * `keys` chooses by the unprotected first byte. 'not tried': too short to sample. 'too high': authentic, with a number above
 * 2^53 - 1.
 */
export function open(
  hp: Buffer,
  keys: (firstByte: number) => Keys,
  packet: Buffer,
  offset: number,
  largest: number,
  pathId = 0,
): Opened {
  if (packet.length < offset + 20) return 'not tried'
  const mask = maskOf(hp, packet.subarray(offset + 4, offset + 20))
  const masked = packet.readUInt8(0)
  const first = masked ^ (mask.readUInt8(0) & protectedBits(masked))
  const length = numberLengthOf(first)
  const header = Buffer.from(packet.subarray(0, offset + length))
  header.writeUInt8(first, 0)
  for (let n = 0; n < length; n++)
    header.writeUInt8(header.readUInt8(offset + n) ^ mask.readUInt8(1 + n), offset + n)
  const truncated = BigInt(header.readUIntBE(offset, length))
  const number = decodePacketNumber(BigInt(largest), truncated, BigInt(8 * length))
  const { key, iv } = keys(first)
  const nonce = nonceOf(iv, number, pathId)
  const decipher = createDecipheriv(`aes-${key.length === 32 ? 256 : 128}-gcm`, key, nonce)
  decipher.setAAD(header)
  decipher.setAuthTag(packet.subarray(-16))
  const payload = decipher.update(packet.subarray(offset + length, -16))
  try {
    decipher.final()
  } catch {
    return 'not authentic'
  }
  if (number > Number.MAX_SAFE_INTEGER) return 'too high'
  return { number: Number(number), header, payload }
}
