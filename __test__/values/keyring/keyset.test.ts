// Keysets as texts and as Protocol Buffers: written and read again, the one-line form, limits, and the places that errors tell.
import { deepStrictEqual } from 'node:assert'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, refuses, run } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import {
  decodeKeyset,
  encodeKeyset,
  hex,
  INVALID,
  type Keyset,
  type KnownKey,
  keyTypeOf,
  LIMITS,
  readEncrypted,
  readKeyset,
  writeEncrypted,
  writeKeyset,
} from './internals.js'
import { randomKeyset } from './keysets.js'

const URL = 'type.googleapis.com/google.crypto.tink.AesGcmKey'
const VALUE = Buffer.concat([hex('1a20'), Buffer.alloc(32, 7)]).toString('base64')
const key = (id: number, more: object = {}, data: object = {}) => ({
  keyData: { typeUrl: URL, value: VALUE, keyMaterialType: 'SYMMETRIC', ...data },
  status: 'ENABLED',
  keyId: id,
  outputPrefixType: 'TINK',
  ...more,
})
const keyset = (...key: object[]) => JSON.stringify({ primaryKeyId: 1, key })
const message = (text: string) => refuses(() => readKeyset(text), INVALID).message

describe('written and read again', () => {
  test('random keysets, as JSON, as Protocol Buffers and encrypted', () => {
    const random = new Random('keysets')
    for (let i = 0; i < count(120, 500); i++) {
      const set = randomKeyset(random, 12)
      const raw = set.keys.filter(({ prefix, status }) => prefix === 'raw' && status === 'enabled').length
      if (raw > LIMITS.MAX_RAW_KEYS) {
        expect(message(writeKeyset(set))).toContain('outputPrefixType')
        continue
      }
      const [text, bytes] = [writeKeyset(set), encodeKeyset(set)]
      const wanted = plain(set)
      deepStrictEqual(readKeyset(text), wanted)
      deepStrictEqual(decodeKeyset(bytes), wanted)
      deepStrictEqual(readKeyset(JSON.stringify(JSON.parse(text), null, '\t')), wanted)
      const { ciphertext, info } = readEncrypted(writeEncrypted(bytes, set))
      deepStrictEqual(ciphertext, bytes)
      deepStrictEqual(
        info?.keys.map(({ id, status, prefix }) => ({ id, status, prefix })),
        set.keys.map(({ id, status, prefix }) => ({ id, status, prefix })),
      )
    }
  })

  test('memory of its own: not in the pool, not in the argument', () => {
    const bytes = encodeKeyset(readKeyset(keyset(key(1), key(2, { status: 'DISABLED' }, { typeUrl: 'x' }))))
    expect(bytes.buffer.byteLength).toBe(bytes.length)
    const read = decodeKeyset(bytes)
    bytes.fill(0)
    const [first, second] = read.keys as [KnownKey, { value: Uint8Array }]
    expect(first.bytes).toEqual(Buffer.alloc(32, 7))
    expect(first.bytes.buffer.byteLength).toBe(32)
    expect(second.value.buffer.byteLength).toBe(34)
    LIMITS.wipeKeys(read.keys)
    expect([...first.bytes, ...second.value].every(byte => byte === 0)).toBe(true)
  })

  /** With Buffers, as they are read. */
  const plain = ({ primary, keys }: Keyset): Keyset => ({
    primary,
    keys: keys.map(one =>
      one.type === null
        ? { ...one, value: one.value && Buffer.from(one.value) }
        : { ...one, bytes: Buffer.from(one.bytes) },
    ),
  })
})

