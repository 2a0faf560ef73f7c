// Arguments of hardware-aes-gcm/shamir that are refused: wrong types, counts and names, memory that is gone or shared.
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { disguises, gone, MISSING, NOT_BYTES, shared } from '../../conformance/hostile.mjs'
import { refuses, thrown, touchy } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'
import { INVALID, names, range, same } from './sets.js'

const TYPE = 'ERR_INVALID_ARG_TYPE'
const VALUE = 'ERR_INVALID_ARG_VALUE'
const OUT_OF_RANGE = 'ERR_OUT_OF_RANGE'
const KEY = Buffer.alloc(32, 9)
const [{ shares }] = SPLITS as [(typeof SPLITS)[0]]
const GOOD = shares.slice(0, 3).map(share => share.binary)
const HORCRUX = { format: 'horcrux', threshold: 3 }
const horcrux = () => shamir.splitKey(KEY, { threshold: 3, shares: 4, format: 'horcrux' })

/** Every function that makes shares, and every one that reads them. */
const MAKERS: Record<string, (options: never) => unknown> = {
  splitKey: options => shamir.splitKey(KEY, options),
  sealAndSplit: options => shamir.sealAndSplit(KEY, options),
}
const { sealed } = shamir.sealAndSplit(KEY, { threshold: 2, shares: 2 })
const READERS: Record<string, (list: never, options?: never) => unknown> = {
  combineKey: (list, options) => shamir.combineKey(list, options),
  recoverShare: (list, options) => shamir.recoverShare(list, 9, options),
  combineAndOpen: (list, options) => shamir.combineAndOpen(list, sealed, options),
}

describe.each(Object.entries(MAKERS))('%s', (_, make) => {
  const split = (options: object) => () => make(options as never)

  test.each([
    [{ threshold: 0, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 1, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 1, shares: 5, allowThresholdOne: false }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 0, shares: 5, allowThresholdOne: true }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: -2, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 2.5, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: Number.NaN, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 256, shares: 256 }, OUT_OF_RANGE, ''],
    [{ threshold: 6, shares: 5 }, OUT_OF_RANGE, ''],
    [{ threshold: 2, shares: 1 }, OUT_OF_RANGE, ''],
    [{ threshold: 2, shares: 0 }, OUT_OF_RANGE, ''],
    [{ threshold: 2, shares: 256 }, OUT_OF_RANGE, 'shares'],
    [{ threshold: 2, shares: 2 ** 32 + 5 }, OUT_OF_RANGE, 'shares'],
    [{ threshold: 2 ** 32 + 2, shares: 5 }, OUT_OF_RANGE, 'threshold'],
    [{ threshold: 2, shares: 3.5 }, OUT_OF_RANGE, 'shares'],
    [{ threshold: 2, shares: Number.POSITIVE_INFINITY }, OUT_OF_RANGE, 'shares'],
    [{ threshold: '2', shares: 5 }, TYPE, 'threshold'],
    [{ threshold: 2n, shares: 5 }, TYPE, 'threshold'],
    [{ threshold: 2, shares: '5' }, TYPE, 'shares'],
    [{ threshold: 2, shares: [5] }, TYPE, 'shares'],
    [{ threshold: 2 }, TYPE, 'shares'],
    [{ shares: 5 }, TYPE, 'threshold'],
    [{ threshold: null, shares: 5 }, TYPE, 'threshold'],
    [{ threshold: 2, shares: 5, allowThresholdOne: 1 }, TYPE, 'allowThresholdOne'],
    [{ threshold: 2, shares: 5, allowThresholdOne: 'true' }, TYPE, 'allowThresholdOne'],
    [{ threshold: 2, shares: 5, format: 'horcrux-compact' }, VALUE, 'format'],
    [{ threshold: 2, shares: 5, format: 'Text' }, VALUE, 'format'],
    [{ threshold: 2, shares: 5, format: 'constructor' }, VALUE, 'format'],
    [{ threshold: 2, shares: 5, format: '' }, VALUE, 'format'],
    [{ threshold: 2, shares: 5, treshold: 2 }, VALUE, 'treshold'],
    [[2, 5], TYPE, 'options'],
    [new Map([['threshold', 2]]), TYPE, 'options'],
  ] as [object, string, string][])('refuses %o', (options, code, word) => {
    expect(refuses(split(options), code).message).toContain(word)
  })

  test.each([
    [{ threshold: 256, shares: 256 }, '"options.threshold" must be a whole number from 2 to 255, got 256'],
    [
      { threshold: 0, shares: 5, allowThresholdOne: true },
      '"options.threshold" must be a whole number from 1 to 255, got 0',
    ],
    [{ threshold: 3, shares: 2 }, '"options.shares" must be a whole number from 3 to 255, got 2'],
    [
      { threshold: 2, shares: 3, allowThresholdOne: 1 },
      '"options.allowThresholdOne" must be a boolean, got number',
    ],
    [
      { threshold: 2, shares: 3, format: 'Text' },
      `"options.format" must be one of 'binary', 'text', 'horcrux', 'horcrux-random', got 'Text'`,
    ],
  ])('tells what may stand in place of %o', (options, message) => {
    expect(thrown(split(options))).toMatchObject({ message })
  })

  test.each([null, 3, true, {}])('refuses the format %o', format => {
    const { code } = thrown(split({ threshold: 2, shares: 3, format })) as { code?: string }
    expect([TYPE, VALUE]).toContain(code)
  })

  test('refuses options that are missing or no object', () => {
    for (const options of [undefined, null, 2, 'text', Symbol('options'), () => 2])
      refuses(() => make(options as never), TYPE)
  })

  test('refuses objects in numbers without running their code', () => {
    const evil = touchy({})
    for (const options of [
      { threshold: evil, shares: 5 },
      { threshold: 2, shares: evil },
    ])
      refuses(split(options), TYPE)
  })
})

