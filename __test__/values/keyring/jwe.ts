// The functions behind the tokens of keyrings, over keys of AesGcm, and tokens whose parts a test chooses.
import { createCipheriv } from 'node:crypto'
import { createRequire } from 'node:module'
import { AesGcm } from 'hardware-aes-gcm'

export interface JweKey {
  id: number
  enc: 'A256GCM' | 'A128GCM' | null
  seal(plaintext: Uint8Array, aad: Uint8Array): Buffer
  open(frame: Uint8Array, aad: Uint8Array): Buffer | (() => Error) | undefined
}
type Find = (kid: string | undefined) => JweKey | readonly JweKey[]

export const { sealJwe, openJwe, idOfKid } = createRequire(import.meta.url)(
  '../../../dist/values/keyring/jwe.cjs',
) as {
  sealJwe(key: JweKey, payload: string | Uint8Array, header?: { typ?: string; cty?: string }): string
  openJwe(token: string, find: Find): Buffer<ArrayBuffer>
  idOfKid(kid: string): number | undefined
}

/** A key of AES-GCM as tokens need it. */
export function keyOf(bytes: Uint8Array, id = 7): JweKey {
  const aes = new AesGcm(bytes)
  return {
    id,
    enc: bytes.length === 32 ? 'A256GCM' : 'A128GCM',
    seal: (plaintext, aad) => aes.encrypt(plaintext, aad),
    open: (frame, aad) => aes.tryDecrypt(frame, aad) ?? undefined,
  }
}

/** A token of node:crypto with this header, as text; authentic whatever the header says. */
export function tokenOf(key: Uint8Array, header: string, text = 'attack at dawn', iv = Buffer.alloc(12, 9)) {
  const first = Buffer.from(header).toString('base64url')
  const cipher = createCipheriv(key.length === 32 ? 'aes-256-gcm' : 'aes-128-gcm', key, iv)
  cipher.setAAD(Buffer.from(first))
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  const [middle, tag] = [sealed, cipher.getAuthTag()].map(bytes => bytes.toString('base64url'))
  return `${first}..${iv.toString('base64url')}.${middle}.${tag}`
}
