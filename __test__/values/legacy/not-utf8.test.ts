// Regression: readers reported authentic plaintext that is not UTF-8 as forged, and published the event. And a value without the layout
// of its reader, such as clear text, had the error of a forged one.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { deflateSync, inflateSync } from 'node:zlib'
import { AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  type LegacyReader,
  layoutReader,
  typeormReader,
  UnknownLayoutError,
} from 'hardware-aes-gcm/legacy'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as originals from '../../models/legacy.js'
import { isOwn, Random, refuses, thrown } from '../../tools/support.js'

const random = new Random('old bytes that are not text')
const KEY = random.bytes(32)
const SECRET = 'a secret of the user'
const QUICK = { pbkdf2Iterations: 1 }
const CLOAK = originals.cloakKey(random)
const NOT_TEXT =
  '"sealed" is authentic, but its bytes are not UTF-8: open them as bytes, by openBytes(sealed)'
const METHODS = ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const

const hex = (bytes: Uint8Array) => {
  const { iv, tag, ct } = originals.gcm(KEY, random.bytes(12), bytes)
  return [iv, tag, ct].map(part => part.toString('hex')).join(':')
}
/** A value under another tag: authentic no more. */
const forge = (sealed: string) => sealed.replace(/[0-9a-f](?=[^:]*$)/, digit => (digit === '0' ? '1' : '0'))
const hexReader = () => layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })

/** Each with a function that seals bytes as its original seals text. */
const READERS: [string, LegacyReader, (bytes: Buffer) => string][] = [
  ['layout', hexReader(), hex],
  ['cloak', cloakReader(CLOAK), bytes => originals.cloak(CLOAK, bytes, random)],
  ['cryptr', cryptrReader(SECRET, QUICK), bytes => originals.cryptr(SECRET, bytes, QUICK, random)],
  [
    'typeorm-encrypted',
    typeormReader({ key: KEY, algorithm: 'aes-256-gcm', ivLength: 16 }),
    bytes => originals.typeorm(KEY, bytes, 16, random),
  ],
  [
    'boringnode, its JSON',
    boringnodeReader({ id: 'app', keys: SECRET, json: true }),
    bytes => originals.boringnode({ id: 'app', key: SECRET }, bytes, random),
  ],
]
const BYTES = [
  Buffer.from('Grüße', 'latin1'),
  deflateSync('text'.repeat(50)),
  Buffer.of(0xff),
  Buffer.of(0xed, 0xa0, 0x80),
]

let events = 0
const count = () => void events++
beforeEach(() => {
  events = 0
  subscribe('hardware-aes-gcm:authentication-failed', count)
})
afterEach(() => void unsubscribe('hardware-aes-gcm:authentication-failed', count))

describe.each(READERS)('%s', (_, reader, seal) => {
  test.each(BYTES)(
    'authentic bytes that are not text, %#: an error of their own, without an event',
    bytes => {
      const sealed = seal(bytes)
      for (const method of ['open', 'tryOpen'] as const) {
        const error = refuses(() => reader[method](sealed), 'ERR_INVALID_ARG_VALUE')
        expect(error).toBeInstanceOf(TypeError)
        expect(error.message).toBe(NOT_TEXT)
      }
      for (const opened of [reader.openBytes(sealed), reader.tryOpenBytes(sealed)]) {
        expect(opened).toEqual(bytes)
        isOwn(opened as Buffer)
      }
      expect(events).toBe(0)
    },
  )

  test('a value of another layout has an error of its own, without an event', () => {
    for (const wrong of ['', 'clear text', 'iv:tag:ct', '{}', '\ud800'])
      for (const method of ['open', 'openBytes'] as const) {
        const error = refuses(() => reader[method](wrong), 'ERR_AESGCM_UNKNOWN_LAYOUT')
        expect(error).toBeInstanceOf(UnknownLayoutError)
        expect(error).toBeInstanceOf(AuthenticationError)
        expect([reader.tryOpen(wrong), reader.tryOpenBytes(wrong)]).toEqual([null, null])
      }
    expect(events).toBe(0)
  })
})

test('a forged value has the error and the event of forgeries, whatever it holds', () => {
  const reader = hexReader()
  for (const sealed of [hex(Buffer.from('text')), ...BYTES.map(hex)]) {
    const forged = forge(sealed)
    for (const method of ['open', 'openBytes'] as const) {
      const error = refuses(() => reader[method](forged), 'ERR_AESGCM_AUTHENTICATION_FAILED')
      expect(error.constructor).toBe(AuthenticationError)
    }
    expect([reader.tryOpen(forged), reader.tryOpenBytes(forged)]).toEqual([null, null])
  }
  expect(events).toBe(4 * 5)
})

