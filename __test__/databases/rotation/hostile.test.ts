// Sources that misbehave, programs that write in between, and runs that end at any step.
import { encryptedColumns } from 'hardware-aes-gcm/columns'
import { type RotateColumnsOptions, type RowChange, rotateColumns } from 'hardware-aes-gcm/rotation'
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { keyringOf, MemoryRows, type Stored, staleOf } from './memory.js'

const random = new Random('hostile sources')
const keyring = keyringOf(2)
const tableOf = (keys: typeof keyring) =>
  encryptedColumns('t', { keyring: keys, rowKey: 'id', columns: { a: 'text', b: 'text' } })
const table = tableOf(keyring)
const stale = tableOf(staleOf(keyring))

const clear = (id: number) => ({ id, a: `a${id}`, b: id % 3 === 0 ? null : `b${id}` })
const filled = (count: number) =>
  Array.from({ length: count }, (_, id): Stored => ({ ...stale.seal(clear(id)) }))
const small = { batchSize: 5 }

test('a value that another program writes in between is kept, and renewed by a later pass', async () => {
  for (let run = 0; run < 20; run++) {
    const source = new MemoryRows(filled(30))
    const journal = new Map(source.rows.map((_, id) => [id, clear(id).a]))
    let writes = 18
    source.between = () => {
      for (let n = 0; n < 3 && writes > 0; n++, writes--) {
        const id = random.below(source.rows.length)
        const text = `w${run}-${writes}`
        journal.set(id, text)
        const writer = random.below(2) === 0 ? table : stale
        Object.assign(source.rows[id] as Stored, writer.seal({ id, a: text }))
      }
    }
    const result = await rotateColumns(table, source, small)
    expect(result).toMatchObject({ done: true, failed: 0 })
    for (const [id, text] of journal) {
      expect(table.open(source.rows[id] as Stored)).toMatchObject({ a: text, b: clear(id).b })
      expect(keyring.needsRotation(source.rows[id]?.a as string)).toBe(false)
    }
  }
})

test('a run that fails at any step has lost nothing, and the next one goes on', async () => {
  for (let step = 1; step < 40; step++) {
    const source = new MemoryRows(filled(20))
    let left = step
    const failing = (name: 'read' | 'write' | 'count') => {
      const real = source[name].bind(source) as (value: never) => unknown
      source[name] = (value: never) => {
        if (--left === 0) throw new Error('the connection is lost')
        const result = real(value)
        // The answer is lost after the write.
        if (--left === 0) throw new Error('the connection is lost')
        return result as never
      }
    }
    for (const name of ['read', 'write', 'count'] as const) failing(name)
    const outcome = await rotateColumns(table, source, small).catch((error: Error) => error.message)
    if (left > 0) expect(outcome).toMatchObject({ done: true })
    else expect(outcome).toBe('the connection is lost')
    expect(source.ended).toBe(1)
    expect(table.openAll(source.rows)).toEqual(source.rows.map((_, id) => clear(id)))
    left = Number.POSITIVE_INFINITY
    expect(await rotateColumns(table, source, small)).toMatchObject({ done: true })
    expect(table.openAll(source.rows)).toEqual(source.rows.map((_, id) => clear(id)))
  }
})

// Two of these wait for seconds, because each pass that changes nothing waits before the next.
test.concurrent('a source that says more than it wrote is found by the count', async () => {
  const source = new MemoryRows(filled(10))
  source.write = changes => changes.map(() => true)
  const result = await rotateColumns(table, source, small)
  expect(result).toMatchObject({ done: false, failed: 0 })
  expect(result.columns.map(({ rest }) => rest)).toEqual([10, 6])
})

test.concurrent('a source that says less, returns rows twice, or more than it was asked for', async () => {
  const source = new MemoryRows(filled(12))
  source.write = changes => changes.map(change => source.swap(change) && false)
  expect(await rotateColumns(table, source, small)).toMatchObject({ done: true, changed: 0, conflicts: 12 })
  const twice = new MemoryRows(filled(12))
  const read = twice.read.bind(twice)
  twice.read = async request => {
    const { rows, next } = await read(request)
    return { rows: [...rows, ...rows], next }
  }
  expect(await rotateColumns(table, twice, small)).toMatchObject({ done: true, changed: 12, conflicts: 12 })
  expect(table.openAll(twice.rows)).toEqual(twice.rows.map((_, id) => clear(id)))
})

test.concurrent('a program that still seals with the old key ends the run undone, not never', async () => {
  const source = new MemoryRows(filled(10))
  source.between = () => void Object.assign(source.rows[3] as Stored, stale.seal({ id: 3, a: 'again' }))
  const count = source.count.bind(source)
  source.count = column => {
    source.between?.()
    return count(column)
  }
  const result = await rotateColumns(table, source, small)
  expect(result.done).toBe(false)
  expect(result.columns[0]?.rest).toBe(1)
})

