// Old values that are not one text: a column for each part, bytes, and bytes in JSON.
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { gcm } from '../../models/legacy.js'
import { detach, Random, refuses, thrown } from '../../tools/support.js'
import { isForged, isOther, opens, says } from './opened.js'

const random = new Random('old columns')
const KEY = random.bytes(32)
const seal = (text: string, ivBytes = 12, key: Uint8Array = KEY) => gcm(key, random.bytes(ivBytes), text)
const TEXTS = ['', 'é€😀', 'x'.repeat(1000)]

describe('columns', () => {
  const layout = { email_iv: '{iv}', email_tag: '{tag}', email: '{ct}' }
  const options = { key: KEY, layout, encoding: 'hex' } as const
  const rowOf = (text: string, encode: (bytes: Buffer) => unknown) => {
    const { iv, tag, ct } = seal(text)
    return { id: 17, email_iv: encode(iv), email_tag: encode(tag), email: encode(ct), name: null }
  }
  const inHex = (bytes: Buffer) => bytes.toString('hex')

  test.each(TEXTS)('of text and of bytes, in a row, the text %#', text => {
    const row = rowOf(text, inHex)
    opens(options, row, text)
    opens(options, JSON.stringify(row), text)
    opens(options, Object.assign(Object.create(null), row), text)
    for (const encode of [
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => new Uint8Array(bytes),
      (bytes: Buffer) => Buffer.concat([Buffer.of(1, 2), bytes, Buffer.of(3)]).subarray(2, -1),
    ])
      for (const encoding of ['hex', 'base64', 'mime', undefined] as const)
        opens({ ...options, encoding }, rowOf(text, encode), text)
    opens(options, { ...row, email_tag: Buffer.from(row.email_tag as string, 'hex') }, text)
  })

  test('with the tag at the end of the ciphertext, or all side by side', () => {
    const { iv, tag, ct } = seal('text')
    const [two, one] = [Buffer.concat([ct, tag]), Buffer.concat([iv, ct, tag])]
    opens({ key: KEY, layout: { iv: '{iv}', data: '{ct}{tag}' } }, { iv, data: two }, 'text')
    opens({ key: KEY, layout: { data: '{iv}{ct}{tag}' }, ivBytes: 12 }, { data: one }, 'text')
    isForged({ key: KEY, layout: { data: '{iv}{ct}{tag}' }, ivBytes: 16 }, { data: one })
  })

  test('the rows of an ORM, whose columns are getters of their class', () => {
    const row = rowOf('text', inHex)
    class User {
      get email() {
        return row.email
      }
      email_iv = row.email_iv
    }
    class Member extends User {
      get email_tag() {
        return row.email_tag
      }
    }
    opens(options, new Member(), 'text')
    isOther(options, new User())
  })

  test('a row without a value, or with another one, has another layout', () => {
    const row = rowOf('text', inHex)
    const bytes = rowOf('text', value => value)
    for (const name of ['email_iv', 'email_tag', 'email'] as const) {
      for (const wrong of [null, undefined, 17, true, 'clear text', {}, [], new Date(), () => 1])
        if (name !== 'email' || !Array.isArray(wrong)) isOther(options, { ...row, [name]: wrong })
      isOther({ ...options, encoding: undefined }, { ...bytes, [name]: row[name] })
      const { [name]: _, ...rest } = row
      isOther(options, rest)
    }
    isOther(options, {})
    isOther(options, [row])
    isOther(options, { ...bytes, email_iv: Buffer.alloc(13) })
    isOther(options, { ...bytes, email_tag: Buffer.alloc(15) })
    isForged(options, { ...bytes, email_tag: Buffer.alloc(16) })
    isForged(options, { ...bytes, email: Buffer.alloc(0) })
  })

  test('bytes are only read where nothing is around the parts', () => {
    const around = { ...options, layout: { ...layout, email: 'v1:{ct}' } }
    const row = rowOf('text', inHex)
    opens(around, { ...row, email: `v1:${row.email}` }, 'text')
    isOther(around, { ...row, email: Buffer.from(row.email as string, 'hex') })
    isOther(
      { ...options, layout: { ...layout, email: '{ct};' } },
      rowOf('text', value => value),
    )
  })

  test('code of the caller: its errors are thrown, and what is gone has a code', () => {
    const reader = layoutReader(options)
    const error = new Error('of a getter')
    const throws = {
      get email_iv() {
        throw error
      },
    }
    const revoked = (target: object) => {
      const { proxy, revoke } = Proxy.revocable(target, {})
      revoke()
      return proxy
    }
    const row = rowOf('text', value => value)
    for (const method of ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const) {
      expect(thrown(() => reader[method](throws))).toBe(error)
      says(() => reader[method](revoked({})), 'ERR_INVALID_ARG_TYPE', '"sealed" is a Proxy that was revoked')
      refuses(() => reader[method](Object.create(revoked({}))), 'ERR_INVALID_ARG_TYPE')
      says(
        () => reader[method]({ ...row, email: detach(Buffer.from(Buffer.alloc(200).buffer)) }),
        'ERR_AESGCM_DETACHED_BUFFER',
        '"sealed"',
      )
    }
    for (const value of [revoked({}), revoked([]), new Proxy([1], {}), { type: 'Buffer', data: revoked([]) }])
      isOther(options, { ...row, email: value })
    opens(options, new Proxy(row, {}), 'text')
    isOther(options, { ...row, email: Array(2 ** 32 - 1) })
  })

  test('values of another kind', () => {
    const one = layoutReader({ ...options, layout: '{iv}:{tag}:{ct}' })
    for (const method of ['open', 'tryOpen', 'openBytes', 'tryOpenBytes'] as const) {
      for (const wrong of [undefined, null, 7, Buffer.alloc(40)])
        says(
          () => layoutReader(options)[method](wrong as never),
          'ERR_INVALID_ARG_TYPE',
          '"sealed" must be a string or an object, got',
        )
      for (const wrong of [undefined, null, 7, Buffer.alloc(40), {}])
        says(() => one[method](wrong as never), 'ERR_INVALID_ARG_TYPE', '"sealed" must be a string, got')
    }
  })
})

