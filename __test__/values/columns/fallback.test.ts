// Columns with values from before the declaration: readers of other formats, in the columns that name them alone.
import { encryptedColumns, NotSealedError } from 'hardware-aes-gcm/columns'
import { cloakReader, layoutReader } from 'hardware-aes-gcm/legacy'
import { expect, test } from 'vitest'
import { gcm } from '../../models/legacy.js'
import { Random, refuses, thrown } from '../../tools/support.js'
import { CLOAK } from '../../vectors/legacy.js'
import { encoded, keyring } from './tables.js'

const random = new Random('fallbacks of columns')
const KEY = random.bytes(32)
const reader = layoutReader({ key: KEY, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
const old = (content: string | Buffer) => {
  const { iv, tag, ct } = gcm(KEY, random.bytes(16), content as string)
  return [iv, tag, ct].map(part => part.toString('hex')).join(':')
}
const fallback = [cloakReader(CLOAK.key), reader]
const table = encryptedColumns('users', {
  keyring,
  rowKey: 'id',
  columns: {
    email: { type: 'text', fallback },
    age: { type: 'number', fallback: reader },
    address: { type: 'json', fallback },
    photo: { type: 'bytes', fallback: reader },
    phone: 'text',
  },
})

test('old values open by their readers, and are new after they were sealed', () => {
  const row = { id: 1, email: old('Ada'), age: old('36'), address: old('{"a":[1]}'), photo: old('a photo') }
  const clear = { id: 1, email: 'Ada', age: 36, address: { a: [1] }, photo: Buffer.from('a photo') }
  expect(table.open(row)).toStrictEqual(clear)
  expect(table.open({ id: 2, email: CLOAK.sealed }).email).toBe(CLOAK.text)
  const now = table.seal(table.open(row) as typeof clear)
  for (const name of ['email', 'age', 'address', 'photo'] as const)
    expect(keyring.needsRotation(now[name])).toBe(false)
  expect(table.open(now)).toStrictEqual(clear)
  // Values that were sealed for a row stay in it.
  expect(table.tryOpen({ ...now, id: 2 })).toBeNull()
})

test('a column without readers opens no old value, and readers no value in clear', () => {
  expect(refuses(() => table.open({ id: 1, phone: old('Ada') }), 'ERR_AESGCM_NOT_SEALED')).toMatchObject({
    column: 'phone',
  })
  const forged = old('Ada').replace(/.$/, digit => (digit === '0' ? '1' : '0'))
  for (const name of ['email', 'age', 'address', 'photo'])
    for (const value of [forged, 'Ada', '', '36', '{}', 7, Buffer.from('Ada')]) {
      const row = { id: 1, [name]: value }
      expect(thrown(() => table.open(row))).toBeInstanceOf(NotSealedError)
      expect(table.tryOpen(row)).toBeNull()
    }
})

test('what a reader makes must be of the type of its column', () => {
  expect(refuses(() => table.open({ id: 1, age: old('old') }), 'ERR_INVALID_ARG_VALUE').message).toContain(
    '"row.age"',
  )
  refuses(() => table.open({ id: 1, address: old('{') }), 'ERR_INVALID_ARG_VALUE')
})

test('readers of the caller: what they get, and what they may return', () => {
  const seen: unknown[] = []
  const error = Object.freeze(new Error('of the reader'))
  let answer: unknown = null
  const own = {
    tryOpen(sealed: string, aad: unknown) {
      seen.push(sealed, aad)
      if (answer === error) throw error
      return answer as string
    },
    tryOpenBytes(sealed: string, aad: unknown) {
      seen.push(sealed, aad)
      if (answer === error) throw error
      return answer as Buffer
    },
  }
  const mine = encryptedColumns('t', {
    keyring,
    rowKey: 'id',
    columns: { a: { type: 'text', fallback: own }, b: { type: 'bytes', fallback: own } },
  })
  answer = 'text'
  expect(mine.open({ id: 7, a: 'x' })).toEqual({ id: 7, a: 'text' })
  const bytes = Buffer.alloc(9, 1)
  answer = bytes.subarray(3)
  const { b } = mine.open({ id: 8, b: 'x' }) as unknown as { b: Buffer }
  bytes.fill(2)
  expect(b).toStrictEqual(Buffer.alloc(6, 1))
  // The additional data of each call are memory of its own.
  expect(seen).toStrictEqual(['x', encoded('t', 'a', '7'), 'x', encoded('t', 'b', '8')])
  for (const wrong of [undefined, 7, {}, true]) {
    answer = wrong
    refuses(() => mine.open({ id: 1, a: 'x' }), 'ERR_INVALID_ARG_TYPE')
    refuses(() => mine.open({ id: 1, b: 'x' }), 'ERR_INVALID_ARG_TYPE')
  }
  answer = error
  expect(thrown(() => mine.open({ id: 1, a: 'x' }))).toBe(error)
  expect(thrown(() => mine.open({ id: 1, b: 'x' }))).toBe(error)
  expect(mine.seal({ id: 1, a: 'x', b: Buffer.of(1) }).a).toMatch(/^A/)
})
