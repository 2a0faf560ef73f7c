// Rotation of rows in memory: from old keys, indexes and layouts, from and to clear text, with counts and reports.
import { AesGcm } from 'hardware-aes-gcm'
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { BlindIndex, context, Keyring } from 'hardware-aes-gcm/keyring'
import { layoutReader } from 'hardware-aes-gcm/legacy'
import {
  countColumns,
  type RotateColumnsOptions,
  type RotationFailure,
  type RotationProgress,
  rotateColumns,
} from 'hardware-aes-gcm/rotation'
import { expect, test } from 'vitest'
import { gcm } from '../../models/legacy.js'
import { Random } from '../../tools/support.js'
import { keyringOf, lower, MemoryRows, type Stored, staleOf, usersOf } from './memory.js'

const random = new Random('rotation')
const INDEX_KEY = random.bytes(32)
const keyring = keyringOf(3)
const users = usersOf(keyring, INDEX_KEY)
const primaryId = keyring.keys.find(({ primary }) => primary)?.id
const clearRow = (id: number) => ({ id, email: `User${id}@Example.org`, address: { city: `c${id}` } })

/** The table as it was written under each key in turn. */
function oldRows(count: number): Stored[] {
  return Array.from({ length: count }, (_, id) => {
    const writer = Keyring.parse(keyring.export())
    writer.promote(writer.keys[id % 3]?.id as number)
    return { ...usersOf(writer, INDEX_KEY).seal(clearRow(id)) }
  })
}

/** Rotates, and returns the failures, too. */
async function rotate(
  table: Parameters<typeof rotateColumns>[0],
  source: MemoryRows,
  options: RotateColumnsOptions = {},
) {
  const failures: RotationFailure[] = []
  const result = await rotateColumns(table, source, {
    batchSize: 7,
    onFailure: failure => void failures.push(failure),
    ...options,
  })
  return { ...result, failures }
}

test('every value comes under the primary key, with its index, and the counts prove it', async () => {
  const source = new MemoryRows([...oldRows(50), { id: 50, email: null, email_index: null, address: null }])
  const before = await countColumns(users, source)
  expect(before[0]).toMatchObject({ column: 'email', notSealed: 0, nulls: 1, rest: 34 })
  expect(before[0]?.keys.map(({ values }) => values)).toEqual([17, 17, 16])
  const progress: RotationProgress[] = []
  const result = await rotate(users, source, { onProgress: one => void progress.push(one) })
  expect(result).toMatchObject({
    done: true,
    changed: 34,
    failed: 0,
    conflicts: 0,
    staleIndexes: 0,
    failures: [],
  })
  expect(result.renewed).toEqual({ sealed: 68, fallback: 0, clearText: 0 })
  for (const { keys, rest } of result.columns) {
    expect(rest).toBe(0)
    expect(keys.filter(({ values }) => values > 0)).toEqual([
      { keyId: primaryId, primary: true, known: true, values: 50 },
    ])
  }
  expect(progress.at(-1)).toMatchObject({ seen: 51, total: 51, changed: 34, pass: 1, secondsLeft: 0 })
  expect(source.rows.slice(0, 50).map(row => users.open(row))).toEqual(
    Array.from({ length: 50 }, (_, id) => clearRow(id)),
  )
  expect(source.rows[7]?.email_index).toBe(users.lookup('email', 'user7@example.org')[0])
  // Nothing is left to write.
  const again = structuredClone(source.rows)
  expect(await rotate(users, source)).toMatchObject({ done: true, changed: 0 })
  expect(source.rows).toEqual(again)
  expect(source.ended).toBe(3)
})

test('a dry run writes nothing and says what would be', async () => {
  const source = new MemoryRows(oldRows(10))
  const before = structuredClone(source.rows)
  const result = await rotate(users, source, { dryRun: true })
  expect(result).toMatchObject({ done: false, changed: 7, renewed: { sealed: 14 } })
  expect(source.rows).toEqual(before)
  expect(source.calls).not.toContain('write')
  await rotate(users, source)
  expect(await rotate(users, source, { dryRun: true })).toMatchObject({ done: true, changed: 0 })
})

