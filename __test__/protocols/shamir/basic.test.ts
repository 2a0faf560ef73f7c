// The basic cases of hardware-aes-gcm/shamir: every form splits, combines, recovers and refuses.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { AesGcm, AesGcmError } from 'hardware-aes-gcm'
import {
  combineAndOpen,
  combineKey,
  recoverShare,
  type ShareFormat,
  sealAndSplit,
  splitKey,
} from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../tools/support.js'

const FORMATS = ['binary', 'text', 'horcrux', 'horcrux-random'] as const
const secret = randomBytes(32)

const isOurs = (format: ShareFormat) => format === 'binary' || format === 'text'
const reading = (format: ShareFormat, threshold: number) =>
  isOurs(format) ? undefined : ({ format: 'horcrux', threshold } as const)

function thrownBy(call: () => unknown): AesGcmError {
  try {
    call()
  } catch (error) {
    return error as AesGcmError
  }
  throw new Error('nothing was thrown')
}

describe.each(FORMATS)('%s', format => {
  test.each([
    [2, 2],
    [2, 3],
    [3, 5],
    [10, 10],
    [255, 255],
  ])('%i of %i give the key, in any order, and one fewer do not', (threshold, shares) => {
    const all = splitKey(secret, { threshold, shares, format }) as Uint8Array[]
    expect(all).toHaveLength(shares)
    const some = all.slice(-threshold).reverse()
    expect(combineKey(some, reading(format, threshold))).toEqual(secret)
    expect(combineKey(all, reading(format, threshold))).toEqual(secret)
    const error = thrownBy(() => combineKey(some.slice(1), reading(format, threshold)))
    expect(error).toMatchObject({ name: 'RangeError', code: 'ERR_OUT_OF_RANGE' })
    const got = threshold - 1
    expect(error.message).toBe(`"shares" must have at least ${threshold} shares, got ${got}`)
  })

  test('a share is recovered', () => {
    const shares = splitKey(secret, { threshold: 3, shares: 5, format }) as Uint8Array[]
    const x = format === 'horcrux-random' ? (shares[4] as never as string).slice(0, 64) : 5
    expect(recoverShare(shares.slice(0, 3), x as 5, reading(format, 3))).toEqual(shares[4])
    const another = recoverShare(shares.slice(0, 3), 77, reading(format, 3))
    expect(combineKey([another, ...shares.slice(3)], reading(format, 3))).toEqual(secret)
  })

  test('data are sealed and opened', () => {
    const data = Buffer.from('attack at dawn')
    const aad = Buffer.from('general')
    const { sealed, shares } = sealAndSplit(data, { threshold: 2, shares: 3, format, aad })
    expect(sealed).toHaveLength(data.length + 28)
    const options = { ...reading(format, 2), aad }
    expect(combineAndOpen(shares.slice(1), sealed, options)).toEqual(data)
    expect(new AesGcm(combineKey(shares.slice(1), reading(format, 2))).decrypt(sealed, aad)).toEqual(data)
    const forged = thrownBy(() => combineAndOpen(shares.slice(1), sealed, { ...options, aad: data }))
    expect(forged.code).toBe('ERR_AESGCM_AUTHENTICATION_FAILED')
  })

  test('corrupted shares are named, and too many are not', () => {
    const shares = splitKey(secret, { threshold: 3, shares: 7, format }) as Uint8Array[]
    const other = splitKey(randomBytes(32), { threshold: 3, shares: 7, format: 'horcrux' })
    const wrong = (...positions: number[]) =>
      shares.map((share, i) => (positions.includes(i) ? corrupted(share, other[i] as string) : share))
    for (const [positions, named] of [
      [[4], [4]],
      [
        [6, 1],
        [1, 6],
      ],
      [[0, 3, 5], undefined],
    ] as const) {
      const error = thrownBy(() => combineKey(wrong(...positions), reading(format, 3)))
      expect(error).toBeInstanceOf(AesGcmError)
      expect(error.code).toBe(`ERR_AESGCM_${named ? 'INVALID_SHARE' : 'SHARES_MISMATCH'}`)
      expect([error.index, error.indexes]).toEqual([named?.[0], named])
    }
    const one = thrownBy(() => combineKey(wrong(2).slice(0, 4), reading(format, 3)))
    expect(one.indexes).toEqual(isOurs(format) ? [2] : undefined)
    expect(one.code).toBe(`ERR_AESGCM_${isOurs(format) ? 'INVALID_SHARE' : 'SHARES_MISMATCH'}`)
  })
})

