// Keys and keysets that a passphrase protects: round trips, refusals, bounds, and 10 000 files that were changed.
import { createCipheriv, createDecipheriv, createHash, createSecretKey, scryptSync } from 'node:crypto'
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { openProtectedKey, passphraseWrapping, protectKey } from 'hardware-aes-gcm/passphrase'
import { describe, expect, test } from 'vitest'
import { Random, run } from '../../tools/support.js'

const CHEAP = { memory: 2 ** 20 }
const HEADER = 24
const random = new Random('changed files')
const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => i))

type Header = readonly [kind: number, logN: number, r: number, p: number]

/** A file as docs/formats.md describes it, with any parameters, by node:crypto. */
function made(passphrase: string, content: Uint8Array, [kind, logN, r, p]: Header = [1, 1, 1, 1]): Buffer {
  const header = Buffer.concat([Buffer.from('AGP1'), Buffer.of(kind, logN, r, p), Buffer.alloc(16, 0xa0)])
  // A header that is refused needs no key.
  const cost = logN >= 1 && r >= 1 && p >= 1 && logN < 16 * r && 2 ** logN * r * p <= 2 ** 16
  const key = cost
    ? scryptSync(passphrase, header.subarray(8), 32, { N: 2 ** logN, r, p, maxmem: 2 ** 26 })
    : Buffer.alloc(32)
  const nonce = Buffer.alloc(12, 0xb0)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(header)
  return Buffer.concat([header, nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
}

const textOf = (file: Buffer) => `AGP1-${file.subarray(4).toString('base64url')}`
const bytesOf = (text: string) =>
  Buffer.concat([Buffer.from('AGP1'), Buffer.from(text.slice(5), 'base64url')])

/** Opens a file by node:crypto. */
function read(text: string, passphrase: string): Buffer {
  const file = bytesOf(text)
  const [logN, r, p] = file.subarray(5) as unknown as [number, number, number]
  const key = scryptSync(passphrase, file.subarray(8, HEADER), 32, { N: 2 ** logN, r, p, maxmem: 2 ** 29 })
  const cipher = createDecipheriv('aes-256-gcm', key, file.subarray(HEADER, HEADER + 12))
  cipher.setAAD(file.subarray(0, HEADER)).setAuthTag(file.subarray(-16))
  return Buffer.concat([cipher.update(file.subarray(HEADER + 12, -16)), cipher.final()])
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'opened',
    (error: { code: string }) => error.code,
  )

describe('a key', () => {
  test.each([16, 32])('of %i bytes comes back, and node:crypto opens the same file', async length => {
    const key = KEY.subarray(0, length)
    for (const given of [key, createSecretKey(key)]) {
      const text = await protectKey(given, 'correct horse', CHEAP)
      expect(text).toMatch(/^AGP1-[\w-]+$/)
      expect(read(text, 'correct horse')).toEqual(key)
      const opened = await openProtectedKey(` ${text}\r\n`, 'correct horse')
      expect(opened).toEqual(key)
      expect([opened.byteOffset, opened.buffer.byteLength]).toEqual([0, length])
    }
  })

  test('the default cost is N = 2^17, r = 8, p = 1; each file has its salt and nonce', async () => {
    const [one, two] = await Promise.all([protectKey(KEY, 'x'), protectKey(KEY, 'x', CHEAP)])
    expect([...bytesOf(one).subarray(0, 8)]).toEqual([0x41, 0x47, 0x50, 0x31, 1, 17, 8, 1])
    expect([...bytesOf(two).subarray(4, 8)]).toEqual([1, 10, 8, 1])
    expect(bytesOf(one).subarray(8, 36)).not.toEqual(bytesOf(two).subarray(8, 36))
  })

  test('a passphrase is its NFC in UTF-8, or its bytes', async () => {
    const text = await protectKey(KEY, 'e\u0301te\u0301', CHEAP)
    expect(await openProtectedKey(text, '\u00e9t\u00e9')).toEqual(KEY)
    expect(await openProtectedKey(text, Buffer.from('\u00e9t\u00e9'))).toEqual(KEY)
    expect(await codeOf(openProtectedKey(text, Buffer.from('e\u0301te\u0301')))).toBe(
      'ERR_AESGCM_WRONG_PASSPHRASE',
    )
    const bytes = Buffer.of(0, 0xff, 0x80)
    expect(await openProtectedKey(await protectKey(KEY, bytes, CHEAP), bytes)).toEqual(KEY)
  })

  test('bytes of a passphrase and of a key are read before the call returns', async () => {
    const [key, passphrase] = [Buffer.from(KEY), Buffer.from('secret')]
    const promise = protectKey(key, passphrase, CHEAP)
    key.fill(9)
    passphrase.fill(9)
    expect(await openProtectedKey(await promise, 'secret')).toEqual(KEY)
  })

  test('wrong arguments', async () => {
    const text = textOf(made('x', KEY))
    for (const [promise, code] of [
      [protectKey(KEY, ''), 'ERR_INVALID_ARG_VALUE'],
      [protectKey(KEY, new Uint8Array(0)), 'ERR_INVALID_ARG_VALUE'],
      [protectKey(KEY, '\ud800'), 'ERR_INVALID_ARG_VALUE'],
      [protectKey(KEY, 17 as never), 'ERR_INVALID_ARG_TYPE'],
      [protectKey(KEY.subarray(1), 'x'), 'ERR_AESGCM_INVALID_KEY_LENGTH'],
      [protectKey('key' as never, 'x'), 'ERR_INVALID_ARG_TYPE'],
      [protectKey(KEY, 'x', { memory: 2 ** 20 + 1 }), 'ERR_OUT_OF_RANGE'],
      [protectKey(KEY, 'x', { memory: 2 ** 19 }), 'ERR_OUT_OF_RANGE'],
      [protectKey(KEY, 'x', { memory: 2 ** 31 }), 'ERR_OUT_OF_RANGE'],
      [protectKey(KEY, 'x', { maxMemory: 2 ** 20 } as never), 'ERR_INVALID_ARG_VALUE'],
      [openProtectedKey(text, ''), 'ERR_INVALID_ARG_VALUE'],
      [openProtectedKey(Buffer.from(text) as never, 'x'), 'ERR_INVALID_ARG_TYPE'],
      [openProtectedKey(text, 'x', { maxMemory: 1023 }), 'ERR_OUT_OF_RANGE'],
      [openProtectedKey(text, 'x', { memory: 2 ** 20 } as never), 'ERR_INVALID_ARG_VALUE'],
      [openProtectedKey(text, 'x', null as never), 'ERR_INVALID_ARG_TYPE'],
    ] as const)
      expect(await codeOf(promise)).toBe(code)
  })
})

describe('the header', () => {
  const opened = (header: Header, options?: object) =>
    codeOf(openProtectedKey(textOf(made('x', KEY, header)), 'x', options))

  test('parameters at the bound open, and beyond it are refused before scrypt', async () => {
    expect(await opened([1, 1, 1, 1])).toBe('opened')
    expect(await opened([1, 10, 8, 1], { maxMemory: 2 ** 20 })).toBe('opened')
    expect(await opened([1, 10, 8, 1], { maxMemory: 2 ** 20 - 1 })).toBe('ERR_AESGCM_INVALID_KEY_FILE')
    expect(await opened([1, 8, 8, 4], { maxMemory: 2 ** 20 })).toBe('opened')
    for (const header of [
      [1, 18, 8, 2],
      [1, 19, 8, 1],
      [1, 14, 255, 255],
      [1, 255, 255, 255],
      [1, 63, 255, 1],
      [1, 0, 8, 1],
      [1, 10, 0, 1],
      [1, 10, 8, 0],
      [1, 16, 1, 1], // N must be below 2^(16 r)
      [0, 1, 1, 1],
      [2, 1, 1, 1], // a keyset
      [3, 1, 1, 1],
    ] as const)
      expect(await opened(header), `${header}`).toBe('ERR_AESGCM_INVALID_KEY_FILE')
  })

  test('a file that is refused never reaches scrypt, whatever it asks for', () => {
    const files = [
      ...[18, 20, 24, 31, 63, 255].map(logN => textOf(made('x', KEY, [1, logN, 255, 1]))),
      textOf(made('x', KEY, [1, 14, 255, 255])),
      textOf(made('x', KEY, [2, 14, 8, 1])),
      'AGP1-',
    ]
    const { stdout } = run(`
      const crypto = process.getBuiltinModule('node:crypto')
      const { scrypt } = crypto
      let calls = 0
      crypto.scrypt = (...all) => (calls++, scrypt(...all))
      const { openProtectedKey } = await import('hardware-aes-gcm/passphrase')
      for (const file of ${JSON.stringify(files)}) await openProtectedKey(file, 'x').catch(({ code }) => console.log(code))
      console.log(calls, (await openProtectedKey(${JSON.stringify(textOf(made('x', KEY)))}, 'x')).length, calls)`)
    expect(stdout).toBe(`${'ERR_AESGCM_INVALID_KEY_FILE\n'.repeat(files.length)}0 32 1\n`)
  })

  test('what is no file of this version', async () => {
    const text = textOf(made('x', KEY))
    for (const wrong of [
      '',
      'AGP',
      'AGP1-',
      'AGS1-EABQD',
      text.replace('AGP1', 'AGP2'),
      text.replace('AGP1', 'agp1'),
      `${text}=`,
      `${text} ${text}`,
      text.slice(0, 40),
      `${text}AAAA`,
      text.replace('-', '+'),
      'A'.repeat(1_000_000),
    ])
      expect(await codeOf(openProtectedKey(wrong, 'x')), wrong.slice(0, 50)).toBe(
        'ERR_AESGCM_INVALID_KEY_FILE',
      )
    // An authentic content that is no key.
    expect(await codeOf(openProtectedKey(textOf(made('x', KEY.subarray(0, 24))), 'x'))).toBe(
      'ERR_AESGCM_INVALID_KEY_FILE',
    )
  })
})

test('10 000 changed files: none opens, and each fails in one of two ways', async () => {
  const file = made('x', KEY)
  const counts: Record<string, number> = {}
  for (let done = 0; done < 10_000; done += 50)
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const wrong = Buffer.from(file)
        const changes = 1 + random.below(3)
        for (let i = 0; i < changes; i++) wrong[4 + random.below(wrong.length - 4)] = random.below(256)
        if (wrong.equals(file)) return
        const cut = random.below(20) === 0 ? wrong.subarray(0, 4 + random.below(wrong.length - 4)) : wrong
        // 64 KiB, so that no file costs more than a fraction of a millisecond.
        const code = await codeOf(openProtectedKey(textOf(cut), 'x', { maxMemory: 2 ** 16 }))
        counts[code] = (counts[code] ?? 0) + 1
      }),
    )
  expect(Object.keys(counts).sort()).toEqual(['ERR_AESGCM_INVALID_KEY_FILE', 'ERR_AESGCM_WRONG_PASSPHRASE'])
})

