// Readers of known packages: texts that those wrote, models of them at random, and what is refused.
import { createSecretKey } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { type AesGcmError, AuthenticationError } from 'hardware-aes-gcm'
import {
  boringnodeReader,
  cloakReader,
  cryptrReader,
  type LegacyReader,
  layoutReader,
  typeormReader,
  UnknownLayoutError,
} from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import * as originals from '../../models/legacy.js'
import { cloned, Random, refuses, run, thrown } from '../../tools/support.js'
import { BORINGNODE, CLOAK, CRYPTR, TYPEORM } from '../../vectors/legacy.js'

const random = new Random('legacy readers')
const GCM = 'aes-256-gcm'
const FORGED = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const OTHER = 'ERR_AESGCM_UNKNOWN_LAYOUT'
const KEY = Buffer.alloc(32, 7)
const TEXTS = ['', 'a', 'é€😀\0', '\ufeffmark', 'x'.repeat(10_000)]

/** The code of the error for a value that does not open. */
const refusal = (reader: LegacyReader, sealed: string, aad?: string) => {
  const error = thrown(() => reader.open(sealed, aad)) as AuthenticationError
  expect(Object.keys(error)).toEqual(['code'])
  const Class = error.code === OTHER ? UnknownLayoutError : AuthenticationError
  expect([error.constructor, error.message]).toEqual([Class, new Class().message])
  expect(reader.tryOpen(sealed, aad)).toBeNull()
  return error.code
}
const isRefused = (reader: LegacyReader, sealed: string) =>
  expect([FORGED, OTHER]).toContain(refusal(reader, sealed))
const isForged = (reader: LegacyReader, sealed: string, aad?: string) =>
  expect(refusal(reader, sealed, aad)).toBe(FORGED)
const isOther = (reader: LegacyReader, sealed: string) => expect(refusal(reader, sealed)).toBe(OTHER)
const says = (run: () => unknown, code: string, part: string) =>
  expect(refuses(run, code).message).toContain(part)
const opens = (reader: LegacyReader, sealed: string, text: string) => {
  expect([reader.open(sealed), reader.tryOpen(sealed)]).toEqual([text, text])
  for (const bytes of [reader.openBytes(sealed), reader.tryOpenBytes(sealed)])
    expect(bytes?.toString()).toBe(text)
  expect(reader.open(sealed, 'additional data of the new text')).toBe(text)
}

const VECTORS: [string, LegacyReader, { sealed: string; text: string }][] = [
  ['cloak', cloakReader(CLOAK.key), CLOAK],
  ['cryptr', cryptrReader(CRYPTR.secret), CRYPTR],
  ...TYPEORM.map(({ key, ivLength, ...rest }): [string, LegacyReader, typeof rest] => [
    `typeorm-encrypted, IV of ${ivLength} bytes`,
    typeormReader({ key, ivLength, algorithm: GCM }),
    rest,
  ]),
  ['boringnode', boringnodeReader({ id: BORINGNODE.id, keys: BORINGNODE.keys }), BORINGNODE],
]

describe('texts of the packages', () => {
  test.each(VECTORS)('%s', (_, reader, { sealed, text }) => {
    opens(reader, sealed, text)
    for (const [, , other] of VECTORS) if (other.sealed !== sealed) isRefused(reader, other.sealed)
    for (const wrong of [
      '',
      ' ',
      text,
      `${sealed} `,
      `${sealed}\n`,
      ` ${sealed}`,
      sealed.slice(0, -3),
      `${sealed}A`,
    ])
      isRefused(reader, wrong)
  })
})