describe('one line', () => {
  const random = new Random('lines')
  const [long, short] = [random.bytes(32), random.bytes(16)]
  const keysOf = (text: string) => readKeyset(text).keys as KnownKey[]

  test('keys in hex, base64 and base64url, with padding or without it', () => {
    for (const bytes of [long, short]) {
      const [base64, url] = [bytes.toString('base64'), bytes.toString('base64url')]
      for (const text of [
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
        base64,
        base64.replaceAll('=', ''),
        url,
        `${url}${'='.repeat(base64.length - url.length)}`,
      ]) {
        const [one] = keysOf(`4294967295:${text}`)
        expect(one).toEqual({
          id: 4294967295,
          status: 'enabled',
          prefix: 'tink',
          type: keyTypeOf('type', bytes === long ? 'AES-256-GCM' : 'AES-128-GCM'),
          bytes,
        })
      }
    }
  })

  test('the first is the primary; white space round the line', () => {
    const text = ` \n0:${long.toString('hex')},16:${short.toString('base64')}\r\n`
    expect(readKeyset(text).primary).toBe(0)
    expect(keysOf(text).map(({ id, bytes }) => [id, bytes.length])).toEqual([
      [0, 32],
      [16, 16],
    ])
    expect(readKeyset(writeKeyset(readKeyset(text)))).toEqual(readKeyset(text))
  })

  const good = '0123456789abcdef'.repeat(2)
  test.each([
    ['', 'the keyset is empty'],
    [' \n', 'the keyset is empty'],
    [',', '"key[0]" '],
    [`1:${good},`, '"key[1]" '],
    [`,1:${good}`, '"key[0]" '],
    [`1:${good}, 2:${good}`, '"key[1].keyId" '],
    [`1:${good};2:${good}`, '"key[0].keyData.value" '],
    [good, '"key[0]" '],
    [`:${good}`, '"key[0].keyId" '],
    [`01:${good}`, '"key[0].keyId" '],
    [`+1:${good}`, '"key[0].keyId" '],
    [`-1:${good}`, '"key[0].keyId" '],
    [`1.0:${good}`, '"key[0].keyId" '],
    [`1e3:${good}`, '"key[0].keyId" '],
    [`0x1:${good}`, '"key[0].keyId" '],
    [`4294967296:${good}`, '"key[0].keyId" '],
    [`99999999999:${good}`, '"key[0].keyId" '],
    [`1:${good},1:${good}`, '"key[1].keyId" of the keyset must not be that of key[0]'],
    [`1:${good.slice(1)}`, 'got 31 characters'],
    [`1:${good.slice(1)}g`, '"key[0].keyData.value" of the keyset must be hex'],
    [`1:${good.slice(1)}é`, '"key[0].keyData.value" of the keyset must be hex'],
    [`1:${'A'.repeat(21)}B`, 'must be base64 or base64url'],
    [`1:${'A'.repeat(21)}E`, 'must be base64 or base64url'],
    [`1:${'A'.repeat(42)}B`, 'must be base64 or base64url'],
    [`1:${'A'.repeat(22)}=`, 'got 23 characters'],
    [`1:${'A'.repeat(24)}`, 'got 24 characters'],
    [`1:${'A'.repeat(44)}`, 'got 44 characters'],
    [`1:${'A'.repeat(21)}.`, 'must be base64 or base64url'],
    [`1:+${'A'.repeat(19)}_A`, 'must be base64 or base64url'],
  ])('refused: %j', (text, place) => {
    expect(message(text)).toContain(place)
  })
})

