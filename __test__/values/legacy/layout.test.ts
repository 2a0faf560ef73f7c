// Readers of hand-written formats: every order of the parts, separators, encodings, sizes; JSON; salts; additional data.
import { createSecretKey, pbkdf2Sync } from 'node:crypto'
import { inspect } from 'node:util'
import { AuthenticationError } from 'hardware-aes-gcm'
import type { LayoutOptions } from 'hardware-aes-gcm/legacy'
import { layoutReader } from 'hardware-aes-gcm/legacy'
import { describe, expect, test } from 'vitest'
import { gcm, type Sealed } from '../../models/legacy.js'
import { Random, refuses, thrown } from '../../tools/support.js'

const random = new Random('legacy layouts')
const KEY = Buffer.alloc(32, 7)
const ORDERS = ['iv tag ct', 'iv ct tag', 'tag iv ct', 'tag ct iv', 'ct iv tag', 'ct tag iv'].map(
  order => order.split(' ') as ('iv' | 'tag' | 'ct')[],
)
const ENCODINGS = ['hex', 'base64', 'base64url'] as const
const TEXTS = ['', 'é€😀', 'x'.repeat(1000)]

const refusal = (options: LayoutOptions, sealed: string, aad?: string) => {
  const reader = layoutReader(options)
  expect(reader.tryOpen(sealed, aad)).toBeNull()
  return thrown(() => reader.open(sealed, aad)) as AuthenticationError
}
const isRefused = (...call: Parameters<typeof refusal>) =>
  expect(refusal(...call)).toBeInstanceOf(AuthenticationError)
const isForged = (...call: Parameters<typeof refusal>) =>
  expect(refusal(...call).code).toBe('ERR_AESGCM_AUTHENTICATION_FAILED')
const isOther = (...call: Parameters<typeof refusal>) =>
  expect(refusal(...call).code).toBe('ERR_AESGCM_UNKNOWN_LAYOUT')
const says = (options: object, code: string, part: string) =>
  expect(refuses(() => layoutReader(options as never), code).message).toContain(part)
const opens = (options: LayoutOptions, sealed: string, text: string, aad?: string) => {
  const reader = layoutReader(options)
  expect([reader.open(sealed, aad), reader.tryOpen(sealed, aad)]).toEqual([text, text])
}
const seal = (text: string, ivBytes = 12) => gcm(KEY, random.bytes(ivBytes), text)
const joined = (sealed: Sealed, order: ('iv' | 'tag' | 'ct')[]) =>
  Buffer.concat(order.map(part => sealed[part]))

describe.each(ENCODINGS)('in %s', encoding => {
  const separators = [':', '.', '|', '$', ' ', '::', ', ', '\n', encoding === 'base64url' ? '+' : '_', 'é']

  test.each(ORDERS)(
    '%s, %s, %s: every separator, IVs of 12 and 16 bytes, padding and capitals',
    (...order) => {
      for (const separator of separators)
        for (const ivBytes of [12, 16] as const)
          for (const text of TEXTS) {
            const sealed = seal(text, ivBytes)
            const layout = order.map(part => `{${part}}`).join(separator)
            const write = (encode: (bytes: Buffer) => string) =>
              order.map(part => encode(sealed[part])).join(separator)
            const usual = write(bytes => bytes.toString(encoding))
            const options = { key: KEY, layout, encoding }
            opens(options, usual, text)
            opens({ ...options, ivBytes }, usual, text)
            isRefused({ ...options, ivBytes: ivBytes === 12 ? 16 : 12 }, usual)
            if (encoding === 'hex')
              opens(
                options,
                write(bytes => bytes.toString('hex').toUpperCase()),
                text,
              )
            else {
              const padded = (bytes: Buffer) => bytes.toString('base64')
              const safe = (part: string) =>
                encoding === 'base64' ? part : part.replaceAll('+', '-').replaceAll('/', '_')
              opens(
                options,
                write(bytes => safe(padded(bytes))),
                text,
              )
              opens(
                options,
                write(bytes => safe(padded(bytes)).replace(/=+$/, '')),
                text,
              )
            }
          }
    },
  )

  test.each(ORDERS)('%s, %s, %s side by side', (...order) => {
    for (const ivBytes of [12, 16] as const)
      for (const text of TEXTS) {
        const sealed = seal(text, ivBytes)
        const options = { key: KEY, layout: order.map(part => `{${part}}`).join(''), encoding, ivBytes }
        const usual = joined(sealed, order).toString(encoding)
        opens(options, usual, text)
        isRefused(options, `${usual}0`)
        isRefused(options, joined(sealed, order).subarray(1).toString(encoding))
      }
  })

  test('WebCrypto’s ciphertext with the tag at its end, beside an IV', () => {
    for (const ivBytes of [12, 16]) {
      const sealed = seal('text', ivBytes)
      const text = `v1:${sealed.iv.toString(encoding)}:${joined(sealed, ['ct', 'tag']).toString(encoding)};`
      const options = { key: KEY, layout: 'v1:{iv}:{ct}{tag};', encoding }
      opens(options, text, 'text')
      for (const wrong of [
        text.slice(1),
        text.slice(0, -1),
        `${text};`,
        ` ${text}`,
        text.replace('v1', 'v2'),
      ])
        isOther(options, wrong)
    }
  })
})

