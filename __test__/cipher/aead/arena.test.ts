// KeyArena: how keys take and free places, destroying an arena with its keys, each thread's default arena, and locking.
import { spawnSync } from 'node:child_process'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { AesGcm, cpu, KeyArena } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import {
  argumentsOf,
  call,
  KEY,
  METHODS,
  type Method,
  ROOT,
  refuses,
  run,
  thrown,
} from '../../tools/support.js'

const FULL = 'ERR_AESGCM_ARENA_FULL'
const DESTROYED = 'ERR_AESGCM_DESTROYED'
const facts = ({ capacity, used }: KeyArena) => [capacity, used]
const fillUp = (arena: KeyArena) =>
  Array.from({ length: arena.capacity - arena.used }, () => new AesGcm(KEY, { arena }))

/** Lets finalizers run until `holds` gives true, at most a hundred times. */
async function collected(holds: () => boolean): Promise<boolean> {
  for (let n = 0; n < 100 && !holds(); n++) {
    globalThis.gc?.()
    await turn()
  }
  return holds()
}

describe('places', () => {
  test('are taken by keys, refused when the arena is full, and free again after a key is destroyed', () => {
    for (const keys of [1, 2, 3, 7, 64, 1000]) {
      using arena = new KeyArena({ keys })
      expect(facts(arena)).toEqual([keys, 0])
      const live = fillUp(arena)
      expect(facts(arena)).toEqual([keys, keys])
      expect(refuses(() => new AesGcm(KEY, { arena }), FULL).message).toMatch(/^this arena is full: /)
      expect(facts(arena)).toEqual([keys, keys])
      for (const aes of live.slice(0, 3)) {
        aes.destroy()
        expect(arena.used).toBe(keys - 1)
        const next = new AesGcm(KEY, { arena })
        expect(next.decrypt(next.encrypt(Buffer.from('text'))).toString()).toBe('text')
        refuses(() => new AesGcm(KEY, { arena }), FULL)
        // Another key has the place now: a second destroy must not free it.
        aes.destroy()
        expect(arena.used).toBe(keys)
        refuses(() => aes.encrypt(KEY), DESTROYED)
        expect(next.encrypt(Buffer.alloc(1)).length).toBe(29)
      }
    }
  })

  test('keys of every backend and length fit, and each is its own', () => {
    const { backends } = cpu()
    using arena = new KeyArena({ keys: 40 })
    const live = Array.from({ length: 40 }, (_, n) => {
      const key = Buffer.alloc(n % 2 ? 16 : 32, n)
      const options = { arena, backend: backends[n % backends.length] as (typeof backends)[0] }
      return { key, aes: new AesGcm(key, options) }
    })
    for (const { key, aes } of live) {
      expect(new AesGcm(key).decrypt(aes.encrypt(key))).toEqual(key)
      refuses(
        () => new AesGcm(Buffer.alloc(32, 99)).decrypt(aes.encrypt(key)),
        'ERR_AESGCM_AUTHENTICATION_FAILED',
      )
    }
  })

  test('a constructor that throws takes no place', () => {
    using arena = new KeyArena({ keys: 2 })
    for (const key of [Buffer.alloc(24), new Uint8Array(new SharedArrayBuffer(31)), 'key']) {
      thrown(() => new AesGcm(key as Uint8Array, { arena }))
      thrown(() => new AesGcm(KEY, { arena, maxMessages: -1 }))
    }
    for (const backend of ['vaes512', 'armv8'] as const)
      if (!cpu().backends.includes(backend)) thrown(() => new AesGcm(KEY, { arena, backend }))
    expect(arena.used).toBe(0)
    expect(fillUp(arena).length).toBe(2)
  })

  test('garbage collection frees places', async () => {
    const arena = new KeyArena({ keys: 100 })
    const kept = new AesGcm(KEY, { arena })
    const frame = kept.encrypt(KEY)
    for (let round = 0; round < 5; round++) {
      fillUp(arena)
      expect(arena.used).toBe(100)
      expect(await collected(() => arena.used === 1)).toBe(true)
    }
    expect(kept.decrypt(frame)).toEqual(KEY)
  })

  test('keys outlive their collected arena object', async () => {
    const live = Array.from({ length: 50 }, () => fillUp(new KeyArena({ keys: 2 }))).flat()
    let gone = 0
    const registry = new FinalizationRegistry(() => gone++)
    for (let n = 0; n < 50; n++) registry.register(new KeyArena({ keys: 1 }), n)
    expect(await collected(() => gone > 0)).toBe(true)
    for (const aes of live) expect(aes.decrypt(aes.encrypt(KEY))).toEqual(KEY)
  })

  // 2^20 would be more than a gibibyte of locked memory.
  test('an arena of sixteen thousand keys', () => {
    using arena = new KeyArena({ keys: 2 ** 14 })
    const [first, ...others] = fillUp(arena)
    expect(facts(arena)).toEqual([2 ** 14, 2 ** 14])
    const frame = first?.encrypt(KEY) as Buffer
    expect(others.at(-1)?.decrypt(frame)).toEqual(KEY)
    refuses(() => new AesGcm(KEY, { arena }), FULL)
  })
})