describe('cloak', () => {
  test.each(TEXTS)('the text %#', text => {
    const key = originals.cloakKey(random)
    opens(cloakReader(key), originals.cloak(key, text, random), text)
  })

  test('the fingerprint tells the key among several, whose texts may lack their padding', () => {
    const keys = Array.from({ length: 8 }, () => originals.cloakKey(random))
    for (const reader of [cloakReader(keys), cloakReader(keys.map(key => key.slice(0, -1)))]) {
      for (const key of keys) {
        const sealed = originals.cloak(key, 'text', random)
        opens(reader, sealed, 'text')
        const [v1, name, fingerprint = '', iv, text] = sealed.split('.')
        isForged(reader, [v1, name, '00000000', iv, text].join('.'))
        isForged(reader, [v1, name, '', iv, text].join('.'))
        isOther(reader, [v1, 'aesgcm128', fingerprint, iv, text].join('.'))
        if (fingerprint !== fingerprint.toUpperCase())
          isForged(reader, [v1, name, fingerprint.toUpperCase(), iv, text].join('.'))
        opens(reader, sealed.replace(/=+$/, ''), 'text')
      }
      isForged(reader, originals.cloak(originals.cloakKey(random), 'text', random))
    }
    const [bare, padded] = [CLOAK.key.slice(0, -1), CLOAK.key]
    opens(cloakReader(padded), originals.cloak(bare, 'text', random), 'text')
    opens(cloakReader(bare), originals.cloak(padded, 'text', random), 'text')
  })

  test('other keys', () => {
    for (const key of [
      '',
      'k1.aesgcm256.',
      CLOAK.key.slice(1),
      `k2${CLOAK.key.slice(2)}`,
      CLOAK.key.slice(0, -2),
      `${CLOAK.key}=`,
      `${CLOAK.key}\n`,
    ]) {
      says(() => cloakReader(key), 'ERR_INVALID_ARG_VALUE', '"keys" must be the text of a key of cloak')
      says(() => cloakReader([CLOAK.key, key]), 'ERR_INVALID_ARG_VALUE', '"keys[1]" must be the text')
      says(() => cloakReader([key]), 'ERR_INVALID_ARG_VALUE', '"keys[0]" must be the text')
    }
    for (const key of [undefined, null, 7, {}, KEY])
      says(() => cloakReader(key as never), 'ERR_INVALID_ARG_TYPE', '"keys" must be a string')
    says(() => cloakReader([]), 'ERR_OUT_OF_RANGE', '"keys" must have 1 to 8 keys, got 0')
    refuses(() => cloakReader(Array(9).fill(CLOAK.key)), 'ERR_OUT_OF_RANGE')
  })
})

describe('typeorm-encrypted', () => {
  test.each([16, 24, 32])('keys of %d bytes, in hex, as bytes and as KeyObject', length => {
    const key = random.bytes(length)
    const algorithm = `aes-${length * 8}-gcm` as typeof GCM
    for (const ivLength of [12, 16] as const)
      for (const text of TEXTS) {
        const sealed = originals.typeorm(key, text, ivLength, random)
        for (const one of [
          key,
          key.toString('hex'),
          key.toString('hex').toUpperCase(),
          createSecretKey(key),
          [KEY.subarray(0, length), key],
        ])
          opens(typeormReader({ key: one, algorithm, ivLength, authTagLength: 16 }), sealed, text)
        isRefused(typeormReader({ key, algorithm, ivLength: ivLength === 12 ? 16 : 12 }), sealed)
        isRefused(typeormReader({ key, algorithm, ivLength }), sealed.replace(/.{4}$/, ''))
      }
  })

  test('wrong options', () => {
    const options = { key: KEY, algorithm: GCM, ivLength: 16 } as const
    const wrong = (change: object) => () => typeormReader({ ...options, ...change })
    for (const algorithm of [undefined, 'aes-256-cbc', 'aes-256-ctr', 'AES-256-GCM', 7])
      says(wrong({ algorithm }), 'ERR_INVALID_ARG_VALUE', '"options.algorithm" must be')
    says(wrong({ algorithm: 'aes-128-gcm' }), 'ERR_INVALID_ARG_VALUE', '"options.key" must be 16 bytes')
    for (const ivLength of [undefined, 0, 8, 13, '16'])
      says(wrong({ ivLength }), 'ERR_OUT_OF_RANGE', '"options.ivLength"')
    for (const authTagLength of [4, 12, 15, '16', null])
      says(wrong({ authTagLength }), 'ERR_OUT_OF_RANGE', '"options.authTagLength"')
    says(wrong({ iv: 'ff' }), 'ERR_INVALID_ARG_VALUE', `"options" has no 'iv'`)
    for (const key of ['e'.repeat(63), 'g'.repeat(64), ` ${'e'.repeat(64)}`])
      says(wrong({ key }), 'ERR_INVALID_ARG_VALUE', '"options.key" must be bytes, or a text of hex digits')
    for (const key of ['', 'ee', KEY.subarray(1)]) refuses(wrong({ key }), 'ERR_AESGCM_INVALID_KEY_LENGTH')
    for (const key of [undefined, null, 7, {}]) refuses(wrong({ key }), 'ERR_INVALID_ARG_TYPE')
    for (const given of [undefined, null, 'options'])
      refuses(() => typeormReader(given as never), 'ERR_INVALID_ARG_TYPE')
  })
})

