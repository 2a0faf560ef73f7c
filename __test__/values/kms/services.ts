// Stand-ins for key services, which follow their documents: each encrypts under its key and the context of the request.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const KEY = randomBytes(32)

export function seal(plaintext: Uint8Array, aad: Uint8Array): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(aad)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

export function open(ciphertext: Uint8Array, aad: Uint8Array): Buffer {
  const bytes = Buffer.from(ciphertext)
  const cipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12), { authTagLength: 16 })
  cipher.setAAD(aad).setAuthTag(bytes.subarray(-16))
  return Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()])
}

const named = (name: string) => Object.assign(new Error('of the service'), { name })

/** As `new KMS({})`. */
export const aws = () => {
  const aadOf = (context: Record<string, string>, id: string) => Buffer.from(JSON.stringify([id, context]))
  return {
    async encrypt({ KeyId, Plaintext, EncryptionContext }: Aws) {
      return {
        CiphertextBlob: new Uint8Array(seal(Plaintext as Uint8Array, aadOf(EncryptionContext, KeyId))),
      }
    },
    async decrypt({ KeyId, CiphertextBlob, EncryptionContext }: Aws) {
      try {
        return {
          Plaintext: new Uint8Array(open(CiphertextBlob as Uint8Array, aadOf(EncryptionContext, KeyId))),
        }
      } catch {
        throw named('InvalidCiphertextException')
      }
    },
  }
}

interface Aws {
  KeyId: string
  Plaintext?: Uint8Array
  CiphertextBlob?: Uint8Array
  EncryptionContext: Record<string, string>
}

/** CRC-32C of RFC 3720, by a table. */
export function crc32c(bytes: Uint8Array): number {
  const table = Array.from({ length: 256 }, (_, n) => {
    let value = n
    for (let i = 0; i < 8; i++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
    return value >>> 0
  })
  let crc = 0xffffffff
  for (const byte of bytes) crc = (table[(crc ^ byte) & 0xff] as number) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

interface Google {
  name: string
  plaintext?: Uint8Array
  plaintextCrc32c?: { value: number }
  ciphertext?: Uint8Array
  ciphertextCrc32c?: { value: number }
  additionalAuthenticatedData: Uint8Array
  additionalAuthenticatedDataCrc32c: { value: number }
}

/** As `KeyManagementServiceClient`: checksums are numbers in requests, and Longs or strings in responses. */
export const google = () => ({
  async encrypt(request: Google) {
    const { plaintext = Buffer.of(), additionalAuthenticatedData: aad } = request
    const ciphertext = seal(plaintext, aad)
    const response = {
      name: `${request.name}/cryptoKeyVersions/1`,
      ciphertext,
      ciphertextCrc32c: { value: { toString: () => `${crc32c(ciphertext)}` } },
      verifiedPlaintextCrc32c: crc32c(plaintext) === request.plaintextCrc32c?.value,
      verifiedAdditionalAuthenticatedDataCrc32c:
        crc32c(aad) === request.additionalAuthenticatedDataCrc32c.value,
    }
    return [response, request, undefined] as unknown[]
  },
  async decrypt(request: Google) {
    const { ciphertext = Buffer.of(), additionalAuthenticatedData: aad } = request
    if (crc32c(ciphertext) !== request.ciphertextCrc32c?.value) throw named('INVALID_ARGUMENT')
    const plaintext = open(ciphertext, aad)
    return [{ plaintext, plaintextCrc32c: { value: `${crc32c(plaintext)}` } }, request] as unknown[]
  },
})

/** As `CryptographyClient`. */
export const azure = () => ({
  async wrapKey(algorithm: string, key: Uint8Array) {
    return { algorithm, result: seal(key, Buffer.from(algorithm)) as Uint8Array, keyID: 'https://…' }
  },
  async unwrapKey(algorithm: string, key: Uint8Array) {
    return { algorithm, result: open(key, Buffer.from(algorithm)) as Uint8Array, keyID: 'https://…' }
  },
})

export interface Request {
  url: string
  headers: Record<string, string>
}

/** As Vault's `POST /transit/encrypt/:name` and `/transit/decrypt/:name`. */
export const vault = (seen: Request[] = []) => ({
  address: 'https://vault.example:8200',
  key: 'app',
  token: 'hvs.token',
  context: 'users',
  fetch: async (url: string, { headers, body }: { headers: Record<string, string>; body: string }) => {
    seen.push({ url, headers })
    const answer = (status: number, value: object) => ({
      ok: status === 200,
      status,
      text: async () => JSON.stringify(value),
    })
    const request = JSON.parse(body) as Record<string, string>
    const aad = Buffer.from(request.associated_data ?? '', 'base64')
    const operation = url.split('/').at(-2)
    if (operation === 'encrypt') {
      const sealed = seal(Buffer.from(request.plaintext ?? '', 'base64'), aad)
      return answer(200, { data: { ciphertext: `vault:v1:${sealed.toString('base64')}`, key_version: 1 } })
    }
    try {
      const sealed = Buffer.from((request.ciphertext ?? '').replace('vault:v1:', ''), 'base64')
      return answer(200, { data: { plaintext: open(sealed, aad).toString('base64') } })
    } catch {
      return answer(400, { errors: ['cipher: message authentication failed'] })
    }
  },
})