test.each([16, 24, 32])('keys of %d bytes: as bytes, as KeyObject, in a list', length => {
  const key = random.bytes(length)
  const { iv, tag, ct } = gcm(key, random.bytes(12), 'text')
  const sealed = [iv, tag, ct].map(bytes => bytes.toString('hex')).join(':')
  const options = { layout: '{iv}:{tag}:{ct}', encoding: 'hex' } as const
  const other = random.bytes(length)
  for (const one of [key, createSecretKey(key), [key], [...Array(7).fill(other), key]])
    opens({ ...options, key: one }, sealed, 'text')
  isForged({ ...options, key: other }, sealed)
  isForged({ ...options, key: [other, KEY] }, sealed)
  const mine = Buffer.from(key)
  const reader = layoutReader({ ...options, key: mine })
  mine.fill(0)
  expect(reader.open(sealed)).toBe('text')
})

test('parts in different encodings', () => {
  const { iv, tag, ct } = seal('text')
  const sealed = `${iv.toString('hex')}-${ct.toString('base64')}.${tag.toString('base64url')}`
  opens({ key: KEY, layout: '{iv:hex}-{ct}.{tag:base64url}', encoding: 'base64' }, sealed, 'text')
})

describe('JSON', () => {
  const layout = { iv: '{iv}', encryptedData: '{ct}', authTag: '{tag}' }
  const options = { key: KEY, layout, encoding: 'hex' } as const
  const { iv, tag, ct } = seal('text')
  const [a, b, c] = [iv, ct, tag].map(bytes => bytes.toString('hex')) as [string, string, string]
  const object = { version: 1, authTag: c, iv: a, encryptedData: b }

  test('objects with these members, in any order and beside others', () => {
    opens(options, JSON.stringify(object), 'text')
    opens(options, ` ${JSON.stringify(object, undefined, 2)}\n`, 'text')
    opens({ ...options, layout: { iv: '{iv}', d: '{ct}{tag}' } }, JSON.stringify({ iv: a, d: b + c }), 'text')
    opens(
      { ...options, layout: { all: 'v1.{iv}.{tag}.{ct}' } },
      JSON.stringify({ all: `v1.${a}.${c}.${b}` }),
      'text',
    )
    opens(
      { ...options, layout: JSON.parse('{"__proto__":"{iv}{ct}{tag}"}'), ivBytes: 12 },
      `{"__proto__":"${a}${b}${c}"}`,
      'text',
    )
  })

  test('other texts', () => {
    for (const wrong of [
      '',
      'text',
      'null',
      '17',
      '[]',
      '{}',
      JSON.stringify(JSON.stringify(object)),
      JSON.stringify([object]),
      JSON.stringify({ ...object, iv: undefined }),
      JSON.stringify({ ...object, iv: 17 }),
      JSON.stringify({ ...object, iv: [a] }),
      JSON.stringify({ ...object, iv: `${a} ` }),
      JSON.stringify({ ...object, encryptedData: undefined }),
      `{"__proto__":${JSON.stringify(object)}}`,
      JSON.stringify(object).slice(0, -1),
    ])
      isOther(options, wrong)
  })
})

