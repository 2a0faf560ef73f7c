// Messages to a public key of X25519, before a process is examined.
import crypto from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { fill, outside } from './formula.mjs'
import { kept } from './stream-tools.mjs'

/** The numbers of the private scalar, of the ephemeral one, and of the plaintext, which is itself a key. */
export const [SCALAR, EPHEMERAL, TEXT] = [5, 6, 7]
export const INFO = 'context'
const KEY = 32
/** RFC 8410: the DER before a scalar. */
const PKCS8 = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20]
/** Where a message with Tink's prefix has the encapsulated key. */
export const ENC = [5, 37]

/** Each scenario with messages says the encapsulated key of its last one. */
export const HYBRID = {
  async 'messages to a public key wiped'(entry) {
    const { ours, sender } = await keyringsOf(entry)
    const text = fill(outside(KEY), TEXT)
    const sealed = sender.seal(text, INFO)
    text.fill(0)
    // A keyring of the exported keyset, as after a restart.
    const { PrivateKeyring } = await hybrid(entry)
    for (const keyring of [ours, PrivateKeyring.parse(ours.export())]) {
      const opened = keyring.open(sealed, INFO)
      if (!opened.equals(fill(text, TEXT))) throw new Error('not what was sealed')
      opened.fill(0)
      text.fill(0)
      if (keyring.tryOpen(sealed, 'another') !== null) throw new Error('another context opens')
      keyring.destroy()
    }
    await collected()
    return sealed.subarray(...ENC).toString('hex')
  },

  async 'a private keyring live'(entry) {
    const { ours, sender } = await keyringsOf(entry)
    const text = fill(outside(KEY), TEXT)
    const sealed = sender.seal(text, INFO)
    text.fill(0)
    ours.open(sealed, INFO).fill(0)
    kept.push(ours)
    await collected()
    return sealed.subarray(...ENC).toString('hex')
  },

  // A control, without the library: these bytes must be found.
  async 'scalars and a plaintext held in Buffers'() {
    for (const number of [SCALAR, EPHEMERAL, TEXT]) kept.push(fill(outside(KEY), number))
    return Buffer.alloc(KEY, 9).toString('hex')
  },
}

/** The library, whose ephemeral keys are known where it makes pairs itself: from 24.7 on, Node has a whole KEM that keeps them. */
function hybrid(entry) {
  if (crypto.encapsulate === undefined)
    crypto.generateKeyPairSync = () => {
      const privateKey = keyObject(EPHEMERAL)
      return { privateKey, publicKey: crypto.createPublicKey(privateKey) }
    }
  return import(new URL('values/hybrid/index.mjs', entry))
}

export async function keyringsOf(entry) {
  const { PrivateKeyring, PublicKeyring } = await hybrid(entry)
  const ours = PrivateKeyring.parse(keyset())
  return { ours, sender: PublicKeyring.parse(ours.publicKeyset()) }
}

function keyObject(number) {
  const key = outside(PKCS8.length + KEY)
  key.set(PKCS8)
  fill(key.subarray(PKCS8.length), number)
  try {
    return crypto.createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  } finally {
    key.fill(0)
  }
}

/** The keyset of the private scalar. Its text has the scalar in base64, whose bytes are others. */
function keyset() {
  const { x } = crypto.createPublicKey(keyObject(SCALAR)).export({ format: 'jwk' })
  const parts = [0x12, 6, 8, 1, 0x10, 1, 0x18, 2, 0x1a, KEY, ...Buffer.from(x, 'base64url')]
  const value = outside(2 + parts.length + 2 + KEY)
  value.set([0x12, parts.length, ...parts, 0x1a, KEY])
  fill(value.subarray(-KEY), SCALAR)
  const keyData = {
    typeUrl: 'type.googleapis.com/google.crypto.tink.HpkePrivateKey',
    value: value.toString('base64'),
    keyMaterialType: 'ASYMMETRIC_PRIVATE',
  }
  value.fill(0)
  return JSON.stringify({
    primaryKeyId: 7,
    key: [{ keyData, status: 'ENABLED', keyId: 7, outputPrefixType: 'TINK' }],
  })
}

/** OpenSSL wipes the memory of a KeyObject that is collected. */
export async function collected() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc()
    await turn()
  }
}
