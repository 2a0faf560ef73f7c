// Tokens: published ones, both ways with jose, and every part that is refused.
import { AesGcm, AuthenticationError } from 'hardware-aes-gcm'
import { CompactEncrypt, compactDecrypt, EncryptJWT, jwtDecrypt } from 'jose'
import { describe, expect, test } from 'vitest'
import { isOwn, Random, refuses, thrown } from '../../tools/support.js'
import { VECTORS } from '../../vectors/jwe.js'
import { idOfKid, type JweKey, keyOf, openJwe, sealJwe, tokenOf } from './jwe.js'

const KEY = Buffer.alloc(32, 7)
const HEADER = '{"alg":"dir","enc":"A256GCM","kid":"7"}'
const key = keyOf(KEY)
const random = new Random('jwe')
const headerOf = (token: string) => Buffer.from(token.split('.')[0] as string, 'base64url').toString()
/** Throws a caller's mistake, whose message has `part`. */
const says = (run: () => unknown, code: string, part: string) =>
  expect(refuses(run, code).message).toContain(part)
const refused = (token: string, find = (): JweKey | JweKey[] => key) => {
  const error = thrown(() => openJwe(token, find)) as AuthenticationError
  expect(error).toBeInstanceOf(AuthenticationError)
  expect([error.code, Object.keys(error)]).toEqual(['ERR_AESGCM_AUTHENTICATION_FAILED', ['code']])
}

describe('published tokens', () => {
  test.each(VECTORS)('$token', ({ key, kid, token, text }) => {
    const opened = openJwe(token, asked => {
      expect(asked).toBe(kid)
      return keyOf(Buffer.from(key, 'hex'))
    })
    isOwn(opened)
    if (text !== undefined) expect(opened.toString()).toBe(text)
    else expect(JSON.parse(opened.toString())).toBeTypeOf('object')
  })
})

describe('jose', () => {
  test.each([16, 32])(
    'reads 100 of our tokens, and we read 100 of its tokens, keys of %d bytes',
    async length => {
      for (let n = 0; n < 100; n++) {
        const secret = random.bytes(length)
        const own = keyOf(secret, random.bytes(4).readUInt32BE())
        const payload = random.bytes(random.below(300))
        const token = sealJwe(own, payload, n % 2 === 0 ? { typ: 'JWT', cty: 'a"\\b; c' } : {})
        const { plaintext, protectedHeader } = await compactDecrypt(token, secret)
        expect(Buffer.from(plaintext).equals(payload)).toBe(true)
        const header = { alg: 'dir', enc: own.enc, kid: `${own.id}` }
        expect(protectedHeader).toEqual(n % 2 === 0 ? { ...header, typ: 'JWT', cty: 'a"\\b; c' } : header)
        const theirs = await new CompactEncrypt(payload)
          .setProtectedHeader({ alg: 'dir', enc: own.enc as string, ...(n % 2 === 0 && { kid: 'k' }) })
          .encrypt(secret)
        const kids: unknown[] = []
        const opened = openJwe(theirs, kid => {
          kids.push(kid)
          return own
        })
        expect(opened.equals(payload)).toBe(true)
        expect(kids).toEqual([n % 2 === 0 ? 'k' : undefined])
      }
    },
  )

  test('its JWT are texts of claims, whose expiry is left to the caller', async () => {
    const token = await new EncryptJWT({ sub: '17' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'JWT' })
      .setExpirationTime(1)
      .encrypt(KEY)
    expect(openJwe(token, () => key).toString()).toBe('{"sub":"17","exp":1}')
    const ours = sealJwe(key, '{"sub":"17","exp":1}')
    await expect(jwtDecrypt(ours, KEY)).rejects.toThrow('"exp" claim timestamp check failed')
    const { payload } = await jwtDecrypt(ours, KEY, { currentDate: new Date(0) })
    expect(payload).toEqual({ sub: '17', exp: 1 })
  })
})

