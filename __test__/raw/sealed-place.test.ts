// Sealed values at a place, by the short way: whatever the strings, a value opens as by the call at length, is refused as there, or is left
// to it without a trace.

import { AesGcm } from 'hardware-aes-gcm'
import { beforeAll, expect, test } from 'vitest'
import { KEY, Random } from '../tools/support.js'
import { create, JUNK, loadWithShortWay, make, NUMBERS, reasonOf } from './functions.js'

// src/node/slate.rs and lib/cipher/native/sealed-calls.cts have the same numbers.
const [KEY_LOW, PREFIX_LOW] = [2, 4] as const
const PREFIX = 2 ** 32
/** The upper half of `PREFIX`, and that of no prefix. */
const WITH = PREFIX / 2 ** 32
const WITHOUT = 2 ** 8
const bytes = (length: number) => new Uint8Array(length)

/** A loading of the addon, whose slate names a key. */
function open() {
  const { by, words } = loadWithShortWay()
  const key = create.key(by)
  const name = (handle: unknown, high: number = WITH) => {
    const number = Number(by.numberOf?.(handle))
    words.set([number % 2 ** 24, Math.floor(number / 2 ** 24)], KEY_LOW)
    words.set([0, high], PREFIX_LOW)
  }
  name(key)
  return { by, words, key, name }
}

/** The additional data of a place. */
function placeOf(head: string, key?: string): Buffer {
  if (key === undefined) return Buffer.from(head)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(key)))
  return Buffer.concat([Buffer.from(head), length, Buffer.from(key)])
}

/** Whether the short way takes a string. */
const isTaken = (text: string) =>
  Buffer.from(text).toString() === text && text.length < 2000 && !text.includes('\ufffd')

/** A UUID in small letters, as it is bound. */
const small = (text: string) =>
  /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : text

beforeAll(() => {
  new AesGcm(KEY) // the package asks for the slate of its own loading
})

test('open as by the call at length', () => {
  const { by, key, name } = open()
  const random = new Random('values at places')
  const uuid = () =>
    random
      .bytes(16)
      .toString('hex')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  const keyOf = (): string | undefined =>
    random.pick([
      () => undefined,
      () => '',
      () => uuid(),
      () => uuid().toUpperCase(),
      () => uuid().replace('-', '_').toUpperCase(),
      () => `${random.below(2 ** 31)}`,
      () => String.fromCharCode(...random.bytes(random.below(60)).map(byte => byte & 0x7f)),
      () =>
        random.pick([
          'é',
          '€',
          '\ud800',
          'x\ufffd',
          'x\udc00y',
          '\u0141'.repeat(36),
          'x'.repeat(64),
          'x'.repeat(300),
          'A'.repeat(4000),
        ]),
    ])()
  const headOf = () =>
    random.pick(['', '\u0003\0\0\0\0\0\0\0', 'users', 'x'.repeat(200), 'users\u0080', '€', 'y'.repeat(9000)])
  const seen = { opened: 0, left: 0, forged: 0 }
  for (let i = 0; i < 1500; i++) {
    const skip = random.pick([5, 5, 5, 0])
    name(key, skip === 5 ? WITH : WITHOUT)
    const [head, rowKey] = [headOf(), keyOf()]
    const text = random.pick(['', 'text', 'é€😀', 'x'.repeat(random.below(6000))])
    const place = placeOf(head, rowKey && small(rowKey))
    const made = by.sealText?.(key, skip === 5 ? PREFIX : 2 ** 40, text, place) as string
    const sealed = random.pick([made, made, made, made.slice(1), `${made}=`, `\u0141${made.slice(1)}`, ''])
    const other = random.below(5) === 0 ? `${rowKey ?? ''}x` : rowKey
    const given = other === undefined ? [] : [other]
    const failures = () => by.failedDecryptions?.(key)
    const before = failures()
    const found = by.openTextShortly?.(sealed, head, ...given)
    const isLeft = other !== undefined && !(isTaken(head) && isTaken(other))
    const wanted = by.openText?.(key, skip, sealed, placeOf(head, other && small(other)))
    const length = Math.max(0, Buffer.from(sealed, 'base64url').length - skip - 28)
    const target = bytes(length)
    const between = failures() as number
    const status = by.openBytesShortly?.(target, sealed, head, ...given)
    if (isLeft) {
      expect([reasonOf(found), reasonOf(status)]).toEqual(['NotText', 'NotText'])
      seen.left++
    } else if (typeof wanted === 'string') {
      expect([found, status]).toEqual([wanted, length])
      expect(Buffer.from(target).equals(Buffer.from(wanted))).toBe(true)
      expect(failures()).toBe(before)
      seen.opened++
    } else {
      // A text without the prefix on the slate is left to the call at length.
      const isNamed = skip === 0 || /^AQAAAA[A-D]/.test(sealed)
      const isText = isNamed && Buffer.from(sealed, 'base64url').toString('base64url') === sealed
      expect(reasonOf(found)).toBe(isNamed ? 'Authentication' : 'NotText')
      expect(reasonOf(status)).toBe(isText ? 'Authentication' : 'NotText')
      expect(failures()).toBe(between + (isText ? 1 : 0))
      seen.forged++
    }
    if (isLeft) expect(failures()).toBe(between)
    if (!((status as number) >= 0)) expect(target.every(byte => byte === 0)).toBe(true)
  }
  for (const number of Object.values(seen)) expect(number).toBeGreaterThan(50)
})