test('values that do not open stay as they are, and are reported by their reasons', async () => {
  const rows = oldRows(8)
  const foreign = usersOf(Keyring.generate(), INDEX_KEY)
  Object.assign(rows[0] as Stored, { email: 'in clear' })
  Object.assign(rows[1] as Stored, { email: rows[3]?.email })
  Object.assign(rows[2] as Stored, foreign.seal(clearRow(2)))
  const older = staleOf(keyring)
  Object.assign(rows[4] as Stored, {
    email: older.sealText(rows[4]?.email as string, context('users', 'email', 4)),
  })
  Object.assign(rows[5] as Stored, { address: older.sealText('{', context('users', 'address', 5)) })
  Object.assign(rows[6] as Stored, { id: null })
  const before = structuredClone(rows)
  const source = new MemoryRows(rows)
  const result = await rotate(users, source)
  expect(result.failures.map(({ key, column, reason }) => [key.at, column, reason])).toEqual([
    [0, 'email', 'not-sealed'],
    [1, 'email', 'authentication-failed'],
    [2, 'email', 'unknown-key'],
    [2, 'address', 'unknown-key'],
    [4, 'email', 'sealed-twice'],
    [5, 'address', 'wrong-type'],
    [6, 'email', 'no-key'],
    [6, 'address', 'no-key'],
  ])
  expect(result).toMatchObject({ done: false, failed: 8 })
  for (const [at, column] of [
    [0, 'email'],
    [1, 'email'],
    [2, 'email'],
    [2, 'address'],
    [4, 'email'],
    [5, 'address'],
    [6, 'email'],
  ] as const)
    expect(source.rows[at]?.[column]).toBe(before[at]?.[column])
  // The other values of these rows are renewed all the same.
  expect(keyring.needsRotation(source.rows[5]?.email as string)).toBe(false)
  expect(JSON.stringify(result.failures)).not.toContain('in clear')
})

test('a process with an older primary key neither takes values back nor says that it is done', async () => {
  const source = new MemoryRows(oldRows(6))
  await rotate(users, source)
  const stale = usersOf(staleOf(keyring), INDEX_KEY)
  const before = structuredClone(source.rows)
  expect(await rotate(stale, source)).toMatchObject({ done: false, changed: 0 })
  expect(source.rows).toEqual(before)
  // It writes under the old key, which the count finds.
  Object.assign(source.rows[1] as Stored, stale.seal(clearRow(1)))
  expect((await countColumns(users, source)).map(({ rest }) => rest)).toEqual([1, 1])
  expect(await rotate(users, source)).toMatchObject({ done: true, changed: 1 })
  expect(await rotate(stale, source, { back: true })).toMatchObject({ done: true, changed: 6 })
})

test('indexes come under the newest index key, also of values under the primary key', async () => {
  const source = new MemoryRows(oldRows(20))
  await rotate(users, source)
  const newKey = BlindIndex.generateKey()
  const renewing = usersOf(keyring, [newKey, INDEX_KEY])
  const sealed = source.rows.map(({ email }) => email)
  expect(await rotate(renewing, source, { dryRun: true })).toMatchObject({ done: false, staleIndexes: 20 })
  expect(await rotate(renewing, source)).toMatchObject({ done: true, changed: 20, staleIndexes: 0 })
  expect(source.rows.map(({ email }) => email)).toEqual(sealed)
  const now = usersOf(keyring, newKey)
  for (const [id, row] of source.rows.entries())
    expect(row.email_index).toBe(now.lookup('email', `user${id}@example.org`)[0])
})

test('clear text is sealed if that is declared, with its index, and what looks sealed is reported', async () => {
  const old = random.bytes(32)
  const reader = layoutReader({ key: old, layout: '{iv}:{tag}:{ct}', encoding: 'hex' })
  const table = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    indexKey: INDEX_KEY,
    columns: {
      email: { type: 'text', index: 'email_index', normalizer: lower, fallback: reader },
      age: 'number',
    },
  })
  const { iv, tag, ct } = gcm(old, random.bytes(12), 'old@example.org')
  const layout = [iv, tag, ct].map(part => part.toString('hex')).join(':')
  const foreign = Keyring.generate().sealText('x')
  const source = new MemoryRows([
    { id: 0, email: 'Ada@Example.org', age: '36' },
    { id: 1, email: layout, age: 36 },
    { id: 2, email: layout.replace(/.$/, digit => (digit === '0' ? '1' : '0')), age: 'x' },
    { id: 3, email: foreign, age: null },
    { id: 4, email: '', age: '-0' },
  ])
  expect((await rotate(table, new MemoryRows(structuredClone(source.rows)))).failures).toHaveLength(8)
  const result = await rotate(table, source, { clearText: 'seal' })
  expect(result.failures.map(({ key, column, reason }) => [key.at, column, reason])).toEqual([
    [2, 'email', 'authentication-failed'],
    [2, 'age', 'wrong-type'],
    [3, 'email', 'looks-sealed'],
  ])
  expect(result.renewed).toEqual({ sealed: 0, fallback: 1, clearText: 5 })
  expect(source.rows[0]?.email_index).toBe(table.lookup('email', 'ada@example.org')[0])
  expect(source.rows[3]?.email).toBe(foreign)
  expect([0, 1, 4].map(at => table.open(source.rows[at] as Stored))).toEqual([
    { id: 0, email: 'Ada@Example.org', age: 36 },
    { id: 1, email: 'old@example.org', age: 36 },
    { id: 4, email: '', age: -0 },
  ])
})