describe('a keyset', () => {
  test('is wrapped and unwrapped; another passphrase, a key, and a changed keyset are refused', async () => {
    const keyring = Keyring.generate()
    const { wrap, unwrap } = passphraseWrapping('secret', CHEAP)
    const encrypted = await keyring.wrap(wrap)
    const same = await Keyring.unwrap(encrypted, unwrap)
    expect(same.openText(keyring.sealText('text'))).toBe('text')
    const wrong = (given: Uint8Array, passphrase: string | Uint8Array = 'secret') =>
      codeOf(passphraseWrapping(passphrase, CHEAP).unwrap(given))
    const wrapped = Buffer.from(await wrap(Buffer.from('keyset')))
    expect(Buffer.from(await unwrap(wrapped)).toString()).toBe('keyset')
    expect(await wrong(wrapped, 'other')).toBe('ERR_AESGCM_WRONG_PASSPHRASE')
    expect(await wrong(made('secret', KEY))).toBe('ERR_AESGCM_INVALID_KEY_FILE')
    expect(await wrong(wrapped.subarray(0, 52))).toBe('ERR_AESGCM_INVALID_KEY_FILE')
    expect(await wrong(Buffer.alloc(2 ** 22 + 100, wrapped))).toBe('ERR_AESGCM_INVALID_KEY_FILE')
    expect(await wrong('text' as never)).toBe('ERR_INVALID_ARG_TYPE')
    expect(await codeOf(wrap('text' as never))).toBe('ERR_INVALID_ARG_TYPE')
    for (let bit = 8 * 8; bit < 8 * wrapped.length; bit += 3) {
      const flipped = Buffer.from(wrapped)
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(await wrong(flipped)).toBe('ERR_AESGCM_WRONG_PASSPHRASE')
    }
  })

  test('bytes of a passphrase are copied, and memory over the default opens again', async () => {
    const passphrase = Buffer.from('secret')
    const { wrap, unwrap } = passphraseWrapping(passphrase, { memory: 2 ** 20, maxMemory: 2 ** 10 })
    passphrase.fill(0)
    const wrapped = await wrap(Buffer.from('keyset'))
    expect(Buffer.from(await unwrap(wrapped)).toString()).toBe('keyset')
    expect(() => passphraseWrapping('')).toThrow(/must not be empty/)
    expect(() => passphraseWrapping('x', { memory: 1 })).toThrow(RangeError)
  })
})

