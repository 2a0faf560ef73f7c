// context(): PASETO's encoding of parts, from which each part can be told; and the values that are no parts.
import { describe, expect, test } from 'vitest'
import { Random, refuses } from '../../tools/support.js'
import { context } from './internals.js'

type Part = string | number | bigint | Uint8Array

/** PASETO's PAE, as its specification gives it. */
function pae(parts: readonly Part[]): Buffer {
  const number = (value: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    return bytes
  }
  const bytes = parts.map(part => (part instanceof Uint8Array ? Buffer.from(part) : Buffer.from(`${part}`)))
  return Buffer.concat([number(parts.length), ...bytes.flatMap(part => [number(part.length), part])])
}

test("the specification's examples", () => {
  expect(context('').toString('hex')).toBe('01000000000000000000000000000000')
  expect(context('test').toString('latin1')).toBe('\x01\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0test')
  const three = '030000000000000005000000000000007573657273050000000000000065'
  expect(context('users', 'email', 17).toString('hex')).toBe(`${three}6d61696c02000000000000003137`)
})

test('3 000 random lists of parts, short and long, of every kind', () => {
  const random = new Random('context')
  const kinds: (() => Part)[] = [
    () => random.bytes(random.below(40)).toString('hex'),
    () => 'x'.repeat(random.pick([0, 1, 200, 215, 216, 217, 232, 233, 248, 300, 5000])),
    () => random.pick(['é', '🔑', 'ß', '\u0000', '\u0080', '\ufeff', '漢字']).repeat(random.below(80)),
    () => random.pick([0, -0, 1, -1, 17, 2 ** 53 - 1, 1 - 2 ** 53, random.below(2 ** 31)]),
    () => BigInt(`-${random.below(2 ** 31)}`) * 10n ** BigInt(random.below(40)),
    () => random.bytes(random.pick([0, 1, 16, 64, 300])),
    () => new Uint8Array(random.bytes(100).buffer, 50, random.below(50)),
  ]
  for (let i = 0; i < 3000; i++) {
    const parts = Array.from({ length: 1 + random.below(6) }, () => random.pick(kinds)())
    const data = context(...parts)
    expect(data.equals(pae(parts))).toBe(true)
    expect(data.buffer.byteLength).toBe(data.length)
  }
})

test('parts whose encoding has 239 to 257 bytes', () => {
  for (let length = 223; length <= 241; length++)
    for (const parts of [['x'.repeat(length)], ['ab', 'x'.repeat(length - 10)], ['x'.repeat(length - 9), 7]])
      expect(context(...parts).equals(pae(parts))).toBe(true)
})

test('other parts give other bytes', () => {
  const lists: Part[][] = [
    ['users', 'email', 17],
    ['users', 'email', 18],
    ['users', 'email1', 7],
    ['users', 'email', '', 17],
    ['usersemail', 17],
    ['users', 'email'],
    ['email', 'users', 17],
    ['users', 'email', '17 '],
    ['users', 'email', '017'],
    ['users', 'email', '17', ''],
    ['\x05\0\0\0\0\0\0\0email'],
  ]
  expect(new Set(lists.map(list => context(...list).toString('hex'))).size).toBe(lists.length)
})

test('one id as a number, a bigint, a string and its bytes is one part', () => {
  for (const id of [0, 17, -5, 2 ** 53 - 1]) {
    const wanted = context('users', id)
    for (const same of [BigInt(id), `${id}`, Buffer.from(`${id}`)])
      expect(context('users', same)).toEqual(wanted)
  }
  expect(context(-0)).toEqual(context('0'))
})

test('the result does not change with the next call', () => {
  const first = context('a', 1)
  const copy = Buffer.from(first)
  context('b', 2)
  expect(first).toEqual(copy)
})

describe('refused', () => {
  const refused = (part: unknown, code: string) => {
    for (const [at, parts] of [[part], ['x', part], ['é', part, 'x'], [part, 'x']].entries())
      expect(refuses(() => context(...(parts as Part[])), code).message).toContain(
        `"parts[${at === 1 || at === 2 ? 1 : 0}]" `,
      )
  }

  test.each([
    undefined,
    null,
    true,
    {},
    [],
    ['x'],
    () => 'x',
    Symbol('x'),
    new Date(0),
    Object('x'),
    Object(1),
    new Uint16Array(2),
    new ArrayBuffer(2),
    new DataView(new ArrayBuffer(2)),
    new Proxy(new Uint8Array(2), {}),
  ])('%o is no part', part => {
    refused(part, 'ERR_INVALID_ARG_TYPE')
  })

  test.each([1.5, Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 53), 1e300])('%d is not safe', part => {
    refused(part, 'ERR_OUT_OF_RANGE')
  })

  test.each(['\ud800', 'x\udc00', '\ud800x', `${'x'.repeat(300)}\ud800`])('a lone surrogate: %j', part => {
    refused(part, 'ERR_INVALID_ARG_VALUE')
  })

  test('shared and detached memory', () => {
    refused(new Uint8Array(new SharedArrayBuffer(2)), 'ERR_AESGCM_SHARED_BUFFER')
    const gone = new Uint8Array(2)
    structuredClone(gone.buffer, { transfer: [gone.buffer] })
    refused(gone, 'ERR_AESGCM_DETACHED_BUFFER')
  })

  test('no parts, and too many', () => {
    refuses(() => context(), 'ERR_OUT_OF_RANGE')
    const many = Array<number>(1000).fill(1)
    expect(context(...many)).toEqual(pae(many))
    refuses(() => context(...many, 1), 'ERR_OUT_OF_RANGE')
  })
})
