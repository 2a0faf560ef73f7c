// randomBytes and randomFillSync: same behaviour as node:crypto, memory of results, and simple statistics.
import { constants } from 'node:buffer'
import { randomFillSync as nodeFill, randomBytes as nodeRandomBytes } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { AesGcm, randomBytes, randomFillSync } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { isOwn, must, Place, Random, refuses } from '../../tools/support.js'

type View = NodeJS.ArrayBufferView | ArrayBuffer
type Fill = (view: View, offset?: number, size?: number) => View

const global = globalThis as unknown as Record<string, (new (memory: ArrayBuffer) => View) | undefined>
const KINDS = [
  ...['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array'],
  ...['Uint32Array', 'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array', 'DataView'],
  ...['Float16Array'].filter(name => name in globalThis),
]
const elementBytes = (view: View) => (view as Uint8Array).BYTES_PER_ELEMENT ?? 1

/** The outcome of a call: its value, or the class and code of its error. */
function outcome(run: () => unknown): string {
  try {
    run()
    return 'done'
  } catch (error) {
    return `${(error as Error).name} ${(error as NodeJS.ErrnoException).code}`
  }
}

/** Numbers and other things that a caller may take for a size. Whole ones first. */
const SIZES = [0, -0, 1, 2, 3, 8, 16, 17, 64, 65, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, -1, -8, -(2 ** 31)]
const NO_SIZES = [Number.NaN, Infinity, -Infinity, '1', '', null, true, {}, [], [1], 1n, Symbol('1'), () => 1]

describe('randomBytes', () => {
  test('of 0 to 4096 bytes and more: a Buffer of its own, none of whose bytes is always the same', () => {
    for (const size of [...Array(4097).keys(), 65_536, 1_000_001, 2 ** 24 + 1]) {
      const bytes = randomBytes(size)
      isOwn(bytes)
      must(bytes.length === size, () => `${bytes.length} bytes instead of ${size}`)
    }
    for (const size of [1, 2, 31, 32, 63, 64, 65, 100, 4096]) {
      const seen = Array.from({ length: 200 }, () => randomBytes(size))
      for (let at = 0; at < size; at++) {
        const values = new Set(seen.map(bytes => bytes[at]))
        must(values.size > 50, () => `byte ${at} of ${size} had ${values.size} values in 200`)
      }
    }
  })

  test('the size is refused as node:crypto refuses it', () => {
    // Without sizes between node:crypto's limit and ours, which depend on memory, and fractions, which node:crypto truncates.
    for (const size of [...SIZES.filter(size => size < 2 ** 31 || size > 2 ** 53), ...NO_SIZES, undefined]) {
      const [ours, node] = [randomBytes, nodeRandomBytes].map(bytes => outcome(() => bytes(size as number)))
      expect(ours, String(size)).toBe(node)
    }
    for (const size of [0.5, 1.5, 16.000001, -0.5]) refuses(() => randomBytes(size), 'ERR_OUT_OF_RANGE')
    const most = refuses(() => randomBytes(constants.MAX_LENGTH + 2), 'ERR_OUT_OF_RANGE')
    expect(most.message).toMatch(/^"size" must be a whole number from 0 to /)
    expect(refuses(() => randomBytes(-1), 'ERR_OUT_OF_RANGE').message).toMatch(/^"size" must be .*, got -1$/)
    expect(refuses(() => randomBytes('1' as never), 'ERR_INVALID_ARG_TYPE').message).toBe(
      '"size" must be a number, got string',
    )
  })

  test('a callback is refused', () => {
    const { message } = refuses(
      () => Reflect.apply(randomBytes, undefined, [8, () => {}]),
      'ERR_INVALID_ARG_VALUE',
    )
    expect(message).toBe('"callback" is not supported: random bytes are returned at once')
    expect([8, 9].map(randomBytes).map(({ length }) => length)).toEqual([8, 9])
  })

  test.runIf(constants.MAX_LENGTH >= 2 ** 40)(
    'where the machine has not that much memory, a typed error',
    () => {
      refuses(() => randomBytes(2 ** 50), 'ERR_OUT_OF_RANGE')
    },
  )

  test('every bit is seen set and clear, half of the time', () => {
    const samples = 20_000
    const counts = new Uint32Array(256)
    for (let n = 0; n < samples; n++) {
      const bytes = randomBytes(32)
      for (let bit = 0; bit < 256; bit++)
        counts[bit] = (counts[bit] ?? 0) + (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1)
    }
    // 8 standard deviations: once in 10^12 runs.
    const distance = 8 * Math.sqrt(samples / 4)
    counts.forEach((count, bit) => {
      must(Math.abs(count - samples / 2) < distance, () => `bit ${bit}: ${count} of ${samples}`)
    })
  })

  test('no two of 10^5 are equal, from whichever function', () => {
    const seen = new Set<string>()
    const reused = Buffer.alloc(16)
    const makers = [
      () => randomBytes(16),
      () => randomFillSync(reused),
      () => AesGcm.generateKey(128),
      () => AesGcm.generateKey().subarray(9, 25),
      () => Buffer.from(randomFillSync(new ArrayBuffer(16))),
    ]
    for (let n = 0; n < 100_000; n++)
      seen.add((makers[n % makers.length] as () => Buffer)().toString('latin1'))
    expect(seen.size).toBe(100_000)
  })

  test('no 8 bytes of a mebibyte come twice', () => {
    const words = new BigUint64Array(randomBytes(1 << 20).buffer)
    expect(new Set(words).size).toBe(words.length)
  })

  test('worker threads have bytes of their own', async () => {
    const code = `
      import(${JSON.stringify(new URL('../../../dist/index.mjs', import.meta.url).href)}).then(({ randomBytes }) => {
        const post = message => require('node:worker_threads').parentPort.postMessage(message)
        post(Array.from({ length: 1000 }, () => randomBytes(16).toString('hex')))
      })`
    const one = () =>
      new Promise<string[]>((resolve, reject) => {
        new Worker(code, { eval: true, execArgv: [] }).on('message', resolve).on('error', reject)
      })
    const here = Array.from({ length: 1000 }, () => randomBytes(16).toString('hex'))
    const all = [...(await Promise.all([one(), one(), one()])).flat(), ...here]
    expect(new Set(all).size).toBe(4000)
  })
})

