// Readers as the fallback of a keyring: old columns open and rotate, and nothing else does.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { AuthenticationError } from 'hardware-aes-gcm'
import { context, Keyring, UnknownKeyError } from 'hardware-aes-gcm/keyring'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  layoutReader,
  typeormReader,
} from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { gcm } from '../../models/legacy.js'
import { Random, refuses, thrown } from '../../tools/support.js'
import { BORINGNODE, CLOAK, CRYPTR, TYPEORM } from '../../vectors/legacy.js'
import { mutated } from './mutations.js'

const keyring = Keyring.generate()
const place = context('users', 'token', 17)
const random = new Random('fallbacks')
const KEY = random.bytes(32)
const fallback = [
  cloakReader(CLOAK.key),
  cryptrReader(CRYPTR.secret),
  ...TYPEORM.map(({ key, ivLength }) => typeormReader({ key, ivLength, algorithm: 'aes-256-gcm' })),
  boringnodeReader({ id: BORINGNODE.id, keys: BORINGNODE.keys }),
  layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' }),
]
const { iv, tag, ct } = gcm(KEY, random.bytes(16), 'by hand')
const HAND = { sealed: [iv, tag, ct].map(bytes => bytes.toString('hex')).join(':'), text: 'by hand' }

const OLD: [string, { sealed: string; text: string }][] = [
  ['cloak', CLOAK],
  ['cryptr', CRYPTR],
  ...TYPEORM.map(one => [`typeorm, an IV of ${one.ivLength} bytes`, one] as (typeof OLD)[0]),
  ['boringnode', BORINGNODE],
  ['a layout', HAND],
]

describe.each(OLD)('a text of %s', (_, { sealed, text }) => {
  test('opens by a fallback alone, and rotates into its place', () => {
    expect(keyring.openText(sealed, place, { fallback })).toBe(text)
    expect(keyring.tryOpenText(sealed, place, { fallback })).toBe(text)
    expect(keyring.needsRotation(sealed)).toBe(true)
    const renewed = keyring.rotate(sealed, place, { fallback })
    expect(keyring.needsRotation(renewed)).toBe(false)
    expect(keyring.openText(renewed, place)).toBe(text)
    expect(keyring.openText(renewed, place, { fallback })).toBe(text)
    expect(keyring.rotate(renewed, place, { fallback })).toBe(renewed)
    // A new text in another place does not open, whatever the fallback is.
    expect(keyring.tryOpenText(renewed, context('users', 'token', 18), { fallback })).toBeNull()
    for (const options of [undefined, {}, { fallback: [] }]) {
      const error = thrown(() => keyring.openText(sealed, place, options))
      expect(error).toBeInstanceOf(AuthenticationError)
      expect(keyring.tryOpenText(sealed, place, options)).toBeNull()
    }
    refuses(() => keyring.rotate('plaintext', place, { fallback }), 'ERR_AESGCM_AUTHENTICATION_FAILED')
  })

  test('is judged also for a text that opens without it', () => {
    const own = keyring.sealText(text, place)
    for (const wrong of [[{}], [...fallback, 5], { tryOpen: 5 }, 'reader'])
      for (const method of ['openText', 'tryOpenText', 'rotate'] as const)
        refuses(() => keyring[method](own, place, { fallback: wrong as never }), 'ERR_INVALID_ARG_TYPE')
  })
})

test('2 000 mutated texts of all formats: typed errors alone', () => {
  const quick = fallback.filter((_, i) => i !== 1)
  const texts = [CLOAK, ...TYPEORM, BORINGNODE, HAND]
  for (let n = 0; n < 2000; n++) {
    const { sealed, text } = random.pick(texts)
    try {
      expect(keyring.openText(mutated(sealed, random), place, { fallback: quick })).toBe(text)
    } catch (error) {
      expect(error).toBeInstanceOf(AuthenticationError)
    }
  }
})

test('an unknown key stays one if no fallback opens the text', () => {
  const sealed = Keyring.generate().sealText('text')
  expect(thrown(() => keyring.openText(sealed, place, { fallback }))).toBeInstanceOf(UnknownKeyError)
})

test('an old text that opens raises no event, and one that does not raises it', () => {
  let events = 0
  const count = () => void events++
  subscribe('hardware-aes-gcm:authentication-failed', count)
  keyring.openText(CLOAK.sealed, place, { fallback })
  keyring.tryOpenText(HAND.sealed, place, { fallback: fallback.slice(4) })
  expect(events).toBe(0)
  expect(keyring.tryOpenText('neither', place, { fallback })).toBeNull()
  expect(events).toBe(1)
  unsubscribe('hardware-aes-gcm:authentication-failed', count)
})