describe('errors tell the place', () => {
  test.each([
    ['"key[1].keyData.value" ', keyset(key(1), key(2, {}, { value: '!' }))],
    ['"key[1].keyData.typeUrl" ', keyset(key(1), key(2, {}, { typeUrl: 'x' }))],
    ['"key[0].keyData.keyMaterialType" ', keyset(key(1, {}, { keyMaterialType: 'REMOTE' }))],
    ['"key[2].status" ', keyset(key(1), key(2), key(3, { status: 'OFF' }))],
    ['"key[0].outputPrefixType" ', keyset(key(1, { outputPrefixType: 9 }))],
    ['"key[1].keyId" of the keyset must not be that of key[0]', keyset(key(1), key(1))],
    ['"primaryKeyId" ', keyset(key(2))],
    ['"key" ', keyset()],
    ['Keyring.unwrap', '{"encryptedKeyset":"AAAA"}'],
    ['at character 1 of the text', '{'],
    ['at character 0 of the text', '[]'],
  ])('%s', (place, text) => {
    expect(message(text)).toContain(place)
  })

  test('of Protocol Buffers', () => {
    const of = (bytes: string) => refuses(() => decodeKeyset(hex(bytes)), INVALID).message
    expect(of('')).toContain('"key" ')
    expect(of('080112080a041a0010011801')).toContain('"key[0].keyData" ')
    expect(of('08011208080110011801200112')).toContain('"key[0]" ')
    expect(of('0801120810011801200138000a')).toContain('an unknown field')
    expect(of('08010801')).toContain('a field twice')
    expect(of('080112')).toContain('the keyset is cut off')
    expect(of('0801120e0a060a0012001801100118012009')).toContain('"key[0].outputPrefixType" ')
    expect(of('080112120a0a0a001200188080808008100118012001')).toContain('"key[0].keyData.keyMaterialType" ')
  })

  test('of encrypted keysets', () => {
    const of = (text: string) => refuses(() => readEncrypted(text), INVALID).message
    expect(of(keyset(key(1)))).toContain('Keyring.parse')
    expect(of('{}')).toContain('"encryptedKeyset" of the keyset must be there')
    expect(of('{"encryptedKeyset":"*"}')).toContain('"encryptedKeyset" ')
    expect(of('{"encryptedKeyset":""}x')).toContain('after its end')
    expect(of('{"encryptedKeyset":"","keysetInfo":{"keyInfo":[{}]}}')).toContain(
      'keysetInfo.keyInfo[0].status',
    )
    expect(readEncrypted('{"encryptedKeyset":"QQ"}')).toEqual({ ciphertext: Buffer.from('A'), info: null })
    expect(readEncrypted('{"encryptedKeyset":"","keysetInfo":{"keyInfo":[]}}').info?.keys).toEqual([])
  })
})