describe('bytes', () => {
  test.each(TEXTS)('in one column, the text %#', text => {
    for (const ivBytes of [12, 16] as const) {
      const { iv, tag, ct } = seal(text, ivBytes)
      const sealed = Buffer.concat([iv, tag, ct])
      for (const encoding of ['hex', undefined] as const) {
        const options = { key: KEY, layout: '{iv}{tag}{ct}', encoding, ivBytes }
        opens(options, sealed, text)
        opens(options, new Uint8Array(sealed), text)
        isForged(options, Buffer.concat([sealed, Buffer.of(0)]))
        isOther(options, sealed.subarray(0, ivBytes + 15))
      }
    }
  })

  test('and no other value', () => {
    const reader = layoutReader({ key: KEY, layout: '{iv}{tag}{ct}', ivBytes: 12 })
    for (const wrong of [undefined, null, 7, {}, [1], new Uint16Array(20), new ArrayBuffer(40)])
      says(
        () => reader.tryOpen(wrong as never),
        'ERR_INVALID_ARG_TYPE',
        '"sealed" must be a string or a Uint8Array, got',
      )
    refuses(() => reader.tryOpen(detach(Buffer.from(Buffer.alloc(200).buffer))), 'ERR_AESGCM_DETACHED_BUFFER')
    // Without an encoding, no text has the layout.
    refuses(() => reader.open(Buffer.alloc(40).toString('hex')), 'ERR_AESGCM_UNKNOWN_LAYOUT')
  })

  test('have no text around them', () => {
    for (const layout of ['{iv}:{tag}:{ct}', 'v1{iv}{tag}{ct}', '{iv}{tag}{ct}.', '{iv:hex}.{tag}{ct}'])
      for (const one of [layout, { member: layout }])
        says(
          () => layoutReader({ key: KEY, layout: one, ivBytes: 12 }),
          'ERR_INVALID_ARG_VALUE',
          `"options.encoding" must be one of 'hex', 'base64', 'base64url', 'mime', got undefined`,
        )
  })
})

describe('bytes in JSON', () => {
  const layout = { iv: '{iv}', data: '{ct}{tag}' }
  const options = { key: KEY, layout } as const
  const { iv, tag, ct } = seal('text')
  const data = Buffer.concat([ct, tag])
  const forms: [string, (bytes: Buffer) => unknown][] = [
    ['an array of numbers', bytes => [...bytes]],
    ['a Buffer', bytes => bytes],
    ['a Uint8Array', bytes => new Uint8Array(bytes)],
  ]

  test.each(forms)('%s', (_, form) => {
    const json = JSON.stringify({ iv: form(iv), data: form(data) })
    opens(options, json, 'text')
    opens({ ...options, encoding: 'base64' }, json, 'text')
    // As the driver of a database gives a column of JSON.
    opens(options, JSON.parse(json), 'text')
    isForged(
      options,
      json.replace(/\d(?=\]?\}{1,2}$)/, digit => (digit === '0' ? '1' : '0')),
    )
  })

  test('no other lists', () => {
    const numbers = [...iv]
    for (const wrong of [
      [...numbers, 1],
      numbers.slice(1),
      [256, ...numbers.slice(1)],
      [-1, ...numbers.slice(1)],
      [0.5, ...numbers.slice(1)],
      ['1', ...numbers.slice(1)],
      [null, ...numbers.slice(1)],
      [[1], ...numbers.slice(1)],
      { type: 'Bytes', data: numbers },
      { data: numbers },
      { type: 'Buffer', data: { ...numbers } },
      { type: 'Buffer', data: iv.toString('base64') },
      { type: 'Buffer', data: 'a twelve byt' },
      { ...numbers, extra: 1 },
      { ...numbers.slice(0, 11), 12: 1 },
      {},
      [],
    ]) {
      const value = { iv: wrong, data: [...data] }
      isOther(options, JSON.stringify(value))
      isOther(options, value)
    }
    isOther(options, { iv: Object.assign([], { length: 12 }), data })
  })
})

test('a getter of a row that destroys the reader has no value opened under the wiped key', () => {
  const { iv, tag, ct } = gcm(Buffer.alloc(32), random.bytes(12), 'forged')
  const layout = { iv: '{iv}', tag: '{tag}', data: '{ct}' }
  const reader = layoutReader({ key: Buffer.alloc(32, 7), layout })
  const row = {
    iv,
    tag,
    get data() {
      reader.destroy()
      return ct
    },
  }
  refuses(() => reader.tryOpen(row), 'ERR_AESGCM_DESTROYED')
})