describe('the secret of splitKey', () => {
  test.each([...NOT_BYTES, ...MISSING])('refuses %s', (_, value) => {
    const run = () => shamir.splitKey(value as never, { threshold: 2, shares: 3 })
    expect(refuses(run, TYPE).message).toContain('"secret"')
  })

  test('has 16 or 32 bytes, and 32 for horcrux', () => {
    for (const format of ['binary', 'text', 'horcrux', 'horcrux-random'] as const)
      for (const length of [0, 1, 15, 16, 17, 24, 31, 32, 33, 64, 65_536]) {
        const run = () => shamir.splitKey(Buffer.alloc(length), { threshold: 2, shares: 3, format })
        if (length === 32 || (length === 16 && !format.startsWith('horcrux'))) run()
        else
          expect(refuses(run, OUT_OF_RANGE, `${format}: ${length} bytes`).message).toBe(
            `"secret" must be a Uint8Array of ${
              format.startsWith('horcrux') ? "32 bytes for horcrux's text" : '16 or 32 bytes'
            }, got length ${length}`,
          )
      }
  })

  test('in memory that is gone or shared is refused, and in disguise it is taken as it is', () => {
    const split = (view: Uint8Array) => shamir.splitKey(view, { threshold: 2, shares: 2 })
    for (const [how, view] of gone(KEY)) {
      const { message } = refuses(() => split(view as Uint8Array), 'ERR_AESGCM_DETACHED_BUFFER', `${how}`)
      expect(message).toContain('"secret"')
    }
    for (const [how, view] of shared(32)) {
      const { message } = refuses(() => split(view as Uint8Array), 'ERR_AESGCM_SHARED_BUFFER', `${how}`)
      expect(message).toContain('"secret"')
    }
    for (const [how, view] of disguises(KEY))
      same(shamir.combineKey(split(view as Uint8Array)), KEY, () => `${how}`)
  })
})

