// Jobs of the raw functions: garbage, transfers that do not move memory, and code that runs before a job is in the queue.
import { types } from 'node:util'
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { KEY, made, must, Random } from '../tools/support.js'
import { create, invoke, JUNK, load, make, NUMBERS, raw, reasonOf, trap } from './functions.js'

const { isArrayBuffer } = types

describe('the raw functions', () => {
  new AesGcm(KEY) // the package gives the addon the transfer of memory
  const random = new Random('garbage')
  const ofJobs = ['encryptInPlaceAsync', 'decryptInPlaceAsync']
  const detached = () => {
    const memory = new ArrayBuffer(40)
    structuredClone(memory, { transfer: [memory] })
    return memory
  }

  test('jobs with garbage, 20 000 times: each that starts ends once', async () => {
    const bytes = () => new ArrayBuffer(random.below(90))
    const values = [
      ...NUMBERS,
      ...JUNK,
      Buffer.alloc(40),
      new SharedArrayBuffer(40),
      detached(),
      Buffer.alloc(0),
    ]
    const keys = [make('key'), made(create.key(raw, 1)), make('key')]
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
      const wanted = random.below(9) === 0 ? random.pick([...NUMBERS, {}, '', null]) : done
      mine.number = invoke(random.pick(ofJobs), key, memory, view, wanted)
      const refused = Number(mine.number) < 0
      if (refused) must(/^(?!Internal|undefined)/.test(String(reasonOf(mine.number))), () => `call ${n}`)
      else started.add(mine)
      invoke('cancelJob', random.pick([mine.number, ...NUMBERS, random.below(2 ** 40)]))
      if (random.below(500) === 0) {
        invoke('destroy', keys.shift())
        keys.push(made(create.key(raw, random.below(2))))
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
      expect(reasonOf(other.encryptInPlaceAsync?.(make('key', other), memory, null, trap))).toBe(reason)
    }
    expect(memory.byteLength).toBe(40)
    const other = load()
    const broken = () => {
      throw new Error('of the transfer')
    }
    other.validateWith?.(Uint8Array.prototype.at, broken)
    const key = make('key', other)
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
      const status = other.encryptInPlaceAsync?.(make('key', other), frame.buffer, null, trap)
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
    const key = make('key', other)
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
    const key = make('key', other)
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