test('a list of texts is no text, also where it reads as one', () => {
  const options = { key: KEY, layout: { all: '{iv}.{tag}.{ct};' }, encoding: 'hex' } as const
  const { iv, tag, ct } = seal('text')
  const all = `${[iv, tag, ct].map(bytes => bytes.toString('hex')).join('.')};`
  opens(options, JSON.stringify({ all }), 'text')
  isOther(options, JSON.stringify({ all: [all] }))
})

test('parts that are longer than they should be', () => {
  const hex = ({ iv, tag, ct }: Sealed, more: Partial<Sealed> = {}) =>
    (['iv', 'tag', 'ct'] as const)
      .map(part => Buffer.concat([{ iv, tag, ct }[part], more[part] ?? Buffer.alloc(0)]).toString('hex'))
      .join(':')
  const options = { key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' } as const
  const byte = Buffer.alloc(1)
  for (const lengths of [{}, { ivBytes: 12 as const }]) {
    opens({ ...options, ...lengths }, hex(seal('text')), 'text')
    isOther({ ...options, ...lengths }, hex(seal('text'), { tag: byte }))
    isOther({ ...options, ...lengths }, hex(seal('text'), { iv: byte }))
    // As node:crypto takes it.
    isOther({ ...options, ...lengths }, hex(seal('text', 13)))
  }
})

test('the text after the last part is not the one before it', () => {
  const options = { key: KEY, layout: '{iv}:{tag}:{ct}:', encoding: 'hex' } as const
  const { iv, tag } = seal('')
  const begin = `${iv.toString('hex')}:${tag.toString('hex')}:`
  opens(options, `${begin}:`, '')
  isOther(options, begin)
})

describe('salts', () => {
  const derive = (salt: Uint8Array) => pbkdf2Sync('password', salt, 2145, 32, 'sha512')
  const salted = () => {
    const salt = random.bytes(64)
    const { iv, tag, ct } = gcm(derive(salt), random.bytes(16), 'text')
    return Buffer.concat([salt, iv, tag, ct]).toString('base64')
  }
  const options = {
    key: derive,
    layout: '{salt}{iv}{tag}{ct}',
    encoding: 'base64',
    saltBytes: 64,
    ivBytes: 16,
  } as const

  test('the key of a message is derived from its salt', () => {
    opens(options, salted(), 'text')
    opens({ ...options, key: salt => createSecretKey(derive(salt)) }, salted(), 'text')
    isForged({ ...options, key: () => KEY }, salted())
    isForged({ ...options, saltBytes: 63 }, salted())
    expect(inspect(layoutReader(options))).toContain("format: 'layout'")
  })

  test('a long text, and the salt at its end', () => {
    const salt = random.bytes(8)
    const { iv, tag, ct } = gcm(derive(salt), random.bytes(12), 'x'.repeat(5000))
    const side = Buffer.concat([salt, iv, tag, ct]).toString('base64')
    opens({ ...options, saltBytes: 8, ivBytes: 12 }, side, 'x'.repeat(5000))
    const text = [iv, tag, ct, salt].map(bytes => bytes.toString('hex')).join(':')
    const last = { key: derive, layout: '{iv}:{tag}:{ct}:{salt}', encoding: 'hex', saltBytes: 8 } as const
    opens(last, text, 'x'.repeat(5000))
  })

  test('a text whose salt is wrong asks for no key', () => {
    const key = () => expect.unreachable()
    const { iv, tag, ct } = seal('text')
    const [a, b, c] = [iv, tag, ct].map(bytes => bytes.toString('hex')) as [string, string, string]
    const members = { salt: 's:{salt}', iv: '{iv}', tag: '{tag}', ct: '{ct}' }
    const others = { key, encoding: 'hex', saltBytes: 8 } as const
    for (const salt of ['', '00'.repeat(7), '00'.repeat(9), `${'00'.repeat(8)}0`, 'x'.repeat(16)]) {
      isOther({ ...others, layout: '{iv}:{tag}:{ct}:{salt}' }, [a, b, c, salt].join(':'))
      isOther({ ...others, layout: '{salt}:{iv}:{tag}:{ct}' }, [salt, a, b, c].join(':'))
      isOther({ ...others, layout: members }, JSON.stringify({ salt: `s:${salt}`, iv: a, tag: b, ct: c }))
    }
    for (const salt of ['00'.repeat(9), 7, true, null, {}, ['s:'], undefined])
      isOther({ ...others, layout: members }, JSON.stringify({ salt, iv: a, tag: b, ct: c }))
    isOther({ ...others, layout: '{iv}:{tag}:{ct}:{salt}' }, [a, b, c].join(':'))
  })

  test('what the function returns is copied; its errors, and wrong keys, are thrown', () => {
    const mine = Buffer.alloc(32, 1)
    expect(layoutReader({ ...options, key: () => mine }).tryOpen(salted())).toBeNull()
    expect(mine.equals(Buffer.alloc(32, 1))).toBe(true)
    const error = new Error('no key')
    const throws = () => {
      throw error
    }
    for (const method of ['open', 'tryOpen'] as const) {
      expect(thrown(() => layoutReader({ ...options, key: throws })[method](salted()))).toBe(error)
      const short = layoutReader({ ...options, key: () => Buffer.alloc(8) })
      expect(refuses(() => short[method](salted()), 'ERR_AESGCM_INVALID_KEY_LENGTH').message).toContain(
        '"options.key()"',
      )
      const none = layoutReader({ ...options, key: () => 'key' as never })
      refuses(() => none[method](salted()), 'ERR_INVALID_ARG_TYPE')
      expect(
        layoutReader({ ...options, key: throws })[method === 'open' ? 'tryOpen' : method]('text'),
      ).toBeNull()
    }
  })
})

test('additional data: none, those of every text, those of the call, or made from them', () => {
  const hex = (aad?: string) => {
    const { iv, tag, ct } = gcm(
      KEY,
      random.bytes(12),
      'text',
      aad === undefined ? undefined : Buffer.from(aad),
    )
    return Buffer.concat([iv, tag, ct]).toString('hex')
  }
  const options = { key: KEY, layout: '{iv}{tag}{ct}', encoding: 'hex', ivBytes: 12 } as const
  opens(options, hex(), 'text', 'of the new text')
  isForged(options, hex('old'), 'old')
  for (const aad of ['old', Buffer.from('old'), () => 'old', () => Buffer.from('old')]) {
    opens({ ...options, aad }, hex('old'), 'text', 'of the new text')
    isForged({ ...options, aad }, hex())
  }
  const same = { ...options, aad: (aad: unknown) => aad as string }
  opens(same, hex('é'), 'text', 'é')
  opens(same, hex(), 'text')
  isForged(same, hex('é'), 'e')
  isForged(same, hex('é'))
  for (const aad of [7, {}, true]) {
    const reader = layoutReader({ ...options, aad: (() => aad) as never })
    expect(refuses(() => reader.open(hex()), 'ERR_INVALID_ARG_TYPE').message).toContain('"options.aad"')
    says({ ...options, aad }, 'ERR_INVALID_ARG_TYPE', '"options.aad"')
  }
})

test('tags of fewer than 16 bytes do not open', () => {
  for (const length of [4, 8, 12, 15]) {
    const { iv, tag, ct } = gcm(KEY, random.bytes(12), 'text', undefined, length)
    const sealed = [iv, tag, ct].map(bytes => bytes.toString('hex')).join(':')
    isOther({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' }, sealed)
  }
})