test('are refused without a key on the slate, and whatever the arguments are', () => {
  const { by, words, key, name } = open()
  const sealed = by.sealText?.(key, PREFIX, 'text', placeOf('head', 'key')) as string
  const target = bytes(4)
  expect(by.openTextShortly?.(sealed, 'head', 'key')).toBe('text')
  for (const junk of [...JUNK.filter(value => typeof value !== 'string'), ...NUMBERS]) {
    expect(reasonOf(by.openTextShortly?.(junk, 'head', 'key'))).toBe('NotText')
    expect(reasonOf(by.openTextShortly?.(sealed, junk, 'key'))).toBe('NotText')
    expect(reasonOf(by.openTextShortly?.(sealed, 'head', junk))).toBe('NotText')
    expect(reasonOf(by.openBytesShortly?.(target, junk, 'head', 'key'))).toBe('NotText')
    expect(reasonOf(by.openBytesShortly?.(target, sealed, junk, 'key'))).toBe('NotText')
    expect(reasonOf(by.openBytesShortly?.(target, sealed, 'head', junk))).toBe('NotText')
  }
  for (const text of ['text', 7, null, {}, [1]])
    expect(reasonOf(by.openBytesShortly?.(text, sealed, 'head', 'key'))).toBe('NotBytes')
  expect(reasonOf(by.openTextShortly?.())).toBe('NotText')
  expect(reasonOf(by.openBytesShortly?.())).toBe('NotBytes')
  expect(reasonOf(by.openBytesShortly?.(target))).toBe('NotText')
  expect(reasonOf(by.openBytesShortly?.(bytes(3), sealed, 'head', 'key'))).toBe('TargetTooShort')
  const shared = new Uint8Array(new SharedArrayBuffer(4))
  expect(reasonOf(by.openBytesShortly?.(shared, sealed, 'head', 'key'))).toBe('Shared')
  expect(by.failedDecryptions?.(key)).toBe(0)
  for (const other of [
    [1, 1],
    [0, 0],
    [-1, 1],
    [0, 255],
  ]) {
    words.set(other, PREFIX_LOW)
    expect(reasonOf(by.openTextShortly?.(sealed, 'head', 'key')), `${other}`).toBe('NotText')
    expect(reasonOf(by.openBytesShortly?.(bytes(60), sealed, 'head', 'key')), `${other}`).toBe('NotText')
  }
  expect(by.failedDecryptions?.(key)).toBe(0)
  for (const high of [WITHOUT, -1]) {
    words.set([0, high], PREFIX_LOW)
    expect(reasonOf(by.openTextShortly?.(sealed, 'head', 'key')), `${high}`).toBe('Authentication')
    expect(reasonOf(by.openBytesShortly?.(bytes(60), sealed, 'head', 'key')), `${high}`).toBe(
      'Authentication',
    )
  }
  for (const kind of ['packets', 'chunks', 'arena'] as const) {
    name(make(kind, by))
    expect(reasonOf(by.openTextShortly?.(sealed, 'head', 'key')), kind).toBe('Handle')
    expect(reasonOf(by.openBytesShortly?.(target, sealed, 'head', 'key')), kind).toBe('Handle')
  }
  name(key)
  expect(by.openBytesShortly?.(target, sealed, 'head', 'key')).toBe(4)
  expect(Buffer.from(target).toString()).toBe('text')
  expect(by.destroy?.(key)).toBe(0)
  expect(reasonOf(by.openTextShortly?.(sealed, 'head', 'key'))).toBe('Destroyed')
  expect(reasonOf(by.openBytesShortly?.(target, sealed, 'head', 'key'))).toBe('Destroyed')
})