describe('sealJwe', () => {
  test('writes algorithm, encryption and key id, then what the caller sets', () => {
    expect(headerOf(sealJwe(key, ''))).toBe(HEADER)
    expect(headerOf(sealJwe(key, '', {}))).toBe(HEADER)
    expect(headerOf(sealJwe(keyOf(KEY.subarray(16), 2 ** 32 - 1), 'text', { cty: 'json', typ: 'JWT' }))).toBe(
      '{"alg":"dir","enc":"A128GCM","kid":"4294967295","typ":"JWT","cty":"json"}',
    )
  })

  test('takes media types of 1 to 127 printable characters', () => {
    for (const typ of ['J', ' ~', 'x'.repeat(127)])
      expect(JSON.parse(headerOf(sealJwe(key, '', { typ })))).toMatchObject({ typ })
  })

  test.each(['', 'é€😀', 'x'.repeat(100_000)])('takes a text as its UTF-8', text => {
    expect(openJwe(sealJwe(key, text), () => key).toString()).toBe(text)
  })

  test('refuses a key of another cipher, and wrong arguments', () => {
    const other = thrown(() => sealJwe({ ...key, enc: null }, 'text')) as NodeJS.ErrnoException
    expect(other.code).toBe('ERR_INVALID_STATE')
    expect(other.message).toContain('a key of AES-256-GCM or AES-128-GCM')
    for (const payload of [undefined, null, 17, {}, [1], new ArrayBuffer(8)])
      says(() => sealJwe(key, payload as never), 'ERR_INVALID_ARG_TYPE', '"payload" must be a string or')
    for (const payload of ['\ud800', 'a\udc00b'])
      says(() => sealJwe(key, payload), 'ERR_INVALID_ARG_VALUE', '"payload" has an unpaired surrogate')
    const gone = new Uint8Array(8)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    says(() => sealJwe(key, gone), 'ERR_AESGCM_DETACHED_BUFFER', '"payload"')
    for (const header of [null, 17, 'JWT'])
      refuses(() => sealJwe(key, '', header as never), 'ERR_INVALID_ARG_TYPE')
    for (const name of ['alg', 'enc', 'kid', 'crit', 'zip', 'exp'])
      says(() => sealJwe(key, '', { [name]: 'x' }), 'ERR_INVALID_ARG_VALUE', '"header" has no')
    for (const name of ['typ', 'cty']) {
      says(() => sealJwe(key, '', { [name]: 17 } as never), 'ERR_INVALID_ARG_TYPE', `"header.${name}"`)
      for (const value of ['', 'é', 'a\n', '\u007f', 'x'.repeat(128)])
        says(() => sealJwe(key, '', { [name]: value }), 'ERR_INVALID_ARG_VALUE', `"header.${name}"`)
    }
  })
})

