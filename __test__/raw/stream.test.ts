// The raw functions behind hardware-aes-gcm/stream beyond their handles: arenas, numbers and garbage. A refusal is a negative number, and
// nothing crashes.
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { StandIn } from '../tools/stand-in.js'
import { KEY, must, Random, thrown } from '../tools/support.js'
import { count } from '../tools/whole.js'
import { bytes, create, invoke, KINDS, raw, reasonOf } from './functions.js'

const random = new Random('chunks of garbage')

test('a destroyed handle, and one in an arena that was destroyed', () => {
  const [arena, second] = [invoke('createArena', 1), invoke('createArena', 2)]
  const handles = [
    create.chunks(),
    create.chunks(raw, bytes(16), bytes(12), arena),
    create.chunks(raw, bytes(32), bytes(12), second),
  ]
  expect(reasonOf(create.chunks(raw, bytes(16), bytes(12), arena))).toBe('ArenaFull')
  expect([invoke('chunksDestroy', handles[0]), invoke('destroyArena', arena)]).toEqual([0, 0])
  expect([invoke('chunksDestroy', handles[2]), invoke('arenaUsed', second)]).toEqual([0, 0])
  for (const handle of handles) {
    for (const [name, values] of Object.entries(KINDS.chunks.calls))
      expect(reasonOf(invoke(name, handle, ...values())), name).toBe('Destroyed')
    expect(invoke('chunksDestroy', handle)).toBe(0)
  }
})

test('keys and base nonces of other lengths, numbers out of range, memory that overlaps', () => {
  for (const length of [0, 15, 17, 24, 33])
    expect(reasonOf(create.chunks(raw, bytes(length)))).toBe('InvalidKeyLength')
  for (const length of [0, 11, 13])
    expect(reasonOf(create.chunks(raw, KEY, bytes(length)))).toBe('InvalidNonceLength')
  const [handle, memory] = [create.chunks(), bytes(40_000)]
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

test('with garbage', () => {
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
  const [alive, dead] = [create.chunks(), create.chunks()]
  invoke('chunksDestroy', dead)
  for (let i = 0; i < count(5000, 20_000); i++) {
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
  const { encryptBuffer } =
    require('./dist/protocols/stream/index.cjs') as typeof import('hardware-aes-gcm/stream')
  const target = Buffer.alloc(100)
  expect(thrown(() => encryptBuffer(bytes(28), KEY, { target }))).toMatchObject({
    code: 'ERR_OUT_OF_RANGE',
    message: 'the memory of an argument was resized during the call',
  })
  expect(target.equals(Buffer.alloc(100))).toBe(true)
})

test('the reasons of chunks have error texts', () => {
  const { chunksRefusal } = createRequire(import.meta.url)('../../dist/protocols/stream/errors.cjs') as {
    chunksRefusal: (status: number, first: number, names: string[]) => Error
  }
  const errorOf = (reason: string) => chunksRefusal(-1 - raw.reasons.indexOf(reason), 3, [])
  const resized = 'the memory of an argument was resized during the call'
  for (const [reason, code, message] of [
    ['TooManyChunks', 'ERR_OUT_OF_RANGE', 'a message must be at most 2^52 - 1 bytes'],
    ['PartialChunk', 'ERR_OUT_OF_RANGE', resized],
    ['TargetTooShort', 'ERR_OUT_OF_RANGE', resized],
    ['Authentication', 'ERR_AESGCM_AUTHENTICATION_FAILED', 'the message could not be authenticated'],
  ] as const)
    expect(errorOf(reason), reason).toMatchObject({ code, message })
})