describe('cryptr', () => {
  test.each([
    {},
    { encoding: 'base64', pbkdf2Iterations: 10 },
    { encoding: 'base64url', saltLength: 1, pbkdf2Iterations: 1 },
    { encoding: 'hex', saltLength: 1024, pbkdf2Iterations: 10 },
  ] as const)('options %o', options => {
    const reader = cryptrReader(['another secret', 'secret'], options)
    const seal = (secret: string, text: string) => originals.cryptr(secret, text, options, random)
    // The default number of rounds takes long, and the text of the package above is opened with it by every method.
    if (Object.keys(options).length === 0) expect(reader.open(seal('secret', 'é€😀'))).toBe('é€😀')
    else for (const text of ['', 'é€😀']) opens(reader, seal('secret', text), text)
    isForged(reader, seal('Secret', 'text'))
    isForged(cryptrReader('secret', { ...options, pbkdf2Iterations: 11 }), seal('secret', ''))
  })

  test('wrong arguments', () => {
    says(() => cryptrReader(''), 'ERR_INVALID_ARG_VALUE', '"secret" must not be empty')
    says(() => cryptrReader(['a', '']), 'ERR_INVALID_ARG_VALUE', '"secret[1]" must not be empty')
    for (const secret of [undefined, null, KEY])
      refuses(() => cryptrReader(secret as never), 'ERR_INVALID_ARG_TYPE')
    for (const encoding of ['utf8', 'latin1', null])
      refuses(() => cryptrReader('a', { encoding } as never), 'ERR_INVALID_ARG_VALUE')
    for (const saltLength of [0, 1025, 1.5, -1])
      refuses(() => cryptrReader('a', { saltLength }), 'ERR_OUT_OF_RANGE')
    for (const pbkdf2Iterations of [0, 2 ** 31])
      refuses(() => cryptrReader('a', { pbkdf2Iterations }), 'ERR_OUT_OF_RANGE')
    refuses(() => cryptrReader('a', { rounds: 1 } as never), 'ERR_INVALID_ARG_VALUE')
    refuses(() => cryptrReader('a', null as never), 'ERR_INVALID_ARG_TYPE')
  })
})

describe('boringnode', () => {
  const [id, key] = ['app', 'a secret of sixteen characters']
  const reader = boringnodeReader({ id, keys: [BORINGNODE.keys, key] })
  const seal = (json: string, more = {}) => originals.boringnode({ id, key, ...more }, json, random)

  test('messages of every kind', () => {
    for (const text of TEXTS) opens(reader, seal(JSON.stringify({ message: text })), text)
    for (const message of [17, 0, true, null, ['a'], { a: 1 }])
      opens(reader, seal(JSON.stringify({ message })), JSON.stringify(message))
    opens(reader, seal('{"message":"early"}', { early: true }), 'early')
    for (const json of ['', 'text', '17', 'null', '[]', '{}', '{"__proto__":{"message":1}}'])
      for (const method of ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const)
        says(
          () => reader[method](seal(json)),
          'ERR_INVALID_ARG_VALUE',
          '"sealed" is authentic, but it is not JSON with a message: the option "json" returns it as it is',
        )
    isForged(reader, seal('{"message":1,"purpose":"login"}'))
  })

  test('expiry', () => {
    const dated = (expiryDate: unknown) => seal(JSON.stringify({ message: 'text', expiryDate }))
    opens(reader, dated(new Date(Date.now() + 60_000)), 'text')
    for (const wrong of [new Date(Date.now() - 1000), 'never', '', 17, Date.now() + 60_000, null, {}])
      isForged(reader, dated(wrong))
    const json = boringnodeReader({ id, keys: key, json: true })
    opens(json, dated('never'), '{"message":"text","expiryDate":"never"}')
  })

  test('the millisecond of its expiry is the last one of a message', () => {
    const sealed = seal('{"message":"text","expiryDate":"2026-01-01T00:00:00.000Z"}')
    const { stdout } = run(`
      let now = Date.UTC(2026, 0, 1)
      Date.now = () => now
      const { boringnodeReader } = await import('hardware-aes-gcm/legacy')
      const reader = boringnodeReader(${JSON.stringify({ id, keys: key })})
      console.log(reader.tryOpen('${sealed}'))
      now++
      console.log(reader.tryOpen('${sealed}'))`)
    expect(stdout).toBe('text\nnull\n')
  })

  test('purpose, id and version are bound', () => {
    const login = boringnodeReader({ id, keys: key, purpose: 'login' })
    const sealed = seal('{"message":"text"}', { purpose: 'login' })
    opens(login, sealed, 'text')
    isForged(login, seal('{"message":"text"}'))
    isForged(reader, sealed)
    isForged(reader, sealed, 'login')
    isOther(boringnodeReader({ id: 'other', keys: key }), seal('{"message":1}'))
    isForged(boringnodeReader({ id: 'other', keys: key }), seal('{"message":1}').replace('app', 'other'))
    isForged(reader, seal('{"message":1}').replace('v1:', ''))
    isOther(reader, seal('{"message":1}').replace('v1:', 'v2:'))
    isForged(reader, seal('{"message":1}', { early: true }).replace('.', '.v1:'))
  })

  test('wrong options', () => {
    const wrong = (change: object) => () => boringnodeReader({ id, keys: key, ...change })
    for (const value of ['', 'a.b', '.a']) says(wrong({ id: value }), 'ERR_INVALID_ARG_VALUE', '"options.id"')
    says(wrong({ keys: 'fifteen letters' }), 'ERR_INVALID_ARG_VALUE', 'at least 16 characters')
    expect(wrong({ keys: 'sixteen letters!' })().destroyed).toBe(false)
    for (const name of ['id', 'keys'])
      for (const value of [undefined, null, 7, KEY]) refuses(wrong({ [name]: value }), 'ERR_INVALID_ARG_TYPE')
    for (const purpose of [null, 7, KEY])
      says(wrong({ purpose }), 'ERR_INVALID_ARG_TYPE', '"options.purpose"')
    for (const json of [null, 0, 'true']) says(wrong({ json }), 'ERR_INVALID_ARG_TYPE', '"options.json"')
    refuses(wrong({ key }), 'ERR_INVALID_ARG_VALUE')
  })
})