/** The share with another value: for text, one whose checksum matches. */
function corrupted(share: Uint8Array | string, other: string): Uint8Array | string {
  if (typeof share !== 'string') return share.map((byte, i) => (i === 60 ? byte ^ 1 : byte))
  if (share.includes('|')) return share.split('|')[0] + other.slice(other.indexOf('|'))
  const bytes = fromText(share)
  bytes[60] = (bytes[60] as number) ^ 1
  return toText(bytes)
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The binary share of a text, and back: an implementation of docs/formats.md of its own. */
function fromText(text: string): Buffer {
  const digits = text.replace('AGS1', '').replaceAll('-', '')
  const bits = [...digits].map(digit => DIGITS.indexOf(digit).toString(2).padStart(5, '0')).join('')
  const bytes = (bits.match(/.{8}/g) ?? []).map(byte => Number.parseInt(byte, 2))
  return Buffer.from([1, ...bytes.slice(0, 83)])
}

function toText(share: Uint8Array): string {
  const sum = createHash('sha256').update(share).digest().subarray(0, 4)
  const bits = [...share.subarray(1), ...sum].map(byte => byte.toString(2).padStart(8, '0')).join('')
  const digits = (bits.padEnd(700, '0').match(/.{5}/g) ?? []).map(five => DIGITS[Number.parseInt(five, 2)])
  return `AGS1-${digits.join('').match(/.{5}/g)?.join('-')}`
}

test('text has the bytes of a binary share, and is read in lower case with spaces', () => {
  const texts = splitKey(secret.subarray(16), { threshold: 2, shares: 2, format: 'text' })
  for (const text of texts) {
    expect(text).toMatch(/^AGS1(?:-[A-Z2-7]{5}){28}$/)
    expect(toText(fromText(text))).toBe(text)
  }
  const [first, second] = texts as [string, string]
  const written = `  ${first.toLowerCase().replaceAll('-', ' \r\n\t')}\n`
  expect(combineKey([written, fromText(second)])).toEqual(secret.subarray(16))
})

test.each([16, 32])('a share of %i bytes is as docs/formats.md says', length => {
  const key = secret.subarray(0, length)
  const [share] = splitKey(key, { threshold: 1, shares: 1, allowThresholdOne: true })
  const element = Buffer.concat([key, Buffer.alloc(32 - length)])
  const blind = share?.subarray(52) as Buffer
  const mac = createHmac('sha256', blind)
    .update(Buffer.of(1, 1, length))
    .update(element)
    .digest()
  expect(share).toEqual(Buffer.concat([Buffer.of(1, length, 1, 1), mac.subarray(0, 16), element, blind]))
  expect(share?.buffer.byteLength).toBe(84)
})

test('mixed, double and mistyped shares are named', () => {
  const [a, b] = [1, 2].map(() => splitKey(secret, { threshold: 2, shares: 3 })) as [Buffer[], Buffer[]]
  const refused = (shares: unknown[]) => {
    const { code, index, indexes } = thrownBy(() => combineKey(shares as Buffer[]))
    return [code.replace('ERR_AESGCM_', ''), index, indexes]
  }
  expect(refused([a[0], b[1], a[2]])).toEqual(['SHARES_MISMATCH', 1, [1]])
  expect(refused([b[0], a[0], a[2]])).toEqual(['SHARES_MISMATCH', 0, [0]])
  expect(refused([b[0], a[1]])).toEqual(['SHARES_MISMATCH', undefined, undefined])
  expect(refused([a[0], a[1], a[0]])).toEqual(['INVALID_SHARE', 2, [2]])
  const text = toText(a[0] as Buffer)
  for (const typed of [
    '',
    'AGS1',
    'AGS2',
    text.slice(1),
    `${text}A`,
    text.replace(/.$/, 'B'),
    `x${text}`,
    '1|',
  ]) {
    expect(refused([a[1], typed]), typed).toEqual(['INVALID_SHARE', 1, [1]])
  }
  expect(refused([a[1], a[2]?.subarray(1)])).toEqual(['INVALID_SHARE', 1, [1]])
  for (const at of [0, 1, 2, 3]) {
    const share = Buffer.from(a[0] as Buffer)
    share[at] = 0
    expect(refused([a[1], share])).toEqual(['INVALID_SHARE', 1, [1]])
  }
})

test('a share whose check is that of zeros does not stand in for the shares that are missing', () => {
  const mac = createHmac('sha256', Buffer.alloc(32))
    .update(Buffer.of(1, 2, 32))
    .update(Buffer.alloc(32))
    .digest()
  const share = Buffer.concat([Buffer.of(1, 32, 2, 1), mac.subarray(0, 16), Buffer.alloc(64)])
  expect(thrownBy(() => combineKey([share])).message).toBe('"shares" must have at least 2 shares, got 1')
})

test('an error names shares in its message, and in properties that are shown with it', () => {
  const [a, b] = [1, 2].map(() => splitKey(secret, { threshold: 2, shares: 5 })) as [Buffer[], Buffer[]]
  const wrong = (...positions: number[]) =>
    a.map((share, i) => (positions.includes(i) ? corrupted(share, '') : share)) as Buffer[]
  const mixed = '"shares" must come from one split'
  for (const [shares, message] of [
    [wrong(3), '"shares[3]" is corrupted: the other shares agree without it'],
    [wrong(3).slice(1, 4), '"shares[2]" is corrupted: the other shares agree without it'],
    [[...a, ...wrong(2)], '"shares[5]" has the same x as "shares[0]": give each share once'],
    [[a[0], a[1], a[2], a[1]], '"shares[3]" has the same x as "shares[1]": give each share once'],
    [
      [
        ...splitKey(secret, { threshold: 2, shares: 7 }).map((share, i) =>
          i % 3 === 1 ? corrupted(share, '') : share,
        ),
      ],
      '"shares" has corrupted elements, without which the others agree: shares[1], shares[4]',
    ],
    [[b[0], a[1], a[2], b[3], a[4]], `${mixed}: most belong together, without shares[0], shares[3]`],
  ] as [Buffer[], string][]) {
    const error = thrownBy(() => combineKey(shares))
    expect(error.message).toBe(message)
    expect(Object.keys(error)).toEqual(['code', 'index', 'indexes'])
  }
  expect(thrownBy(() => combineKey([a[0], a[1], b[2], b[3]] as Buffer[])).message).toBe(mixed)
  const unknown = '"shares" do not verify:'
  expect(thrownBy(() => combineKey(wrong(1).slice(0, 2))).message).toBe(
    `${unknown} at least one is corrupted. One share more than the threshold would identify it`,
  )
  for (const shares of [wrong(0, 1).slice(0, 3), wrong(0, 1, 2)])
    expect(thrownBy(() => combineKey(shares)).message).toBe(
      `${unknown} too many are corrupted to identify them`,
    )
})

test('shares whose errors cancel out, so that the key is right, are named', () => {
  const shares = splitKey(secret, { threshold: 3, shares: 7 })
  // All seven have the same coefficient at 0, so that the same error twice does not change the key.
  for (const share of shares.slice(1, 3)) share[25] = (share[25] as number) ^ 0x55
  for (const call of [() => combineKey(shares), () => recoverShare(shares, 9)]) {
    expect(thrownBy(call)).toMatchObject({ code: 'ERR_AESGCM_INVALID_SHARE', indexes: [1, 2] })
  }
})

// docs/security.md once denied this. x (x + 3) is 2 at 1 and at 2, and 0 at 0 and at 3.
test('two holders who work together have an honest share named; the key stays right', () => {
  const shares = splitKey(secret, { threshold: 3, shares: 5 }).slice(0, 4)
  for (const share of shares.slice(0, 2)) share[27] = (share[27] as number) ^ 2
  expect(thrownBy(() => combineKey(shares))).toMatchObject({ code: 'ERR_AESGCM_INVALID_SHARE', indexes: [3] })
  expect(combineKey(shares.slice(0, 3))).toEqual(secret)
  const further = recoverShare(shares.slice(0, 3), 5)
  expect(combineKey([...shares.slice(0, 2), further])).toEqual(secret)
  expect(thrownBy(() => combineKey([...shares.slice(2), further]))).toMatchObject({
    code: 'ERR_AESGCM_SHARES_MISMATCH',
  })
})

test('the shares of docs/formats.md give their secrets, as bytes and as text', () => {
  const document = readFileSync(`${ROOT}docs/formats.md`, 'utf8')
  const texts = document.match(/^AGS1(?:-[A-Z2-7]{5}){28}$/gm) ?? []
  const binary = [
    ...document.matchAll(/^x = \d+ +([0-9a-f]{8}) ([0-9a-f]{32})\n +([0-9a-f]{64})\n +([0-9a-f]{64})$/gm),
  ]
  const bytes = binary.map(([, ...fields]) => Buffer.from(fields.join(''), 'hex'))
  expect(bytes.map(toText)).toEqual(texts)
  const counting = Buffer.from(Array.from({ length: 32 }, (_, i) => i))
  for (const shares of [bytes, texts] as (Buffer | string)[][]) {
    expect(shares).toHaveLength(5)
    expect(combineKey(shares.slice(0, 3))).toEqual(counting)
    expect(combineKey(shares.slice(3))).toEqual(counting.subarray(0, 16))
    expect(recoverShare(shares.slice(1, 3).concat(recoverShare(shares.slice(0, 3), 9)), 1)).toEqual(shares[0])
  }
})

test.each([
  [0, 2, 'has the unknown version 2, where 1 is known'],
  [1, 24, 'must be of a secret of 16 or 32 bytes, got length 24'],
  [2, 0, 'has the threshold 0'],
  [3, 0, 'has x = 0, where the secret lies'],
])('byte %i of a share as %i: the error names the fault', (at, value, what) => {
  for (const length of [16, 32]) {
    const shares = splitKey(Buffer.alloc(length, 7), { threshold: 2, shares: 3 })
    for (const share of shares.slice(0, at === 3 ? 1 : 3)) share[at] = value
    expect(() => combineKey(shares)).toThrow(`"shares[0]" ${what}`)
  }
})

test("horcrux's text is read in either case", () => {
  const key = Buffer.from('00112233445566778899aabbccddeeff'.repeat(2), 'hex')
  const shares = splitKey(key, { threshold: 2, shares: 3, format: 'horcrux' }).map(text => text.toUpperCase())
  expect(shares.join('')).toMatch(/[A-F]/)
  expect(combineKey(shares, { threshold: 2, format: 'horcrux' }).equals(key)).toBe(true)
})
