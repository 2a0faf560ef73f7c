// Arguments and receivers that are not a KeyArena, and options of every wrong type.
import { inspect } from 'node:util'
import { AesGcm, cpu, KeyArena, type KeyArenaOptions } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { cloned, KEY, refuses, thrown, touchy } from '../../tools/support.js'

const DESTROYED = 'ERR_AESGCM_DESTROYED'
const facts = ({ capacity, used }: KeyArena) => [capacity, used]
const make = (options: unknown) => new KeyArena(options as KeyArenaOptions)

describe('options', () => {
  test.each<[string, unknown[]]>([
    ['ERR_INVALID_ARG_TYPE', [undefined, '1', true, 1n, {}, [1], null, touchy({}), { valueOf: () => 1 }]],
    ['ERR_OUT_OF_RANGE', [0, -0, -1, 0.5, Number.NaN, Infinity, 2 ** 20 + 1, 2 ** 32, 2 ** 53]],
  ])('keys: %s', (code, values) => {
    for (const keys of values) {
      const error = refuses(() => make({ keys }), code)
      expect(error.message).toContain('"options.keys" must be ')
    }
  })

  test('missing options, and values that are not an object', () => {
    for (const options of [undefined, null, 1, 'keys', true, 1n, Symbol('x'), () => {}]) {
      expect(refuses(() => make(options), 'ERR_INVALID_ARG_TYPE').message).toContain('"options"')
    }
    expect(thrown(() => (KeyArena as unknown as (options: object) => void)({ keys: 1 }))).toBeInstanceOf(
      TypeError,
    )
  })

  test('keys is read once, and never from a prototype', () => {
    let reads = 0
    const arena = make({
      get keys() {
        reads++
        return 5
      },
    })
    expect([arena.capacity, reads]).toEqual([5, 1])
    refuses(() => make(Object.create({ keys: 5 })), 'ERR_INVALID_ARG_TYPE')
    try {
      Object.assign(Object.prototype, { keys: 5, arena })
      refuses(() => make({}), 'ERR_INVALID_ARG_TYPE')
      new AesGcm(KEY, {})
      expect(arena.used).toBe(0)
    } finally {
      for (const name of ['keys', 'arena']) Reflect.deleteProperty(Object.prototype, name)
    }
  })

  test('an arena destroyed by a getter of the options that name it', () => {
    const arena = new KeyArena({ keys: 1 })
    const options = {
      arena,
      get backend() {
        arena.destroy()
        return cpu().backend ?? undefined
      },
    }
    refuses(() => new AesGcm(KEY, options), DESTROYED)
  })
})

describe('receivers', () => {
  const real = new KeyArena({ keys: 1 })
  const members = Object.getOwnPropertyDescriptors(KeyArena.prototype) as Record<string, PropertyDescriptor>
  const functions = Reflect.ownKeys(members).flatMap(name => {
    const { get, value } = members[name as string] as PropertyDescriptor
    const member = get ?? value
    // Showing an object never throws: package/inspect.test.ts.
    const tried = typeof member === 'function' && name !== 'constructor' && name !== inspect.custom
    return tried ? [[String(name), member] as const] : []
  })

  test('every member is among those tried', () => {
    expect(functions.map(([name]) => name).sort()).toEqual(
      [
        String(Symbol.dispose),
        'capacity',
        'destroy',
        'destroyed',
        'excludedFromDumps',
        'locked',
        'used',
      ].sort(),
    )
  })

  test.each(functions)('%s', (_, member) => {
    const wrong = [
      ...[undefined, null, 0, '', true, 1n, Symbol('x'), {}, [], () => {}, KeyArena, KeyArena.prototype],
      ...[Object.create(real), new Proxy(real, {}), cloned(real), new AesGcm(KEY), touchy({})],
    ]
    for (const self of wrong) refuses(() => member.call(self), 'ERR_INVALID_THIS')
    expect(new AesGcm(KEY, { arena: real }).destroy()).toBe(undefined)
  })

  test('a subclass, and the visible properties of an arena', () => {
    class Sub extends KeyArena {
      constructor() {
        super({ keys: 2 })
      }
    }
    const sub = new Sub()
    new AesGcm(KEY, { arena: sub })
    expect([facts(sub), Sub.default === KeyArena.default]).toEqual([[2, 1], true])
    expect(inspect(sub, { breakLength: Infinity })).toMatch(
      /^KeyArena \{ capacity: 2, used: 1, locked: (?:true|false), excludedFromDumps: (?:true|false), destroyed: false \}$/,
    )
    expect([JSON.stringify(real), Reflect.ownKeys(real)]).toEqual(['{}', []])
    for (const name of ['capacity', 'used', 'locked', 'excludedFromDumps', 'destroyed']) {
      expect(thrown(() => Object.assign(real, { [name]: 1 }))).toBeInstanceOf(TypeError)
    }
    const statics = KeyArena as unknown as Record<string, unknown>
    expect(thrown(() => (statics.default = real))).toBeInstanceOf(TypeError)
  })
})
