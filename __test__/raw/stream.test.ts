// The raw functions behind hardware-aes-gcm/stream, under foreign handles and garbage: a negative number, and never a crash.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { BINARY, KEY, made, must, Random, type Raw, thrown, touchy } from '../tools/support.js'

const load = (): Raw => {
  const loaded = { exports: {} as Raw }
  process.dlopen(loaded as unknown as NodeModule, BINARY)
  return loaded.exports
}
const raw = createRequire(import.meta.url)(BINARY) as Raw
const random = new Random('chunks of garbage')
const bytes = (length: number) => new Uint8Array(length)
const reasonOf = (result: unknown) => raw.reasons[(-Number(result) - 1) & 0xff]
const invoke = (name: string, ...values: unknown[]) => raw[name]?.(...values)
const create = (by = raw, key: unknown = bytes(32), base: unknown = bytes(12), arena?: unknown) =>
  by.chunksCreate?.(2 ** 32, key, base, arena)

/** Arguments that each function takes after a handle. */
const GOOD: Record<string, () => unknown[]> = {
  chunksSeal: () => [bytes(5), bytes(21), true],
  chunksOpen: () => [0, bytes(21), bytes(5), true],
}

test('handles of other kinds, of another loading, and other values', () => {
  const other = load()
  const foreign = made(create(other))
  const key = made(invoke('create', 0, 2 ** 32, KEY, false, false, 2 ** 32, 2 ** 32))
  const none = [
    undefined,
    null,
    0,
    -1,
    2 ** 53,
    '',
    {},
    [],
    touchy({}),
    key,
    made(invoke('createArena', 1)),
    foreign,
  ]
  for (const name of [...Object.keys(GOOD), 'chunksDestroy'])
    for (const handle of none)
      expect(reasonOf(invoke(name, handle, ...(GOOD[name]?.() ?? []))), name).toBe('Handle')
  for (const name of ['messagesEncrypted', 'encryptInPlace', 'destroy', 'arenaUsed', 'packetDestroy'])
    expect(reasonOf(invoke(name, made(create()), Buffer.alloc(28))), name).toBe('Handle')
  expect(
    other.chunksSeal?.(foreign, ...(GOOD.chunksSeal as () => unknown[])()),
    'its own loading knows it',
  ).toBe(21)
})

test('a destroyed handle, and one in an arena that was destroyed', () => {
  const [arena, second] = [invoke('createArena', 1), invoke('createArena', 2)]
  const handles = [
    create(),
    create(raw, bytes(16), bytes(12), arena),
    create(raw, bytes(32), bytes(12), second),
  ]
  expect(reasonOf(create(raw, bytes(16), bytes(12), arena))).toBe('ArenaFull')
  expect([invoke('chunksDestroy', handles[0]), invoke('destroyArena', arena)]).toEqual([0, 0])
  expect([invoke('chunksDestroy', handles[2]), invoke('arenaUsed', second)]).toEqual([0, 0])
  for (const handle of handles) {
    for (const [name, values] of Object.entries(GOOD))
      expect(reasonOf(invoke(name, handle, ...values())), name).toBe('Destroyed')
    expect(invoke('chunksDestroy', handle)).toBe(0)
  }
})

test('keys and base nonces of other lengths, numbers out of range, memory that overlaps', () => {
  for (const length of [0, 15, 17, 24, 33])
    expect(reasonOf(create(raw, bytes(length)))).toBe('InvalidKeyLength')
  for (const length of [0, 11, 13])
    expect(reasonOf(create(raw, KEY, bytes(length)))).toBe('InvalidNonceLength')
  const [handle, memory] = [create(), bytes(40_000)]
  for (const first of [-1, 0.5, Number.NaN, 2 ** 38 + 1, 2 ** 53, '0', undefined, 0n])
    expect(reasonOf(invoke('chunksOpen', handle, first, bytes(21), bytes(5), true))).toBe('Option')
  expect(reasonOf(invoke('chunksOpen', handle, 2 ** 38, bytes(21), bytes(5), true))).toBe('TooManyChunks')
  for (const last of [undefined, 1, 'true', null])
    expect(reasonOf(invoke('chunksSeal', handle, bytes(5), bytes(21), last))).toBe('Option')
  const [head, tail] = [memory.subarray(0, 100), memory.subarray(99, 300)]
  expect(reasonOf(invoke('chunksSeal', handle, head, tail, true))).toBe('Overlap')
  expect(reasonOf(invoke('chunksOpen', handle, 0, tail, head, true))).toBe('Overlap')
  expect(reasonOf(invoke('chunksSeal', handle, bytes(5), bytes(5), false))).toBe('PartialChunk')
  expect(reasonOf(invoke('chunksOpen', handle, 0, bytes(15), bytes(5), true))).toBe('PartialChunk')
  expect(reasonOf(invoke('chunksSeal', handle, bytes(5), bytes(20), true))).toBe('TargetTooShort')
})

test('with garbage, 20 000 times', () => {
  const memory = bytes(70_000)
  const view = () => memory.subarray(random.below(40_000), random.below(70_000))
  const shared = new Uint8Array(new SharedArrayBuffer(40))
  const values = () =>
    random.pick([
      view(),
      view(),
      view(),
      bytes(random.below(100)),
      random.below(4),
      2 ** random.below(60),
      true,
      false,
      undefined,
      null,
      shared,
      new Float64Array(3),
      {},
      'text',
    ])
  const [alive, dead] = [create(), create()]
  invoke('chunksDestroy', dead)
  for (let i = 0; i < 20_000; i++) {
    const name = random.pick(['chunksSeal', 'chunksOpen', 'chunksCreate'])
    const given = [values(), values(), values(), values()].slice(0, random.below(5))
    const result = invoke(
      name,
      name === 'chunksCreate' ? values() : random.pick([alive, alive, dead]),
      ...given,
    )
    must(typeof result === 'number' || name === 'chunksCreate', () => `${name} gave ${String(result)}`)
  }
  invoke('chunksDestroy', alive)
})

test('a text that became shorter during the call is an error, and its target is zero', () => {
  const standIn = new StandIn()
  standIn.lie('chunksSeal: (handle, source, target) => { target.fill(7); return 0 }')
  const require = createRequire(`${standIn.folder}/`)
  const { encryptBuffer } = require('./dist/stream/index.cjs') as typeof import('hardware-aes-gcm/stream')
  const target = Buffer.alloc(100)
  expect(thrown(() => encryptBuffer(bytes(28), KEY, { target }))).toMatchObject({
    code: 'ERR_OUT_OF_RANGE',
    message: 'the memory of an argument changed its length during the call',
  })
  expect(target.equals(Buffer.alloc(100))).toBe(true)
})

test('the reasons of chunks have error texts', () => {
  const { chunksRefusal } = createRequire(import.meta.url)('../../dist/stream/errors.cjs') as {
    chunksRefusal: (status: number, first: number, names: string[]) => Error
  }
  const errorOf = (reason: string) => chunksRefusal(-1 - raw.reasons.indexOf(reason), 3, [])
  const resized = 'the memory of an argument changed its length during the call'
  for (const [reason, code, message] of [
    ['TooManyChunks', 'ERR_OUT_OF_RANGE', 'a message must be at most 2^52 - 1 bytes'],
    ['PartialChunk', 'ERR_OUT_OF_RANGE', resized],
    ['TargetTooShort', 'ERR_OUT_OF_RANGE', resized],
    ['Authentication', 'ERR_AESGCM_AUTHENTICATION_FAILED', 'the message could not be authenticated'],
  ] as const)
    expect(errorOf(reason), reason).toMatchObject({ code, message })
})
