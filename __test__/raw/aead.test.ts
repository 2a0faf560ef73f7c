// The raw functions behind the classes AesGcm and KeyArena beyond their handles: numbers, pieces, reasons and garbage. A refusal is a
// negative number, and nothing crashes.
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { must, Random } from '../tools/support.js'
import { count } from '../tools/whole.js'
import {
  create,
  functionsOf,
  GENERAL,
  invoke,
  JUNK,
  KINDS,
  load,
  make,
  NUMBERS,
  raw,
  reasonOf,
  trap,
} from './functions.js'

describe('the raw functions', () => {
  const random = new Random('garbage')

  test('stand beside the bytes of an expanded key on each backend', () => {
    const { backends, stateBytes } = raw as unknown as { backends: string[]; stateBytes: number[] }
    expect(stateBytes).toHaveLength(backends.length)
    for (const bytes of stateBytes) expect(bytes % 16 === 0 && bytes > 240, String(bytes)).toBe(true)
  })

  test('an algorithm that does not exist', () => {
    const wrong = [
      3,
      255,
      2 ** 32,
      2 ** 53,
      -1,
      0.5,
      Number.NaN,
      ...JUNK.filter(value => value !== undefined),
    ]
    for (const algorithm of wrong) expect(create.key(raw, algorithm)).toBeLessThan(0)
  })

  test('an arena with numbers out of range', () => {
    for (const keys of [
      0,
      -1,
      0.5,
      2 ** 20 + 1,
      2 ** 32,
      2 ** 53,
      Number.NaN,
      Infinity,
      '3',
      undefined,
      {},
    ]) {
      expect(reasonOf(invoke('createArena', keys)), String(keys)).toBe('Option')
    }
  })

  test('without arguments', () => {
    expect(invoke('create')).toBeLessThan(0)
    expect(reasonOf(invoke('random'))).toBe('NotBytes')
    expect(reasonOf(invoke('createArena'))).toBe('Option')
    expect(reasonOf(invoke('destroyArena')), 'the default one').toBe('Handle')
    expect([invoke('arenaCapacity'), invoke('isArenaDestroyed')], 'the default one').toEqual([0, false])
    expect(reasonOf(invoke('validateWith'))).toBe('Option')
  })

  test('with pieces whose getters detach, destroy, call and throw', () => {
    const pieces = (run: () => void) => {
      const list = [new Uint8Array(40).fill(7), new Uint8Array(9)] as const
      Object.defineProperty(list, 1, {
        get: () => {
          run()
          return new Uint8Array(9)
        },
      })
      return list
    }
    const encrypt = (handle: unknown, list: unknown, target: unknown) =>
      invoke('encryptPiecesInto', handle, target, undefined, list)
    const handle = make('key')
    const target = new Uint8Array(100)
    const detaching = pieces(() => structuredClone(target.buffer, { transfer: [target.buffer] }))
    expect(reasonOf(encrypt(handle, detaching, target))).toBe('TargetTooShort')
    const lost = pieces(() => structuredClone(lost[0].buffer, { transfer: [lost[0].buffer] }))
    const refusal = Number(encrypt(handle, lost, new Uint8Array(100)))
    expect([reasonOf(refusal), (-refusal - 1) >> 16], 'the first element').toEqual(['Detached', 0])
    expect(reasonOf(encrypt(handle, pieces(trap), Buffer.alloc(100)))).toBe('NotBytes')
    const plain = pieces(() => {})
    const calling = pieces(() => encrypt(handle, plain, Buffer.alloc(100)))
    expect(encrypt(handle, calling, Buffer.alloc(100))).toBe(77)
    expect(invoke('messagesEncrypted', handle)).toBe(2)
    const destroying = pieces(() => invoke('destroy', handle))
    const untouched = Buffer.alloc(100)
    expect(reasonOf(encrypt(handle, destroying, untouched))).toBe('Destroyed')
    expect(untouched).toEqual(Buffer.alloc(100))
  })

  test('with other numbers of pieces', () => {
    const handle = make('key')
    const encrypt = (...pieces: unknown[]) =>
      invoke('encryptPiecesInto', handle, Buffer.alloc(100), null, ...pieces)
    const piece = Buffer.alloc(1)
    expect([encrypt([]), encrypt([piece]), encrypt(Array(5).fill(piece))]).toEqual([28, 29, 33])
    expect([encrypt(piece, piece), encrypt(piece, piece, piece)]).toEqual([30, 31])
    expect(encrypt(piece, piece, piece, piece), 'the fourth argument is not read').toBe(31)
    for (const list of [undefined, piece, {}, { 0: piece, length: 1 }, Array(2 ** 16 + 1).fill(piece)])
      expect(reasonOf(encrypt(list))).toBe('NotBytes')
    const refusals = [encrypt(piece, piece, [piece]), encrypt([piece, piece, 7])].map(Number)
    for (const refusal of refusals)
      expect([reasonOf(refusal), (-refusal - 1) >> 16], 'the third piece').toEqual(['NotBytes', 2])
  })

  test('every reason has an error text, except reasons that lib/ rules out', () => {
    const require = createRequire(import.meta.url)
    const { aeadRefusal } = require('../../dist/cipher/aead/refusal.cjs') as {
      aeadRefusal: (kind: unknown, status: number, names: string[], ...values: unknown[]) => Error
    }
    const { AES_GCM } = require('../../dist/cipher/aead/ciphers.cjs')
    const names = ['handle', 'target', 'frame', 'key', 'nonce']
    const values = [{}, Buffer.alloc(3), Buffer.alloc(40), Buffer.alloc(3), Buffer.alloc(8)]
    const odd = raw.reasons.filter((_, n) =>
      aeadRefusal(AES_GCM, -(1 + n), names, ...values).message.startsWith('internal'),
    )
    const ofPackets = odd.filter(reason => /Packet|Header|Number|Sequence/.test(reason))
    const ofRings = odd.filter(reason => /^(NotText|Surrogate|NotUtf8|TextTooLong)$/.test(reason))
    const ofShares = odd.filter(reason => /Share|Secret|InvalidText/.test(reason))
    const ofChunks = odd.filter(reason => /Chunk/.test(reason))
    expect(
      odd.filter(reason => ![...ofPackets, ...ofShares, ...ofChunks, ...ofRings].includes(reason)),
    ).toEqual(['Internal', 'Handle', 'Option', 'Cancelled'])
    expect(ofRings, 'see keyring/hostile.test.ts').toHaveLength(4)
    expect(ofChunks, 'see stream.test.ts').toHaveLength(2)
    expect(ofPackets, 'see quic.test.ts').toHaveLength(5)
    expect(ofShares, 'see shamir.test.ts').toHaveLength(9)
  })

  test('with garbage', () => {
    const views = () => [
      new Float64Array(3),
      new Uint32Array([random.below(30), 28 + random.below(60)]),
      [new Uint8Array(random.below(9)), new Uint8Array(random.below(9))],
      new DataView(new ArrayBuffer(8)),
      new Uint8Array(random.below(90)),
    ]
    const shared = new Uint8Array(new SharedArrayBuffer(40))
    const [handle, dead, arena] = [make('key'), make('key'), invoke('createArena', 3)]
    invoke('destroy', dead)
    // The functions that seal values give texts: keyring.test.ts.
    const calls = functionsOf(KINDS.key)
      .map(([name]) => name)
      .filter(name => !/^(seal|open)|^keyBytes/.test(name))
    const arenas = ['createArena', ...functionsOf(KINDS.arena).map(([name]) => name)]
    const withoutKey = [...GENERAL, ...arenas].filter(name => !/^seal|^open|^validateWith/.test(name))
    const garbage = (): unknown =>
      random.pick([...NUMBERS, ...JUNK, ...views(), shared, Buffer.alloc(12), load])
    for (const first of [garbage, () => random.pick([handle, dead, arena, garbage()])]) {
      for (let n = 0; n < count(5000, 20_000); n++) {
        const name = random.pick([...calls, ...withoutKey])
        const values = [
          name === 'destroy' || name === 'destroyArena' ? garbage() : first(),
          ...Array.from({ length: random.below(8) }, garbage),
        ]
        const result = invoke(name, ...values)
        const refused = typeof result === 'number' && result < 0
        // Without a handle, only functions that need no handle succeed; with a handle, some garbage is valid.
        const may = first !== garbage || withoutKey.includes(name)
        const gives: [RegExp, string][] = [
          [/^create/, 'object'],
          [/^is/, 'boolean'],
          [/Info|Features/, 'string'],
          [/^call$/, 'undefined'],
        ]
        const kind = gives.find(([of]) => of.test(name))?.[1] ?? 'number'
        const done =
          typeof result === kind || (name === 'decryptBatchInPlace' && result instanceof Uint32Array)
        must(refused || (may && done), () => `call ${n} of ${name} gave ${String(result)}`)
        if (refused)
          must(reasonOf(result) !== undefined && reasonOf(result) !== 'Internal', () => `${name} ${result}`)
      }
    }
    expect(invoke('encryptInPlace', handle, Buffer.alloc(28))).toBe(0)
  })
})