describe('openJwe', () => {
  test.each([
    [
      'names in any order, white space, other members',
      ' { "kid":"7" , "enc":"A256GCM","iss":["a:b"],"alg":"dir"}\n',
    ],
    ['no kid', '{"alg":"dir","enc":"A256GCM"}'],
    ['names that objects have', '{"alg":"dir","enc":"A256GCM","__proto__":{"crit":[],"zip":1},"toString":1}'],
    ['brackets, colons and quotes in texts', '{"alg":"dir","enc":"A256GCM","x":"}{][:\\":\\\\"}'],
    ['nested names that repeat', '{"alg":"dir","enc":"A256GCM","x":{"alg":1},"y":[{"alg":2},{"alg":3}]}'],
    ['an escaped name', '{"\\u0061lg":"dir","enc":"A256GCM"}'],
  ])('opens a token with %s', (_, header) => {
    expect(openJwe(tokenOf(KEY, header), () => key).toString()).toBe('attack at dawn')
  })

  test.each([
    '',
    '{}',
    '[]',
    '"dir"',
    'null',
    '17',
    '{"alg":"dir","enc":"A256GCM"',
    '{"alg":"dir","enc":"A256GCM"}}',
    '{"alg":"dir"}',
    '{"enc":"A256GCM"}',
    '{"alg":"DIR","enc":"A256GCM"}',
    '{"alg":["dir"],"enc":"A256GCM"}',
    '{"alg":"A256GCMKW","enc":"A256GCM"}',
    '{"alg":"RSA-OAEP","enc":"A256GCM"}',
    '{"alg":"PBES2-HS256+A128KW","enc":"A256GCM","p2c":100000000}',
    '{"alg":"none","enc":"A256GCM"}',
    '{"alg":"dir","enc":"a256gcm"}',
    '{"alg":"dir","enc":"A192GCM"}',
    '{"alg":"dir","enc":"A256CBC-HS512"}',
    '{"alg":"dir","enc":"A256GCM","kid":7}',
    '{"alg":"dir","enc":"A256GCM","kid":null}',
    '{"alg":"dir","enc":"A256GCM","zip":"DEF"}',
    '{"alg":"dir","enc":"A256GCM","zip":null}',
    '{"alg":"dir","enc":"A256GCM","crit":[]}',
    '{"alg":"dir","enc":"A256GCM","crit":["exp"],"exp":1}',
    '{"alg":"dir","enc":"A256GCM","crit":null}',
    '{"alg":"dir","alg":"dir","enc":"A256GCM"}',
    '{"alg":"none","enc":"A256GCM","\\u0061lg":"dir"}',
    '{"alg":"dir","enc":"A256GCM","x":1,"x":1}',
    '{"alg":"dir","enc":"A256GCM","__proto__":1,"__proto__":2}',
    '{"__proto__":{"alg":"dir","enc":"A256GCM"}}',
    "{'alg':'dir','enc':'A256GCM'}",
    '\ufeff{"alg":"dir","enc":"A256GCM"}',
    `{"alg":"dir","enc":"A256GCM","x":"${'x'.repeat(4096)}"}`,
  ])('refuses the header %s', header => {
    refused(tokenOf(KEY, header))
  })

  test('opens a header of 4096 characters, and refuses a longer one', () => {
    const header = (bytes: number) => '{"alg":"dir","enc":"A256GCM"}'.padEnd(bytes)
    expect(openJwe(tokenOf(KEY, header(3072)), () => key).toString()).toBe('attack at dawn')
    refused(tokenOf(KEY, header(3073)))
  })

  test('refuses a token without an algorithm, also for a key that has none', () => {
    refused(tokenOf(KEY, '{"alg":"dir","enc":null}'), () => ({ ...key, enc: null }))
  })

  test('refuses a header that is not UTF-8', () => {
    const token = tokenOf(KEY, HEADER)
    const first = Buffer.from('{"alg":"dir","enc":"A256GCM","x":"\xff"}', 'latin1').toString('base64url')
    refused([first, ...token.split('.').slice(1)].join('.'))
  })

  test('refuses other parts', () => {
    const token = tokenOf(KEY, HEADER, 'attack at dawn!!')
    const [first, , iv, text, tag] = token.split('.') as [string, string, string, string, string]
    const join = (...parts: string[]) => parts.join('.')
    expect(openJwe(token, () => key).toString()).toBe('attack at dawn!!')
    for (const wrong of [
      '',
      '....',
      join(first, '', iv, text),
      join(first, '', iv, text, tag, ''),
      join(first, 'AA', iv, text, tag),
      join(first, '', `${iv}A`, text, tag),
      join(first, '', iv.slice(1), text, tag),
      join(first, '', '', text, tag),
      join(first, '', iv, text, tag.slice(0, 20)),
      join(first, '', iv, text, ''),
      join(first, '', iv, '', tag),
      join(first, '', iv, `${text}==`, tag),
      join(first, '', iv, text, `${tag}==`),
      join(first, '', iv, ` ${text}`, tag),
      join(first, '', iv, `${text}\n`, tag),
      join(`${first}=`, '', iv, text, tag),
      token.replaceAll('-', '+').replaceAll('_', '/').replace(text, text.replaceAll(/./g, 'ä')),
    ])
      refused(wrong)
    // The last character of 16 bytes has 4 spare bits, which must be zeros.
    const spare = `${tag.slice(0, -1)}${String.fromCharCode(tag.charCodeAt(21) + 1)}`
    expect(Buffer.from(spare, 'base64url').equals(Buffer.from(tag, 'base64url'))).toBe(true)
    refused(join(first, '', iv, text, spare))
  })

  test.each([undefined, null, 17, Buffer.from('token'), {}, ['a']])(
    'throws a TypeError for the token %s',
    token => {
      says(() => openJwe(token as never, () => key), 'ERR_INVALID_ARG_TYPE', '"token" must be a string')
    },
  )

  test('tries each key that is found, of the named algorithm only', () => {
    const others = [keyOf(KEY.subarray(16)), keyOf(Buffer.alloc(32, 8)), { ...key, enc: null }]
    expect(openJwe(sealJwe(key, 'text'), () => [...others, key]).toString()).toBe('text')
    refused(sealJwe(key, 'text'), () => others)
    refused(sealJwe(key, 'text'), () => [])
    refused(sealJwe(key, 'text'), () => others[0] as JweKey)
  })

  test('errors of find, and errors of a key other than a forgery, are thrown', () => {
    const unknown = new Error('unknown')
    const throws = () => {
      throw unknown
    }
    expect(thrown(() => openJwe(sealJwe(key, ''), throws))).toBe(unknown)
    refused('not a token', throws)
    refused(tokenOf(KEY, '{"alg":"dir"}'), throws)
    const spent = { ...key, open: throws }
    expect(thrown(() => openJwe(sealJwe(key, ''), () => [spent, key]))).toBe(unknown)
  })

  test('the limit of a key that has seen too many forgeries is told only if no other key opens the token', () => {
    const limit = new Error('limit')
    const spent = { ...key, open: () => () => limit }
    const other = keyOf(Buffer.alloc(32, 8))
    for (const keys of [[spent], [spent, other], [other, spent]])
      expect(thrown(() => openJwe(sealJwe(key, ''), () => keys))).toBe(limit)
    expect(openJwe(sealJwe(key, 'text'), () => [spent, key]).toString()).toBe('text')
  })

  test('says nothing of a forgery but one text', () => {
    const aes = new AesGcm(KEY)
    const wrong = thrown(() => aes.decrypt(Buffer.alloc(28))) as Error
    for (const token of ['', tokenOf(KEY, '{"crit":[]}'), tokenOf(Buffer.alloc(32), HEADER)]) {
      const error = thrown(() => openJwe(token, () => key)) as Error
      expect(error.message).toBe(wrong.message)
    }
  })
})

test('the id of a kid is a decimal number of 32 bits', () => {
  for (const id of [0, 7, 2 ** 31, 2 ** 32 - 1]) expect(idOfKid(`${id}`)).toBe(id)
  for (const kid of ['', ' 7', '7 ', ...'-1 -0 +1 07 1.0 1.5 1e3 0x7 4294967296 NaN k1 ٧'.split(' ')])
    expect(idOfKid(kid)).toBeUndefined()
})
