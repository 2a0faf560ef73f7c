// Wrong arguments of sessions, the choice of ciphers, both faces, and inspection.
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { PassThrough } from 'node:stream'
import { inspect } from 'node:util'
import * as session from 'hardware-aes-gcm/session'
import { type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { describe, expect, test } from 'vitest'
import { refuses, run, thrown } from '../../tools/support.js'
import { failure, pipes, SECRET, secured } from './connections.js'

describe('wrong arguments', () => {
  const socket = new PassThrough()
  const good: SecureStreamOptions = { secret: SECRET, role: 'initiator' }
  const cases: [string, object, RegExp][] = [
    ['a text as secret', { secret: 'correct horse battery staple, twice' }, /password/],
    [
      'no secret',
      { secret: undefined },
      /"options.secret" must be a Uint8Array of at least 32 bytes, got undefined$/,
    ],
    ['a short secret', { secret: Buffer.alloc(31) }, /32 to 65536 bytes, got length 31/],
    ['a long secret', { secret: Buffer.alloc(65_537) }, /got length 65537/],
    ['a short one of two', { secret: [SECRET, Buffer.alloc(5)] }, /"options.secret\[1\]"/],
    ['no secrets', { secret: [] }, /1 to 16 secrets, got 0/],
    ['too many secrets', { secret: Array(17).fill(SECRET) }, /got 17/],
    ['a sparse array of secrets', { secret: Array(1) }, /got undefined/],
    ['no role', { role: undefined }, /"options.role" must be 'initiator' or 'responder'/],
    ['another role', { role: 'client' }, /got 'client'/],
    ['no ciphers', { ciphers: [] }, /at least one cipher/],
    [
      'an unknown cipher',
      { ciphers: ['aes-192-gcm'] },
      /has no 'aes-192-gcm', only 'aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305'$/,
    ],
    ['a cipher that is no string', { ciphers: [1] }, /"options.ciphers\[0\]" must be a string/],
    ['ciphers that are no list', { ciphers: 'aes-256-gcm' }, /must be an array/],
    ['rekeyAfterBytes 0', { rekeyAfterBytes: 0 }, /rekeyAfterBytes/],
    ['rekeyAfterBytes too large', { rekeyAfterBytes: 2 ** 30 + 1 }, /2\^30/],
    ['rekeyAfterRecords too large', { rekeyAfterRecords: 2 ** 20 + 1 }, /2\^20/],
    ['maxRecord too small', { maxRecord: 28 }, /maxRecord/],
    ['maxRecord too large', { maxRecord: 20 * 2 ** 20 + 1 }, /maxRecord/],
    ['handshakeTimeout 0', { handshakeTimeout: 0 }, /handshakeTimeout/],
    ['rekeyTimeout NaN', { rekeyTimeout: Number.NaN }, /rekeyTimeout/],
    ['handshakeTimeout too large', { handshakeTimeout: 2 ** 31 }, /from 1 to 2147483647, got 2147483648$/],
    ['another wire', { compat: 'tls' }, /'keibidrop'/],
    ['a wire that needs one cipher', { compat: 'keibidrop' }, /alone/],
    ['such a wire and two', { compat: 'keibidrop', ciphers: ['aes-256-gcm', 'chacha20-poly1305'] }, /alone/],
    ['such a wire and a short key', { compat: 'keibidrop', ciphers: ['aes-128-gcm'] }, /alone/],
    ['a misspelt option', { cipher: 'aes-256-gcm' }, /has no 'cipher'/],
  ]

  test.each(cases)('%s', (_name, wrong, message) => {
    const error = thrown(() => secureStream(socket, { ...good, ...wrong } as never)) as NodeJS.ErrnoException
    expect(error.code).toMatch(/^ERR_(INVALID_ARG_TYPE|INVALID_ARG_VALUE|OUT_OF_RANGE)$/)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('horse')
    expect(socket.eventNames()).toEqual(new PassThrough().eventNames())
  })

  test('a secret may have 32 to 65536 bytes', () => {
    for (const length of [32, 2 ** 16])
      new session.Handshake({ ...good, secret: Buffer.alloc(length) }).destroy()
  })

  test.each([undefined, null, 1, {}, SECRET, new (class {})()])('a socket that is %o', value => {
    refuses(() => secureStream(value as never, good), 'ERR_INVALID_ARG_TYPE')
  })

  test('a socket with a part of the methods, and one that was revoked', () => {
    refuses(() => secureStream({ on() {}, write() {} } as never, good), 'ERR_INVALID_ARG_TYPE')
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    const { message } = refuses(() => secureStream(proxy as never, good), 'ERR_INVALID_ARG_TYPE')
    expect(message).toBe('"socket" is a Proxy that was revoked')
  })

  test('a socket with an encoding, or of objects', () => {
    refuses(() => secureStream(new PassThrough({ encoding: 'utf8' }), good), 'ERR_INVALID_ARG_VALUE')
    refuses(() => secureStream(new PassThrough({ objectMode: true }), good), 'ERR_INVALID_ARG_VALUE')
  })

  test('a socket that is closed already', async () => {
    const [a] = pipes()
    a.destroy()
    await once(a, 'close')
    expect(await failure(secureStream(a, good))).toMatchObject({ code: 'ERR_AESGCM_HANDSHAKE_FAILED' })
  })

  test('a socket that has ended already', async () => {
    const [a, b] = pipes({ allowHalfOpen: true })
    b.end()
    a.resume()
    await once(a, 'end')
    expect(await failure(secureStream(a, good))).toMatchObject({
      code: 'ERR_AESGCM_HANDSHAKE_FAILED',
      message: 'the handshake failed: the socket ended before it was complete',
    })
  })

  test('a wrong receiver', async () => {
    const { rekey } = session.SecureStream.prototype
    await expect(rekey.call({} as never)).rejects.toMatchObject({ code: 'ERR_INVALID_THIS' })
    for (const [Class, names] of [
      [session.SecureStream, ['cipher', 'stats']],
      [session.Handshake, ['hello', 'finish', 'destroy']],
      [session.RecordWriter, ['stats', 'seal', 'rekey', 'end', 'destroy']],
      [session.RecordReader, ['stats', 'ended', 'awaitsRekey', 'open', 'rekey', 'destroy']],
    ] as const) {
      const members = Object.getOwnPropertyDescriptors(Class.prototype) as PropertyDescriptorMap
      for (const name of names) {
        const { get, value } = members[name] as PropertyDescriptor
        for (const self of [undefined, null, 5, {}, Object.create(Class.prototype)])
          expect(refuses(() => (get ?? value).call(self), 'ERR_INVALID_THIS', name).message).toBe(
            `Value of "this" must be of type ${Class.name}`,
          )
      }
    }
  })
})

describe('supportedCiphers and negotiateCipher', () => {
  const ALL = session.supportedCiphers()

  test('the fixed order, whatever the order of the lists', () => {
    expect(ALL).toEqual(['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305'])
    const lists = ALL.flatMap((_, i) => ALL.map((_, j) => [...new Set([ALL[i], ALL[j]])] as session.Cipher[]))
    for (const a of lists)
      for (const b of lists) {
        const common = ALL.filter(cipher => a.includes(cipher) && b.includes(cipher))
        if (common.length === 0) {
          refuses(() => session.negotiateCipher(a, b), 'ERR_AESGCM_HANDSHAKE_FAILED')
        } else {
          expect(session.negotiateCipher(a, b)).toBe(common[0])
          expect(session.negotiateCipher(b, a)).toBe(common[0])
        }
      }
  })

  test('unknown names are ignored, other values are refused', () => {
    expect(session.negotiateCipher(['aes-512-gcm', 'aes-128-gcm'] as never, ALL)).toBe('aes-128-gcm')
    refuses(() => session.negotiateCipher([], ALL), 'ERR_AESGCM_HANDSHAKE_FAILED')
    refuses(() => session.negotiateCipher('aes-256-gcm' as never, ALL), 'ERR_INVALID_ARG_TYPE')
    refuses(() => session.negotiateCipher(ALL, [1] as never), 'ERR_INVALID_ARG_TYPE')
    refuses(() => session.negotiateCipher(ALL, Array(256).fill('x')), 'ERR_OUT_OF_RANGE')
  })
})

test('machines without AES, or without ChaCha20-Poly1305 in node:crypto', () => {
  const script = `
    const { default: crypto } = await import('node:crypto')
    let [aes, list] = [false, []]
    AesGcm.isAvailable = () => aes
    crypto.getCiphers = () => list
    const { Handshake, supportedCiphers } = await import('hardware-aes-gcm/session')
    for ([aes, list] of [[true, []], [false, ['chacha20-poly1305']], [true, ['chacha20-poly1305', 'des']], [false, []]]) {
      console.log(supportedCiphers().join())
      for (const options of [{ ciphers: ['aes-256-gcm', 'aes-128-gcm'] }, { compat: 'keibidrop' }])
        try {
          new Handshake({ secret: Buffer.alloc(32), role: 'initiator', ...options })
        } catch ({ code, message }) {
          console.log(code, message)
        }
    }`
  const one = `ERR_INVALID_ARG_VALUE "options.ciphers" must name 'aes-256-gcm' or 'chacha20-poly1305' alone: this wire does not negotiate a cipher`
  const none = (names: string) =>
    `ERR_AESGCM_UNSUPPORTED_CPU this machine supports none of the ciphers '${names}'`
  const aes = none("aes-256-gcm', 'aes-128-gcm")
  expect(run(script)).toEqual({
    status: 0,
    stdout: [
      ...['aes-256-gcm,aes-128-gcm', one],
      ...['chacha20-poly1305', aes, one],
      ...['aes-256-gcm,aes-128-gcm,chacha20-poly1305', one],
      ...['', aes, none("aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305"), ''],
    ].join('\n'),
    stderr: '',
  })
})

test('both faces give one class and the same functions', () => {
  const required = createRequire(import.meta.url)('hardware-aes-gcm/session') as typeof session
  expect(Object.keys(required).sort()).toEqual(Object.keys(session).sort())
  for (const [name, value] of Object.entries(session)) expect(Reflect.get(required, name)).toBe(value)
})

test('before the handshake, the counts are zeros', () => {
  const [socket] = pipes()
  const stream = secureStream(socket, { secret: SECRET, role: 'initiator' })
  const none = { bytes: 0, records: 0, epochs: 0 }
  expect(stream.stats).toEqual({ sent: none, received: none })
  expect(inspect(stream)).toMatch(/^SecureStream \{\s+cipher: null,\s+secure: false,/)
  stream.destroy()
})

test('inspection shows neither secrets nor data', async () => {
  const secret = Buffer.from('0123456789abcdef0123456789abcdef')
  const [one, two] = secured(pipes(), { secret })
  const handshake = new session.Handshake({ secret, role: 'initiator' })
  await once(one, 'secure')
  two.write('attack at dawn')
  one.write('attack at dusk')
  await once(one, 'readable')
  for (const shown of [one, two, handshake].map(value => inspect(value, { depth: 9, showHidden: true }))) {
    expect(shown).not.toMatch(/attack|61 74 74 61|0123456789|30 31 32|Buffer|Uint8Array/)
  }
  expect(inspect(one)).toContain("cipher: 'aes-256-gcm'")
  expect(inspect(handshake)).toBe('Handshake { finished: false }')
  handshake.destroy()
  expect(inspect(handshake)).toBe('Handshake { finished: true }')
  one.destroy()
  two.destroy()
})
