// What errors say of keysets that are refused, word for word, beside the forms that are just not refused.
import { describe, expect, test } from 'vitest'
import { refuses } from '../../tools/support.js'
import {
  decodeKeyset,
  encodeKeyset,
  hex,
  INVALID,
  type KnownKey,
  LIMITS,
  readEncrypted,
  readKeyset,
  type UnsupportedKey,
  writeEncrypted,
  writeKeyset,
} from './internals.js'

const TINK = 'type.googleapis.com/google.crypto.tink.'
/** A key of zeros in the value of a key: field 3. */
const zeros = (bytes: number) => `1a${bytes.toString(16)}${'00'.repeat(bytes)}`
const base64 = (bytes: string) => hex(bytes).toString('base64')
const GCM = { typeUrl: `${TINK}AesGcmKey`, value: base64(zeros(32)), keyMaterialType: 'SYMMETRIC' }
const key = (id: number, data: object = {}, more: object = {}) => ({
  keyData: { ...GCM, ...data },
  status: 'ENABLED',
  keyId: id,
  outputPrefixType: 'TINK',
  ...more,
})
const keyset = (...keys: object[]) => JSON.stringify({ primaryKeyId: 1, key: keys })
const disabled = (data: object) => keyset(key(1), key(2, data, { status: 'DISABLED' }))

const said = (text: string) => refuses(() => readKeyset(text), INVALID).message
const saidOfEncrypted = (text: string) => refuses(() => readEncrypted(text), INVALID).message
const saidOfBytes = (bytes: string | Uint8Array) =>
  refuses(() => decodeKeyset(typeof bytes === 'string' ? hex(bytes) : bytes), INVALID).message
/** What is said of a member: `place` is that of the error. */
const of = (place: string, what: string) => `"${place}" of the keyset ${what}`

const ID = 'must be a whole number from 0 to 4294967295'
const STATUS = 'must be ENABLED, DISABLED or DESTROYED'
const PREFIX = 'must be TINK, RAW, CRUNCHY or LEGACY'
const BASE64 = 'must be base64 or base64url, with its whole padding or without any'
const UNKNOWN = 'has an unknown name'
const ESCAPE = 'the keyset has an invalid escape'

