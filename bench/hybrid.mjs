// Messages to a public key: X25519 and X-Wing beside other packages, and beside the operations of node:crypto on the curve, which every
// version over node:crypto needs. The packages are installed into the user's cache, at the versions below.
import crypto, { diffieHellman, generateKeyPairSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { cached } from '../checks/tools/cache.mjs'
import { times } from './table.mjs'
import { inTurns } from './turns.mjs'
import { NODE, OURS } from './ways.mjs'

const PEERS = [
  '@hpke/core@1.9.0',
  '@hpke/dhkem-x25519@1.8.0',
  '@hpke/hybridkem-x-wing@0.7.0',
  'eciesjs@0.5.0',
  'libsodium-wrappers@0.8.4',
]
const BYTES = 256
const INFO = Buffer.from('audit/17')
/** Rounds, and calls of a sample: fewer where a call takes milliseconds. */
const RUNS = { full: { rounds: 41, calls: 50 }, quick: { rounds: 10, calls: 20 } }
const SLOWER = 10

const CURVES = { X25519: 'X25519-AES-256-GCM', 'X-Wing': 'X-WING-AES-256-GCM' }
const directionOf = (operation, curve) => `${operation} ${BYTES} bytes, ${curve}`

/** Figures of both curves and directions. */
export async function measureHybrid(kind) {
  const { rounds, calls } = RUNS[kind]
  const results = []
  for (const curve of Object.keys(CURVES)) {
    const ways = await prepare(curve)
    for (const operation of ['seal', 'open'])
      for (const isSlow of [false, true]) {
        const part = ways
          .filter(way => Boolean(way.isSlow) === isSlow)
          .map(({ by, way, [operation]: run }) => ({ by, way, bytes: BYTES, run }))
        const plan = isSlow ? Math.ceil(calls / SLOWER) : calls
        if (part.length > 0)
          results.push(...(await inTurns(directionOf(operation, curve), rounds, part, { calls: plan })))
      }
  }
  return results
}

/** The ways of a curve: each has opened its own message, and those of HPKE the same one. */
async function prepare(curve) {
  const folder = cached(...PEERS)
  const require = createRequire(join(folder, 'file.js'))
  const load = name => import(pathToFileURL(require.resolve(name)))
  const plaintext = Buffer.alloc(BYTES, 7)
  let keyring
  try {
    keyring = PrivateKeyring.generate(CURVES[curve], { prefix: 'raw' })
  } catch (error) {
    if (error.code !== 'ERR_AESGCM_UNSUPPORTED_PLATFORM') throw error
    console.log(`${curve} is not measured: ${error.message}`)
    return []
  }
  const publicKeyset = keyring.publicKeyset()
  const sender = PublicKeyring.parse(publicKeyset)
  const bytesIn = keyset => Buffer.from(JSON.parse(keyset).key[0].keyData.value, 'base64')
  // The values of keysets end with the keys.
  const keys = {
    secret: bytesIn(keyring.export()).subarray(-32),
    public: bytesIn(publicKeyset).subarray(curve === 'X25519' ? -32 : -1216),
  }
  const sealed = sender.seal(plaintext, INFO)
  const own = {
    by: OURS,
    way: 'PublicKeyring, PrivateKeyring',
    seal: () => sender.seal(plaintext, INFO),
    open: () => keyring.open(sealed, INFO),
  }
  const core = await load('@hpke/core')
  const hpke = async (by, way, kem) => {
    const suite = new core.CipherSuite({ kem, kdf: new core.HkdfSha256(), aead: new core.Aes256Gcm() })
    const recipientPublicKey = await kem.deserializePublicKey(keys.public)
    const recipientKey = await kem.deserializePrivateKey(keys.secret)
    const encBytes = sealed.length - BYTES - 16
    const [enc, ciphertext] = [sealed.slice(0, encBytes), sealed.slice(encBytes)]
    return {
      by,
      way,
      isSlow: true,
      async seal() {
        const context = await suite.createSenderContext({ recipientPublicKey, info: INFO })
        return Buffer.concat([context.enc, await context.seal(plaintext)].map(part => Buffer.from(part)))
      },
      open: async () =>
        (await suite.createRecipientContext({ recipientKey, enc, info: INFO })).open(ciphertext),
      isHpke: true,
    }
  }
  const ways = [own]
  if (curve === 'X25519') {
    ways.push(
      curveAlone(),
      ...mechanismAlone(),
      await sodiumNative(plaintext),
      await libsodiumWrappers(load, plaintext),
      await hpke('@hpke/core', 'WebCrypto', new core.DhkemX25519HkdfSha256()),
      await hpke(
        '@hpke/dhkem-x25519',
        'JavaScript',
        new (await load('@hpke/dhkem-x25519')).DhkemX25519HkdfSha256(),
      ),
      await ecies(load, plaintext),
    )
  } else {
    const { HybridkemXWing, XWing = HybridkemXWing } = await load('@hpke/hybridkem-x-wing')
    ways.push(await hpke('@hpke/hybridkem-x-wing', 'JavaScript', new XWing()))
  }
  for (const { by, seal, open, isHpke } of ways) {
    if (by === NODE) continue
    const opened = Buffer.from(await open())
    if (!plaintext.equals(opened)) throw new Error(`${by} opens ${curve} to other bytes`)
    if (isHpke && !plaintext.equals(keyring.open(await seal(), INFO)))
      throw new Error(`${by} seals other bytes to ${curve}`)
  }
  return ways
}

/** Of node:crypto, the operations on the curve: a pair of keys and an exchange to seal, an exchange to open. */
function curveAlone() {
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  return {
    by: NODE,
    way: 'the curve alone',
    seal: () => diffieHellman({ privateKey: generateKeyPairSync('x25519').privateKey, publicKey }),
    open: () => diffieHellman({ privateKey, publicKey }),
  }
}

/** The KEM of this curve, of which a message is made: from 24.7 on, Node has it in one call. */
function mechanismAlone() {
  const { encapsulate, decapsulate } = crypto
  if (encapsulate === undefined) return []
  const { privateKey, publicKey } = generateKeyPairSync('x25519')
  const { ciphertext } = encapsulate(publicKey)
  return [
    {
      by: NODE,
      way: 'encapsulate, decapsulate',
      seal: () => encapsulate(publicKey),
      open: () => decapsulate(privateKey, ciphertext),
    },
  ]
}

async function sodiumNative(plaintext) {
  const { default: sodium } = await import('sodium-native')
  const [pk, sk] = [32, 32].map(length => Buffer.alloc(length))
  sodium.crypto_box_keypair(pk, sk)
  const seal = () => {
    const sealed = Buffer.alloc(BYTES + sodium.crypto_box_SEALBYTES)
    sodium.crypto_box_seal(sealed, plaintext, pk)
    return sealed
  }
  const sealed = seal()
  const open = () => {
    const opened = Buffer.alloc(BYTES)
    if (!sodium.crypto_box_seal_open(opened, sealed, pk, sk)) throw new Error('sodium-native does not open')
    return opened
  }
  return { by: 'sodium-native', way: 'sealed box, native', seal, open }
}

async function libsodiumWrappers(load, plaintext) {
  const { default: wrappers } = await load('libsodium-wrappers')
  await wrappers.ready
  const { publicKey, privateKey } = wrappers.crypto_box_keypair()
  const sealed = wrappers.crypto_box_seal(plaintext, publicKey)
  return {
    by: 'libsodium-wrappers',
    way: 'sealed box, WASM',
    isSlow: true,
    seal: () => wrappers.crypto_box_seal(plaintext, publicKey),
    open: () => wrappers.crypto_box_seal_open(sealed, publicKey, privateKey),
  }
}

async function ecies(load, plaintext) {
  const { ECIES_CONFIG, PrivateKey, decrypt, encrypt } = await load('eciesjs')
  ECIES_CONFIG.ellipticCurve = 'x25519'
  const key = new PrivateKey()
  const publicKey = key.publicKey.toBytes()
  const sealed = encrypt(publicKey, plaintext)
  return {
    by: 'eciesjs',
    way: 'ECIES of X25519, JavaScript',
    isSlow: true,
    seal: () => encrypt(publicKey, plaintext),
    open: () => decrypt(key.secret, sealed),
  }
}

/**
 * The promise to be ahead of every package on the same curve, by the least times: a call is all computation, which a busy machine can only
 * delay. `limit`: how many times as long each must take.
 */
export function judgeHybrid(results, limit) {
  return results
    .filter(({ by }) => by !== OURS && by !== NODE)
    .map(({ direction, by, way, least }) => {
      const factor = least / ours(results, direction).least
      const text = `${direction}: ${factor.toFixed(2)} times as fast as ${by} (${way}), at least ${limit}`
      return { missed: !(factor >= limit), text }
    })
}

const ours = (results, direction) => results.find(r => r.direction === direction && r.by === OURS)

/** The table of messages to a public key. */
export function hybridTable(results) {
  const lines = []
  for (const direction of new Set(results.map(result => result.direction))) {
    const own = results.filter(result => result.direction === direction)
    lines.push(
      `\n${direction}; us`.padEnd(56) + ['median', 'least', 'x ours'].map(text => text.padStart(9)).join(''),
    )
    for (const { by, way, median, least } of own) {
      const figures = [
        (median / 1000).toFixed(1),
        (least / 1000).toFixed(1),
        times(least / ours(own, direction).least),
      ]
      lines.push(`  ${by.padEnd(24)}${way.padEnd(30)}${figures.map(text => text.padStart(9)).join('')}`)
    }
  }
  return lines.join('\n')
}
