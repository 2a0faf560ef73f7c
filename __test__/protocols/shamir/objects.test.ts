// What shares and errors are made of: memory of their own, no secret in an error, built-ins that a program changed, both faces.
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import * as reference from '../../models/shares.js'
import { isOwn, must, Random, thrown } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'
import { type Api, changed, FORMATS, range, reading, type Share } from './sets.js'

const api = shamir as unknown as Api

describe('memory', () => {
  test('every binary share, key, frame and recovered share has an ArrayBuffer of its own', () => {
    for (const length of [16, 32])
      for (const count of [2, 3, 20, 255]) {
        const shares = shamir.splitKey(Buffer.alloc(length, 1), { threshold: 2, shares: count })
        shares.forEach(isOwn)
        expect(new Set(shares.map(share => share.buffer)).size).toBe(count)
        isOwn(shamir.combineKey(shares))
        isOwn(shamir.recoverShare(shares, 255))
        const sealed = shamir.sealAndSplit(Buffer.alloc(3), { threshold: 2, shares: count })
        sealed.shares.forEach(isOwn)
        expect(new Set([sealed.sealed, ...sealed.shares].map(bytes => bytes.buffer)).size).toBe(count + 1)
      }
  })

  test('results are plain arrays of Buffers or of texts', () => {
    for (const format of FORMATS) {
      const shares = api.splitKey(Buffer.alloc(32, 1), { threshold: 2, shares: 3, format })
      expect(Object.getPrototypeOf(shares)).toBe(Array.prototype)
      expect(Object.keys(shares)).toEqual(['0', '1', '2'])
      for (const share of shares)
        expect(format === 'binary' ? Buffer.isBuffer(share) : typeof share === 'string').toBe(true)
    }
    const made = shamir.sealAndSplit(Buffer.alloc(3), { threshold: 2, shares: 2 })
    expect(Object.keys(made)).toEqual(['sealed', 'shares'])
  })

  test('the secret is not changed, and a split after another has nothing of it', () => {
    const secret = new Random('unchanged').bytes(32)
    const before = Buffer.from(secret)
    const sets = range(50).map(() => shamir.splitKey(secret, { threshold: 2, shares: 2 }))
    expect(secret.equals(before)).toBe(true)
    for (const at of range(2)) {
      const values = sets.map(shares => shares[at]?.subarray(4).toString('hex'))
      expect(new Set(values).size).toBe(50)
      for (const [from, to] of [
        [4, 20],
        [20, 52],
        [52, 84],
      ] as const)
        expect(new Set(sets.map(shares => shares[at]?.toString('hex', from, to))).size).toBe(50)
    }
  })
})