test('values in several columns open, are sealed, and leave their parts NULL', async () => {
  const old = random.bytes(32)
  const reader = layoutReader({
    key: old,
    layout: { email_iv: '{iv}', email_tag: '{tag}', email: '{ct}' },
    encoding: 'hex',
  })
  const bytesReader = layoutReader({ key: old, layout: { s_iv: '{iv}', s_tag: '{tag}', s_ct: '{ct}' } })
  const table = encryptedColumns('users', {
    keyring,
    rowKey: 'id',
    columns: {
      email: { type: 'text', fallback: reader, parts: ['email_iv', 'email_tag'] },
      secret: { type: 'text', fallback: bytesReader, parts: ['s_iv', 's_tag', 's_ct'] },
    },
  })
  const inParts = (id: number): Stored => {
    const { iv, tag, ct } = gcm(old, random.bytes(12), `e${id}`)
    const other = gcm(old, random.bytes(12), `s${id}`)
    return {
      id,
      email: ct.toString('hex'),
      email_iv: iv.toString('hex'),
      email_tag: tag.toString('hex'),
      secret: null,
      s_iv: other.iv,
      s_tag: other.tag,
      s_ct: other.ct,
    }
  }
  const rows = [inParts(0), inParts(1), inParts(2), { ...table.seal({ id: 3, email: 'e3', secret: 's3' }) }]
  expect(table.openAll(rows)).toEqual([0, 1, 2, 3].map(id => ({ id, email: `e${id}`, secret: `s${id}` })))
  expect(table.seal({ id: 1, email: null })).toEqual({ id: 1, email: null, email_iv: null, email_tag: null })
  // A program that writes the column alone leaves parts of the old value.
  Object.assign(rows[2] as Stored, { email: table.seal({ id: 2, email: 'new' }).email })
  expect(table.open(rows[2] as Stored).email).toBe('new')
  Object.assign(rows[1] as Stored, { email_tag: rows[0]?.email_tag })
  expect(table.tryOpen(rows[1] as Stored)).toBeNull()
  const source = new MemoryRows(rows)
  const result = await rotate(table, source)
  expect(result).toMatchObject({ done: false, changed: 3, failed: 1 })
  expect(result.failures).toMatchObject([
    { key: { at: 1, id: 1 }, column: 'email', reason: 'authentication-failed' },
  ])
  expect(Object.keys(result.failures[0]?.key ?? {})).toEqual(['at', 'id'])
  const empty = { email_iv: null, email_tag: null, s_iv: null, s_tag: null, s_ct: null }
  expect([source.rows[0], source.rows[2]]).toMatchObject([empty, empty])
  expect(table.open(source.rows[0] as Stored)).toEqual({ id: 0, email: 'e0', secret: 's0' })
  expect(table.open(source.rows[2] as Stored)).toEqual({ id: 2, email: 'new', secret: 's2' })
  expect(result.columns.map(({ rest }) => rest)).toEqual([1, 0])
})

test('a table is stored in clear only with the word for it, and then stays so', async () => {
  const source = new MemoryRows(oldRows(9))
  await expect(rotate(users, source, { to: 'clear' })).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_VALUE',
  })
  const options = { to: 'clear', confirm: 'store values in clear text' } as const
  expect(await rotate(users, source, options)).toMatchObject({ done: true, changed: 9 })
  expect(source.rows.map(({ email }) => email)).toEqual(
    Array.from({ length: 9 }, (_, id) => clearRow(id).email),
  )
  expect(source.rows[3]?.address).toBe('{"city":"c3"}')
  expect(await rotate(users, source, options)).toMatchObject({ done: true, changed: 0 })
  // And back.
  expect(await rotate(users, source, { clearText: 'seal' })).toMatchObject({ done: true, changed: 9 })
  expect(users.openAll(source.rows)).toEqual(Array.from({ length: 9 }, (_, id) => clearRow(id)))
})

test('keys whose ids share six characters are told apart', async () => {
  const [first, second] = [32, 33]
  const near = new Keyring([
    { id: second, key: AesGcm.generateKey() },
    { id: first, key: AesGcm.generateKey() },
  ])
  expect(near.keys[0]?.textPrefix).toBe(near.keys[1]?.textPrefix)
  const table = encryptedColumns('t', { keyring: near, rowKey: 'id', columns: { a: 'text' } })
  const before = Keyring.parse(near.export())
  before.promote(first)
  const writer = encryptedColumns('t', { keyring: before, rowKey: 'id', columns: { a: 'text' } })
  const source = new MemoryRows(
    Array.from({ length: 40 }, (_, id) => ({ ...writer.seal({ id, a: `${id}` }) })),
  )
  expect((await countColumns(table, source))[0]).toMatchObject({ rest: 40 })
  expect(await rotate(table, source, { back: true })).toMatchObject({ done: true, changed: 40 })
})
