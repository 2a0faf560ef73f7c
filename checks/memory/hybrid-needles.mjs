// The bytes to look for after messages to a public key: the scalars, the plaintext, and every secret of RFC 9180 between them, by the book.
import { createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto'
import { fill } from './formula.mjs'
import { EPHEMERAL, INFO, SCALAR, TEXT } from './hybrid.mjs'
import { blocksOf } from './needles.mjs'

const KEY = 32
const halves = (name, bytes) => [0, 16].map(at => [`${name} from ${at}`, bytes.subarray(at, at + 16)])
const hex = text => Buffer.from(text, 'hex')
const bytesOf = number => fill(Buffer.alloc(KEY), number)

const FIXED = [
  ...halves('the private scalar', bytesOf(SCALAR)),
  ...halves('the ephemeral scalar', bytesOf(EPHEMERAL)),
  ...halves('the plaintext', bytesOf(TEXT)),
]
/** Names of the scalar alone, which a live keyring has. */
export const OF_SCALAR = FIXED.slice(0, 2).map(([name]) => name)
/** Names of what the scenarios import in DER: the ephemeral scalar, too, where they know it. */
export const OF_IMPORTS = FIXED.slice(0, 4).map(([name]) => name)
/** Names of what the control holds. */
export const HELD_SCALARS = FIXED.map(([name]) => name)

/** The blocks of the scenarios' bytes, and of the secrets of the message with this encapsulated key. */
export function ofHybrid(said) {
  const { exchange, prk, shared, secret, key, nonce } = secretsOf(hex(said))
  return [
    ...FIXED,
    ...halves('the exchange', exchange),
    ...halves('its pseudorandom key', prk),
    ...halves('the shared secret', shared),
    ...halves('the secret of the schedule', secret),
    // The last eight bytes are those of the first half too.
    ['the base nonce', Buffer.concat([nonce.subarray(0, 8), nonce.subarray(4)])],
    ...[...blocksOf(key)].map(([name, block]) => [`${name} of the message key`, block]),
  ]
}

/** RFC 9180, sections 4.1 and 5.1: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM, base mode. */
function secretsOf(enc) {
  const der = hex(`302e020100300506032b656e04220420${bytesOf(SCALAR).toString('hex')}`)
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const spki = Buffer.concat([hex('302a300506032b656e032100'), enc])
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const recipient = Buffer.from(createPublicKey(privateKey).export({ format: 'jwk' }).x, 'base64url')
  const exchange = diffieHellman({ privateKey, publicKey })
  const [kem, hpke] = [hex('4b454d0020'), hex('48504b45002000010002')]
  const extract = (suite, salt, label, ikm) => hmac(salt, 'HPKE-v1', suite, label, ikm)
  const expand = (suite, prk, label, length, ...info) =>
    hmac(prk, Buffer.of(0, length), 'HPKE-v1', suite, label, ...info, Buffer.of(1)).subarray(0, length)
  const prk = extract(kem, '', 'eae_prk', exchange)
  const shared = expand(kem, prk, 'shared_secret', KEY, enc, recipient)
  const context = [
    Buffer.of(0),
    extract(hpke, '', 'psk_id_hash', ''),
    extract(hpke, '', 'info_hash', Buffer.from(INFO)),
  ]
  const secret = extract(hpke, shared, 'secret', '')
  const key = expand(hpke, secret, 'key', KEY, ...context)
  const nonce = expand(hpke, secret, 'base_nonce', 12, ...context)
  return { exchange, prk, shared, secret, key, nonce }
}

function hmac(key, ...parts) {
  const mac = createHmac('sha256', key)
  for (const part of parts) mac.update(part)
  return mac.digest()
}