describe('errors', () => {
  const random = new Random('errors of shares')

  /** Every text that an error shows, wherever it has it, without the places in stacks: their words are like some bytes in base64. */
  const shownBy = (error: Error): string => {
    const all = inspect(error, { depth: null, showHidden: true, maxArrayLength: null, maxStringLength: null })
    const own = Object.getOwnPropertyNames(error).map(name =>
      inspect(Reflect.get(error, name), { depth: null }),
    )
    return [
      all,
      ...own,
      JSON.stringify(error),
      error.message,
      error.stack,
      String(error),
      inspect(error.cause),
    ]
      .join('\n')
      .replaceAll(/^[ ']*at .*$/gm, '')
  }

  /** Throws if six bytes of a secret, in a row, are in the text: in hex, in base64, or as numbers. */
  function showsNo(error: Error, secrets: readonly Uint8Array[], what: string): void {
    const squeezed = shownBy(error).replace(/[\s-]/g, '')
    const small = squeezed.toLowerCase()
    for (const secret of secrets)
      for (let at = 0; at + 6 <= secret.length; at++) {
        const six = Buffer.from(secret.subarray(at, at + 6))
        if (new Set(six).size < 4) continue
        const isShown =
          small.includes(six.toString('hex')) ||
          squeezed.includes(six.toString('base64')) ||
          small.includes([...six].join())
        must(!isShown, () => `${what} shows bytes at ${at}: ${error.stack}`)
      }
  }

  /**
   * Throws if eight letters of base32 or ten digits of hex of a share's text, in a row, are in the text of an error. Both are 40 bits,
   * and words of errors are like some letters: by chance, they agree once in a million runs.
   */
  function showsNoText(error: Error, texts: readonly string[], what: string): void {
    const squeezed = shownBy(error).toUpperCase().replace(/[\s-]/g, '')
    for (const text of texts) {
      const characters = text.toUpperCase().replace(/[\s-]/g, '').slice(4)
      const some = text.includes('|') ? 10 : 8
      for (let at = 0; at + some <= characters.length; at++)
        must(
          !squeezed.includes(characters.slice(at, at + some)),
          () => `${what} shows text at ${at}: ${error.stack}`,
        )
    }
  }

  test('the test itself: bytes and text in an error are found', () => {
    const secret = random.bytes(32)
    const text = reference.grouped(reference.base32(secret))
    for (const shown of [
      secret.toString('hex'),
      secret.toString('base64'),
      `${[...secret]}`,
      inspect(secret).replaceAll(' ', ''),
    ])
      expect(() => showsNo(new Error(`text ${shown}`), [secret], 'it')).toThrow('shows bytes')
    expect(() => showsNo(Object.assign(new Error('text'), { secret }), [secret], 'it')).toThrow('shows bytes')
    expect(() => showsNo(new Error('text', { cause: secret }), [secret], 'it')).toThrow('shows bytes')
    for (const shown of [text, text.toLowerCase(), text.replaceAll('-', '').slice(9, 17)])
      expect(() => showsNoText(new Error(shown), [text], 'it')).toThrow('shows text')
    const hex = `5|${secret.toString('hex')}`
    expect(() => showsNoText(new Error(hex.slice(9, 19)), [hex], 'it')).toThrow('shows text')
    showsNo(new Error('text'), [secret], 'it')
    showsNoText(new Error('text'), [text], 'it')
  })

  test('show no byte of a share or secret, in any form', () => {
    for (const format of FORMATS) {
      const secret = random.bytes(32)
      const shares = api.splitKey(secret, { threshold: 3, shares: 5, format })
      const texts = shares.filter(share => typeof share === 'string')
      const bytes = shares.map(share =>
        typeof share !== 'string'
          ? share
          : share.includes('|')
            ? Buffer.from(share.split('|')[1] as string, 'hex')
            : reference.binaryOf(share),
      )
      const spoil = (share: Share) => {
        const other = (bytes: Buffer) => changed(bytes, [40, (bytes[40] as number) ^ 1])
        if (typeof share !== 'string') return other(share)
        if (!share.includes('|')) return reference.text(other(reference.binaryOf(share)))
        return share.slice(0, -1) + (share.endsWith('0') ? '1' : '0')
      }
      const mistype = (share: Share) =>
        typeof share === 'string' ? `${share.slice(0, -1)}!` : share.subarray(1)
      const options = reading(format, 3)
      const [first, second, third, ...rest] = shares as [Share, Share, Share, ...Share[]]
      const lists: Record<string, readonly unknown[]> = {
        'one wrong': [spoil(first), second, third, ...rest],
        'two wrong': [spoil(first), spoil(second), third, ...rest],
        'one wrong of four': [first, spoil(second), third, rest[0]],
        'too few': [first, second],
        twice: [first, second, first],
        mistyped: [first, mistype(second), third],
        'a wrong type': [first, second, [third]],
        mixed: [first, second, ...api.splitKey(secret, { threshold: 3, shares: 5, format }).slice(2)],
        'a wrong key': [spoil(first), second, third],
        'in one text': [`${first}\n${second}\n${third}`],
        'in an object': [{ toString: () => first }, second, third],
      }
      for (const [what, list] of Object.entries(lists))
        for (const use of [() => api.combineKey(list, options), () => api.recoverShare(list, 9, options)]) {
          // Just as many of horcrux's shares as the threshold have no check.
          if (what === 'a wrong key' && format.startsWith('horcrux')) continue
          const error = thrown(use, `${format}, ${what}`)
          showsNo(
            error,
            [secret, ...bytes.map(share => share.subarray(share.length > 32 ? 4 : 0))],
            `${format}, ${what}`,
          )
          showsNoText(error, texts, `${format}, ${what}`)
          for (const name of Object.keys(error)) expect(['code', 'index', 'indexes']).toContain(name)
        }
      const recover = thrown(() => api.recoverShare(shares, secret.toString('hex').slice(1), options))
      showsNo(recover, [secret], 'x')
    }
  })

  test('of splitting and sealing show nothing of the secret or the data', () => {
    const secret = random.bytes(33)
    const uses = [
      () => api.splitKey(secret, { threshold: 2, shares: 3 }),
      () => api.splitKey(secret.subarray(1), { threshold: 4, shares: 3 }),
      () => api.splitKey(secret.toString('hex') as never, { threshold: 2, shares: 3 }),
      () => api.splitKey([...secret] as never, { threshold: 2, shares: 3 }),
      () => shamir.sealAndSplit(secret, { threshold: 2, shares: 300 }),
      () => shamir.sealAndSplit(secret.toString('hex') as never, { threshold: 2, shares: 3 }),
      () => shamir.splitKey(secret.subarray(1), { threshold: secret.toString('hex') as never, shares: 3 }),
    ]
    for (const [n, use] of uses.entries()) showsNo(thrown(use), [secret], `use ${n}`)
  })

  test('the positions of shares are in a list that a caller cannot use to reach anything', () => {
    const [{ shares }] = SPLITS as [(typeof SPLITS)[0]]
    const list = shares.map(share => share.binary)
    const wrong = list.with(1, changed(list[1] as Buffer, [33, (list[1]?.[33] as number) ^ 1]))
    const error = thrown(() => api.combineKey(wrong)) as Error & { indexes: number[] }
    expect([...error.indexes]).toEqual([1])
    expect(Array.isArray(error.indexes)).toBe(true)
    expect(error.message).toMatch(/\b1\b/)
  })
})

test('ESM and require give the same functions, and nothing else', () => {
  const required = createRequire(import.meta.url)('hardware-aes-gcm/shamir')
  const names = ['combineAndOpen', 'combineKey', 'recoverShare', 'sealAndSplit', 'splitKey']
  expect(Object.keys(shamir).sort()).toEqual(names)
  expect(Object.keys(required).sort()).toEqual(names)
  expect({ ...required }).toEqual({ ...shamir })
  expect(required.combineKey).toBe(shamir.combineKey)
})