test.each([
  ['read', { rows: 'none', next: undefined }],
  ['read', undefined],
  ['read', { rows: [null], next: undefined }],
  ['read', { rows: [{ id: 1, a: 'x' }], next: undefined }],
  ['write', undefined],
  ['write', [true]],
  ['count', 7],
  ['count', [{ prefix: '', values: -1 }]],
  ['count', [{ prefix: '', values: '1' }]],
])('an answer of %s that is none is refused: %j', async (name, answer) => {
  const source = new MemoryRows(filled(4))
  source[name as 'read'] = (() => answer) as never
  await expect(rotateColumns(table, source, small)).rejects.toMatchObject({
    code: /^ERR_(INVALID_ARG_TYPE|OUT_OF_RANGE)$/,
  })
  expect(source.ended).toBe(1)
})

test('an abort ends the run between two batches', async () => {
  const source = new MemoryRows(filled(30))
  const controller = new AbortController()
  const reason = new Error('enough')
  const run = rotateColumns(table, source, {
    ...small,
    pause: 1,
    signal: controller.signal,
    onProgress: ({ seen }) => void (seen >= 10 && controller.abort(reason)),
  })
  await expect(run).rejects.toMatchObject({ code: 'ABORT_ERR', cause: reason })
  expect(source.rows.filter(({ a }) => !keyring.needsRotation(a as string))).toHaveLength(10)
  expect(source.ended).toBe(1)
  await expect(rotateColumns(table, source, { signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
    cause: reason,
  })
  const errors = [new Error('of onFailure'), new Error('of onProgress')]
  Object.assign(source.rows[0] as Stored, { a: 'clear' })
  await expect(rotateColumns(table, source, { onFailure: () => Promise.reject(errors[0]) })).rejects.toBe(
    errors[0],
  )
  const onProgress = () => {
    throw errors[1]
  }
  await expect(rotateColumns(table, source, { onProgress })).rejects.toBe(errors[1])
})

test('arguments that are wrong', async () => {
  const source = new MemoryRows(filled(1))
  const refused = (options: unknown, code: string) =>
    expect(rotateColumns(table, source, options as RotateColumnsOptions)).rejects.toMatchObject({ code })
  await refused(7, 'ERR_INVALID_ARG_TYPE')
  await refused({ batch: 7 }, 'ERR_INVALID_ARG_VALUE')
  await refused({ columns: 'a' }, 'ERR_INVALID_ARG_TYPE')
  await refused({ columns: [] }, 'ERR_OUT_OF_RANGE')
  await refused({ columns: ['c'] }, 'ERR_INVALID_ARG_VALUE')
  await refused({ columns: ['a', 'a'] }, 'ERR_INVALID_ARG_VALUE')
  await refused({ clearText: 'keep' }, 'ERR_INVALID_ARG_VALUE')
  await refused({ to: 'clear', confirm: 'yes' }, 'ERR_INVALID_ARG_VALUE')
  await refused({ confirm: 'store values in clear text' }, 'ERR_INVALID_ARG_VALUE')
  await refused(
    { to: 'clear', confirm: 'store values in clear text', clearText: 'seal' },
    'ERR_INVALID_ARG_VALUE',
  )
  await refused({ back: 1 }, 'ERR_INVALID_ARG_TYPE')
  await refused({ dryRun: 'yes' }, 'ERR_INVALID_ARG_TYPE')
  await refused({ batchSize: 0 }, 'ERR_OUT_OF_RANGE')
  await refused({ pause: -1 }, 'ERR_OUT_OF_RANGE')
  await refused({ signal: {} }, 'ERR_INVALID_ARG_TYPE')
  await refused({ onProgress: 1 }, 'ERR_INVALID_ARG_TYPE')
  await refused({ onFailure: null }, 'ERR_INVALID_ARG_TYPE')
  const readers = encryptedColumns('t', {
    keyring,
    rowKey: 'id',
    columns: { a: { type: 'text', fallback: { tryOpen: () => null } } },
  })
  await expect(rotateColumns(readers, source, { clearText: 'seal' })).rejects.toMatchObject({
    code: 'ERR_INVALID_ARG_VALUE',
  })
  for (const one of [undefined, {}, { ...source, read: 1 }])
    await expect(rotateColumns(table, one as never)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  await expect(rotateColumns({} as never, source)).rejects.toMatchObject({ code: 'ERR_INVALID_ARG_TYPE' })
  expect(source.ended).toBe(0)
})

test('several runs at once share a table', async () => {
  const source = new MemoryRows(filled(200))
  const shared = () => {
    const one = new MemoryRows(source.rows)
    const [read, write] = [one.read.bind(one), one.write.bind(one)]
    one.read = async request => {
      await new Promise(done => setTimeout(done, random.below(3)))
      return read(request)
    }
    one.write = async (changes: readonly RowChange[]) => {
      await new Promise(done => setTimeout(done, random.below(3)))
      return write(changes)
    }
    return one
  }
  const results = await Promise.all([1, 2, 3].map(() => rotateColumns(table, shared(), small)))
  expect(results.map(({ done }) => done)).toEqual([true, true, true])
  expect(results.reduce((sum, { changed }) => sum + changed, 0)).toBe(200)
  expect(table.openAll(source.rows)).toEqual(source.rows.map((_, id) => clear(id)))
})