describe('large and deep', () => {
  const enabled = (count: number) => Array.from({ length: count }, (_, i) => key(i + 1))

  test('1 000 keys are read, 1 001 are refused before they are read', () => {
    const set = readKeyset(keyset(...enabled(1000)))
    expect(set.keys.length).toBe(LIMITS.MAX_KEYS)
    const line = Array.from({ length: 1001 }, (_, i) => `${16 * i}:${`${i}`.padStart(32, '0')}`).join()
    for (const run of [
      () => readKeyset(keyset(...enabled(1000), { wrong: 1 })),
      () => readKeyset(line),
      () => decodeKeyset(Buffer.concat([encodeKeyset(set), hex('1200')])),
    ])
      expect(refuses(run, INVALID).message).toBe('"key" of the keyset must have at most 1000 keys')
    const facts = (count: number) => {
      const one = { typeUrl: URL, status: 'ENABLED', keyId: 1, outputPrefixType: 'TINK' }
      return JSON.stringify({ encryptedKeyset: 'QQ', keysetInfo: { keyInfo: Array(count).fill(one) } })
    }
    expect(readEncrypted(facts(1000)).info?.keys.length).toBe(1000)
    expect(refuses(() => readEncrypted(facts(1001)), INVALID).message).toBe(
      '"keysetInfo.keyInfo" of the keyset must have at most 1000 keys',
    )
  })

  test('values of 2^20 bytes together are read, a byte more is refused', () => {
    const half = (bytes: number) => Buffer.alloc(bytes, 7).toString('base64')
    const ofBytes = (bytes: number) => {
      const other = { typeUrl: 'type.googleapis.com/another.Key', value: half(bytes / 2) }
      return keyset(
        key(1),
        key(2, { status: 'DISABLED' }, other),
        key(3, { status: 'DISABLED' }, { ...other, value: half(bytes - Math.floor(bytes / 2)) }),
      )
    }
    expect(readKeyset(ofBytes(2 ** 20)).keys.length).toBe(3)
    expect(refuses(() => readKeyset(ofBytes(2 ** 20 + 2)), INVALID).message).toContain(
      '"key[2].keyData.value"',
    )
  })

  test('all that may be read may be written and read again', () => {
    const url = '\u0001'.repeat(LIMITS.MAX_URL_CHARACTERS)
    const size = Math.floor((LIMITS.MAX_VALUE_BYTES - 34) / 999)
    const value = Buffer.alloc(size).toString('base64')
    const others = Array.from({ length: 999 }, (_, i) =>
      key(i + 2, { status: 'DISABLED' }, { typeUrl: url, value }),
    )
    const text = keyset(key(1), ...others)
    const read = readKeyset(text)
    const bytes = encodeKeyset(read)
    // Not deeply, which would take seconds.
    expect(encodeKeyset(readKeyset(writeKeyset(read))).equals(bytes)).toBe(true)
    expect(writeKeyset(decodeKeyset(bytes))).toBe(writeKeyset(read))
    expect(readEncrypted(writeEncrypted(bytes, read)).ciphertext.equals(bytes)).toBe(true)
    const last = key(
      1,
      { status: 'DISABLED' },
      { typeUrl: 'x', value: Buffer.alloc(size + 100).toString('base64') },
    )
    expect(message(keyset(...others, last))).toContain('kept unused over')
    const long = key(2, { status: 'DISABLED' }, { typeUrl: `${url}x` })
    expect(message(keyset(key(1), long))).toContain('typeUrl')
  })

  test('a keyset with a kept key of 1 MiB exports and wraps after `add`, and is read again', async () => {
    const value = Buffer.alloc(LIMITS.MAX_VALUE_BYTES, 7).toString('base64')
    const other = key(2, { status: 'DISABLED' }, { typeUrl: 'type.googleapis.com/another.Key', value })
    const keyring = Keyring.parse(keyset(key(1), other))
    for (let i = 1; i < 9; i++) keyring.add({ key: Buffer.alloc(32, 0x40 + i) })
    expect(Keyring.parse(keyring.export()).keys.length).toBe(10)
    const service = Keyring.generate()
    const encrypted = await keyring.wrap(bytes => service.seal(bytes))
    expect((await Keyring.unwrap(encrypted, bytes => service.open(bytes))).keys.length).toBe(10)
  })

  test('texts and bytes of any size end at once', () => {
    const begin = performance.now()
    for (const text of [
      ' '.repeat(2 ** 28),
      `{"key":${'['.repeat(2 ** 21)}`,
      `{${'"key":{'.repeat(500_000)}`,
      `{"primaryKeyId":${'9'.repeat(4_000_000)}}`,
      `{"primaryKeyId":"${'\\u0031'.repeat(600_000)}"}`,
      '1:,'.repeat(1_000_000),
      `1:${'A'.repeat(4_000_000)}`,
    ])
      message(text)
    for (const bytes of [Buffer.alloc(2 ** 21 + 1), Buffer.alloc(2 ** 21, 0x80), Buffer.alloc(2 ** 21, 0x12)])
      refuses(() => decodeKeyset(bytes), INVALID)
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  test('RAW keys: 8 that are enabled, and any number of others', () => {
    const raw = (id: number, status = 'ENABLED') => key(id, { outputPrefixType: 'RAW', status })
    const eight = Array.from({ length: 8 }, (_, i) => raw(i + 1))
    const disabled = Array.from({ length: 8 }, (_, i) => raw(i + 20, 'DISABLED'))
    expect(readKeyset(keyset(...eight, ...disabled, key(10))).keys.length).toBe(17)
    expect(message(keyset(...eight, ...disabled, raw(9)))).toContain('"key[16].outputPrefixType"')
  })
})

describe('other arguments', () => {
  test.each([undefined, null, 7, {}, [], Buffer.from('{}'), Object('{}')])('%o is no text', value => {
    for (const read of [readKeyset, readEncrypted])
      refuses(() => read(value as string), 'ERR_INVALID_ARG_TYPE')
  })

  test.each([undefined, null, 7, {}, [], '08', new ArrayBuffer(4)])('%o is no bytes', value => {
    refuses(() => decodeKeyset(value as Uint8Array), 'ERR_INVALID_ARG_TYPE')
  })

  test('shared and detached memory', () => {
    refuses(() => decodeKeyset(new Uint8Array(new SharedArrayBuffer(4))), 'ERR_AESGCM_SHARED_BUFFER')
    const gone = new Uint8Array(4)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    refuses(() => decodeKeyset(gone), 'ERR_AESGCM_DETACHED_BUFFER')
  })

  test('prototypes that a program changed neither give nor get anything', () => {
    const script = `
      import { createRequire } from 'node:module'
      const inside = name => createRequire(${JSON.stringify(import.meta.url)})('../../../dist/values/keyring/' + name + '.cjs')
      const json = inside('keyset/json')
      const protobuf = inside('keyset/protobuf')
      const { AEAD_KEYSETS } = inside('keyset/value')
      const readKeyset = text => json.readKeyset(AEAD_KEYSETS, text)
      const writeKeyset = keyset => json.writeKeyset(AEAD_KEYSETS, keyset)
      const decodeKeyset = bytes => protobuf.decodeKeyset(AEAD_KEYSETS, bytes)
      const encodeKeyset = keyset => protobuf.encodeKeyset(AEAD_KEYSETS, keyset)
      const { readEncrypted, writeEncrypted } = inside('keyset/encrypted')
      const { context } = inside('context')
      const { BlindIndex } = inside('blind-index')
      const index = new BlindIndex(new Uint8Array(32), { purpose: 'p' })
      const text = ${JSON.stringify(keyset(key(1), key(2, { status: 'DISABLED' }, { typeUrl: 'x/\\u00e9' })))}
      const bytes = encodeKeyset(readKeyset(text))
      const run = () => {
        const read = readKeyset(text)
        const sealed = writeEncrypted(bytes, decodeKeyset(bytes))
        readEncrypted(sealed)
        const line = readKeyset('7:' + 'ab'.repeat(16) + ',80:' + 'A'.repeat(43))
        let faults = ''
        const wrong = ['1:x', '{"key":[{"x":1}]}', '{"key":[{"keyData":{"value":"A"}}]}', '{"key":[{"status":""}]}']
        for (let i = 0; i < wrong.length; i++)
          try { readKeyset(wrong[i]) } catch (error) { faults += error.message }
        const parts = context('users', 17, new Uint8Array(3), 'é')
        return [writeKeyset(read), writeKeyset(line), sealed, faults, encodeKeyset(read), parts, index.of('é')]
      }
      const before = run()
      let touched = 0
      const names = ['0', '1', 'type', 'typeUrl', 'value', 'status', 'id', 'key', 'bytes', 'toJSON', 'get', 'bits']
      const define = Object.defineProperty
      for (const of of [Object.prototype, Array.prototype])
        for (const name of names)
          define(of, name, { __proto__: null, configurable: true, get() { touched++ }, set() { touched++ } })
      const changed = [
        [String.prototype, ['slice', 'charCodeAt', 'indexOf', 'trim', 'isWellFormed', 'toString']],
        [Array.prototype, ['push', 'join', 'map', Symbol.iterator]],
        [Buffer.prototype, ['toString', 'write', 'subarray']],
        [RegExp.prototype, ['exec', 'test']],
      ]
      const saved = []
      for (let i = 0; i < changed.length; i++)
        for (let j = 0; j < changed[i][1].length; j++)
          define(changed[i][0], changed[i][1][j], { __proto__: null, configurable: true, writable: true, value() { touched++ } })
      const after = run()
      const count = touched
      let same = after.length === before.length
      for (let i = 0; i < after.length; i++)
        same &&= typeof after[i] === 'string' ? after[i] === before[i] : Buffer.compare(after[i], before[i]) === 0
      process._rawDebug(count + ' ' + same)
      process.reallyExit(0)`
    // The C library of Windows writes a carriage return before a newline.
    expect(run(script)).toMatchObject({ status: 0, stderr: expect.stringMatching(/^0 true\r?\n$/) })
  })

  test('a member called __proto__ or constructor is like any other unknown one', () => {
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect(message(`{"${name}":{"key":[]},${keyset(key(1)).slice(1)}`)).toContain('an unknown name')
  })
})
