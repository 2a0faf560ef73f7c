// Lists of shares that are odd: Proxies, getters that change the list or its shares, classes, views into other memory.
import * as shamir from 'hardware-aes-gcm/shamir'
import { describe, expect, test } from 'vitest'
import { disguises, trueBytes } from '../../conformance/hostile.mjs'
import * as reference from '../../models/shares.js'
import { refuses, thrown } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'
import { type Api, INVALID, names, same } from './sets.js'

const api = shamir as unknown as Api
const TYPE = 'ERR_INVALID_ARG_TYPE'
const [{ secret, shares }] = SPLITS as [(typeof SPLITS)[0]]
const GOOD = shares.slice(0, 3).map(share => share.binary)

describe('lists that are odd, but hold shares', () => {
  class Shares extends Array {
    static override get [Symbol.species](): never {
      throw new Error('species ran')
    }
  }
  const reads = (list: unknown, what = 'a list') => same(api.combineKey(list as never), secret, () => what)

  test('are read', () => {
    reads(Object.freeze([...GOOD]), 'frozen')
    reads(Object.setPrototypeOf([...GOOD], null), 'without a prototype')
    reads(Object.assign([...GOOD], { extra: 1 }), 'with a property')
    const subclass = new Shares()
    for (const share of GOOD) subclass.push(share)
    reads(subclass, 'a subclass')
    reads(new Proxy([...GOOD], {}), 'a Proxy')
    for (const share of GOOD)
      for (const [how, view] of disguises(share))
        reads(GOOD.with(GOOD.indexOf(share), view as never), `${how}`)
  })

  test('every element is read once', () => {
    let count = 0
    const list = [...GOOD]
    for (const [at, share] of GOOD.entries())
      Object.defineProperty(list, at, { get: () => (count++ < 3 ? share : Buffer.alloc(84)) })
    reads(list, 'getters')
    expect(count).toBe(3)
  })

  // Memory for few shares is kept for the next call, which may begin before the call that uses the memory has ended.
  test('also if reading an element splits, combines and recovers as many shares', () => {
    const other = Buffer.alloc(32, 7)
    const inner = () => {
      const others = api.splitKey(other, { threshold: 3, shares: 3 }) as Buffer[]
      same(api.combineKey(others), other, () => 'the inner list')
      api.recoverShare(others, 5)
      refuses(() => api.combineKey([...others.slice(1), Buffer.alloc(84)]), INVALID)
    }
    const list = [...GOOD]
    for (const [at, share] of GOOD.entries()) {
      const get = () => {
        inner()
        return share
      }
      Object.defineProperty(list, at, { get })
    }
    reads(list, 'the outer list')
    reads([...GOOD], 'the next list')
  })

  test('and a Proxy that throws, lies about its length or was revoked is refused', () => {
    const { proxy, revoke } = Proxy.revocable([...GOOD], {})
    revoke()
    refuses(() => api.combineKey(proxy), TYPE)
    const during = Proxy.revocable([...GOOD], {
      get(target, name) {
        if (name === '0') during.revoke()
        return Reflect.get(target, name)
      },
    })
    expect(refuses(() => api.combineKey(during.proxy), TYPE).message).toBe(
      '"shares" is a Proxy that was revoked',
    )
    for (const length of [0, 1e6, -1, 2.5, '3', undefined, {}]) {
      const lying = new Proxy([...GOOD], {
        get: (target, name) => (name === 'length' ? length : Reflect.get(target, name)),
      })
      const outcome = (() => {
        try {
          return api.combineKey(lying)
        } catch (error) {
          return (error as { code?: string }).code
        }
      })()
      if (typeof outcome === 'object') same(outcome, secret, () => `${length}`)
      else expect(outcome, `${length}`).toMatch(/^ERR_/)
    }
  })

  test('a list that its own getter makes shorter or longer', () => {
    const list: unknown[] = [null, ...GOOD.slice(1)]
    Object.defineProperty(list, 0, {
      get() {
        list.length = 2
        return GOOD[0]
      },
    })
    expect(refuses(() => api.combineKey(list), TYPE).message).toContain('"shares[2]"')
    const growing: unknown[] = [null, ...GOOD.slice(1)]
    Object.defineProperty(growing, 0, {
      get() {
        growing.push('not a share')
        return GOOD[0]
      },
    })
    reads(growing, 'a list that grows')
    const throwing: unknown[] = [...GOOD]
    const failure = new Error('of a getter')
    Object.defineProperty(throwing, 1, {
      get() {
        throw failure
      },
    })
    expect(thrown(() => api.combineKey(throwing))).toBe(failure)
  })

  test('a share that a getter takes away before the work begins', () => {
    const first = Buffer.from(new Uint8Array(GOOD[0] as Buffer).buffer)
    const list: unknown[] = [first, GOOD[1]]
    Object.defineProperty(list, 2, {
      get() {
        structuredClone(first.buffer, { transfer: [first.buffer] })
        return GOOD[2]
      },
    })
    const outcome = (() => {
      try {
        return api.combineKey(list)
      } catch (error) {
        return (error as { code?: string }).code
      }
    })()
    // Whether the first share was copied before the getter ran or not, no other key may come out.
    if (typeof outcome === 'object') same(outcome, secret, () => 'the key')
    else expect(outcome).toBe('ERR_AESGCM_DETACHED_BUFFER')
  })

  test('are not changed, and neither are their shares', () => {
    const list = [...GOOD.map(share => Buffer.from(share)), shares[3]?.text, shares[4]?.text]
    api.combineKey(Object.freeze(list))
    api.recoverShare(list, 99)
    refuses(() => api.combineKey(list.with(0, Buffer.alloc(84, 1))), INVALID)
    expect(list.slice(0, 3)).toEqual(GOOD)
    expect(trueBytes(GOOD[0]).equals(shares[0]?.binary as Buffer)).toBe(true)
  })
})

test('a share that lies between other bytes of its memory is read alone', () => {
  const memory = Buffer.alloc(1000, 0xee)
  const list = GOOD.map((share, n) => {
    memory.set(share, 7 + 101 * n)
    return memory.subarray(7 + 101 * n, 7 + 101 * n + reference.SHARE_BYTES)
  })
  same(shamir.combineKey(list), secret, () => 'subarrays')
  names(() => shamir.combineKey([list[0], list[1], list[0]] as Buffer[]), INVALID, [2], 'a view twice')
})
