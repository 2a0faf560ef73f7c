// What tokens say they are: a token of one purpose is none of another, and a value of a keyring is never a token of its key.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { AesGcm, AuthenticationError } from 'hardware-aes-gcm'
import { context, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { Random, refuses, run, thrown } from '../../tools/support.js'
import { tokenOf } from './jwe.js'

const KEY = Buffer.alloc(32, 7)
const keyring = new Keyring([{ id: 7, key: KEY }])
const raw = new Keyring([{ id: 7, key: KEY, prefix: 'raw' }])
const base64url = (text: string) => Buffer.from(text).toString('base64url')

describe('a token of one purpose does not open as another', () => {
  const opens = (token: string, expected?: { typ?: string; cty?: string }) => {
    const payload = keyring.tryOpenJwe(token, expected)
    if (payload === null)
      expect(thrown(() => keyring.openJwe(token, expected))).toBeInstanceOf(AuthenticationError)
    else expect(keyring.openJwe(token, expected).equals(payload)).toBe(true)
    return payload !== null
  }

  test.each([
    [{ typ: 'password-reset+jwt' }, undefined, false],
    [{ typ: 'password-reset+jwt' }, {}, false],
    [{ typ: 'password-reset+jwt' }, { typ: 'session+jwt' }, false],
    [{ typ: 'password-reset+jwt' }, { typ: 'JWT' }, false],
    [{ typ: 'password-reset+jwt' }, { cty: 'password-reset+jwt' }, false],
    [{ typ: 'password-reset+jwt' }, { typ: 'password-reset+jwt' }, true],
    [{ typ: 'password-reset+jwt' }, { typ: 'application/Password-Reset+JWT' }, true],
    [{ typ: 'Application/password-reset+jwt' }, { typ: 'password-reset+jwt' }, true],
    [{ typ: 'text/password-reset+jwt' }, { typ: 'password-reset+jwt' }, false],
    [undefined, undefined, true],
    [undefined, { typ: 'session+jwt' }, false],
    [undefined, { typ: 'JWT' }, false],
    [{ typ: 'JWT' }, undefined, true],
    [{ typ: 'application/jwt' }, undefined, true],
    [{ typ: 'JOSE' }, undefined, true],
    [{ typ: 'JWT' }, { typ: 'jwt' }, true],
    [{ typ: 'JWT' }, { typ: 'session+jwt' }, false],
    [{ cty: 'json' }, undefined, false],
    [{ cty: 'JWT' }, undefined, false],
    [{ cty: 'json' }, { cty: 'application/json' }, true],
    [{ cty: 'json' }, { typ: 'json' }, false],
    [undefined, { cty: 'json' }, false],
    [{ typ: 'a', cty: 'b' }, { typ: 'a', cty: 'b' }, true],
    [{ typ: 'a', cty: 'b' }, { typ: 'a' }, false],
    [{ typ: 'a', cty: 'b' }, { cty: 'b' }, false],
  ])('sealed as %j, expected as %j: %j', (header, expected, wanted) => {
    expect(opens(keyring.sealJwe('{"sub":17}', header), expected)).toBe(wanted)
  })

  test.each(['17', 'null', 'true', '["JWT"]', '{}', '""'])('a header whose typ or cty is %s', value => {
    for (const name of ['typ', 'cty'])
      expect(opens(tokenOf(KEY, `{"alg":"dir","enc":"A256GCM","kid":"7","${name}":${value}}`))).toBe(false)
  })

  test('types that are not expected so throw for every token', () => {
    for (const token of [keyring.sealJwe(''), 'no token'])
      for (const open of [keyring.openJwe, keyring.tryOpenJwe].map(method => method.bind(keyring))) {
        expect(refuses(() => open(token, { typ: 17 } as never), 'ERR_INVALID_ARG_TYPE').message).toContain(
          '"expected.typ" must be a string',
        )
        for (const typ of ['', 'é', 'x'.repeat(128)])
          expect(refuses(() => open(token, { typ }), 'ERR_INVALID_ARG_VALUE').message).toContain(
            '"expected.typ"',
          )
        refuses(() => open(token, { cty: '\n' }), 'ERR_INVALID_ARG_VALUE')
        refuses(() => open(token, { type: 'x' } as never), 'ERR_INVALID_ARG_VALUE')
        for (const expected of [null, 'JWT', 17])
          refuses(() => open(token, expected as never), 'ERR_INVALID_ARG_TYPE')
      }
  })

  test('tryOpenJwe gives null for what is not authentic alone, with one event', () => {
    let events = 0
    const count = () => void events++
    subscribe('hardware-aes-gcm:authentication-failed', count)
    const token = keyring.sealJwe('x', { typ: 'a' })
    const other = new Keyring([{ id: 8, key: KEY }]).sealJwe('x')
    for (const wrong of [token, other, '', token.replace(/.$/, last => (last === 'A' ? 'Q' : 'A'))])
      expect(keyring.tryOpenJwe(wrong)).toBeNull()
    unsubscribe('hardware-aes-gcm:authentication-failed', count)
    expect(events).toBe(4)
    for (const wrong of [undefined, null, 17, Buffer.from(token)])
      refuses(() => keyring.tryOpenJwe(wrong as never), 'ERR_INVALID_ARG_TYPE')
    const gone = Keyring.generate()
    gone.destroy()
    refuses(() => gone.tryOpenJwe(token), 'ERR_AESGCM_DESTROYED')
  })
})

describe('a value whose additional data are the header of a token', () => {
  const HEADERS = [
    '{"alg":"dir","enc":"A256GCM"}',
    '{"alg":"dir","enc":"A256GCM","kid":"7"}',
    ...[' ', '\n', '\r', '\t'].map(space => `${space}{"alg":"dir","enc":"A256GCM"}`),
    '{ "enc":"A256GCM", "alg":"dir" }\n',
    '{"\\u0061lg":"dir","enc":"A256GCM"}',
    '{"alg":"dir","enc":"A256GCM","typ":"é"}',
  ]
  // What other libraries may read as a header, and this one does not.
  const OTHERS = [
    '{"alg":"dir","alg":"dir","enc":"A256GCM"}',
    '{"alg":"dir","enc":"A256GCM","zip":"DEF"}',
    '{"alg":"A256KW","enc":"A256CBC-HS512"}',
    `{"alg":"dir","enc":"A256GCM","x":"${'x'.repeat(5000)}"}`,
  ]

  test.each([...HEADERS, ...OTHERS])('is not sealed, and would not open: %j', json => {
    const header = base64url(json)
    for (const aad of [header, Buffer.from(header), new Uint8Array(Buffer.from(header))]) {
      const said = /^"aad" is the header of a token/
      expect(refuses(() => keyring.seal(Buffer.from('{}'), aad), 'ERR_INVALID_ARG_VALUE').message).toMatch(
        said,
      )
      expect(refuses(() => keyring.sealText('{}', aad), 'ERR_INVALID_ARG_VALUE').message).toMatch(said)
      // As a token has it, and as another program may have sealed it.
      const frame = new AesGcm(KEY).encrypt(Buffer.from('{"sub":"admin"}'), Buffer.from(header))
      const value = Buffer.concat([Buffer.from([1, 0, 0, 0, 7]), frame])
      for (const [ring, sealed] of [
        [keyring, value],
        [raw, frame],
      ] as const) {
        expect(ring.tryOpen(sealed, aad)).toBeNull()
        expect(ring.tryOpenText(sealed.toString('base64url'), aad)).toBeNull()
        refuses(() => ring.open(sealed, aad), 'ERR_AESGCM_AUTHENTICATION_FAILED')
        refuses(() => ring.openText(sealed.toString('base64url'), aad), 'ERR_AESGCM_AUTHENTICATION_FAILED')
      }
    }
  })

  test('what openJwe reads as a header is what no value may have as additional data', () => {
    for (const json of HEADERS.slice(0, -1)) {
      expect(raw.openJwe(tokenOf(KEY, json)).toString()).toBe('attack at dawn')
      refuses(() => raw.seal(Buffer.from('x'), base64url(json)), 'ERR_INVALID_ARG_VALUE')
    }
    const random = new Random('headers of tokens')
    const members = [
      '"alg":"dir"',
      '"enc":"A256GCM"',
      '"kid":"7"',
      '"typ":"JWT"',
      '"x":[{"y":" "}]',
      '"crit":[]',
      '"alg":1',
    ]
    let read = 0
    for (let i = 0; i < 2000; i++) {
      const chosen = members.filter((_, at) => random.below(at < 2 ? 8 : 3) > (at < 2 ? 0 : 1))
      const json = `${random.pick(['', ' ', '\n'])}{${chosen.join(random.pick([',', ' , ']))}}`
      if (raw.tryOpenJwe(tokenOf(KEY, json)) === null) continue
      read++
      refuses(() => keyring.seal(Buffer.from('x'), base64url(json)), 'ERR_INVALID_ARG_VALUE')
    }
    expect(read).toBeGreaterThan(100)
  })

  test('other data are no header: texts that begin or look like one', () => {
    const header = base64url(HEADERS[1] as string)
    const texts = [
      context(header),
      keyring.sealJwe('x'),
      base64url('{"alg":"dir"}'),
      // Shorter than the shortest header.
      base64url('{"alg":"","enc":"A256GCM"} '),
      Buffer.from(base64url('{"alg":"","enc":"A256GCM"} ')),
      base64url('{"user":17,"column":"email","table":"users"}'),
      base64url('{"alg":"dir","x":"A256GCM","y":"A256GCM"}'),
      base64url('{"enc":"A256GCM","x":"A256GCM","y":"dir"}'),
      base64url('[{"alg":"dir","enc":"A256GCM","kid":"7"}]'),
      base64url('{"x":{"alg":"dir","enc":"A256GCM","kid":"7"}}'),
      base64url('{"alg":"dir","enc":"A256GCM","kid":"7"'),
      'eyebrows/of/every/user/of/this/table/are/sealed',
      'eyebrowsOfEveryUserOfThisTableAreSealedInThisWay',
      'Ids-of-users-of-this-table-are-sealed-in-this-way',
      Buffer.concat([Buffer.from(header), Buffer.from([0xff])]),
      Buffer.from(
        Buffer.concat([Buffer.from('{"alg":"dir","enc":"'), Buffer.alloc(30, 0xff)]).toString('base64url'),
      ),
    ]
    for (const aad of texts) {
      expect(keyring.openText(keyring.sealText('x', aad), aad)).toBe('x')
      expect(keyring.open(keyring.seal(Buffer.from('x'), aad), aad).toString()).toBe('x')
    }
  })

  test('rotate does not open such a value; a reader of another format may', () => {
    const header = base64url(HEADERS[0] as string)
    const old = new Keyring([{ id: 7, key: KEY }])
    old.promote(old.add({ key: AesGcm.generateKey() }))
    const frame = new AesGcm(KEY).encrypt(Buffer.from('x'), Buffer.from(header))
    const value = Buffer.concat([Buffer.from([1, 0, 0, 0, 7]), frame])
    refuses(() => old.rotate(value, header), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    refuses(() => old.rotate(value.toString('base64url'), header), 'ERR_AESGCM_AUTHENTICATION_FAILED')
    expect(old.openText('old', header, { fallback: { tryOpen: () => 'text' } })).toBe('text')
  })
})

test('types named by Object.prototype are neither expected nor written', () => {
  const script = `
    import { Keyring } from 'hardware-aes-gcm/keyring'
    const keyring = new Keyring([{ id: 7, key: Buffer.alloc(32, 7) }])
    const reset = keyring.sealJwe('x', { typ: 'password-reset+jwt' })
    const headerOf = token => Buffer.from(token.split('.')[0], 'base64url').toString()
    Object.prototype.typ = 'password-reset+jwt'
    Object.prototype.cty = { toJSON: () => 'forged' }
    const results = [keyring.tryOpenJwe(reset) === null, headerOf(keyring.sealJwe('x'))]
    delete Object.prototype.typ
    delete Object.prototype.cty
    console.log(results.join(' '))`
  const { status, stdout, stderr } = run(script)
  expect([status, stdout, stderr]).toEqual([0, 'true {"alg":"dir","enc":"A256GCM","kid":"7"}\n', ''])
})

// jose opened values with such data as tokens, since it decodes base64 as Buffer.from does.
test.each([
  ['padding', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0='],
  ['a space behind', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0 '],
  ['a space before', ' eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'],
  ['a line break inside', 'e\nyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'],
  ['characters that are no digits', 'é!eyJhbGciOiJkaXIi.LCJlbmMiOiJBMjU2R0NNIn0'],
  ['bits behind the last byte', 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn1'],
  ['a byte order mark', base64url('\ufeff{"alg":"dir","enc":"A256GCM"}')],
  ['a byte order mark in the other alphabet', '77u/eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'],
  ['a character of which Node decodes the lower byte', 'ťyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'],
  ['the same after characters that are no digits', '日.ťyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'],
])('data that lenient readers take for the header of a token are refused: %s', (_, header) => {
  for (const aad of [header, Buffer.from(header)]) {
    refuses(() => raw.seal(Buffer.from('x'), aad), 'ERR_INVALID_ARG_VALUE')
    refuses(() => raw.sealText('x', aad), 'ERR_INVALID_ARG_VALUE')
  }
})

// Such as the names of tables that begin with white space in base64url: "Customer".
test('data are refused exactly if Node decodes them as the object of a header', () => {
  const random = new Random('what begins like a header')
  const beginnings = ['', ' ', '\r\n', '\ufeff', '\ufeff\t', '\ufeff\ufeff', 'x', '[', '\n\u00eb']
  const isHeader = (text: string) => {
    try {
      const value = JSON.parse(new TextDecoder().decode(Buffer.from(text, 'base64url')))
      return !Array.isArray(value) && Object.hasOwn(value, 'alg') && Object.hasOwn(value, 'enc')
    } catch {
      return false
    }
  }
  const changes: ((text: string, at: number) => string)[] = [
    text => text,
    (text, at) => text.slice(0, at) + random.pick(['.', '=', ' ', 'é', '日', '+', '/', 'A']) + text.slice(at),
    (text, at) => text.slice(0, at) + text.slice(at + 1),
    (text, at) => text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) + 0x100) + text.slice(at + 1),
  ]
  const found = { headers: 0, others: 0 }
  for (let i = 0; i < 4000; i++) {
    const inner = random.pick([
      '"alg":"dir","enc":"A256GCM"',
      ' "alg":"dir","enc":"A256GCM","x":"\u00ff?~"',
      '"a":1',
    ])
    const json = Buffer.from(`${random.pick(beginnings)}{${inner}}`)
    let aad = json.toString(random.pick(['base64', 'base64url'] as const))
    for (let j = random.below(3); j > 0; j--)
      aad = random.pick(changes)(aad, random.below(random.pick([6, aad.length])))
    if (random.below(4) === 0) aad = random.pick(['Customer', 'Data', 'IDS', 'expenses', 'eyJ']) + aad
    if (aad.length < 39) continue
    for (const given of [aad, Buffer.from(aad)]) {
      if (isHeader(aad)) refuses(() => raw.sealText('x', given), 'ERR_INVALID_ARG_VALUE')
      else expect(raw.openText(raw.sealText('x', given), given)).toBe('x')
    }
    found[isHeader(aad) ? 'headers' : 'others']++
  }
  expect(Math.min(found.headers, found.others)).toBeGreaterThan(500)
})
