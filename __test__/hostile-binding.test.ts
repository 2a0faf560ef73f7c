// The raw functions behind the classes AesGcm and KeyArena (keyring-binding.test.ts, quic-binding.test.ts, shamir-binding.test.ts and stream-binding.test.ts have the others), under foreign handles and garbage: a negative number, and never a crash.
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { types } from 'node:util'
import { AesGcm } from 'hardware-aes-gcm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  argumentsOf,
  BINARY,
  KEY,
  METHODS,
  type Method,
  made,
  must,
  Random,
  type Raw,
  Resizable,
  touchy,
} from './support.js'

const methods = Object.keys(METHODS) as Method[]

const { isArrayBuffer } = types

type Loaded = { exports: Raw }
const load = (): Raw => {
  const loaded = { exports: {} } as Loaded
  process.dlopen(loaded as unknown as NodeModule, BINARY)
  return loaded.exports
}

describe('the raw functions', () => {
  const raw = createRequire(import.meta.url)(BINARY) as Raw
  const random = new Random('garbage')
  const tryCreate = (by: Raw, algorithm: unknown) =>
    by.create?.(algorithm, 2 ** 32, KEY, false, false, 2 ** 32, 2 ** 32)
  const create = (by: Raw, algorithm = 0) => made(tryCreate(by, algorithm))
  // Test builds, which cap the backends, also have `fault`.
  const ofTests = process.env.AESGCM_CAP === undefined ? [] : ['fault']
  const ofJobs = ['encryptInPlaceAsync', 'decryptInPlaceAsync']
  const facts = ['randomInfo', 'cpuFeatures']
  const general = ['create', 'random', 'reseed', ...facts, 'validateWith', 'cancelJob', ...ofTests]
  const factsOfArenas = [
    'arenaCapacity',
    'arenaUsed',
    'isArenaLocked',
    'isArenaExcludedFromDumps',
    'isArenaDestroyed',
  ]
  const ofArenas = ['createArena', 'destroyArena', ...factsOfArenas]
  const factsOfKeys = ['messagesEncrypted', 'bytesEncrypted', 'failedDecryptions', 'isDestroyed']
  // Functions that no method of METHODS is named after, with arguments that they take after a handle.
  const others: Record<string, () => unknown[]> = {
    encryptPiecesInto: () => [Buffer.alloc(60), Buffer.from('aad'), Buffer.alloc(5), new Uint8Array(7)],
    encryptBatchInPlace: () => [Buffer.alloc(64), new Uint32Array([28, 60]), undefined, undefined],
    decryptBatchInPlace: () => [Buffer.alloc(64), 32, Buffer.from('aad'), new Uint32Array([1, 3])],
  }
  const functions = Object.keys(raw).filter(name => typeof raw[name] === 'function')
  const ofPackets = functions.filter(name => /^packet|^failedOpens$|^keyUpdates$/.test(name))
  const ofShares = functions.filter(name => /^shares|^points|Base32$|Hex$/.test(name))
  const ofChunks = functions.filter(name => name.startsWith('chunks'))
  const ofRings = functions.filter(name => /^(seal|open)(Into|Text)$|^keyBytes$/.test(name))
  const apart = [...general, ...ofArenas, ...ofPackets, ...ofShares, ...ofChunks, ...ofRings]
  const calls = functions.filter(name => !apart.includes(name))
  const reasonOf = (result: unknown) => raw.reasons[(-Number(result) - 1) & 0xff]
  const good = (name: string) =>
    ofJobs.includes(name)
      ? [new ArrayBuffer(40), null, trap]
      : (others[name]?.() ?? (name in METHODS ? Object.values(argumentsOf(name as Method)) : []))
  const invoke = (name: string, ...values: unknown[]) => raw[name]?.(...values)
  const detached = () => {
    const memory = new ArrayBuffer(40)
    structuredClone(memory, { transfer: [memory] })
    return memory
  }
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  const numbers = [0, 1, -1, 0.5, 2 ** 24, 2 ** 32, 2 ** 53, 2 ** 64, -0, Number.NaN, Infinity, 255, 257]
  const empty = [undefined, null, '', {}, [], Object.create(null)]
  const junk = [...empty, true, false, 'aad', 7n, Symbol('x'), trap, touchy({}), { valueOf: trap }]
  let server: Server

  beforeAll(() => new Promise<void>(ready => (server = createServer().listen(0, '127.0.0.1', ready))))
  afterAll(() => server.close())

  test('are those that take the handle of a key, of an arena, of packet protection, and no handle', () => {
    expect(functions.filter(name => !calls.includes(name)).sort()).toEqual([...apart].sort())
    expect([ofPackets.length, ofShares.length, ofChunks.length, ofRings.length]).toEqual([12, 13, 4, 5])
    const named = methods.filter(name => /^(en|de)crypt.+/.test(name))
    expect(calls.sort()).toEqual(
      ['destroy', ...factsOfKeys, ...named, ...Object.keys(others), ...ofJobs].sort(),
    )
  })

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
      ...junk.filter(value => value !== undefined),
    ]
    for (const algorithm of wrong) expect(tryCreate(raw, algorithm)).toBeLessThan(0)
  })

  test('without arguments', () => {
    for (const name of calls) expect(reasonOf(invoke(name)), name).toMatch(/^(Handle|NotBytes|Option)$/)
    expect(invoke('create')).toBeLessThan(0)
    expect(reasonOf(invoke('random'))).toBe('NotBytes')
    expect(reasonOf(invoke('createArena'))).toBe('Option')
    expect(reasonOf(invoke('destroyArena')), 'the default one').toBe('Handle')
    expect([invoke('arenaCapacity'), invoke('isArenaDestroyed')], 'the default one').toEqual([0, false])
    expect(reasonOf(invoke('validateWith'))).toBe('Option')
  })

  test('with foreign handles and other values', () => {
    const other = load()
    const foreign = create(other)
    // An External of Node's own, which carries an address.
    const address = (server as unknown as { _handle: { _externalStream: unknown } })._handle._externalStream
    expect([typeof foreign, typeof address]).toEqual(['object', 'object'])
    const none = [...junk, ...numbers, KEY, raw, new AesGcm(KEY), foreign, address]
    none.push(made(invoke('createArena', 1)))
    for (const name of calls) {
      for (const handle of none) {
        expect(reasonOf(invoke(name, handle, ...good(name))), name).toBe('Handle')
      }
    }
    expect(other.messagesEncrypted?.(foreign), 'its own loading still knows it').toBe(0)
    expect(other.encryptInPlace?.(foreign, Buffer.alloc(28))).toBe(0)
  })

  test('take a validator from their loader, once', () => {
    const other = load()
    const { at } = Uint8Array.prototype
    expect([other.validateWith?.(at), reasonOf(other.validateWith?.(at))]).toEqual([0, 'Option'])
    new AesGcm(KEY)
    expect(reasonOf(invoke('validateWith', () => 1)), 'the package was first').toBe('Option')
  })

  test('with a validator that detaches an argument inspected before', () => {
    const other = load()
    const frame = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    other.validateWith?.(() => {
      taken = structuredClone(frame.buffer, { transfer: [frame.buffer] })
    })
    // The validator is called only for an empty view.
    const result = other.encryptInPlace?.(create(other), frame, new Uint8Array(0))
    expect(reasonOf(result)).toBe('FrameTooShort')
    expect(new Uint8Array(taken)).toEqual(new Uint8Array(64).fill(7))
  })

  test('with a validator that detaches the first of three arguments when called for the second', () => {
    const other = load()
    const target = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    other.validateWith?.(() => {
      taken = structuredClone(target.buffer, { transfer: [target.buffer] })
    })
    const result = other.encryptInto?.(create(other), target, new Uint8Array(0), Buffer.from('aad'))
    expect(reasonOf(result)).toBe('TargetTooShort')
    expect(new Uint8Array(taken)).toEqual(new Uint8Array(64).fill(7))
  })

  test('with a validator that detaches frames or pieces inspected before', () => {
    const calls: [string, (memory: Uint8Array) => unknown[], unknown][] = [
      // The validator is called for the empty AAD, ends or piece. Memory that is gone by then counts as empty.
      ['encryptBatchInPlace', frames => [frames, new Uint32Array([64]), new Uint8Array(0)], 'EndOutside'],
      ['decryptBatchInPlace', frames => [frames, new Uint32Array(0)], 0],
      ['encryptBatchInPlace', frames => [frames, 32, undefined, new Uint32Array(0)], 0],
      ['encryptPiecesInto', piece => [new Uint8Array(100), null, piece, new Uint8Array(0)], 28],
      ['encryptPiecesInto', piece => [new Uint8Array(100), null, [piece, new Uint8Array(0)]], 28],
      ['encryptPiecesInto', target => [target, new Uint8Array(0), []], 'TargetTooShort'],
    ]
    for (const [name, values, wanted] of calls) {
      const other = load()
      const memory = new Uint8Array(64).fill(7)
      let taken = new ArrayBuffer(0)
      // An empty array of ends is asked twice.
      other.validateWith?.(() => {
        if (taken.byteLength === 0) taken = structuredClone(memory.buffer, { transfer: [memory.buffer] })
      })
      const result = other[name]?.(create(other), ...values(memory))
      expect(typeof wanted === 'string' ? reasonOf(result) : result, name).toBe(wanted)
      expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
    }
  })

  test('with ends that grow, and frames that are detached, while the ends are inspected', () => {
    // The array was empty at first, so its inspection called the validator, after the frames had been inspected.
    for (const name of ['encryptBatchInPlace', 'decryptBatchInPlace']) {
      const other = load()
      const memory = new Resizable(0, { maxByteLength: 8 })
      const [ends, frames] = [new Uint32Array(memory), new Uint8Array(64).fill(7)]
      let taken = new ArrayBuffer(0)
      other.validateWith?.(() => {
        if (taken.byteLength > 0) return
        memory.resize(8)
        ends.set([32, 64])
        taken = structuredClone(frames.buffer, { transfer: [frames.buffer] })
      })
      expect(reasonOf(other[name]?.(create(other), frames, ends)), name).toBe('EndOutside')
      expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
    }
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
    const handle = create(raw)
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
    const handle = create(raw)
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

  test('with a destroyed handle', () => {
    const handle = create(raw)
    expect([invoke('isDestroyed', handle), invoke('destroy', handle), invoke('destroy', handle)]).toEqual([
      false,
      0,
      0,
    ])
    expect(factsOfKeys.map(name => invoke(name, handle))).toEqual([0, 0, 0, true])
    for (const name of calls.filter(name => good(name).length > 0)) {
      expect(reasonOf(invoke(name, handle, ...good(name))), name).toBe('Destroyed')
    }
  })

  test('every reason has an error text, except reasons that lib/ rules out', () => {
    const require = createRequire(import.meta.url)
    const { aeadRefusal } = require('../dist/aead/refusal.cjs') as {
      aeadRefusal: (kind: unknown, status: number, names: string[], ...values: unknown[]) => Error
    }
    const { AES_GCM } = require('../dist/aead/ciphers.cjs')
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
    expect(ofRings, 'see keyring-hostile.test.ts').toHaveLength(4)
    expect(ofChunks, 'see stream-binding.test.ts').toHaveLength(2)
    expect(ofPackets, 'see quic-binding.test.ts').toHaveLength(5)
    expect(ofShares, 'see shamir-binding.test.ts').toHaveLength(9)
  })

  test('with garbage, 40 000 times', () => {
    const views = () => [
      new Float64Array(3),
      new Uint32Array([random.below(30), 28 + random.below(60)]),
      [new Uint8Array(random.below(9)), new Uint8Array(random.below(9))],
      new DataView(new ArrayBuffer(8)),
      new Uint8Array(random.below(90)),
    ]
    const shared = new Uint8Array(new SharedArrayBuffer(40))
    const [handle, dead, arena] = [create(raw), create(raw), invoke('createArena', 3)]
    invoke('destroy', dead)
    const withoutKey = [...general, ...ofArenas].filter(name => name !== 'validateWith')
    const garbage = (): unknown =>
      random.pick([...numbers, ...junk, ...views(), shared, Buffer.alloc(12), load])
    for (const first of [garbage, () => random.pick([handle, dead, arena, garbage()])]) {
      for (let n = 0; n < 20_000; n++) {
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

  test('jobs with garbage, 20 000 times: each that starts ends once', async () => {
    const bytes = () => new ArrayBuffer(random.below(90))
    const values = [
      ...numbers,
      ...junk,
      Buffer.alloc(40),
      new SharedArrayBuffer(40),
      detached(),
      Buffer.alloc(0),
    ]
    const keys = [create(raw), create(raw, 1), create(raw)]
    const [started, ended, gone] = [new Set<unknown>(), [] as unknown[], [] as string[]]
    for (let n = 0; n < 20_000; n++) {
      const memory = random.pick([bytes(), bytes(), bytes(), random.pick(values)])
      const aad = random.pick([undefined, null, Buffer.alloc(random.below(40)), random.pick(values), memory])
      const overlapping = isArrayBuffer(memory) && memory.byteLength > 0 && random.below(8) === 0
      const view = overlapping ? new Uint8Array(memory) : aad
      const mine: { number?: unknown } = {}
      const done = (status: unknown, transferred: unknown) => {
        const fine = Number(status) <= 0 && isArrayBuffer(transferred) && transferred !== memory
        if (!fine || mine.number === undefined) gone.push(`${String(status)} for call ${n}`)
        ended.push(mine)
      }
      const key = random.pick([...keys, random.pick(values)])
      const wanted = random.below(9) === 0 ? random.pick([...numbers, {}, '', null]) : done
      mine.number = invoke(random.pick(ofJobs), key, memory, view, wanted)
      const refused = Number(mine.number) < 0
      if (refused) must(/^(?!Internal|undefined)/.test(String(reasonOf(mine.number))), () => `call ${n}`)
      else started.add(mine)
      invoke('cancelJob', random.pick([mine.number, ...numbers, random.below(2 ** 40)]))
      if (random.below(500) === 0) {
        invoke('destroy', keys.shift())
        keys.push(create(raw, random.below(2)))
      }
      if (n % 1000 === 0) await new Promise(setImmediate)
    }
    while (ended.length < started.size) await new Promise(setImmediate)
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(gone).toEqual([])
    expect([ended.length, new Set(ended).size]).toEqual([started.size, started.size])
    expect(started.size).toBeGreaterThan(2000)
  })

  test('jobs of a loading that was given no transfer, or one that gives no new memory', async () => {
    const memory = new ArrayBuffer(40)
    const attempts: [unknown, string][] = [[undefined, 'Untransferable']]
    for (const given of [undefined, null, {}, 5, new SharedArrayBuffer(40), detached(), new Uint8Array(40)])
      attempts.push([() => given, 'Untransferable'])
    for (const [transfer, reason] of attempts) {
      const other = load()
      other.validateWith?.(Uint8Array.prototype.at, transfer)
      expect(reasonOf(other.encryptInPlaceAsync?.(create(other), memory, null, trap))).toBe(reason)
    }
    expect(memory.byteLength).toBe(40)
    const other = load()
    const broken = () => {
      throw new Error('of the transfer')
    }
    other.validateWith?.(Uint8Array.prototype.at, broken)
    const key = create(other)
    expect(() => other.encryptInPlaceAsync?.(key, memory, null, trap)).toThrow('of the transfer')
    expect(other.messagesEncrypted?.(key)).toBe(0)
    expect(reasonOf(load().validateWith?.(Uint8Array.prototype.at, 5))).toBe('Option')
  })

  test('a transfer that does not move the memory is refused, and a copy that it made is wiped', () => {
    const bytes = () => new Uint8Array(40).fill(7)
    const kept: ArrayBuffer[] = []
    const keep = (memory: ArrayBuffer) => {
      kept.push(memory)
      return memory
    }
    const move = (memory: ArrayBuffer) => structuredClone(memory, { transfer: [memory] })
    const transfers: [string, (memory: ArrayBuffer) => unknown, number, number[]][] = [
      ['its argument', memory => memory, 40, []],
      ['a copy', memory => keep(memory.slice()), 40, Array(40).fill(0)],
      ['a shorter copy', memory => keep(memory.slice(0, 9)), 40, Array(9).fill(0)],
      [
        'other memory, while the frame is kept',
        memory => {
          move(memory)
          return keep(bytes().buffer)
        },
        0,
        Array(40).fill(0),
      ],
    ]
    for (const [title, transfer, left, wiped] of transfers) {
      const other = load()
      other.validateWith?.(Uint8Array.prototype.at, transfer)
      const frame = bytes()
      const status = other.encryptInPlaceAsync?.(create(other), frame.buffer, null, trap)
      expect([reasonOf(status), frame.length], title).toEqual(['Untransferable', left])
      if (left > 0) expect(Buffer.alloc(40, 7).equals(frame), title).toBe(true)
      expect(
        kept.splice(0).flatMap(memory => [...new Uint8Array(memory)]),
        title,
      ).toEqual(wiped)
    }
  })

  test('a job that the transfer cancels before it is in the queue', async () => {
    const other = load()
    const guess = { number: 0 }
    const statuses: unknown[] = []
    other.validateWith?.(Uint8Array.prototype.at, (memory: ArrayBuffer) => {
      statuses.push(other.cancelJob?.(guess.number))
      return structuredClone(memory, { transfer: [memory] })
    })
    const key = create(other)
    for (let n = 0; n < 100; n++) {
      await new Promise<void>(resolve => {
        const done = (status: unknown) => {
          statuses.push(status, other.cancelJob?.(guess.number))
          resolve()
        }
        const number = other.encryptInPlaceAsync?.(key, new ArrayBuffer(40), null, done) as number
        if (n > 0) expect(number, 'the guess is right').toBe(guess.number)
        // The next job gets the same place in the table, under the next generation.
        guess.number = number + 2 ** 24
      })
    }
    expect(new Set(statuses)).toEqual(new Set([0]))
  })

  test('a key that the transfer destroys', async () => {
    const other = load()
    const key = create(other)
    other.validateWith?.(Uint8Array.prototype.at, (memory: ArrayBuffer) => {
      other.destroy?.(key)
      return structuredClone(memory, { transfer: [memory] })
    })
    const memory = new Uint8Array(40).fill(7).buffer
    const ends: unknown[] = []
    const job = other.encryptInPlaceAsync?.(key, memory, null, (...values: unknown[]) => ends.push(...values))
    expect(job).toBeGreaterThanOrEqual(0)
    expect([reasonOf(ends[0]), memory.byteLength]).toEqual(['Destroyed', 0])
    expect(new Uint8Array(ends[1] as ArrayBuffer)).toEqual(new Uint8Array(40).fill(7))
    expect(other.messagesEncrypted?.(key)).toBe(0)
  })
})
