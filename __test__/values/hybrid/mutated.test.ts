// Mutated keysets and messages: a keyset is read, or refused with its typed error; a message fails authentication and nothing else. No
// error shows bytes of keys. AESGCM_WHOLE=1 tries 20 000 of each.
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { expect, test } from 'vitest'
import { Random, thrown } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { TYPES } from './internals.js'

const random = new Random('hybrid, mutated')
const rings = TYPES.map(type => PrivateKeyring.generate(type))
const EXPECTED = ['ERR_AESGCM_INVALID_KEYSET', 'ERR_AESGCM_UNSUPPORTED_PLATFORM']
const FAILED = ['ERR_AESGCM_AUTHENTICATION_FAILED', 'ERR_AESGCM_UNKNOWN_KEY']

function errorOf(call: () => unknown): (Error & { code: string }) | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    return error as Error & { code: string }
  }
}

/** A copy with one to three changed, missing or doubled bytes. */
function mutated(bytes: Buffer): Buffer {
  let copy = Buffer.from(bytes)
  for (let i = random.below(3); i >= 0; i--) {
    const at = random.below(copy.length)
    const kind = random.below(4)
    if (kind < 2) copy[at] = random.below(256)
    else if (kind === 2) copy = Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + random.below(9))])
    else copy = Buffer.concat([copy.subarray(0, at), copy.subarray(random.below(at + 1))])
    if (copy.length === 0) return copy
  }
  return copy
}

/** A keyset with a mutated value, or a mutated text of a keyset. */
function mutatedKeyset(text: string): string {
  if (random.below(2) === 0) return mutated(Buffer.from(text)).toString('latin1')
  const keyset = JSON.parse(text)
  const { keyData } = keyset.key[0]
  keyData.value = mutated(Buffer.from(keyData.value, 'base64')).toString('base64')
  return JSON.stringify(keyset)
}

test('keysets', () => {
  for (let i = 0; i < count(600, 20_000); i++) {
    const ring = rings[i % rings.length] as PrivateKeyring
    const isPrivate = random.below(2) === 0
    const text = isPrivate ? ring.export() : ring.publicKeyset()
    const keyset = mutatedKeyset(text)
    const Class = random.below(8) === 0 ? [PublicKeyring, PrivateKeyring] : [PrivateKeyring, PublicKeyring]
    const error = errorOf(() => (Class[isPrivate ? 0 : 1] as typeof PublicKeyring).parse(keyset))
    if (error === undefined) continue
    expect(EXPECTED, `${error.stack}`).toContain(error.code)
    const { value } = JSON.parse(text).key[0].keyData
    for (const shown of [value.slice(-30), Buffer.from(value, 'base64').subarray(-8).toString('hex')])
      expect(`${error.message}${error.stack}`).not.toContain(shown)
  }
})

test('messages', () => {
  const messages = rings.map(ring =>
    PublicKeyring.parse(ring.publicKeyset()).seal(Buffer.from('attack at dawn'), 'a'),
  )
  for (let i = 0; i < count(1500, 20_000); i++) {
    const at = i % rings.length
    const message = messages[at] as Buffer
    const copy = mutated(message)
    if (copy.equals(message)) continue
    const error = thrown(() => (rings[at] as PrivateKeyring).open(copy, 'a')) as { code: string }
    expect(FAILED).toContain(error?.code)
  }
})
