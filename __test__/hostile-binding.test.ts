// The raw functions behind the class, under foreign handles and garbage: a negative number, and never a crash.
import { createRequire } from 'node:module'
import { createServer, type Server } from 'node:net'
import { AesGcm } from 'hardware-aes-gcm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { argumentsOf, BINARY, KEY, METHODS, type Method, must, Random, type Raw, touchy } from './support.js'

const methods = Object.keys(METHODS) as Method[]

type Loaded = { exports: Raw }
const load = (): Raw => {
  const loaded = { exports: {} } as Loaded
  process.dlopen(loaded as unknown as NodeModule, BINARY)
  return loaded.exports
}

describe('the raw functions', () => {
  const raw = createRequire(import.meta.url)(BINARY) as Raw
  const random = new Random('garbage')
  const create = (by: Raw) => by.create?.(2 ** 32, KEY, false, false, 2 ** 32, 2 ** 32)
  // Test builds, which cap the backends, also have `fault`.
  const ofTests = process.env.AESGCM_CAP === undefined ? [] : ['fault']
  const general = ['create', 'random', 'reseed', 'randomInfo', 'cpuFeatures', 'validateWith', ...ofTests]
  const factsOfArenas = ['arenaCapacity', 'arenaUsed', 'isArenaLocked', 'isArenaDestroyed']
  const ofArenas = ['createArena', 'destroyArena', ...factsOfArenas]
  const factsOfKeys = ['messagesEncrypted', 'bytesEncrypted', 'failedDecryptions', 'isDestroyed']
  const functions = Object.keys(raw).filter(name => typeof raw[name] === 'function')
  const calls = functions.filter(name => !general.includes(name) && !ofArenas.includes(name))
  const reasonOf = (result: unknown) => raw.reasons[(-Number(result) - 1) & 0xff]
  const invoke = (name: string, ...values: unknown[]) => raw[name]?.(...values)
  const trap = () => {
    throw new Error('code of an argument ran')
  }
  const numbers = [0, 1, -1, 0.5, 2 ** 24, 2 ** 32, 2 ** 53, 2 ** 64, -0, Number.NaN, Infinity, 255, 257]
  const empty = [undefined, null, '', {}, [], Object.create(null)]
  const junk = [...empty, true, false, 'aad', 7n, Symbol('x'), trap, touchy({}), { valueOf: trap }]
  let server: Server

  beforeAll(() => new Promise<void>(ready => (server = createServer().listen(0, '127.0.0.1', ready))))
  afterAll(() => server.close())

  test('are those that take the handle of a key, of an arena, and neither', () => {
    expect(functions.filter(name => !calls.includes(name)).sort()).toEqual([...general, ...ofArenas].sort())
    expect(calls.sort()).toEqual(
      ['destroy', ...factsOfKeys, ...methods.filter(name => /^(en|de)crypt.+/.test(name))].sort(),
    )
  })

  test('stand beside the bytes of an expanded key on each backend', () => {
    const { backends, stateBytes } = raw as unknown as { backends: string[]; stateBytes: number[] }
    expect(stateBytes).toHaveLength(backends.length)
    for (const bytes of stateBytes) expect(bytes % 16 === 0 && bytes > 240, String(bytes)).toBe(true)
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
    none.push(invoke('createArena', 1))
    const good: Record<string, unknown[]> = {}
    for (const method of methods) good[method] = Object.values(argumentsOf(method))
    for (const name of calls) {
      for (const handle of none) {
        expect(reasonOf(invoke(name, handle, ...(good[name] ?? []))), name).toBe('Handle')
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

  test('with a destroyed handle', () => {
    const handle = create(raw)
    expect([invoke('isDestroyed', handle), invoke('destroy', handle), invoke('destroy', handle)]).toEqual([
      false,
      0,
      0,
    ])
    expect(factsOfKeys.map(name => invoke(name, handle))).toEqual([0, 0, 0, true])
    for (const name of calls.filter(name => name in METHODS)) {
      const result = invoke(name, handle, ...Object.values(argumentsOf(name as Method)))
      expect(reasonOf(result), name).toBe('Destroyed')
    }
  })

  test('every reason has an error text, except reasons that lib/ rules out', () => {
    const { refusal } = createRequire(import.meta.url)('../dist/native/refusal.cjs') as {
      refusal: (status: number, names: string[], ...values: unknown[]) => Error
    }
    const names = ['handle', 'target', 'frame', 'key']
    const values = [{}, Buffer.alloc(3), Buffer.alloc(40), Buffer.alloc(3)]
    const odd = raw.reasons.filter((_, n) =>
      refusal(-(1 + n), names, ...values).message.startsWith('internal'),
    )
    expect(odd).toEqual(['Internal', 'Handle', 'Option', 'SequenceReused'])
  })

  test('with garbage, 40 000 times', () => {
    const views = () => [
      new Float64Array(3),
      new DataView(new ArrayBuffer(8)),
      new Uint8Array(random.below(90)),
    ]
    const shared = new Uint8Array(new SharedArrayBuffer(40))
    const [handle, dead, arena] = [create(raw), create(raw), invoke('createArena', 3)]
    invoke('destroy', dead)
    const others = [...general, ...ofArenas].filter(name => name !== 'validateWith')
    const garbage = (): unknown =>
      random.pick([...numbers, ...junk, ...views(), shared, Buffer.alloc(12), load])
    for (const first of [garbage, () => random.pick([handle, dead, arena, garbage()])]) {
      for (let n = 0; n < 20_000; n++) {
        const name = random.pick([...calls, ...others])
        const values = [
          name === 'destroy' || name === 'destroyArena' ? garbage() : first(),
          ...Array.from({ length: random.below(8) }, garbage),
        ]
        const result = invoke(name, ...values)
        const refused = typeof result === 'number' && result < 0
        // Without a handle, only functions that need no handle succeed; with a handle, some garbage is valid.
        const may = first !== garbage || others.includes(name)
        const gives: [RegExp, string][] = [
          [/^create/, 'object'],
          [/^is/, 'boolean'],
          [/Info|Features/, 'string'],
        ]
        const kind = gives.find(([of]) => of.test(name))?.[1] ?? 'number'
        const done = typeof result === kind
        must(refused || (may && done), () => `call ${n} of ${name} gave ${String(result)}`)
        if (refused)
          must(reasonOf(result) !== undefined && reasonOf(result) !== 'Internal', () => `${name} ${result}`)
      }
    }
    expect(invoke('encryptInPlace', handle, Buffer.alloc(28))).toBe(0)
  })
})
