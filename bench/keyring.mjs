// Keyrings: a value and a text of 64 bytes beside the class AesGcm, a careful version of the same on node:crypto, and other packages.
import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { decryptStringSync, encryptStringSync, generateKey } from '@47ng/cloak'
import { Encryption } from '@boringnode/encryption'
import { aes256gcm } from '@boringnode/encryption/drivers/aes_256_gcm'
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { CompactEncrypt, compactDecrypt } from 'jose'
import { times } from './table.mjs'
import { inTurns } from './turns.mjs'
import { NODE, OURS } from './ways.mjs'

const BYTES = 64
const TEXT = 'sk_live_51MxQ2eKc8vJ0yTn4RZbW7uHd3Fa9PgLs6XoVmEiBtUkNqCwAhGjYrDz'
const AAD = 'users/17/token'
const AAD_BYTES = Buffer.from(AAD)
/** Rounds, and calls of a sample: fewer where a call takes microseconds. */
const RUNS = { full: { rounds: 301, calls: 2000 }, quick: { rounds: 41, calls: 500 } }

export const DIRECTIONS = ['seal 64 bytes', 'open 64 bytes']

/** Figures of both directions. */
export async function measureKeyring(kind) {
  const { rounds, calls } = RUNS[kind]
  const { seal, open } = await ways()
  const results = []
  for (const [i, direction] of DIRECTIONS.entries()) {
    const all = i === 0 ? seal : open
    const [fast, slow] = [all.filter(({ by }) => by === OURS), all.filter(({ by }) => by !== OURS)]
    results.push(...(await inTurns(direction, rounds, fast, { calls })))
    results.push(
      ...(await inTurns(direction, Math.ceil(rounds / 10), slow, { calls: Math.ceil(calls / 20) })),
    )
  }
  return results
}

async function ways() {
  const key = AesGcm.generateKey()
  const [aes, plaintext] = [new AesGcm(key), Buffer.from(TEXT)]
  if (plaintext.length !== BYTES) throw new Error('the text has another length')
  const one = new Keyring([{ id: 0xdeadbeef, key }])
  const ten = new Keyring([
    ...Array.from({ length: 9 }, () => ({ key: AesGcm.generateKey() })),
    { id: 0xdeadbeef, key },
  ])
  const [value, text, frame] = [
    one.seal(plaintext, AAD_BYTES),
    one.sealText(TEXT, AAD),
    aes.encrypt(plaintext, AAD_BYTES),
  ]
  // Of memory so large that the package does not remember it: a call with arguments, as those of texts are.
  const place = Buffer.alloc(2 ** 17).subarray(0, BYTES + 28)
  const back = Buffer.from(frame)
  const node = onNode(key, 0xdeadbeef)
  if (node.open(text, AAD) !== TEXT || one.openText(node.seal(TEXT, AAD), AAD) !== TEXT)
    throw new Error('the version on node:crypto makes other texts')
  const cloak = generateKey()
  const cloaked = encryptStringSync(TEXT, cloak)
  const boring = new Encryption(aes256gcm({ id: 'bench', keys: [key.toString('hex')] }))
  const encrypted = boring.encrypt(TEXT, { purpose: AAD })
  const joseKey = new Uint8Array(key)
  const header = { alg: 'dir', enc: 'A256GCM', kid: '3735928559' }
  const jose = () => new CompactEncrypt(plaintext).setProtectedHeader(header).encrypt(joseKey)
  const token = await jose()
  const way = (by, way, run) => ({ by, way, bytes: BYTES, run })
  return {
    seal: [
      way(OURS, 'encryptInPlace', () => aes.encryptInPlace(place, AAD_BYTES)),
      way(OURS, 'encrypt', () => aes.encrypt(plaintext, AAD_BYTES)),
      way(OURS, 'seal', () => one.seal(plaintext, AAD_BYTES)),
      way(OURS, 'sealText', () => one.sealText(TEXT, AAD)),
      way(NODE, 'a text with its key id', () => node.seal(TEXT, AAD)),
      way('@47ng/cloak', 'encryptStringSync', () => encryptStringSync(TEXT, cloak)),
      way('@boringnode/encryption', 'encrypt', () => boring.encrypt(TEXT, { purpose: AAD })),
      way('jose', 'CompactEncrypt', jose),
    ],
    open: [
      way(OURS, 'decryptInPlace', () => {
        back.set(frame)
        aes.decryptInPlace(back, AAD_BYTES)
      }),
      way(OURS, 'decrypt', () => aes.decrypt(frame, AAD_BYTES)),
      way(OURS, 'open', () => one.open(value, AAD_BYTES)),
      way(OURS, 'openText', () => one.openText(text, AAD)),
      way(OURS, 'openText, 10 keys', () => ten.openText(text, AAD)),
      way(NODE, 'a text with its key id', () => node.open(text, AAD)),
      way('@47ng/cloak', 'decryptStringSync', () => decryptStringSync(cloaked, cloak)),
      way('@boringnode/encryption', 'decrypt', () => boring.decrypt(encrypted, AAD)),
      way('jose', 'compactDecrypt', () => compactDecrypt(token, joseKey)),
    ],
  }
}