test('a polluted prototype of objects changes nothing', async () => {
  const polluted = Object.prototype as Record<string, unknown>
  Object.assign(polluted, { cost: 2, memory: 2, maxMemory: 2, N: 2 })
  try {
    const text = await protectKey(AesGcm.generateKey(), 'x', CHEAP)
    expect(await codeOf(openProtectedKey(text, 'x'))).toBe('opened')
  } finally {
    for (const name of ['cost', 'memory', 'maxMemory', 'N']) delete polluted[name]
  }
})

describe('passphrase-equivalents: what scrypt takes for one another', () => {
  test('one that ends with a zero byte is refused, by every function and in both forms', async () => {
    const text = await protectKey(KEY, 'abc', CHEAP)
    for (const passphrase of ['abc\0', 'abc\0\0', '\0', Buffer.from('abc\0'), Buffer.alloc(1)]) {
      expect(await codeOf(protectKey(KEY, passphrase, CHEAP))).toBe('ERR_INVALID_ARG_VALUE')
      expect(await codeOf(openProtectedKey(text, passphrase))).toBe('ERR_INVALID_ARG_VALUE')
      expect(() => passphraseWrapping(passphrase, CHEAP)).toThrow(/must not end with a zero byte/)
    }
    for (const inner of ['a\0c', '\0a'])
      expect(await codeOf(openProtectedKey(await protectKey(KEY, inner, CHEAP), inner))).toBe('opened')
  })

  test('over 64 bytes, one and its SHA-256 are the same, as the manual says', async () => {
    const hash = (text: string) => createHash('sha256').update(text).digest()
    for (const [length, result] of [
      [64, 'ERR_AESGCM_WRONG_PASSPHRASE'],
      [65, 'opened'],
      [100, 'opened'],
    ] as const) {
      const passphrase = 'x'.repeat(length)
      const text = await protectKey(KEY, passphrase, CHEAP)
      expect(await codeOf(openProtectedKey(text, hash(passphrase)))).toBe(result)
    }
  })

  test('shared memory is refused', async () => {
    const passphrase = new Uint8Array(new SharedArrayBuffer(4)).fill(97)
    const text = await protectKey(KEY, 'aaaa', CHEAP)
    expect(await codeOf(protectKey(KEY, passphrase, CHEAP))).toBe('ERR_AESGCM_SHARED_BUFFER')
    expect(await codeOf(openProtectedKey(text, passphrase))).toBe('ERR_AESGCM_SHARED_BUFFER')
    expect(() => passphraseWrapping(passphrase)).toThrow(/SharedArrayBuffer/)
  })
})
