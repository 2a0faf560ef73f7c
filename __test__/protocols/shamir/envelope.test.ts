// sealAndSplit and combineAndOpen: data of any length under a key that is split, with AAD, and everything that does not open.
import { createDecipheriv } from 'node:crypto'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'
import { combineAndOpen, combineKey, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { disguises, gone, MISSING, NOT_BYTES, shared, trueBytes } from '../../conformance/hostile.mjs'
import * as reference from '../../models/shares.js'
import { isOwn, Random, refuses } from '../../tools/support.js'
import { changed, FORMATS, INVALID, MISMATCH, names, reading, shuffled, subsets } from './sets.js'

const random = new Random('envelopes')
const FAILED = 'ERR_AESGCM_AUTHENTICATION_FAILED'
const AAD = Buffer.from('tenant 7')

describe.each(FORMATS)('%s', format => {
  test.each([0, 1, 15, 16, 17, 1000, 70_000])('%i bytes come back from any three of five shares', length => {
    const data = random.bytes(length)
    for (const aad of [undefined, null, Buffer.alloc(0), AAD]) {
      const { sealed, shares } = sealAndSplit(data, { threshold: 3, shares: 5, format, aad })
      expect([sealed.length, shares.length]).toEqual([length + OVERHEAD, 5])
      isOwn(sealed)
      for (const some of subsets<Buffer | string>(shares, 3)) {
        const opened = combineAndOpen(shuffled(some, random), sealed, { ...reading(format, 3), aad })
        expect(opened.equals(data)).toBe(true)
        isOwn(opened)
      }
      expect(combineAndOpen(shares, sealed, { ...reading(format, 3), aad }).equals(data)).toBe(true)
    }
  })

  test('the frame is AES-256-GCM under the key that the shares give', () => {
    const data = random.bytes(100)
    const { sealed, shares } = sealAndSplit(data, { threshold: 2, shares: 3, format, aad: AAD })
    const key = combineKey(shares, reading(format, 2))
    expect(key.length).toBe(32)
    const gcm = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      .setAAD(AAD)
      .setAuthTag(sealed.subarray(-16))
    expect(Buffer.concat([gcm.update(sealed.subarray(12, -16)), gcm.final()]).equals(data)).toBe(true)
    expect(new AesGcm(key).decrypt(sealed, AAD).equals(data)).toBe(true)
  })

  test('each call has a key of its own', () => {
    const keys = Array.from({ length: 100 }, () => {
      const { shares } = sealAndSplit(Buffer.alloc(1), { threshold: 2, shares: 2, format })
      return combineKey(shares, reading(format, 2)).toString('hex')
    })
    expect(new Set(keys).size).toBe(100)
  })

  test('another AAD, and every changed bit, byte count and frame, is refused', () => {
    const { sealed, shares } = sealAndSplit(Buffer.from('data'), {
      threshold: 2,
      shares: 3,
      format,
      aad: AAD,
    })
    const open = (frame: Uint8Array, aad?: Uint8Array | null) => () =>
      combineAndOpen(shares, frame, { ...reading(format, 2), aad })
    open(sealed, AAD)()
    for (const aad of [undefined, null, Buffer.alloc(0), Buffer.from('tenant 8'), AAD.subarray(1)])
      refuses(open(sealed, aad), FAILED)
    for (let bit = 0; bit < 8 * sealed.length; bit++) {
      const before = sealed[bit >> 3] as number
      refuses(open(changed(sealed, [bit >> 3, before ^ (1 << (bit & 7))]), AAD), FAILED)
    }
    for (let length = 0; length < sealed.length; length++)
      refuses(open(sealed.subarray(0, length), AAD), FAILED)
    refuses(open(Buffer.concat([sealed, Buffer.of(0)]), AAD), FAILED)
    const other = sealAndSplit(Buffer.from('data'), { threshold: 2, shares: 3, format, aad: AAD })
    refuses(open(other.sealed, AAD), FAILED)
  })
})

test('wrong shares are refused as combineKey does, before the frame is opened', () => {
  const { sealed, shares } = sealAndSplit(Buffer.from('data'), { threshold: 3, shares: 5 })
  const wrong = changed(shares[2] as Buffer, [40, (shares[2]?.[40] as number) ^ 1])
  const replaced = (at: number, by: Buffer) => (shares as Buffer[]).with(at, by)
  names(() => combineAndOpen(replaced(2, wrong), sealed), INVALID, [2], 'one wrong')
  names(() => combineAndOpen([wrong, ...shares.slice(3)], sealed), MISMATCH, undefined, 'just three')
  refuses(() => combineAndOpen(shares.slice(3), sealed), 'ERR_OUT_OF_RANGE')
  names(() => combineAndOpen(replaced(2, wrong), Buffer.alloc(0)), INVALID, [2], 'no frame')
  const other = splitKey(Buffer.alloc(32, 1), { threshold: 3, shares: 5 })
  refuses(() => combineAndOpen(other, sealed), FAILED)
  names(() => combineAndOpen(replaced(1, other[1] as Buffer), sealed), MISMATCH, [1], 'mixed')
})

test("horcrux's shares that give a wrong key do not open the frame", () => {
  const { sealed, shares } = sealAndSplit(Buffer.from('data'), { threshold: 3, shares: 5, format: 'horcrux' })
  const { x, y } = reference.point(shares[1] as string)
  const wrong = reference.compact(Number(x), y ^ 1n)
  const options = { format: 'horcrux', threshold: 3 } as const
  refuses(() => combineAndOpen([shares[0], wrong, shares[2]] as string[], sealed, options), FAILED)
  refuses(() => combineAndOpen(shares.slice(0, 2), sealed, { ...options, threshold: 2 }), FAILED)
})

test('a key of 16 bytes opens frames of AES-128-GCM, or is refused', () => {
  const key = random.bytes(16)
  const sealed = new AesGcm(key).encrypt(Buffer.from('data'))
  const shares = splitKey(key, { threshold: 2, shares: 2 })
  try {
    expect(combineAndOpen(shares, sealed).toString()).toBe('data')
  } catch (error) {
    expect((error as { code?: string }).code).toMatch(/^ERR_/)
  }
})

describe('arguments', () => {
  const { sealed, shares } = sealAndSplit(Buffer.from('data'), { threshold: 2, shares: 2 })

  test.each([...NOT_BYTES, ...MISSING])('%s for data, for a frame and for AAD', (what, value) => {
    const sealing = () => sealAndSplit(value as never, { threshold: 2, shares: 2 })
    expect(refuses(sealing, 'ERR_INVALID_ARG_TYPE').message).toContain('"data"')
    const opening = () => combineAndOpen(shares, value as never)
    expect(refuses(opening, 'ERR_INVALID_ARG_TYPE').message).toContain('"sealed"')
    if (what === 'null' || what === 'undefined') return
    const aad = value as never
    const with_ = [
      () => sealAndSplit(Buffer.alloc(1), { threshold: 2, shares: 2, aad }),
      () => combineAndOpen(shares, sealed, { aad }),
    ]
    for (const run of with_) expect(refuses(run, 'ERR_INVALID_ARG_TYPE').message).toContain('"aad"')
  })

  test('memory that is gone or shared is refused by its name, and bytes in disguise are taken as they are', () => {
    const options = { threshold: 2, shares: 2 }
    const uses = (view: Uint8Array): [name: string, () => unknown][] => [
      ['data', () => sealAndSplit(view, options)],
      ['sealed', () => combineAndOpen(shares, view)],
      ['aad', () => sealAndSplit(Buffer.alloc(1), { ...options, aad: view })],
      ['aad', () => combineAndOpen(shares, sealed, { aad: view })],
    ]
    for (const [, view] of gone(sealed) as Iterable<[string, Uint8Array]>)
      for (const [name, run] of uses(view))
        expect(refuses(run, 'ERR_AESGCM_DETACHED_BUFFER').message).toContain(`"${name}"`)
    for (const [, view] of shared(40) as Iterable<[string, Uint8Array]>)
      for (const [name, run] of uses(view))
        expect(refuses(run, 'ERR_AESGCM_SHARED_BUFFER').message).toContain(`"${name}"`)
    for (const [, view] of disguises(sealed) as Iterable<[string, Uint8Array]>) {
      expect(combineAndOpen(shares, view).toString()).toBe('data')
      const made = sealAndSplit(view, { ...options, aad: view })
      expect(combineAndOpen(made.shares, made.sealed, { aad: view }).equals(trueBytes(view))).toBe(true)
    }
  })

  test('stay unchanged, and unknown options are refused', () => {
    const [data, aad] = [random.bytes(50), random.bytes(5)]
    const before = [Buffer.from(data), Buffer.from(aad)]
    const made = sealAndSplit(data, { threshold: 2, shares: 2, aad })
    const copy = Buffer.from(made.sealed)
    combineAndOpen(made.shares, made.sealed, { aad })
    refuses(() => combineAndOpen(made.shares, made.sealed), FAILED)
    expect([data, aad, made.sealed]).toEqual([...before, copy])
    refuses(() => combineAndOpen(made.shares, made.sealed, { ad: aad } as never), 'ERR_INVALID_ARG_VALUE')
    refuses(
      () => sealAndSplit(data, { threshold: 2, shares: 2, nonceAt: 'end' } as never),
      'ERR_INVALID_ARG_VALUE',
    )
  })
})