describe('destroying an arena', () => {
  test.each(['destroy', Symbol.dispose] as const)(
    '%s: wipes its keys, keeps their counters, and leaves other arenas alone',
    end => {
      const [arena, other] = [new KeyArena({ keys: 3 }), new KeyArena({ keys: 3 })]
      const [mine, theirs, ordinary] = [
        new AesGcm(KEY, { arena }),
        new AesGcm(KEY, { arena: other }),
        new AesGcm(KEY),
      ]
      const frame = mine.encrypt(Buffer.alloc(10))
      mine.tryDecryptInPlace(Buffer.alloc(30))
      expect(arena[end]()).toBe(undefined)
      expect(facts(arena)).toEqual([3, 0])
      for (const method of (Object.keys(METHODS) as Method[]).filter(name => name !== 'plaintextOf')) {
        const values = argumentsOf(method)
        refuses(() => call(mine, method, Object.values(values)), DESTROYED)
        expect(values).toEqual(argumentsOf(method))
      }
      expect([mine.messagesEncrypted, mine.bytesEncrypted, mine.failedDecryptions]).toEqual([1, 10, 1])
      expect([mine.keyBits, mine.backend]).toEqual([256, cpu().backend])
      mine.destroy()
      mine[Symbol.dispose]()
      for (const aes of [theirs, ordinary]) expect(aes.decrypt(frame)).toEqual(Buffer.alloc(10))

      const message = refuses(() => new AesGcm(KEY, { arena }), DESTROYED).message
      expect(message).toContain('this arena was destroyed')
      for (let n = 0; n < 3; n++) arena[end]()
      expect(facts(arena)).toEqual([3, 0])
      expect(facts(other)).toEqual([3, 1])
      expect(typeof arena.locked).toBe('boolean')
    },
  )

  test('and making another arena, a thousand times', () => {
    const stale: AesGcm[] = []
    for (let n = 0; n < 1000; n++) {
      using arena = new KeyArena({ keys: 4 })
      stale.push(...fillUp(arena).slice(0, 1))
      if (n % 100 === 0) for (const aes of stale.slice(0, -1)) refuses(() => aes.encrypt(KEY), DESTROYED)
    }
  })

  test('and destroying each of its keys, in either order', () => {
    for (const arenaFirst of [true, false]) {
      const arena = new KeyArena({ keys: 10 })
      const live = fillUp(arena)
      if (arenaFirst) arena.destroy()
      for (const aes of live) aes.destroy()
      arena.destroy()
      expect(arena.used).toBe(0)
    }
  })
})

