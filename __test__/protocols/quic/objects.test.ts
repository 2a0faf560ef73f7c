// Objects of the class PacketProtection: receivers, subclasses, copies, inspection, destruction, both faces.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { inspect } from 'node:util'
import { cpu, KeyArena } from 'hardware-aes-gcm'
import * as quic from 'hardware-aes-gcm/quic'
import { initialSecrets, PacketProtection, VERSION_1, VERSION_2 } from 'hardware-aes-gcm/quic'
import { describe, expect, test } from 'vitest'
import { cloned, ROOT, refuses, run, thrown } from '../../tools/support.js'
import { clear, forged, given, HEADER, NUMBER_AT, PACKET_BYTES, SECRET, sealed } from './samples.js'

test('both faces give one class and the same functions', () => {
  const required = createRequire(import.meta.url)('hardware-aes-gcm/quic') as typeof quic
  expect(Object.keys(required).sort()).toEqual(Object.keys(quic).sort())
  for (const [name, value] of Object.entries(quic)) expect(Reflect.get(required, name)).toBe(value)
  expect([VERSION_1, VERSION_2]).toEqual([0x00000001, 0x6b3343cf])
})

test.each([
  ["import { PacketProtection } from 'hardware-aes-gcm/quic'", "import { KeyArena } from 'hardware-aes-gcm'"],
  ["import { KeyArena } from 'hardware-aes-gcm'", "import { PacketProtection } from 'hardware-aes-gcm/quic'"],
  [
    "const { PacketProtection } = require('hardware-aes-gcm/quic')",
    "const { KeyArena } = require('hardware-aes-gcm')",
  ],
])('%s may come first in a process', (first, second) => {
  const use =
    'console.log(new PacketProtection(Buffer.alloc(32), { arena: new KeyArena({ keys: 2 }) }).keyBits)'
  const type = first.startsWith('import') ? 'module' : 'commonjs'
  const flags = [`--input-type=${type}`, '-e', [first, second, use].join('\n')]
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: '128\n', stderr: '', status: 0 })
})

const MEMBERS = Object.getOwnPropertyDescriptors(PacketProtection.prototype) as PropertyDescriptorMap
const NAMES = [
  ...['backend', 'keyBits', 'keyPhase', 'packetsSealed', 'failedOpens', 'destroyed'],
  ...'seal sealRun open openRun headerProtectionMask nextKeys dropPreviousKeys destroy'.split(' '),
  Symbol.dispose,
]

test('the class has these members', () => {
  const own = Reflect.ownKeys(MEMBERS).filter(name => name !== 'constructor' && name !== inspect.custom)
  expect(own.map(String).sort()).toEqual(NAMES.map(String).sort())
})

test.each(NAMES)('%s with a wrong receiver', name => {
  const { get, value } = MEMBERS[name] as PropertyDescriptor
  const member = (get ?? value) as (...values: unknown[]) => unknown
  const real = new PacketProtection(SECRET)
  for (const self of [
    ...[undefined, null, 0, '', true, 1n, Symbol('x'), {}, [], () => {}, Buffer.alloc(40)],
    ...[Object.create(PacketProtection.prototype), Object.create(real), new Proxy(real, {})],
    ...[PacketProtection.prototype, PacketProtection, cloned(real), new KeyArena({ keys: 1 })],
  ])
    expect(refuses(() => member.call(self, clear(), HEADER, 0), 'ERR_INVALID_THIS').message).toBe(
      'Value of "this" must be of type PacketProtection',
    )
  expect([real.packetsSealed, real.destroyed]).toEqual([0, false])
})

test('members refuse a wrong receiver before the first object was ever made', () => {
  const script = `
    const { PacketProtection } = await import('hardware-aes-gcm/quic')
    const members = Object.getOwnPropertyDescriptors(PacketProtection.prototype)
    delete members.constructor
    delete members[Symbol.for('nodejs.util.inspect.custom')]
    for (const name of Reflect.ownKeys(members)) {
      const member = members[name].get ?? members[name].value
      try { member.call({}); console.log(name) } catch (error) { if (error.code !== 'ERR_INVALID_THIS') console.log(error) }
    }`
  expect(run(script)).toEqual({ status: 0, stdout: '', stderr: '' })
})