test('the error of an unknown layout names itself, and nothing else', () => {
  const error = thrown(() => hexReader().open('a secret in clear text')) as UnknownLayoutError
  expect([error.name, error.code]).toEqual(['UnknownLayoutError', 'ERR_AESGCM_UNKNOWN_LAYOUT'])
  expect(error.message).toBe('the value does not have the layout of this reader')
  expect(error.stack).toContain(`UnknownLayoutError: ${error.message}`)
  expect(Object.keys(error)).toEqual(['code'])
  expect(new UnknownLayoutError()).toBeInstanceOf(AesGcmError)
})

test('no further key is tried after the one that opens', () => {
  const [sealed, keys] = [hex(Buffer.of(0xff)), [random.bytes(32), KEY, random.bytes(32)]]
  const reader = layoutReader({ key: keys, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
  refuses(() => reader.open(sealed), 'ERR_INVALID_ARG_VALUE')
  expect(reader.openBytes(sealed)).toEqual(Buffer.of(0xff))
})

describe('boringnode', () => {
  const reader = boringnodeReader({ id: 'app', keys: SECRET })
  const seal = (json: string | Buffer) => originals.boringnode({ id: 'app', key: SECRET }, json, random)

  test('the bytes of a message are those of its text', () => {
    const sealed = seal('{"message":"Grüße"}')
    for (const opened of [reader.openBytes(sealed), reader.tryOpenBytes(sealed)])
      expect(opened).toEqual(Buffer.from('Grüße'))
  })

  test('what is no message has no bytes either', () => {
    for (const method of METHODS) {
      const message = (wrong: string | Buffer) =>
        refuses(() => reader[method](seal(wrong)), 'ERR_INVALID_ARG_VALUE').message
      expect(message('{}')).toContain('is not JSON with a message')
      expect(message(Buffer.of(0xff))).toBe('"sealed" is authentic, but its bytes are not UTF-8')
    }
    expect(events).toBe(0)
  })

  test('an expired message opens by no method, as a forged one', () => {
    const sealed = seal('{"message":"text","expiryDate":"2020-01-01T00:00:00.000Z"}')
    for (const method of ['open', 'openBytes'] as const)
      refuses(() => reader[method](sealed), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    expect([reader.tryOpen(sealed), reader.tryOpenBytes(sealed)]).toEqual([null, null])
    expect(events).toBe(4)
  })
})

describe('as a fallback of a keyring', () => {
  const keyring = Keyring.generate()
  const CALLS = ['openText', 'tryOpenText', 'rotate'] as const

  test('authentic bytes that are not text are no forgery, and the next reader is not asked', () => {
    const never = { tryOpen: () => expect.unreachable() }
    for (const method of CALLS)
      for (const fallback of [hexReader(), [hexReader(), never]]) {
        const error = refuses(
          () => keyring[method](hex(deflateSync('text')), 'place', { fallback }),
          'ERR_INVALID_ARG_VALUE',
        )
        expect(error.message).toBe(NOT_TEXT)
      }
    expect(events).toBe(0)
  })

  test('clear text and forged values are one failure', () => {
    for (const wrong of ['clear text', forge(hex(Buffer.from('text')))])
      for (const method of ['openText', 'rotate'] as const) {
        const error = refuses(
          () => keyring[method](wrong, 'place', { fallback: hexReader() }),
          'ERR_AESGCM_AUTHENTICATION_FAILED',
        )
        expect(error.constructor).toBe(AuthenticationError)
      }
    expect(events).toBe(4)
  })

  test('a reader of the caller decides itself, and may be any object with these methods', () => {
    const reader = hexReader()
    const inflated = {
      open: (sealed: string) => inflateSync(reader.openBytes(sealed)).toString(),
      tryOpen(sealed: string, aad?: unknown) {
        expect([this, aad]).toEqual([inflated, 'place'])
        const bytes = reader.tryOpenBytes(sealed)
        return bytes && inflateSync(bytes).toString()
      },
    }
    const sealed = hex(deflateSync('text'))
    const options = { fallback: inflated }
    expect(keyring.openText(sealed, 'place', options)).toBe('text')
    const renewed = keyring.rotate(sealed, 'place', options)
    expect(keyring.openText(renewed, 'place')).toBe('text')
    expect(keyring.tryOpenText(forge(sealed), 'place', options)).toBeNull()
    expect(events).toBe(1)
  })
})