describe('the default arena', () => {
  test('reports before its first key what it reports after it', () => {
    const script = `
      import { KeyArena } from 'hardware-aes-gcm'
      const facts = () => [KeyArena.default.locked, KeyArena.default.excludedFromDumps].join()
      const before = facts()
      const key = new AesGcm(new Uint8Array(32))
      console.log(before === facts(), KeyArena.default.used, key.destroyed)`
    const { status, stdout, stderr } = run(script)
    expect([status, stdout, stderr]).toEqual([0, 'true 1 false\n', ''])
  })

  test('is one, grows, and cannot be destroyed', async () => {
    const arena = KeyArena.default
    await collected(() => arena.used === 0)
    expect(arena).toBe(KeyArena.default)
    expect(arena).toBeInstanceOf(KeyArena)
    const before = arena.used
    expect(arena.capacity).toBe(Infinity)
    const live = Array.from({ length: 3000 }, (_, n) => new AesGcm(KEY, n % 2 ? {} : { arena }))
    expect(arena.used).toBe(before + 3000)
    for (const end of ['destroy', Symbol.dispose] as const) {
      expect(refuses(() => arena[end](), 'ERR_INVALID_THIS').message).toContain(
        'KeyArena.default cannot be destroyed',
      )
    }
    for (const aes of live) aes.destroy()
    expect(arena.used).toBe(before)
    expect(new AesGcm(KEY).decrypt(new AesGcm(KEY).encrypt(KEY))).toEqual(KEY)
  })

  test('is each thread’s own', async () => {
    const code = `
      import(${JSON.stringify(new URL('../../../dist/index.mjs', import.meta.url).href)}).then(({ AesGcm, KeyArena }) => {
        const before = KeyArena.default.used
        const keys = [1, 2, 3].map(n => new AesGcm(Buffer.alloc(32, n)))
        const own = new KeyArena({ keys: 5 })
        new AesGcm(Buffer.alloc(16), { arena: own })
        require('node:worker_threads').parentPort.postMessage([before, KeyArena.default.used, own.used, keys.length])
      })`
    const live = [new AesGcm(KEY), new AesGcm(KEY)]
    const before = KeyArena.default.used
    const message = await new Promise((resolve, reject) => {
      new Worker(code, { eval: true, execArgv: [] }).on('message', resolve).on('error', reject)
    })
    expect(message).toEqual([0, 3, 1, 3])
    // Keys of earlier tests may have been collected meanwhile.
    expect(KeyArena.default.used).toBeLessThanOrEqual(before)
    expect(KeyArena.default.used).toBeGreaterThanOrEqual(live.length)
    expect(live.every(aes => aes.decrypt(aes.encrypt(KEY)).equals(KEY))).toBe(true)
  })
})

// Compares with the kernel's own count of locked memory. Root may lock beyond the limit, so the script gives up root.
describe.runIf(process.platform === 'linux')('locking', () => {
  const script = `
    import { readFileSync } from 'node:fs'
    import { AesGcm, KeyArena } from 'hardware-aes-gcm'
    const kibibytes = () => Number(/^VmLck:\\s*(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'latin1'))[1])
    AesGcm.isAvailable()
    if (process.getuid() === 0) process.setuid(65_534)
    const sizes = [1, 10, 1000].map(keys => {
      const before = kibibytes()
      const arena = new KeyArena({ keys })
      const aes = new AesGcm(Buffer.alloc(32), { arena })
      const works = aes.decrypt(aes.encrypt(Buffer.alloc(keys))).length === keys
      const grown = kibibytes() - before
      return [works, arena.locked, grown > 0 && grown * 1024 >= keys * 464] // of the smallest backend
    })
    const before = kibibytes()
    for (let n = 0; n < 1000; n++) new AesGcm(Buffer.alloc(16)).destroy()
    console.log(JSON.stringify([sizes, { locked: KeyArena.default.locked, grown: kibibytes() > before }]))`
  const under = (limit: string) => {
    const [shell, node] = [
      `ulimit -l ${limit} && exec "$@"`,
      [process.execPath, '--input-type=module', '-e', script],
    ]
    const { stdout, stderr, status } = spawnSync('sh', ['-c', shell, 'sh', ...node], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    expect(status, stderr).toBe(0)
    return JSON.parse(stdout) as [
      [works: boolean, locked: boolean, seen: boolean][],
      ofTheThread: { locked: boolean; grown: boolean },
    ]
  }

  test('with a limit of 0, keys work and `locked` is false', () => {
    const [sizes, ofTheThread] = under('0')
    for (const facts of sizes) expect(facts).toEqual([true, false, false])
    expect(ofTheThread).toEqual({ locked: false, grown: false })
  })

  test('with a limit that only some arenas exceed, `locked` agrees with the kernel', () => {
    // 64 KiB, the smallest limit in use: more than an arena of ten keys needs, and less than an arena of a thousand keys needs,
    // or the first pages of the default arena beside two other arenas.
    const [sizes, ofTheThread] = under('64')
    expect(ofTheThread).toEqual({ locked: false, grown: false })
    expect(sizes).toEqual([
      [true, true, true],
      [true, true, true],
      [true, false, false],
    ])
  })
})