test('objects that were made from keys may be collected', () => {
  const script = `
    const { PacketProtection } = await import('hardware-aes-gcm/quic')
    const make = () => new PacketProtection({ key: Buffer.alloc(16), iv: Buffer.alloc(12), hp: Buffer.alloc(16) })
    const collected = new WeakRef(make())
    for (let turn = 0; turn < 100 && collected.deref(); turn++) {
      await new Promise(resolve => setImmediate(resolve))
      gc()
    }
    await new Promise(resolve => setTimeout(resolve, 50))
    console.log(collected.deref())`
  expect(run(script, { flags: ['--expose-gc'] })).toEqual({ status: 0, stdout: 'undefined\n', stderr: '' })
})

test('a subclass adds to what it inherits, and next keys are of the class itself', () => {
  class Sub extends PacketProtection {
    made = this.keyPhase
    override seal(packet: Uint8Array) {
      super.seal(packet, HEADER, 5)
    }
  }
  const sub = new Sub(SECRET)
  const packet = clear()
  sub.seal(packet)
  expect([sub.open(packet, NUMBER_AT, 4), sub.made]).toEqual([5, 0])
  const get = () => {
    throw new Error('a getter of a subclass ran')
  }
  Object.defineProperty(Sub.prototype, 'backend', { get })
  expect(inspect(sub)).toContain('packetsSealed: 1')
  expect(sub.nextKeys().constructor).toBe(PacketProtection)
  expect(thrown(() => (PacketProtection as unknown as () => void)())).toBeInstanceOf(TypeError)
  const odd = Reflect.construct(PacketProtection, [SECRET], Object)
  expect(MEMBERS.keyPhase?.get?.call(odd)).toBe(0)
})

test('facts cannot be set', () => {
  for (const name of NAMES.slice(0, 6))
    expect(thrown(() => Object.assign(new PacketProtection(SECRET), { [name]: 1 }))).toBeInstanceOf(TypeError)
})

test('inspect shows the facts', () => {
  const protection = Object.freeze(new PacketProtection(SECRET))
  sealed(0, protection)
  protection.open(forged(), NUMBER_AT, -1)
  const [{ backend }] = [cpu()]
  const facts = (phase: number, count: number, destroyed: boolean) =>
    `PacketProtection { backend: '${backend}', keyBits: 128, keyPhase: ${phase}, packetsSealed: ${count}, ` +
    `failedOpens: 1, destroyed: ${destroyed} }`
  const shown = (object: object) => inspect(object, { breakLength: Infinity, compact: 9 })
  expect(shown(protection)).toBe(facts(0, 1, false))
  expect(shown(protection.nextKeys())).toBe(facts(1, 0, false))
  expect(inspect({ protection }, { depth: 0 })).toBe('{ protection: [PacketProtection] }')
  protection.destroy()
  expect(shown(protection)).toBe(facts(0, 1, true))
  const show = MEMBERS[inspect.custom as never]?.value as (depth: number, options: object) => string
  for (const self of [undefined, null, {}, Object.create(PacketProtection.prototype), 5])
    expect(show.call(self, 2, {})).toBe('PacketProtection {}')
})

test('no secret is in a value that can be printed, copied or thrown', () => {
  const protection = new PacketProtection(SECRET)
  protection.open(sealed(), NUMBER_AT, -1)
  const errors = [
    () => new PacketProtection(SECRET.toString() as never),
    () => new PacketProtection({ ...given(), key: SECRET.toString('hex') } as never),
    () => new PacketProtection(Buffer.concat([SECRET, SECRET])),
    () => new PacketProtection(given(), { backend: SECRET as never }),
    () => new PacketProtection(given(), SECRET as never),
    () => new PacketProtection(SECRET, { version: SECRET.toString() as never }),
    () => initialSecrets(SECRET as never, SECRET),
    () => protection.headerProtectionMask(SECRET),
    () => protection.seal(SECRET, 1, 0),
  ]
  const said = [SECRET, protection, protection.nextKeys(), ...errors.map(call => thrown(call))]
    .map(value =>
      [
        inspect(value, { showHidden: true, depth: Infinity, getters: true }),
        JSON.stringify(value),
        inspect(cloned(value)),
        inspect(Object.getOwnPropertyDescriptors(value)),
      ].join(),
    )
    .map(text => text.replace(/\s/g, ''))
  const forms = ['latin1', 'hex', 'base64'].map(name => SECRET.toString(name as 'hex').slice(0, 12))
  const found = said.map(text => [...forms, SECRET.join().slice(0, 12)].some(form => text.includes(form)))
  expect(found).toEqual(said.map((_, index) => index === 0))
  expect([JSON.stringify(protection), Object.keys(protection)]).toEqual(['{}', []])
})

