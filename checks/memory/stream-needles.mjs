// The bytes to look for after messages of `hardware-aes-gcm/stream`, computed from their salts by the book (C2SP chunked-encryption).
import { derive } from '../../__test__/models/cobblestone.mjs'
import { fill } from './formula.mjs'
import { BLOCKS, blocksOf, expanded } from './needles.mjs'
import { BITS } from './scenarios.mjs'

/** The form that HMAC gives the key before it hashes it (RFC 2104). */
const PADDED = BITS.flatMap(bits =>
  Object.entries({ ipad: 0x36, opad: 0x5c }).flatMap(([pad, mask]) => {
    const padded = fill(Buffer.alloc(bits / 8), bits).map(byte => byte ^ mask)
    return blocks(`key XOR ${pad} of AES-${bits}, from`, padded)
  }),
)

/**
 * The blocks of the scenarios' keys, and of the secrets of the messages that a scenario's last line tells: the expanded message key,
 * the base nonce, and both as SHA-512 holds its output, in words.
 */
export function ofMessages(said) {
  return [
    ...BLOCKS,
    ...PADDED,
    ...messagesOf(said).flatMap(({ of, key, salt }) => secretsOfMessage(of, key, salt)),
  ]
}

/** The same without the base nonces, and the words that hold them too. */
export const keysOfMessages = said => ofMessages(said).filter(([name]) => !/nonce|words/.test(name))

/** Names of what the expanded key of a message holds, on a backend where it has that many bytes. */
export function ofMessage(which, bits, stateBytes) {
  const key = ` of AES-${bits}`
  return expanded(stateBytes)
    .filter(name => name.endsWith(key))
    .map(name => name.replace(key, ` of message ${which}`))
}

/** Names of all that the scenario of held secrets holds. */
export const HELD = BITS.flatMap((bits, i) => {
  const starts = Array.from({ length: bits / 128 }, (_, n) => n)
  const own = [`base nonce of message ${i}`, ...starts.map(n => `round key ${n} of message ${i}`)]
  const words = [...starts, starts.length].map(n => `HKDF words of message ${i}, from ${16 * n}`)
  const padded = starts.flatMap(n =>
    ['ipad', 'opad'].map(pad => `key XOR ${pad} of AES-${bits}, from ${16 * n}`),
  )
  return [...own, ...words, ...padded]
})

/** The messages that a scenario told. */
function messagesOf(said) {
  return said.split(' ').map((message, i) => {
    const [bits, salt] = message.split(':')
    const key = fill(Buffer.alloc(bits / 8), Number(bits))
    return { of: `of message ${i}`, key, salt: Buffer.from(salt, 'hex') }
  })
}

/** The blocks of the secrets of one message, under a given key. */
export function secretsOfMessage(of, given, salt, context) {
  const { okm, key, baseNonce: nonce } = derive(given, salt, context)
  // The first eight bytes are those of the nonce of every chunk; the last eight, of the first chunk.
  const halves = Buffer.concat([nonce.subarray(0, 8), nonce.subarray(4)])
  const words = Buffer.from(okm.subarray(0, key.length + 16)).swap64()
  return [
    ...[...blocksOf(key)].map(([name, block]) => [`${name} ${of}`, block]),
    [`base nonce ${of}`, halves],
    ...blocks(`HKDF words ${of}, from`, words),
  ]
}

function blocks(name, bytes) {
  return Array.from({ length: bytes.length / 16 }, (_, i) => [
    `${name} ${16 * i}`,
    bytes.subarray(16 * i, 16 * i + 16),
  ])
}