describe.each(Object.entries(READERS))('%s', (_, read) => {
  const run = (list: unknown, options?: unknown) => () => read(list as never, options as never)

  test('refuses lists that are not arrays', () => {
    const notLists = [
      undefined,
      null,
      5,
      'AGS1-',
      Buffer.alloc(84),
      {},
      { ...GOOD, length: 3 },
      new Set(GOOD),
      GOOD.values(),
      () => GOOD,
    ]
    for (const list of notLists) expect(refuses(run(list), TYPE, `${list}`).message).toContain('"shares"')
  })

  test('refuses lists of 0, 256 and 10^6 elements, and of more than there can be', () => {
    expect(refuses(run([]), OUT_OF_RANGE).message).toContain('"shares"')
    for (const length of [256, 1_000_000]) {
      refuses(run(Array(length).fill(GOOD[0])), OUT_OF_RANGE)
      refuses(run(Array(length)), OUT_OF_RANGE)
      refuses(run(Array(length).fill('1|'), HORCRUX), OUT_OF_RANGE)
    }
    refuses(run(Array(2 ** 32 - 1)), OUT_OF_RANGE)
  })

  test('refuses fewer shares than the threshold, and says how many there must be', () => {
    for (const count of [1, 2]) {
      const { message } = refuses(run(GOOD.slice(0, count)), OUT_OF_RANGE)
      expect(message).toBe(`"shares" must have at least 3 shares, got ${count}`)
      refuses(run(horcrux().slice(0, count), HORCRUX), OUT_OF_RANGE)
    }
  })

  test('refuses elements that are not shares, by their index', () => {
    for (const [what, value] of [...NOT_BYTES, ...MISSING] as [string, unknown][])
      for (const at of range(3)) {
        if (typeof value === 'string') names(run(GOOD.with(at, value as never)), INVALID, [at], what)
        else
          expect(refuses(run(GOOD.with(at, value as never)), TYPE, what).message).toContain(`"shares[${at}]"`)
      }
    const sparse = [...GOOD]
    delete sparse[1]
    expect(refuses(run(sparse), TYPE).message).toContain('"shares[1]"')
    expect(refuses(run([GOOD]), TYPE).message).toContain('"shares[0]"')
  })

  test("refuses bytes among horcrux's shares, by their index", () => {
    for (const at of range(3)) {
      const list: unknown[] = [...horcrux()]
      list[at] = GOOD[at]
      expect(refuses(run(list, HORCRUX), TYPE).message).toContain(`"shares[${at}]"`)
      list[at] = new String('1|')
      expect(refuses(run(list, HORCRUX), TYPE).message).toContain(`"shares[${at}]"`)
    }
  })

  test('refuses binary shares of another length, by their index', () => {
    for (const length of [0, 1, 83, 85, 168, 65_536])
      for (const at of range(3))
        names(run(GOOD.with(at, Buffer.alloc(length, 1))), INVALID, [at], `${length} bytes`)
  })

  test('refuses shares in memory that is gone or shared, by their index', () => {
    const share = GOOD[1] as Buffer
    for (const [how, view] of gone(share)) {
      const { message } = refuses(run([GOOD[0], view, GOOD[2]]), 'ERR_AESGCM_DETACHED_BUFFER', `${how}`)
      expect(message).toContain('"shares[1]"')
    }
    for (const [how, view] of shared(84)) {
      const { message } = refuses(run([GOOD[0], GOOD[1], view]), 'ERR_AESGCM_SHARED_BUFFER', `${how}`)
      expect(message).toContain('"shares[2]"')
    }
  })

  test.each([
    [{ format: 'binary' }, VALUE],
    [{ format: 'text' }, VALUE],
    [{ format: 'horcrux-random', threshold: 3 }, VALUE],
    [{ format: 'HORCRUX', threshold: 3 }, VALUE],
    [{ threshold: 3 }, VALUE],
    [{ shares: 3 }, VALUE],
    [{ format: 'horcrux' }, TYPE],
    [{ format: 'horcrux', threshold: '3' }, TYPE],
    [{ format: 'horcrux', threshold: 0 }, OUT_OF_RANGE],
    [{ format: 'horcrux', threshold: 256 }, OUT_OF_RANGE],
    [{ format: 'horcrux', threshold: 1.5 }, OUT_OF_RANGE],
    [null, TYPE],
    [3, TYPE],
    ['horcrux', TYPE],
    [new Date(0), TYPE],
  ])('refuses the options %o', (options, code) => {
    refuses(run(GOOD, options), code)
  })

  test.each([
    [{ format: 'horcrux' }, '"options.threshold" must be a number, got undefined'],
    [
      { format: 'horcrux', threshold: 256 },
      '"options.threshold" must be a whole number from 1 to 255, got 256',
    ],
    [
      { threshold: 3 },
      `"options.threshold" must be left out without format: 'horcrux': shares then carry their threshold`,
    ],
    [
      { format: 'text' },
      `"options.format" must be 'horcrux', or left out for this package's form, binary or text, got 'text'`,
    ],
  ])('tells what may stand in place of %o', (options, message) => {
    expect(thrown(run(GOOD, options))).toMatchObject({ message })
  })
})