describe('destroy', () => {
  const calls: [string, (protection: PacketProtection) => unknown][] = [
    ['seal', p => p.seal(clear(), HEADER, 0)],
    ['sealRun', p => p.sealRun(clear(), PACKET_BYTES, HEADER, 0)],
    ['open', p => p.open(sealed(), NUMBER_AT, -1)],
    ['openRun', p => p.openRun(sealed(), PACKET_BYTES, NUMBER_AT, -1)],
    ['headerProtectionMask', p => p.headerProtectionMask(new Uint8Array(16))],
    ['nextKeys', p => p.nextKeys()],
  ]
  const ways: [string, (protection: PacketProtection, arena: KeyArena) => void][] = [
    ['destroy', p => p.destroy()],
    ['dispose', p => p[Symbol.dispose]()],
    ['destroy of the arena', (_, arena) => arena.destroy()],
  ]
  test.each(ways)('by %s', (_, end) => {
    for (const opened of [true, false]) {
      for (const keys of [SECRET, given()]) {
        const arena = new KeyArena({ keys: 3 })
        const protection = new PacketProtection(keys, { arena })
        sealed(3, protection)
        if (opened) protection.open(forged(), NUMBER_AT, -1)
        expect(arena.used).toBe(opened && keys === SECRET ? 3 : 2)
        end(protection, arena)
        end(protection, arena)
        expect([protection.destroyed, arena.used]).toEqual([true, 0])
        for (const [name, call] of calls) refuses(() => call(protection), 'ERR_AESGCM_DESTROYED', name)
        protection.dropPreviousKeys()
        expect([protection.packetsSealed, protection.failedOpens]).toEqual([1, opened ? 1 : 0])
        expect([protection.keyPhase, protection.keyBits, typeof protection.backend]).toEqual([
          0,
          128,
          'string',
        ])
      }
    }
  })

  test('ends a scope', () => {
    let kept: PacketProtection
    {
      using protection = new PacketProtection(SECRET)
      kept = protection
      expect(kept.destroyed).toBe(false)
    }
    expect(kept.destroyed).toBe(true)
  })

  test('of the arena after a key update leaves no keys to drop', () => {
    const arena = new KeyArena({ keys: 4 })
    const protection = new PacketProtection(SECRET, { arena })
    const packet = sealed(5, new PacketProtection(SECRET).nextKeys())
    expect([protection.open(packet, NUMBER_AT, 4), protection.keyPhase]).toEqual([5, 1])
    arena.destroy()
    protection.dropPreviousKeys()
    expect(protection.destroyed).toBe(true)
  })

  test('leaves the object of the next key phase alone', () => {
    const protection = new PacketProtection(SECRET)
    const next = protection.nextKeys()
    protection.destroy()
    sealed(0, next)
    expect(next.nextKeys().keyPhase).toBe(2)
  })
})

test('an object made from keys has no next keys, and opens both phases with one key', () => {
  const protection = new PacketProtection(given())
  const error = thrown(() => protection.nextKeys())
  expect([error.constructor, error.code]).toEqual([Error, 'ERR_INVALID_STATE'])
  protection.dropPreviousKeys()
  for (const phase of [0, 1, 0]) {
    const packet = clear(phase)
    new PacketProtection(given()).seal(packet, HEADER, 9)
    expect(protection.open(packet, NUMBER_AT, 8)).toBe(9)
  }
  expect(protection.keyPhase).toBe(0)
})