describe('randomFillSync', () => {
  const fill = randomFillSync as Fill

  test.each(KINDS)('fills a %s, or a part of it in elements, and gives it back', kind => {
    const random = new Random(`fill ${kind}`)
    const place = new Place()
    for (let round = 0; round < 300; round++) {
      const content = Buffer.alloc(8 * random.below(20), 0x5a)
      const memory = place.put(content)
      const Class = global[kind] as new (buffer: ArrayBufferLike, offset: number, length: number) => View
      const bytesEach = kind === 'DataView' ? 1 : elementBytes(Class as unknown as View)
      const view = new Class(memory.buffer, memory.byteOffset, memory.length / bytesEach)
      const length = memory.length / bytesEach
      const offset = random.below(length + 1)
      const size = random.below(length - offset + 1)
      const [start, end] = [offset * bytesEach, (offset + size) * bytesEach]
      expect(fill(view, offset, size)).toBe(view)
      must(place.intact, () => `${kind} ${offset} ${size} of ${length}: written beside the view`)
      const before = memory.subarray(0, start).equals(content.subarray(0, start))
      const after = memory.subarray(end).equals(content.subarray(end))
      must(before && after, () => `${kind} ${offset} ${size} of ${length}: written beside the part`)
      // 16 bytes stay as they were once in 2^128 times.
      if (end - start >= 16) {
        const [first, last] = [memory.subarray(start, start + 16), memory.subarray(end - 16, end)]
        const stayed = [first, last].some(bytes => bytes.equals(Buffer.alloc(16, 0x5a)))
        must(!stayed, () => `${kind} ${offset} ${size} of ${length}: not all of it was written`)
      }
      const unfilled = Buffer.from(memory)
      expect(fill(view)).toBe(view)
      must(place.intact, () => `${kind} of ${length}: written beside the view`)
      if (memory.length >= 16) must(!memory.equals(unfilled), () => `${kind}: nothing was written`)
    }
  })

  test('every length of Uint8Array at every place: all of it, and nothing beside it', () => {
    const place = new Place()
    for (let length = 0; length <= 300; length++) {
      const never = new Set(Array(length).keys())
      // After 12 rounds a byte was 0 in all of them once in 2^96 times.
      for (let round = 0; round < 12; round++) {
        const view = place.put(Buffer.alloc(length), length % 64)
        randomFillSync(view)
        must(place.intact, () => `${length} bytes: written beside them`)
        for (const at of never) if (view[at] !== 0) never.delete(at)
      }
      must(never.size === 0, () => `of ${length} bytes these stayed: ${[...never]}`)
    }
  })

  test('an ArrayBuffer, a Buffer from the pool, a small new view, an empty one', () => {
    const buffer = new ArrayBuffer(40)
    expect(randomFillSync(buffer, 8, 24)).toBe(buffer)
    const bytes = Buffer.from(buffer)
    expect([bytes.subarray(0, 8), bytes.subarray(32)]).toEqual([Buffer.alloc(8), Buffer.alloc(8)])
    expect(bytes.subarray(8, 32)).not.toEqual(Buffer.alloc(24))
    for (const view of [Buffer.allocUnsafe(20).fill(0), new Uint8Array(20), new Uint32Array(5)]) {
      expect(randomFillSync(view)).toBe(view)
      expect(Buffer.from(view.buffer, view.byteOffset, 20)).not.toEqual(Buffer.alloc(20))
    }
    for (const kind of KINDS) {
      const empty = new (global[kind] as new (memory: ArrayBuffer) => View)(new ArrayBuffer(0))
      expect(fill(empty, 0, 0)).toBe(empty)
      expect(fill(empty)).toBe(empty)
    }
  })

  test.each([...KINDS, 'ArrayBuffer'])(
    'of a %s, offset and size are refused as node:crypto refuses them',
    kind => {
      const make = () => {
        const buffer = new ArrayBuffer(64)
        return kind === 'ArrayBuffer'
          ? buffer
          : new (global[kind] as new (memory: ArrayBuffer) => View)(buffer)
      }
      const values = [undefined, ...SIZES, ...NO_SIZES]
      for (const offset of values) {
        for (const size of values) {
          const [ours, node] = [fill, nodeFill as Fill].map(fill =>
            outcome(() => fill(make(), offset as number, size as number)),
          )
          must(ours === node, () => `${String(offset)}, ${String(size)}: ${ours}, and node:crypto: ${node}`)
        }
      }
      for (const fraction of [0.5, 1.25]) {
        refuses(() => fill(make(), fraction), 'ERR_OUT_OF_RANGE')
        refuses(() => fill(make(), 0, fraction), 'ERR_OUT_OF_RANGE')
      }
    },
  )

  test('a value that is not a view is refused as node:crypto refuses it', () => {
    for (const value of [...NO_SIZES, undefined, 7, 'bytes', { length: 3, byteLength: 3 }, new Map()]) {
      const [ours, node] = [fill, nodeFill as Fill].map(fill => outcome(() => fill(value as View)))
      expect(ours, String(value)).toBe(node)
      expect(ours).toBe('TypeError ERR_INVALID_ARG_TYPE')
    }
  })

  test('several gibibytes, past 2^31 and 2^32', { timeout: 120_000 }, ({ skip }) => {
    let large: ArrayBuffer
    try {
      large = new ArrayBuffer(2 ** 32 + 64)
    } catch {
      return skip('this machine has not that much memory')
    }
    // Only the far end is written, so the rest never takes physical memory.
    const end = new Uint8Array(large, 2 ** 32 - 64)
    fill(large, 2 ** 32 - 8, 40)
    expect(end.subarray(0, 56)).toEqual(new Uint8Array(56))
    expect(end.subarray(96)).toEqual(new Uint8Array(32))
    for (const [from, to] of [
      [56, 72],
      [72, 96],
    ])
      expect(end.subarray(from, to).some(byte => byte !== 0)).toBe(true)
    refuses(() => fill(large, 2 ** 32 + 65), 'ERR_OUT_OF_RANGE')
    expect(fill(large, 2 ** 32 + 64)).toBe(large)
    // No Uint8Array can be that long.
    if (constants.MAX_LENGTH === 2 ** 32) refuses(() => fill(large), 'ERR_OUT_OF_RANGE')
  })
})
