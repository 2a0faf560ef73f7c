// Declarations for the tests of encrypted columns, and the format of values by node:crypto.
import { createCipheriv, createHmac } from 'node:crypto'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { Keyring } from 'hardware-aes-gcm/keyring'

/** The keyset and the keys of docs/formats.md. */
export const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
export const ID = 0xdeadbeef
export const keyring = new Keyring([{ id: ID, key: KEY }])
export const INDEX_KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
export const lower = (text: string) => text.trim().toLowerCase()

/** A table with a column of each type; two of them are indexed. */
export const users = encryptedColumns('users', {
  keyring,
  rowKey: 'id',
  indexKey: INDEX_KEY,
  columns: {
    email: { type: 'text', index: 'email_index', normalizer: lower },
    age: { type: 'number', index: 'age_index' },
    photo: { type: 'bytes', index: 'photo_index' },
    address: 'json',
  },
})

/** PASETO's encoding of parts, as docs/formats.md describes it. */
export function encoded(...parts: readonly (string | Uint8Array)[]): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    return bytes
  }
  return Buffer.concat([
    number(parts.length),
    ...parts.flatMap(part => [number(Buffer.from(part).length), Buffer.from(part)]),
  ])
}

/** A sealed value, as docs/formats.md describes it. */
export function sealedBy(
  place: Uint8Array,
  content: string | Uint8Array,
  nonce = Buffer.alloc(12, 7),
): string {
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce)
  cipher.setAAD(place)
  const bytes = Buffer.concat([cipher.update(content), cipher.final()])
  const prefix = Buffer.from('01deadbeef', 'hex')
  return Buffer.concat([prefix, nonce, bytes, cipher.getAuthTag()]).toString('base64url')
}

/** A blind index, as docs/formats.md describes it. */
export const indexBy = (purpose: string, content: string | Uint8Array, key: Uint8Array = INDEX_KEY) =>
  createHmac('sha256', key).update(encoded(purpose, content)).digest().subarray(0, 16).toString('base64url')
