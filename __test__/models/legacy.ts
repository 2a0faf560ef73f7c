// How the original programs seal, on node:crypto. checks/legacy compares the readers with the packages themselves.
import { createCipheriv, createHash, hkdfSync, pbkdf2Sync } from 'node:crypto'
import type { Random } from '../tools/support.js'

export interface Sealed {
  iv: Buffer
  tag: Buffer
  ct: Buffer
}

export function gcm(
  key: Uint8Array,
  iv: Buffer,
  text: string | Uint8Array,
  aad?: Uint8Array,
  tagBytes = 16,
): Sealed {
  const options = { authTagLength: tagBytes }
  const cipher = createCipheriv(`aes-${key.length * 8}-gcm` as 'aes-256-gcm', key, iv, options)
  if (aad !== undefined) cipher.setAAD(aad)
  const ct = Buffer.concat([cipher.update(text), cipher.final()])
  return { iv, tag: cipher.getAuthTag(), ct }
}

/** The text of a new key of cloak. */
export const cloakKey = (random: Random) =>
  `k1.aesgcm256.${random.bytes(32).toString('base64').replaceAll('+', '-').replaceAll('/', '_')}`

export function cloak(key: string, text: string | Uint8Array, random: Random): string {
  const fingerprint = createHash('sha256').update(key).digest('hex').slice(0, 8)
  const { iv, tag, ct } = gcm(Buffer.from(key.slice(13), 'base64url'), random.bytes(12), text)
  const urlSafe = (bytes: Buffer) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
  return ['v1', 'aesgcm256', fingerprint, urlSafe(iv), urlSafe(Buffer.concat([ct, tag]))].join('.')
}

export function typeorm(key: Buffer, text: string | Uint8Array, ivLength: number, random: Random): string {
  const { iv, tag, ct } = gcm(key, random.bytes(ivLength), text)
  return Buffer.concat([iv, tag, ct]).toString('base64')
}

interface Cryptr {
  encoding?: 'hex' | 'base64' | 'base64url'
  saltLength?: number
  pbkdf2Iterations?: number
}

export function cryptr(secret: string, text: string | Uint8Array, options: Cryptr, random: Random): string {
  const { encoding = 'hex', saltLength = 64, pbkdf2Iterations = 100_000 } = options
  const salt = random.bytes(saltLength)
  const { iv, tag, ct } = gcm(
    pbkdf2Sync(secret, salt, pbkdf2Iterations, 32, 'sha512'),
    random.bytes(16),
    text,
  )
  return Buffer.concat([salt, iv, tag, ct]).toString(encoding)
}

interface Boringnode {
  id: string
  key: string
  purpose?: string
  /** A text as versions before `v1:` wrote it. */
  early?: boolean
}

/** Seals JSON as it is. */
export function boringnode(
  { id, key, purpose, early = false }: Boringnode,
  json: string | Uint8Array,
  random: Random,
): string {
  const hash = createHash('sha256').update(key).digest()
  const derived = early ? hash : Buffer.from(hkdfSync('sha256', hash, '', `aes-256-gcm:v1:${id}`, 32))
  const aad = purpose === undefined ? undefined : Buffer.from(purpose)
  const { iv, tag, ct } = gcm(derived, random.bytes(12), json, aad)
  const [first, second, third] = [ct, iv, tag].map(bytes => bytes.toString('base64url'))
  return `${id}.${early ? '' : 'v1:'}${first}.${second}.${third}`
}