/** Each call of a reader of cryptr derives a key. */
const QUICK = { pbkdf2Iterations: 10 }
const READERS: typeof VECTORS = VECTORS.map(row => {
  if (row[0] !== 'cryptr') return row
  const { secret, text } = CRYPTR
  const sealed = originals.cryptr(secret, text, QUICK, random)
  return ['cryptr', cryptrReader(secret, QUICK), { sealed, text }]
})

describe.each(READERS)('every reader: %s', (_, reader, { sealed, text }) => {
  test('arguments of another type', () => {
    for (const method of ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const) {
      for (const wrong of [undefined, null, 7, {}, Buffer.from(sealed), ['a']])
        says(() => reader[method](wrong as never), 'ERR_INVALID_ARG_TYPE', '"sealed" must be a string')
      for (const aad of [7, {}, true, new ArrayBuffer(8)])
        says(() => reader[method](sealed, aad as never), 'ERR_INVALID_ARG_TYPE', '"aad" must be a string or')
      for (const aad of [undefined, null, '', 'aad', Buffer.from('aad')])
        expect(reader[method](sealed, aad)?.toString()).toBe(text)
      for (const self of [undefined, null, 7, {}])
        says(
          () => (reader[method] as (sealed: string) => unknown).call(self, sealed),
          'ERR_INVALID_THIS',
          'of type LegacyReader',
        )
    }
  })

  test('a format without the key in inspection or JSON, no clones', () => {
    expect(inspect(reader)).toMatch(/^LegacyReader \{ format: '[a-z-]+', keys: 1, destroyed: false \}$/)
    expect([JSON.stringify(reader), Object.keys(reader)]).toEqual(['{}', []])
    expect(cloned(reader)).toEqual({})
  })
})

test('destroy wipes the keys, and later calls throw', () => {
  const makers = [
    () => cloakReader(CLOAK.key),
    () => layoutReader({ key: KEY, layout: '{iv}.{tag}.{ct}', encoding: 'hex' }),
  ]
  for (const make of makers) {
    const reader = make()
    expect(reader.destroyed).toBe(false)
    reader.destroy()
    reader.destroy()
    expect(reader.destroyed).toBe(true)
    for (const sealed of [CLOAK.sealed, ''])
      for (const method of ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const)
        expect((thrown(() => reader[method](sealed)) as AesGcmError).code).toBe('ERR_AESGCM_DESTROYED')
    expect(inspect(reader)).toContain('destroyed: true')
    const other = make()
    other[Symbol.dispose]()
    expect(other.destroyed).toBe(true)
    for (const method of ['destroy', Symbol.dispose] as const)
      refuses(() => (reader[method] as () => void).call({}), 'ERR_INVALID_THIS')
  }
})

test('events of forgeries: for values of the format alone, by every method', () => {
  let events = 0
  const count = () => void events++
  const during = (run: () => unknown) => {
    events = 0
    run()
    return events
  }
  subscribe('hardware-aes-gcm:authentication-failed', count)
  const reader = cloakReader(CLOAK.key)
  const forged = CLOAK.sealed.replace('.h-eW', '.h-eX')
  for (const method of ['tryOpen', 'tryOpenBytes'] as const) {
    expect(during(() => reader[method]('another text'))).toBe(0)
    expect(during(() => reader[method](forged))).toBe(1)
  }
  for (const method of ['open', 'openBytes'] as const) {
    expect(during(() => thrown(() => reader[method]('another text')))).toBe(0)
    expect(during(() => thrown(() => reader[method](forged)))).toBe(1)
    expect(during(() => reader[method](CLOAK.sealed))).toBe(0)
  }
  unsubscribe('hardware-aes-gcm:authentication-failed', count)
})