describe('texts that are not the JSON of a keyset', () => {
  test.each([
    ['{', 'the keyset must have a name, at character 1 of the text'],
    ['{xkey":[]}', 'the keyset must have a name, at character 1 of the text'],
    ['{"key', 'the keyset is cut off, at character 5 of the text'],
    ['{"key"', 'the keyset must have :, at character 6 of the text'],
    [' []', 'the keyset must have {, at character 1 of the text'],
    ['{}\r\n{', 'the keyset has more text after its end, at character 4 of the text'],
    ['{"\u0000":1}', 'the keyset has a control character in a string, at character 2 of the text'],
    ['{"\\', `${ESCAPE}, at character 3 of the text`],
    ['{"\\x006bey":[]}', `${ESCAPE}, at character 3 of the text`],
    ['{"\\u00', `${ESCAPE}, at character 6 of the text`],
    ['{"\\u00x6bey":[]}', `${ESCAPE}, at character 6 of the text`],
    ['{"\\u006:":1}', `${ESCAPE}, at character 7 of the text`],
    ['{"\\u006@":1}', `${ESCAPE}, at character 7 of the text`],
    ['{"\\u006G":1}', `${ESCAPE}, at character 7 of the text`],
    ['{"\\u006`":1}', `${ESCAPE}, at character 7 of the text`],
    ['{"\\u006g":1}', `${ESCAPE}, at character 7 of the text`],
    ['{"":1}', `the keyset ${UNKNOWN}, at character 3 of the text`],
    ['{"primaryKeyId":x}', of('primaryKeyId', `${ID}, at character 16 of the text`)],
    ['{"key":1}', of('key', 'must have [, at character 7 of the text')],
    ['{"key":[1]}', of('key[0]', 'must have {, at character 8 of the text')],
    [
      '\ufeff\ufeff{}',
      '"key[0]" of the keyset must be id:key, or the keyset must be JSON, not the name of a file',
    ],
    ['\ufeff', 'the keyset is empty'],
    ['\ufeff{}\r\n{', 'the keyset has more text after its end, at character 4 of the text'],
    ['{"encryptedKeyset":""}', 'the keyset is encrypted: Keyring.unwrap opens it'],
    ['{"encrypted_keyset":""}', 'the keyset is encrypted: Keyring.unwrap opens it'],
    ['', 'the keyset is empty'],
  ])('%j', (text, message) => {
    expect(said(text)).toBe(message)
  })

  test.each([
    ['{"":1}', '', UNKNOWN, 3],
    ['{"keyId":-1}', '.keyId', ID, 11],
    ['{"status":4}', '.status', 'must be a whole number from 0 to 3', 11],
    ['{"status":"X"}', '.status', 'must be one of ENABLED, DISABLED, DESTROYED', 13],
    ['{"outputPrefixType":5}', '.outputPrefixType', 'must be a whole number from 0 to 4', 21],
    ['{"outputPrefixType":""}', '.outputPrefixType', 'must be one of TINK, LEGACY, RAW, CRUNCHY', 22],
    ['{"keyData":1}', '.keyData', 'must have {', 11],
    ['{"keyData":{"":1}}', '.keyData', UNKNOWN, 14],
    ['{"keyData":{"typeUrl":1}}', '.keyData.typeUrl', 'must be a string', 22],
    ['{"keyData":{"typeUrl":"\\ud800"}}', '.keyData.typeUrl', 'has an unpaired surrogate', 30],
    ['{"keyData":{"value":1}}', '.keyData.value', 'must be a string', 20],
    [
      '{"keyData":{"keyMaterialType":2147483648}}',
      '.keyData.keyMaterialType',
      'must be a whole number from 0 to 2147483647',
      40,
    ],
    [
      '{"keyData":{"keyMaterialType":""}}',
      '.keyData.keyMaterialType',
      'must be one of SYMMETRIC, ASYMMETRIC_PRIVATE, ASYMMETRIC_PUBLIC, REMOTE',
      32,
    ],
  ])('a key %j', (text, place, what, at) => {
    const before = `{"key":[${JSON.stringify(key(1))},`
    const message = `${what}, at character ${before.length + at} of the text`
    expect(said(`${before}${text}]}`)).toBe(of(`key[1]${place}`, message))
  })

  test('all spellings of names, escapes in them, and every kind of white space', () => {
    const read = readKeyset(keyset(key(1)))
    const snake = keyset(key(1)).replace(/"[a-zA-Z]+":/g, name => name.replace(/[A-Z]/g, '_$&').toLowerCase())
    expect(snake).toMatch(/^\{"primary_key_id":1,"key":\[\{"key_data":\{"type_url":/)
    expect(readKeyset(snake)).toEqual(read)
    expect(readKeyset(keyset(key(1)).replace('"key"', '"\\u006bey"'))).toEqual(read)
    expect(readKeyset(JSON.stringify(JSON.parse(snake), null, '\t ').replaceAll('\n', '\r\n'))).toEqual(read)
    // Every digit of hex.
    const escapes = '\\u0123\\u4567\\u89ab\\uCDEF\\uabcd\\uefAB'
    const escaped = disabled({ typeUrl: 'URL' }).replace('URL', `a b${escapes}`)
    expect((readKeyset(escaped).keys[1] as UnsupportedKey).typeUrl).toBe(`a b${JSON.parse(`"${escapes}"`)}`)
  })
})

describe('numbers', () => {
  const withId = (id: string) => keyset(key(1)).replace('"keyId":1', `"keyId":${id}`)

  test.each([
    ['1e+2', 100],
    ['1E02', 100],
    ['10e-1', 1],
    ['"4294967295"', 4294967295],
    ['4294967295.00000', 4294967295],
  ])('%s', (text, id) => {
    const set = readKeyset(withId(text).replace('"primaryKeyId":1', `"primaryKeyId":${id}`))
    expect(set).toMatchObject({ primary: id, keys: [{ id }] })
  })

  test('-0 is 0', () => {
    const { primary, keys } = readKeyset(withId('-0').replace('"primaryKeyId":1', '"primaryKeyId":-0'))
    expect([primary, (keys[0] as KnownKey).id]).toEqual([0, 0])
  })

  test.each([
    ...['-1', '1.5', '1.', '.0', '1e', '1e+', '01', '1e001', '4294967296', '4294967295.000000'],
    ...['""', '" "', '" 1"', '"1 "', '"0x10"', '"1_0"', '"Infinity"'],
  ])('%s is refused', text => {
    const at = withId('').indexOf('"keyId":') + '"keyId":'.length + text.length
    expect(said(withId(text))).toBe(of('key[0].keyId', `${ID}, at character ${at} of the text`))
  })
})

test('rules for keys', () => {
  const [first, place] = [key(1), 'key[1].keyData.value']
  const xaes = (value: string) => ({ typeUrl: `${TINK}XAesGcmKey`, value: base64(value) })
  for (const [text, message] of [
    [keyset(first, { keyId: 2 }), of('key[1].status', STATUS)],
    [keyset(first, key(2, {}, { outputPrefixType: 0 })), of('key[1].outputPrefixType', PREFIX)],
    [keyset(first, key(2, {}, { keyData: null })), of('key[1].keyData', 'must be there')],
    [keyset(key(2)), of('primaryKeyId', 'must be the id of one of the keys')],
    [
      keyset(key(1, {}, { status: 'DISABLED' })),
      of('primaryKeyId', 'must be the id of an enabled key: key[0] is disabled'),
    ],
    [
      disabled({ typeUrl: 'x'.repeat(256) }),
      of('key[1].keyData.typeUrl', 'must be Unicode, at most 255 characters'),
    ],
    [disabled({ value: 'AAAAA' }), of(place, BASE64)],
    [disabled({ value: 'AE' }), of(place, BASE64)],
    [disabled({ value: 'AB=A' }), of(place, BASE64)],
    [disabled({ value: '+AA_' }), of(place, BASE64)],
    [disabled({ value: 'GhgA' }), of(place, 'is cut off')],
    [disabled(xaes('0801')), of(place, 'must be of version 0')],
    [disabled({ value: base64(zeros(24)) }), of(place, 'must hold a key of 16 or 32 bytes, got 24')],
    [disabled(xaes(`1202080c${zeros(16)}`)), of(place, 'must hold a key of 32 bytes, got 16')],
    [disabled(xaes(`1202080d${zeros(32)}`)), of(place, 'must have a salt of 12 bytes, got 13')],
    [
      keyset(first, key(2, xaes(`1202080c${zeros(32)}`), { outputPrefixType: 'CRUNCHY' })),
      of('key[1].outputPrefixType', 'must be TINK or RAW, for a key of XAES-256-GCM'),
    ],
  ] as [string, string][])
    expect(said(text), text).toBe(message)
  // A version that is written, although 0 is left out in general.
  const other = `1a20${'07'.repeat(32)}`
  expect(readKeyset(disabled(xaes(`08001202080c${other}`))).keys[1]?.type?.name).toBe('XAES-256-GCM')
})

describe('encrypted keysets', () => {
  test.each([
    ['[]', 'the keyset must have {, at character 0 of the text'],
    ['{"":1}', `the keyset ${UNKNOWN}, at character 3 of the text`],
    ['{}', of('encryptedKeyset', 'must be there')],
    ['{"encryptedKeyset":1}', of('encryptedKeyset', 'must be a string, at character 19 of the text')],
    ['{"encryptedKeyset":"A"}', of('encryptedKeyset', BASE64)],
    ['{"key":[]}', 'the keyset is not encrypted: Keyring.parse reads it'],
    ['{"primary_key_id":1}', 'the keyset is not encrypted: Keyring.parse reads it'],
    ['{"keysetInfo":1}', of('keysetInfo', 'must have {, at character 14 of the text')],
    ['{"keysetInfo":{"":1}}', of('keysetInfo', `${UNKNOWN}, at character 17 of the text`)],
    [
      '{"keysetInfo":{"primaryKeyId":-1}}',
      of('keysetInfo.primaryKeyId', `${ID}, at character 32 of the text`),
    ],
    ['{"keysetInfo":{"keyInfo":1}}', of('keysetInfo.keyInfo', 'must have [, at character 25 of the text')],
  ])('%s', (text, message) => {
    expect(saidOfEncrypted(text)).toBe(message)
  })

  test.each([
    ['1', '', 'must have {, at character 31 of the text'],
    ['{"":1}', '', `${UNKNOWN}, at character 34 of the text`],
    ['{"typeUrl":1}', '.typeUrl', 'must be a string, at character 42 of the text'],
    ['{"status":4}', '.status', 'must be a whole number from 0 to 3, at character 42 of the text'],
    ['{"keyId":-1}', '.keyId', `${ID}, at character 42 of the text`],
    [
      '{"outputPrefixType":5}',
      '.outputPrefixType',
      'must be a whole number from 0 to 4, at character 52 of the text',
    ],
    ['{}', '.status', STATUS],
    ['{"status":0}', '.status', STATUS],
    ['{"status":1}', '.outputPrefixType', PREFIX],
  ])('the facts %s', (text, place, what) => {
    const facts = '{"status":1,"outputPrefixType":1}'
    const before = '{"keysetInfo":{"keyInfo":['
    const moved = what.replace(/\d+(?= of the text)/, at => `${Number(at) + facts.length - 4}`)
    expect(saidOfEncrypted(`${before}${facts},${text}]}}`)).toBe(of(`keysetInfo.keyInfo[1]${place}`, moved))
  })

  test('all spellings of names; members that are absent', () => {
    const facts = '{"type_url":"t","status":2,"key_id":7,"output_prefix_type":3}'
    const text = `{"encrypted_keyset":"QQ","keyset_info":{"primary_key_id":7,"key_info":[${facts},{"status":1,"outputPrefixType":4},{"status":3,"outputPrefixType":2}]}}`
    expect(readEncrypted(text)).toEqual({
      ciphertext: Buffer.from('A'),
      info: {
        primary: 7,
        keys: [
          { id: 7, status: 'disabled', prefix: 'raw', typeUrl: 't' },
          { id: 0, status: 'enabled', prefix: 'crunchy', typeUrl: '' },
          { id: 0, status: 'destroyed', prefix: 'legacy', typeUrl: '' },
        ],
      },
    })
  })

  test('the facts that are written tell the type of every key, as far as it has one', () => {
    const facts = [
      '"status":"ENABLED","keyId":1,"outputPrefixType":"TINK"',
      '"status":"DISABLED","keyId":2,"outputPrefixType":"LEGACY"',
      '"status":"DISABLED","keyId":3,"outputPrefixType":"RAW"',
      '"status":"DESTROYED","keyId":4,"outputPrefixType":"CRUNCHY"',
    ]
    const text = (data: string[]) =>
      `{"primaryKeyId":1,"key":[${facts.map((fact, i) => `{${data[i]}${fact}}`)}]}`
    const gcm = `"keyData":${JSON.stringify(GCM)},`
    const other = '"keyData":{"typeUrl":"other","value":"","keyMaterialType":5},'
    const none = '"keyData":{"typeUrl":"","value":"","keyMaterialType":"UNKNOWN_KEYMATERIAL"},'
    const set = readKeyset(text([gcm, other, '"keyData":{},', '']))
    expect(writeKeyset(set)).toBe(text([gcm, other, none, '']))
    const told = [GCM.typeUrl, 'other', '', ''].map((url, i) => `{"typeUrl":"${url}",${facts[i]}}`)
    expect(writeEncrypted(Buffer.from('A'), set)).toBe(
      `{"encryptedKeyset":"QQ==","keysetInfo":{"primaryKeyId":1,"keyInfo":[${told}]}}`,
    )
  })
})

describe('Protocol Buffers', () => {
  const long = 'has a number of more than 32 bits, or with more bytes than it needs'
  const anotherType = 'has a field of the wrong type'
  /** A destroyed key without key data. */
  const gone = '1206100318012001'

  test.each([
    ['', of('key', 'must have a key')],
    ['08', 'the keyset is cut off'],
    ['0880', 'the keyset is cut off'],
    ['120508', 'the keyset is cut off'],
    ['08ffffffff7f', `the keyset ${long}`],
    ['088000', `the keyset ${long}`],
    ['0a00', `the keyset ${anotherType}`],
    ['0200', 'the keyset has an unknown field'],
    ['1a00', 'the keyset has an unknown field'],
    ['08010801', 'the keyset has a field twice'],
    [`${gone}12020801`, of('key[1]', anotherType)],
    [`${gone}12021000`, of('key[1].status', STATUS)],
    [`${gone}12021003`, of('key[1].outputPrefixType', PREFIX)],
    [`${gone}120410012001`, of('key[1].keyData', 'must be there')],
    [`${gone}12040a020800`, of('key[1].keyData', anotherType)],
    [`${gone}12050a030a01ff`, of('key[1].keyData.typeUrl', 'must be UTF-8')],
    [`${gone}12080a06188080808008`, of('key[1].keyData.keyMaterialType', 'is unknown')],
  ])('%s', (bytes, message) => {
    expect(saidOfBytes(bytes)).toBe(message)
  })

  test('numbers and lengths of every size', () => {
    for (const id of [0, 127, 128, 16383, 16384, 2 ** 21 - 1, 2 ** 21, 2 ** 28 - 1, 2 ** 28, 2 ** 32 - 1]) {
      const value = Buffer.alloc(id % 2 ** 17).toString('base64')
      const other = {
        keyData: { ...GCM, typeUrl: '', value, keyMaterialType: 2147483647 },
        status: 'DISABLED',
      }
      const text = JSON.stringify({
        primaryKeyId: id,
        key: [key(id), { ...other, keyId: id === 1 ? 2 : 1, outputPrefixType: 'RAW' }],
      })
      const bytes = encodeKeyset(readKeyset(text))
      expect(writeKeyset(decodeKeyset(bytes))).toBe(text)
    }
  })

  test('elements that a program gave to all arrays are no kinds, statuses and prefixes', () => {
    const all = Array.prototype as unknown[]
    const messages: string[] = []
    const cases = ['1801', '12021004', '120410032005'].map(hex)
    all[3] = 'number'
    all[4] = 'enabled'
    all[5] = 'tink'
    try {
      for (let i = 0; i < cases.length; i++)
        messages[i] = refuses(() => decodeKeyset(cases[i] as Buffer), INVALID).message
    } finally {
      delete all[5]
      delete all[4]
      delete all[3]
    }
    expect(messages).toEqual([
      'the keyset has an unknown field',
      of('key[0].status', STATUS),
      of('key[0].outputPrefixType', PREFIX),
    ])
  })
})

test('texts and bytes that are too long, by one', () => {
  const { MAX_BYTES, MAX_CHARACTERS } = LIMITS
  expect(said('{}'.padEnd(MAX_CHARACTERS))).toBe(of('key', 'must have a key'))
  const most = `must have at most ${MAX_CHARACTERS} characters, got ${MAX_CHARACTERS + 1}`
  expect(said('{}'.padEnd(MAX_CHARACTERS + 1))).toBe(`the keyset ${most}`)
  const bytes = Buffer.alloc(MAX_BYTES + 1)
  expect(saidOfBytes(bytes.subarray(1))).toBe('the keyset has an unknown field')
  expect(saidOfBytes(bytes)).toBe(`the keyset must have at most ${MAX_BYTES} bytes, got ${bytes.length}`)
})

test('errors of arguments name them', () => {
  const type = 'ERR_INVALID_ARG_TYPE'
  const wrong = 7 as never
  expect(refuses(() => readKeyset(wrong), type).message).toBe('"keyset" must be a string, got number')
  expect(refuses(() => readEncrypted(wrong), type).message).toBe('"encrypted" must be a string, got number')
  // What `process.env` has for a variable that is not set.
  expect(refuses(() => readKeyset(undefined), type).message).toBe(
    '"keyset" must be a string, got undefined: if it comes from an environment variable, set the variable',
  )
  expect(refuses(() => decodeKeyset(wrong), type).message).toMatch(
    /^"keyset" must be a Uint8Array, got number/,
  )
  const shared = new Uint8Array(new SharedArrayBuffer(4))
  expect(refuses(() => decodeKeyset(shared), 'ERR_AESGCM_SHARED_BUFFER').message).toMatch(/^"keyset" is on/)
})
