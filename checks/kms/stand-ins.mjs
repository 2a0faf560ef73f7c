// Servers on this machine that answer as the documents of Google Cloud KMS (REST), Azure Key Vault and Vault's transit engine say, and the
// clients that a program has: Google's, Azure's and fetch.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { azureKeyVault, googleKms, vaultTransit } from 'hardware-aes-gcm/kms'
import { AZURE, GOOGLE } from './clients.mjs'

export const TOKEN = 'the-token-of-the-check'
const KEY = randomBytes(32)

function seal(plaintext, aad) {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(aad)
  return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function open(sealed, aad) {
  const cipher = createDecipheriv('aes-256-gcm', KEY, sealed.subarray(0, 12), { authTagLength: 16 })
  cipher.setAAD(aad).setAuthTag(sealed.subarray(-16))
  return Buffer.concat([cipher.update(sealed.subarray(12, -16)), cipher.final()])
}

/** CRC-32C, bit by bit. */
function crc32c(bytes) {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let i = 0; i < 8; i++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  return `${~crc >>> 0}`
}

const base64 = text => Buffer.from(text ?? '', 'base64')
const refused = (status, body) => ({ status, body })
const NAME = 'projects/p/locations/global/keyRings/r/cryptoKeys/k'

/**
 * The services: `answer` answers a request, with `instead` for the keyset or key that it should decrypt, and `wrapping` makes the functions of this
 * package from a client for a port.
 */
export const SERVICES = {
  'Google Cloud KMS': {
    answer({ path, body, authorization }, instead) {
      if (authorization !== `Bearer ${TOKEN}`)
        return refused(401, { error: { code: 401, status: 'UNAUTHENTICATED' } })
      const aad = base64(body.additionalAuthenticatedData)
      if (path.startsWith(`/v1/${NAME}:encrypt`)) {
        const plaintext = base64(body.plaintext)
        const ciphertext = seal(plaintext, aad)
        return {
          name: `${NAME}/cryptoKeyVersions/1`,
          ciphertext: ciphertext.toString('base64'),
          ciphertextCrc32c: crc32c(ciphertext),
          verifiedPlaintextCrc32c: body.plaintextCrc32c === crc32c(plaintext),
          verifiedAdditionalAuthenticatedDataCrc32c: body.additionalAuthenticatedDataCrc32c === crc32c(aad),
        }
      }
      const plaintext = instead ?? open(base64(body.ciphertext), aad)
      return { plaintext: plaintext.toString('base64'), plaintextCrc32c: crc32c(plaintext) }
    },
    denied: { error: { code: 400, message: 'Decryption failed', status: 'INVALID_ARGUMENT' } },
    wrapping(port, context, timeout) {
      const modules = createRequire(join(GOOGLE(), 'x'))
      const { OAuth2Client } = modules('google-auth-library')
      const authClient = new OAuth2Client()
      authClient.setCredentials({ access_token: TOKEN, expiry_date: Date.now() + 3_600_000 })
      const { KeyManagementServiceClient } = modules('@google-cloud/kms')
      const client = new KeyManagementServiceClient({
        fallback: true,
        protocol: 'http',
        apiEndpoint: '127.0.0.1',
        port,
        authClient,
        projectId: 'p',
      })
      return googleKms(client, { name: NAME, context, timeout })
    },
  },

  'Azure Key Vault': {
    answer({ path, method, body, authorization, port }, instead) {
      // The client learns where tokens come from.
      if (authorization === undefined) {
        const challenge =
          'Bearer authorization="https://login.microsoftonline.com/t", resource="https://vault.azure.net"'
        return {
          ...refused(401, { error: { code: 'Unauthorized' } }),
          headers: { 'WWW-Authenticate': challenge },
        }
      }
      const kid = `http://127.0.0.1:${port}/keys/app/1`
      if (method === 'GET')
        return {
          key: { kid, kty: 'oct-HSM', key_ops: ['wrapKey', 'unwrapKey'] },
          attributes: { enabled: true },
        }
      const aad = Buffer.from(body.alg)
      const value = Buffer.from(body.value, 'base64url')
      const result = path.includes('/wrapkey') ? seal(value, aad) : (instead ?? open(value, aad))
      return { kid, value: result.toString('base64url') }
    },
    denied: { error: { code: 'BadParameter', message: 'Decryption failed' } },
    wrapping(port, context, timeout) {
      const { CryptographyClient } = createRequire(join(AZURE(), 'x'))('@azure/keyvault-keys')
      const credential = {
        getToken: async () => ({ token: TOKEN, expiresOnTimestamp: Date.now() + 3_600_000 }),
      }
      const client = new CryptographyClient(`http://127.0.0.1:${port}/keys/app/1`, credential, {
        disableChallengeResourceVerification: true,
        allowInsecureConnection: true,
        retryOptions: { maxRetries: 0 },
      })
      return azureKeyVault(client, { algorithm: 'A256KW', context, timeout })
    },
  },

  Vault: {
    answer({ path, body, token }, instead) {
      if (token !== TOKEN) return refused(403, { errors: ['permission denied'] })
      const aad = base64(body.associated_data)
      if (path === '/v1/transit/encrypt/app')
        return { data: { ciphertext: `vault:v1:${seal(base64(body.plaintext), aad).toString('base64')}` } }
      const plaintext = instead ?? open(base64(body.ciphertext.replace('vault:v1:', '')), aad)
      return { data: { plaintext: plaintext.toString('base64') } }
    },
    denied: { errors: ['cipher: message authentication failed'] },
    wrapping: (port, context, timeout) =>
      vaultTransit({ address: `http://127.0.0.1:${port}`, key: 'app', token: TOKEN, context, timeout }),
  },
}

/** A server that answers as a service, until `mode` says otherwise: 'slow', 'denied', `{ text }` of garbage, or `{ instead }` of what it decrypts. */
export class StandIn {
  mode
  /** Plaintexts that it was asked to encrypt. */
  seen = []
  #server
  #service

  constructor(name) {
    this.#service = SERVICES[name]
    this.#server = createServer((request, response) => this.#handle(request, response))
  }

  async listen() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.#server.address().port
  }

  async close() {
    if (!this.#server.listening) return
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #handle(request, response) {
    const send = (status, text, headers) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
    let text = ''
    for await (const chunk of request) text += chunk
    const { url: path, method, headers } = request
    const { authorization, 'x-vault-token': token } = headers
    const body = text === '' ? {} : JSON.parse(text)
    const { port } = this.#server.address()
    // The challenge and the key of Azure are answered in any mode, so that it is a call that fails.
    const isCall = method === 'POST' && (authorization ?? token) !== undefined
    if (isCall && /encrypt|wrapkey/.test(path.replace('unwrapkey', '')))
      this.seen.push(base64(body.plaintext ?? body.value))
    if (isCall && this.mode === 'slow') return
    if (isCall && this.mode === 'denied') return send(403, JSON.stringify(this.#service.denied))
    if (isCall && this.mode?.text !== undefined) return send(200, this.mode.text)
    try {
      const {
        status = 200,
        body: given,
        headers: more,
        ...answer
      } = this.#service.answer({ path, method, body, authorization, token, port }, this.mode?.instead)
      send(status, JSON.stringify(given ?? answer), more)
    } catch {
      send(400, JSON.stringify(this.#service.denied))
    }
  }
}