/**
 * The same texts by node:crypto, as a careful program makes them: keys by their ids, random nonces, and on the way back one spelling of a
 * text and strict UTF-8. The keys are KeyObjects, and no part is copied twice.
 */
function onNode(bytes, id) {
  const keys = new Map([[id, createSecretKey(bytes)]])
  const head = Buffer.from([1, id >>> 24, (id >>> 16) & 255, (id >>> 8) & 255, id & 255])
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return {
    seal(text, aad) {
      if (/\p{Surrogate}/u.test(text)) throw new Error('a text that does not come back')
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keys.get(id), iv)
      cipher.setAAD(Buffer.from(aad))
      const ciphertext = cipher.update(text, 'utf8')
      cipher.final()
      return Buffer.concat([head, iv, ciphertext, cipher.getAuthTag()]).toString('base64url')
    },
    open(sealed, aad) {
      const value = Buffer.from(sealed, 'base64url')
      if (value.length < 33 || value[0] !== 1 || value.toString('base64url') !== sealed)
        throw new Error('not a sealed text')
      const key = keys.get(value.readUInt32BE(1))
      if (key === undefined) throw new Error('an unknown key')
      const decipher = createDecipheriv('aes-256-gcm', key, value.subarray(5, 17), { authTagLength: 16 })
      decipher.setAAD(Buffer.from(aad))
      decipher.setAuthTag(value.subarray(-16))
      const plaintext = decipher.update(value.subarray(17, -16))
      decipher.final()
      return decoder.decode(plaintext)
    },
  }
}

/** The promises about keyrings, by the medians, with the limits of limits.mjs. */
export function judgeKeyring(results, limits) {
  const of = (direction, name) => results.find(r => r.direction === direction && r.way === name).median
  const [seal, open] = DIRECTIONS
  const most = (text, time, beside, limit) => ({
    missed: !(time / beside <= limit),
    text: `${text}: ${(time / beside).toFixed(2)} times as long, at most ${limit}`,
  })
  const verdicts = [
    most('seal beside encrypt', of(seal, 'seal'), of(seal, 'encrypt'), limits.seal),
    most('open beside decrypt', of(open, 'open'), of(open, 'decrypt'), limits.seal),
    most('sealText beside encryptInPlace', of(seal, 'sealText'), of(seal, 'encryptInPlace'), limits.text),
    most('openText beside encryptInPlace', of(open, 'openText'), of(seal, 'encryptInPlace'), limits.text),
    most(
      'openText with 10 keys beside one',
      of(open, 'openText, 10 keys'),
      of(open, 'openText'),
      limits.keys,
    ),
  ]
  for (const [direction, name] of [
    [seal, 'sealText'],
    [open, 'openText'],
  ]) {
    for (const { by, median } of results.filter(r => r.direction === direction && r.by !== OURS)) {
      const factor = median / of(direction, name)
      const least = by === NODE ? limits.node : limits.peers
      const text = `${name}: ${factor.toFixed(1)} times as fast as ${by}, at least ${least}`
      verdicts.push({ missed: !(factor >= least), text })
    }
  }
  return verdicts
}

/** The table of keyrings. */
export function keyringTable(results) {
  const lines = []
  for (const direction of DIRECTIONS) {
    const own = results.filter(result => result.direction === direction)
    const ours = own.find(({ way }) => way === 'sealText' || way === 'openText')
    lines.push(
      `\n${direction}; ns`.padEnd(52) + ['median', 'best', 'x text'].map(text => text.padStart(9)).join(''),
    )
    for (const { by, way, median, least } of own) {
      const figures = [median.toFixed(0), least.toFixed(0), times(median / ours.median)]
      lines.push(`  ${by.padEnd(24)}${way.padEnd(26)}${figures.map(text => text.padStart(9)).join('')}`)
    }
  }
  return lines.join('\n')
}
