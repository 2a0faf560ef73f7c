// Every raw function that takes a handle, with everything that is no such handle: values, objects, handles of the other kinds, of another
// loading of the addon, and of an object that was destroyed. A function of the addon without a row fails.
import { createServer, type Server } from 'node:net'
import { AesGcm, KeyArena } from 'hardware-aes-gcm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { KEY } from '../tools/support.js'
import {
  bytes,
  create,
  functionsOf,
  GENERAL,
  invoke,
  JUNK,
  KINDS,
  type Kind,
  type KindName,
  load,
  MAKERS,
  make,
  NUMBERS,
  raw,
  reasonOf,
  SHARES,
  trap,
} from './functions.js'

const kinds = Object.entries(KINDS) as [KindName, Kind][]
const names = kinds.map(([name]) => name)
let server: Server

beforeAll(async () => {
  new AesGcm(KEY) // the package gives the addon what jobs need
  await new Promise<void>(ready => (server = createServer().listen(0, '127.0.0.1', ready)))
})
afterAll(() => server.close())

/** What is no handle of this kind. An arena may be missing: then it is the default one. */
function wrong(kind: KindName): unknown[] {
  // An External of Node's own, which carries an address.
  const address = (server as unknown as { _handle: { _externalStream: unknown } })._handle._externalStream
  expect(typeof address).toBe('object')
  const junk = kind === 'arena' ? JUNK.filter(value => value !== undefined && value !== null) : JUNK
  const objects = [KEY, raw, new AesGcm(KEY), new KeyArena({ keys: 1 }), address]
  const others = names.filter(name => name !== kind).map(name => make(name))
  const other = load()
  return [...junk, ...NUMBERS, ...objects, ...others, ...names.map(name => make(name, other))]
}

test('every function of the addon has a row, and every row is one', () => {
  const rows = [
    ...kinds.flatMap(([, kind]) => functionsOf(kind).map(([name]) => name)),
    ...Object.keys(SHARES),
  ]
  const functions = Object.keys(raw).filter(name => typeof raw[name] === 'function')
  expect(functions.sort()).toEqual([...new Set([...rows, ...GENERAL, ...MAKERS])].sort())
})

describe.each(kinds)('a handle of the kind %s', (name, kind) => {
  const functions = functionsOf(kind)

  test.each(functions)('%s accepts no other value', (called, good) => {
    for (const [n, value] of wrong(name).entries())
      expect(reasonOf(invoke(called, value, ...good())), `${called}, value ${n}`).toBe('Handle')
  })

  /** The functions, each with good arguments for an object of its own. A job may call its function. */
  const calls = (by: typeof raw) =>
    functions.map(([called, good]) => {
      const values = good().map(value => (value === trap ? () => {} : value))
      return [called, by[called]?.(make(name, by), ...values)] as const
    })

  test('is accepted, and its arguments are good', () => {
    for (const [called, result] of calls(raw))
      if (Number(result) < 0) expect(reasonOf(result), called).toBe('Authentication')
  })

  test('is known to its own loading', () => {
    const other = load()
    const move = (memory: ArrayBuffer) => structuredClone(memory, { transfer: [memory] })
    other.validateWith?.(Uint8Array.prototype.at, move)
    for (const [called, result] of calls(other))
      if (Number(result) < 0) expect(reasonOf(result), called).toBe('Authentication')
  })

  test('of a destroyed object', () => {
    const handle = make(name)
    expect([invoke(kind.end, handle), invoke(kind.end, handle)]).toEqual([0, 0])
    for (const [called, value] of Object.entries(kind.facts))
      expect(invoke(called, handle), called).toBe(value)
    for (const [called, good] of Object.entries(kind.calls))
      expect(reasonOf(invoke(called, handle, ...good())), called).toBe('Destroyed')
  })

  test('is missing, with all other arguments', () => {
    for (const [called] of functions) {
      const result = invoke(called)
      // Without a handle, the facts of arenas are those of the default one.
      if (name === 'arena' && called !== kind.end) expect(Number(result), called).toBeGreaterThanOrEqual(0)
      else expect(reasonOf(result), called).toBe('Handle')
    }
  })
})

describe('an arena for a new object', () => {
  const makers: [string, (arena: unknown) => unknown][] = [
    ['create', arena => create.key(raw, 0, { arena })],
    ['packetCreate', arena => create.packets(raw, bytes(16), bytes(12), bytes(16), arena)],
    ['chunksCreate', arena => create.chunks(raw, KEY, bytes(12), arena)],
  ]
  test.each(makers)('%s accepts no other value', (_, made) => {
    for (const [n, value] of wrong('arena').entries())
      expect(reasonOf(made(value)), `value ${n}`).toBe('Handle')
  })
})
