// Options of layoutReader that are refused, and what the errors say.
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { refuses, thrown } from '../../tools/support.js'

const KEY = Buffer.alloc(32, 7)
const says = (options: object, code: string, part: string) =>
  expect(refuses(() => layoutReader(options as never), code).message).toContain(part)

describe('wrong options', () => {
  const options = { key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex', ivBytes: 12 }

  test.each([
    ['', "'{iv}', '{tag}' and '{ct}', each once"],
    ['iv:tag:ct', 'each once'],
    ['{iv}:{ct}', 'each once'],
    ['{iv}:{tag}', 'each once'],
    ['{iv}:{tag}:{ct}:{iv}', 'each once'],
    ['{salt}:{iv}:{tag}:{ct}:{salt}', "'{salt}' at most once"],
    ['{iv}:{tag}:{ct', "a '{' without a '}'"],
    ['{iv}:{tag}:ct}', "a '}' without a '{'"],
    ['{iv}:{tag}:{ct}}', "a '}' without a '{'"],
    ['{iv}:{tag}:{data}', "has 'data' in braces"],
    ['{iv}:{tag}:{}', "has '' in braces, where one of 'iv', 'tag', 'ct', 'salt' is known"],
    ['{iv}:{tag}:{:hex}', "has '' in braces"],
    ['{iv}:{tag}:{ct:utf8}', "has 'utf8' in braces"],
    ['{iv}a{tag}:{ct}', "has 'a' after a part in hex"],
    ['{iv}0{tag}:{ct}', "has '0' after a part in hex"],
    ['{iv:base64}A{tag}:{ct}', "has 'A' after a part in base64"],
    ['{iv:base64}={tag}:{ct}', "has '=' after a part in base64"],
    ['{iv:base64url}-{tag}:{ct}', "has '-' after a part in base64url"],
    ['{iv}:{tag}:{ct:base64}/end', "has '/end' after a part in base64"],
    ['{iv}:{tag:hex}{ct:base64}', 'side by side'],
    ['{iv}:{tag}:{ct}:{salt}', '"options.saltBytes"'],
  ])('the layout %s', (layout, part) => {
    says({ ...options, layout }, 'ERR_INVALID_ARG_VALUE', part)
    says({ ...options, layout: { member: layout } }, 'ERR_INVALID_ARG_VALUE', part)
  })

  test('errors name the layout, or its member', () => {
    const wrong = { '{iv': 'options.layout', '{ct}': 'options.layout', '{iv}:{tag}': 'options.layout' }
    for (const [layout, name] of Object.entries(wrong))
      says({ ...options, layout }, 'ERR_INVALID_ARG_VALUE', `"${name}" `)
    says({ ...options, layout: { a: '{iv' } }, 'ERR_INVALID_ARG_VALUE', '"options.layout.a" has')
    says({ ...options, layout: { a: '{ct}' } }, 'ERR_INVALID_ARG_VALUE', '"options.layout" must have')
    class Members {
      iv = '{iv}'
    }
    says(
      { ...options, layout: new Members() },
      'ERR_INVALID_ARG_TYPE',
      '"options.layout" must be a plain object',
    )
    // The error of a trap that throws once.
    const error = new Error('of the caller')
    let calls = 0
    const ownKeys = () => {
      if (calls++ === 0) throw error
      return []
    }
    const layout = new Proxy({}, { ownKeys })
    expect(thrown(() => layoutReader({ ...options, layout } as never))).toBe(error)
  })

  test('all others', () => {
    for (const layout of [undefined, null, 7, true])
      says({ ...options, layout }, 'ERR_INVALID_ARG_TYPE', '"options.layout"')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    for (const name of ['layout', 'key', 'ivBytes'])
      says({ ...options, [name]: proxy }, 'ERR_INVALID_ARG_TYPE', name === 'layout' ? '"options.layout"' : '')
    refuses(() => layoutReader(proxy as never), 'ERR_INVALID_ARG_TYPE')
    says({ ...options, layout: {} }, 'ERR_INVALID_ARG_VALUE', 'each once')
    says({ ...options, layout: { iv: 7 } }, 'ERR_INVALID_ARG_TYPE', '"options.layout.iv" must be a string')
    for (const encoding of [undefined, null, 'utf8', 'HEX', 7])
      says({ ...options, encoding }, 'ERR_INVALID_ARG_VALUE', '"options.encoding" must be')
    for (const ivBytes of [0, 13, 32, Number.NaN])
      says({ ...options, ivBytes }, 'ERR_OUT_OF_RANGE', '"options.ivBytes"')
    for (const ivBytes of [null, '12', {}])
      says({ ...options, ivBytes }, 'ERR_INVALID_ARG_TYPE', '"options.ivBytes"')
    for (const layout of ['{iv}{tag}{ct}', '{iv}{ct}:{tag}'])
      says(
        { ...options, layout, ivBytes: undefined },
        'ERR_INVALID_ARG_VALUE',
        '"options.ivBytes" must be 12 or 16',
      )
    says({ ...options, saltBytes: 8 }, 'ERR_INVALID_ARG_VALUE', '"options.saltBytes"')
    const salted = { ...options, layout: '{salt}:{iv}:{tag}:{ct}', saltBytes: 8 }
    says(salted, 'ERR_INVALID_ARG_VALUE', '"options.key" must be a function of the salt')
    for (const saltBytes of [0, 1025, 1.5])
      says({ ...salted, saltBytes }, 'ERR_OUT_OF_RANGE', '"options.saltBytes"')
    says({ ...options, key: () => KEY }, 'ERR_INVALID_ARG_VALUE', '"options.key" must not be a function')
    for (const key of [undefined, null, 'key', 7, {}])
      refuses(() => layoutReader({ ...options, key } as never), 'ERR_INVALID_ARG_TYPE')
    for (const length of [0, 8, 15, 33]) {
      says(
        { ...options, key: Buffer.alloc(length) },
        'ERR_AESGCM_INVALID_KEY_LENGTH',
        '"options.key" must be 16, 24 or 32 bytes',
      )
      says(
        { ...options, key: [KEY, Buffer.alloc(length)] },
        'ERR_AESGCM_INVALID_KEY_LENGTH',
        '"options.key[1]"',
      )
    }
    for (const key of [[], Array(9).fill(KEY)])
      says({ ...options, key }, 'ERR_OUT_OF_RANGE', '"options.key" must have')
    says({ ...options, iv: KEY }, 'ERR_INVALID_ARG_VALUE', `"options" has no 'iv'`)
    for (const given of [undefined, null, 'options', 7])
      refuses(() => layoutReader(given as never), 'ERR_INVALID_ARG_TYPE')
  })
})
