// followKeyset over a function, by a clock that the test moves: turns, waits, failures, and key services.
import { spawnSync } from 'node:child_process'
import { inspect } from 'node:util'
import { type FollowOptions, followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../../tools/support.js'
import { following, primaryOf, settled } from './follow-clock.js'

const OLDER = 'ERR_AESGCM_OLDER_KEYSET'
const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
const TIMEOUT = 'ERR_AESGCM_KEYSET_TIMEOUT'
const codesOf = (errors: readonly Error[]) => errors.map(error => (error as { code?: unknown }).code)
const MINUTE = 60_000

/** A keyset's texts: with one key, with a second one, and with that promoted. */
function texts() {
  const keyring = Keyring.generate()
  const one = keyring.export()
  const a = primaryOf(keyring)
  const b = keyring.add({ key: Buffer.alloc(32, 0xb1) })
  const added = keyring.export()
  keyring.promote(b)
  return { one, added, promoted: keyring.export(), a, b, keyring }
}

describe('turns', () => {
  test('a changed text is taken at the interval, by the same object', async () => {
    const { one, added, promoted, a, b } = texts()
    let text = one
    let asked = 0
    const load = () => {
      asked++
      return text
    }
    const { clock, followed, errors, changes } = await following({ load })
    const { keyring } = followed
    const before = keyring.sealText('before')
    expect([asked, clock.delays]).toEqual([1, [MINUTE]])
    await clock.next()
    expect([asked, changes]).toEqual([2, []])
    text = added
    await clock.next()
    expect([keyring.keys.length, changes, primaryOf(keyring)]).toEqual([2, [a], a])
    text = promoted
    await clock.next()
    expect([followed.keyring === keyring, changes, keyring.keyIdOf(keyring.sealText('x'))]).toEqual([
      true,
      [a, b],
      b,
    ])
    expect([keyring.openText(before), errors]).toEqual(['before', []])
    expect([followed.lastError, Date.now() - followed.lastSuccess.getTime() < MINUTE]).toEqual([null, true])
    followed.close()
    expect(clock.delays).toEqual([])
  })

  test('each wait is three quarters of the interval at least, and never more than it', async () => {
    const { one } = texts()
    for (const [chance, delay] of [
      [0, 45_000],
      [1, 60_000],
    ] as const) {
      const { clock } = await following({ load: () => one })
      clock.chance = chance
      await clock.next()
      expect(clock.delays).toEqual([delay])
    }
  })

  test('with an interval of 0, only refresh asks', async () => {
    const { one, added } = texts()
    let text = one
    const { clock, followed, changes } = await following({ load: () => text, interval: 0 })
    expect(clock.delays).toEqual([])
    text = added
    expect(await followed.refresh()).toBe(true)
    await settled()
    expect([changes.length, clock.delays]).toEqual([1, []])
  })

  test('calls of refresh during a turn share the next one', async () => {
    const { one } = texts()
    const answers: ((text: string) => void)[] = []
    let first = true
    const load = () => {
      if (first) {
        first = false
        return one
      }
      return new Promise<string>(resolve => answers.push(resolve))
    }
    const { followed } = await following({ load })
    const turns = [followed.refresh()]
    await settled()
    turns.push(followed.refresh(), followed.refresh(), followed.refresh({ back: true }))
    await settled()
    expect([answers.length, turns[1] === turns[2]]).toEqual([1, true])
    for (const count of [1, 2, 3]) {
      answers[count - 1]?.(one)
      await settled()
    }
    expect([answers.length, await Promise.all(turns)]).toEqual([3, [true, true, true, true]])
  })
})

describe('a new primary key', () => {
  test('that this process never had opens at once, and seals two intervals later', async () => {
    const { one, promoted, a, b, keyring: other } = texts()
    let text = one
    const { clock, followed, changes } = await following({ load: () => text })
    const { keyring } = followed
    text = promoted
    await clock.next()
    expect([keyring.openText(other.sealText('of another')), primaryOf(keyring), changes]).toEqual([
      'of another',
      a,
      [a],
    ])
    await clock.next()
    expect(primaryOf(keyring)).toBe(a)
    await clock.next()
    expect([primaryOf(keyring), changes]).toEqual([b, [a, b]])
  })

  test('waits on while the keyset changes otherwise, and a later one waits anew', async () => {
    const { one, promoted, a, b, keyring: other } = texts()
    let text = one
    const { clock, followed } = await following({ load: () => text })
    text = promoted
    await clock.next()
    const c = other.add({ key: Buffer.alloc(32, 0xc1) })
    text = other.export()
    await clock.next()
    expect([followed.keyring.keys.length, primaryOf(followed.keyring)]).toEqual([3, a])
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(b)
    other.promote(c)
    const d = other.add({ key: Buffer.alloc(32, 0xd1) })
    other.promote(d)
    text = other.export()
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(b)
    await clock.next()
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(d)
  })

  test("seals at once if today's is disabled, and if asked by `back`", async () => {
    const { one, promoted, a, b, keyring: other } = texts()
    other.disable(a)
    const disabled = other.export()
    for (const [next, back] of [
      [disabled, false],
      [promoted, true],
    ] as const) {
      let text = one
      const { followed } = await following({ load: () => text })
      text = next
      expect(await followed.refresh({ back })).toBe(true)
      expect(primaryOf(followed.keyring)).toBe(b)
    }
  })

  test("waits on while the one that waited before seals, if today's is disabled as a brand-new one is promoted", async () => {
    const { one, promoted, a, b, keyring: other } = texts()
    let text = one
    const { clock, followed, errors } = await following({ load: () => text })
    text = promoted
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(a)
    const c = other.add({ key: Buffer.alloc(32, 0xc1) })
    other.promote(c)
    other.disable(a)
    text = other.export()
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(b)
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(b)
    await clock.next()
    expect([primaryOf(followed.keyring), errors]).toEqual([c, []])
  })

  test("seals at once if a later keyset lacks today's", async () => {
    const { one, promoted, a, b, keyring: other } = texts()
    let text = one
    const { clock, followed, errors, changes } = await following({ load: () => text })
    text = promoted
    await clock.next()
    expect(primaryOf(followed.keyring)).toBe(a)
    other.delete(a)
    text = other.export()
    await clock.next()
    expect([followed.keyring.keys.map(({ id }) => id), primaryOf(followed.keyring)]).toEqual([[b], b])
    expect([errors, changes]).toEqual([[], [a, b]])
  })

  test('waits on if a later keyset promotes the older one again, which is refused', async () => {
    const { one, added, promoted, a, b } = texts()
    let text = one
    const { clock, followed, errors } = await following({ load: () => text })
    text = promoted
    await clock.next()
    text = added
    await clock.next()
    expect([codesOf(errors), primaryOf(followed.keyring)]).toEqual([[OLDER], a])
    text = promoted
    while (clock.now() < 3 * MINUTE) await clock.next()
    expect([followed.lastError, primaryOf(followed.keyring)]).toEqual([null, b])
  })

  test('never seals while the keyset lacks it, even after its wait', async () => {
    const { one, promoted, a, b } = texts()
    let text = one
    const { clock, followed, errors, changes } = await following({ load: () => text })
    text = promoted
    await clock.next()
    text = one
    while (clock.now() < 5 * MINUTE) await clock.next()
    expect([primaryOf(followed.keyring), changes, new Set(codesOf(errors))]).toEqual([
      a,
      [a],
      new Set([OLDER]),
    ])
    text = promoted
    await clock.next()
    expect([primaryOf(followed.keyring), followed.lastError]).toEqual([b, null])
  })

  test('that is deleted while it waits never seals', async () => {
    const { one, promoted, a } = texts()
    let text = one
    const { clock, followed, errors } = await following({ load: () => text })
    text = promoted
    await clock.next()
    text = one
    await clock.next()
    expect(codesOf(errors)).toEqual([OLDER])
    await followed.refresh({ back: true })
    expect([followed.keyring.keys.length, primaryOf(followed.keyring)]).toEqual([1, a])
    for (let i = 0; i < 4; i++) await clock.next()
    expect(primaryOf(followed.keyring)).toBe(a)
  })
})

describe('failures keep the last good keyset', () => {
  test('whatever the source gives', async () => {
    const { one, added, promoted, a, keyring: other } = texts()
    const leaked = JSON.parse(one).key[0].keyData.value
    const line = `${a}:${Buffer.alloc(32, 1).toString('hex')}`
    const encrypted = await other.wrap(bytes => Keyring.generate().seal(bytes))
    let answer: () => unknown = () => added
    const { followed, errors, changes } = await following({ load: () => answer() as string, interval: 0 })
    const text = followed.keyring.export()
    const wrong: [() => unknown, unknown][] = [
      [() => '', INVALID],
      [() => ' ', INVALID],
      [() => '{}', INVALID],
      [() => 'null', INVALID],
      [() => '<html>503</html>', INVALID],
      [() => line, INVALID],
      [() => `"${line}"`, INVALID],
      [() => encrypted, INVALID],
      [() => added.replace(leaked, 'A'.repeat(leaked.length)), INVALID],
      [() => one, OLDER],
      [() => Keyring.generate().export(), OLDER],
      [() => undefined, 'ERR_INVALID_ARG_TYPE'],
      [() => Buffer.from(promoted), 'ERR_INVALID_ARG_TYPE'],
      [() => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })), 'ECONNREFUSED'],
      [
        () => {
          throw Object.assign(new Error('down'), { code: 'EHOSTUNREACH' })
        },
        'EHOSTUNREACH',
      ],
      ...Array.from({ length: promoted.length }, (_, i): [() => unknown, unknown] => [
        () => promoted.slice(0, i),
        INVALID,
      ]),
    ]
    for (const [next, code] of wrong) {
      answer = next
      expect(await followed.refresh()).toBe(false)
      expect((followed.lastError as { code?: unknown } | null)?.code).toBe(code)
      expect(`${inspect(followed.lastError)}`).not.toContain(leaked)
    }
    await settled()
    expect(codesOf(errors)).toEqual(wrong.map(([, code]) => code))
    expect([followed.keyring.export() === text, changes]).toEqual([true, []])
    answer = () => promoted
    expect([await followed.refresh(), followed.lastError]).toEqual([true, null])
    expect(() => JSON.stringify(followed)).not.toThrow()
    expect(inspect(followed)).not.toContain(leaked)
  })

  test('waits grow from a second to the interval, and begin anew after a success', async () => {
    const { one } = texts()
    let isDown = false
    const load = () => (isDown ? Promise.reject(new Error('down')) : one)
    const { clock } = await following({ load })
    isDown = true
    const delays: number[] = []
    for (let i = 0; i < 9; i++) {
      await clock.next()
      delays.push(...clock.delays)
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map(seconds => seconds * 1000))
    isDown = false
    await clock.next()
    isDown = true
    await clock.next()
    expect(clock.delays).toEqual([1000])
  })

  test('the first turn rejects', async () => {
    await expect(followKeyset({ load: () => '' })).rejects.toMatchObject({ code: INVALID })
    await expect(followKeyset({ file: 'does not exist' })).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('a source that does not answer is given up, and its late answer is dropped', async () => {
    const { one, added, promoted, a } = texts()
    const answers: ((text: string) => void)[] = []
    const signals: AbortSignal[] = []
    const load: FollowOptions['load'] = ({ signal }) => {
      signals.push(signal)
      if (signals.length === 1) return one
      return new Promise<string>((resolve, reject) => {
        answers.push(resolve)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
    const { clock, followed, errors, changes } = await following({ load, timeout: 5000 })
    await clock.next()
    expect([answers.length, clock.delays]).toEqual([1, [5000]])
    await clock.next()
    expect([codesOf(errors), clock.delays, signals.map(({ aborted }) => aborted)]).toEqual([
      [TIMEOUT],
      [1000],
      [false, true],
    ])
    await clock.next()
    answers[1]?.(added)
    await settled()
    answers[0]?.(promoted)
    await settled()
    expect([changes, primaryOf(followed.keyring), clock.delays]).toEqual([[a], a, [MINUTE]])
  })

  test('a `load` that ignores its signal is never called while a call is running, and each turn says so', async () => {
    const { one, added, promoted, a } = texts()
    const answers: ((text: string) => void)[] = []
    let first = true
    const load = () => {
      if (!first) return new Promise<string>(resolve => answers.push(resolve))
      first = false
      return one
    }
    const { clock, followed, errors, changes } = await following({ load, timeout: 5000 })
    while (errors.length < 5) await clock.next()
    expect([answers.length, codesOf(errors)]).toEqual([1, Array(5).fill(TIMEOUT)])
    expect(errors.map(({ message }) => message)).toEqual([
      'the source of the keyset did not answer within 5000 ms',
      ...Array(4).fill('the source of the keyset is still not responding: waiting for the earlier request'),
    ])
    // The late answer is dropped, and the next call begins.
    answers[0]?.(promoted)
    await settled()
    await clock.next()
    answers[1]?.(added)
    await settled()
    expect([answers.length, changes, primaryOf(followed.keyring)]).toEqual([2, [a], a])
    expect(followed.lastError).toBeNull()
  })

  test('a callback that throws is an uncaught exception, as in any program; the next turns come', async () => {
    const script = `import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
      const keyring = Keyring.generate()
      let text = keyring.export()
      const options = { interval: 0, load: () => text, onError() { throw new Error('of onError') }, onChange() { throw new Error('of onChange') } }
      const followed = await followKeyset(options)
      process.on('uncaughtException', error => console.log(error.message))
      keyring.add({ key: Buffer.alloc(32, 255) })
      text = keyring.export()
      console.log(await followed.refresh())
      await new Promise(setImmediate)
      text = ''
      console.log(await followed.refresh())`
    expect(program(script).stdout).toBe('true\nof onChange\nfalse\nof onError\n')
  })

  test('without a callback, the process warns of each reason once, and goes on', () => {
    const script = `import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
      let text = Keyring.generate().export()
      const followed = await followKeyset({ interval: 0, load: () => text })
      process.on('warning', ({ code, message }) => console.log(code, message))
      for (text of ['', '', '[', '[', text]) await followed.refresh()
      setImmediate(() => console.log(followed.lastError))`
    const { stdout, status } = program(script)
    expect(stdout.split('\n')).toEqual([
      expect.stringMatching(
        /^AESGCM_KEYSET_NOT_TAKEN the keyset was not updated, and the previous keys stay in use: .* is empty$/,
      ),
      expect.stringMatching(/^AESGCM_KEYSET_NOT_TAKEN .* must be JSON here/),
      'null',
      '',
    ])
    expect(status).toBe(0)
  })

  test('no timer keeps a process alive', () => {
    const script = `import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
      const text = Keyring.generate().export()
      const alive = setInterval(() => {}, 1000)
      let first = true
      const load = () => {
        if (first) return first = false, text
        console.log('the end of all else')
        clearInterval(alive)
        return new Promise(() => {})
      }
      await followKeyset({ load, interval: 1 })`
    expect(program(script)).toMatchObject({ stdout: 'the end of all else\n', status: 0 })
  })

  test('`await followed.refresh()` alone keeps the process alive until its answer', () => {
    const script = `import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
      const text = Keyring.generate().export()
      let first = true
      const load = () => first ? (first = false, text) : new Promise(() => {})
      const onError = ({ code }) => console.log(code)
      const followed = await followKeyset({ load, interval: 0, timeout: 20, onError })
      console.log(await followed.refresh())`
    expect(program(script)).toMatchObject({ stdout: `${TIMEOUT}\nfalse\n`, status: 0 })
  })
})

describe('a key service', () => {
  const service = Keyring.generate()
  const wrap = (keyring: Keyring) => keyring.wrap(bytes => service.seal(bytes))
  const unwrap = (wrapped: Uint8Array) => service.open(wrapped)

  test('is asked once for each text, and its late answer is wiped', async () => {
    const { a, b, keyring: other } = texts()
    let text = await wrap(other)
    let asked = 0
    let answer: (bytes: Uint8Array) => Uint8Array | Promise<Uint8Array> = wrapped => service.open(wrapped)
    const unwrap = (wrapped: Uint8Array) => {
      asked++
      return answer(wrapped)
    }
    const { clock, followed, errors } = await following({ load: () => text, unwrap, timeout: 5000 })
    await clock.next()
    await clock.next()
    expect([asked, primaryOf(followed.keyring)]).toEqual([1, b])
    const c = other.add({ key: Buffer.alloc(32, 0xc1) })
    text = await wrap(other)
    let late: (bytes: Uint8Array) => void = () => {}
    answer = () => new Promise(resolve => (late = resolve))
    await clock.next()
    await clock.next()
    expect([codesOf(errors), followed.keyring.keys.length]).toEqual([[TIMEOUT], 2])
    const { encryptedKeyset } = JSON.parse(text)
    const bytes = service.open(Buffer.from(encryptedKeyset, 'base64'))
    late(bytes)
    await settled()
    expect([bytes.every(byte => byte === 0), followed.keyring.keys.length]).toEqual([true, 2])
    answer = wrapped => service.open(wrapped)
    await clock.next()
    expect(followed.keyring.keys.map(({ id }) => id)).toEqual([a, b, c])
  })

  test('that never answers is not asked again meanwhile, and each turn says so', async () => {
    const { added, keyring: other } = texts()
    let text = await wrap(Keyring.parse(added))
    const answers: (() => void)[] = []
    let hangs = false
    const unwrap = (wrapped: Uint8Array) =>
      hangs
        ? new Promise<Uint8Array>(resolve => answers.push(() => resolve(service.open(wrapped))))
        : service.open(wrapped)
    const { clock, followed, errors } = await following({ load: () => text, unwrap, timeout: 5000 })
    hangs = true
    text = await wrap(other)
    while (errors.length < 4) await clock.next()
    expect([answers.length, codesOf(errors)]).toEqual([1, Array(4).fill(TIMEOUT)])
    expect(errors.map(({ message }) => message)).toEqual([
      '"options.unwrap" did not answer within 5000 ms',
      ...Array(3).fill('"options.unwrap" is still not responding: waiting for the earlier request'),
    ])
    hangs = false
    answers[0]?.()
    await settled()
    expect([await followed.refresh({ back: true }), primaryOf(followed.keyring)]).toEqual([
      true,
      primaryOf(other),
    ])
  })

  test.each([
    ['answers garbage', () => Buffer.from('garbage'), INVALID],
    ['answers nothing', () => Buffer.alloc(0), INVALID],
    ['answers the ciphertext', (wrapped: Uint8Array) => wrapped, INVALID],
    ['answers another type', () => 'text' as never, 'ERR_INVALID_ARG_TYPE'],
    [
      'is down',
      () => Promise.reject(Object.assign(new Error('down'), { code: 'ECONNREFUSED' })),
      'ECONNREFUSED',
    ],
    ['refuses', (wrapped: Uint8Array) => Keyring.generate().open(wrapped), 'ERR_AESGCM_UNKNOWN_KEY'],
  ])('that %s changes nothing', async (_, wrong, code) => {
    const { added, keyring: other } = texts()
    let text = await wrap(Keyring.parse(added))
    let answer: (wrapped: Uint8Array) => Uint8Array | Promise<Uint8Array> = wrapped => service.open(wrapped)
    const { followed, errors } = await following({ load: () => text, unwrap: wrapped => answer(wrapped) })
    const before = followed.keyring.export()
    text = await wrap(other)
    answer = wrong
    expect(await followed.refresh()).toBe(false)
    await settled()
    expect([codesOf(errors), followed.keyring.export() === before]).toEqual([[code], true])
  })

  test('that answers another keyset changes nothing', async () => {
    const { one } = texts()
    const texts2 = [await wrap(Keyring.parse(one)), await wrap(Keyring.generate())]
    const { followed, errors } = await following({ load: () => texts2[0] as string, unwrap })
    texts2.shift()
    await followed.refresh()
    await settled()
    expect([codesOf(errors), followed.keyring.export()]).toEqual([[OLDER], one])
  })

  test('that once answers another keyset is asked again, so the right one is accepted', async () => {
    const { one, added } = texts()
    const [first, second, wrong] = [
      await wrap(Keyring.parse(one)),
      await wrap(Keyring.parse(added)),
      Buffer.from(Keyring.generate().export()),
    ]
    let text = first
    let isWrong = false
    const unwrap = (wrapped: Uint8Array) => (isWrong ? wrong : service.open(wrapped))
    const { followed } = await following({ load: () => text, unwrap })
    text = second
    isWrong = true
    expect(await followed.refresh()).toBe(false)
    isWrong = false
    expect([await followed.refresh(), followed.keyring.export()]).toEqual([true, added])
  })
})

describe('the end', () => {
  test('close answers a pending refresh and aborts its signal, so the process ends long before the time limit', () => {
    const script = `import { followKeyset, Keyring } from 'hardware-aes-gcm/keyring'
      const text = Keyring.generate().export()
      let first = true
      const load = ({ signal }) => {
        if (first) return first = false, text
        signal.onabort = () => console.log(signal.reason.code)
        return new Promise(() => {})
      }
      const onError = error => console.log(error)
      const followed = await followKeyset({ load, interval: 0, timeout: 2 ** 31 - 1, onError })
      followed.refresh().then(isTaken => console.log(isTaken))
      await new Promise(setImmediate)
      followed.close()
      followed.close()`
    expect(program(script)).toMatchObject({ stdout: 'ABORT_ERR\nfalse\n', stderr: '', status: 0 })
  })

  test('close during a call of a key service wipes its late answer', async () => {
    const keyring = Keyring.generate()
    const wrap = () => keyring.wrap(bytes => Buffer.from(bytes).reverse())
    let text = await wrap()
    let late: (bytes: Uint8Array) => void = () => {}
    let first = true
    const unwrap = (wrapped: Uint8Array) => {
      if (!first) return new Promise<Uint8Array>(resolve => (late = resolve))
      first = false
      return Buffer.from(wrapped).reverse()
    }
    const { clock, followed, errors } = await following({ load: () => text, unwrap })
    keyring.add({ key: Buffer.alloc(32, 0xb1) })
    text = await wrap()
    const turn = followed.refresh()
    await settled()
    followed.close()
    expect([await turn, errors, clock.delays, followed.lastError]).toEqual([false, [], [], null])
    const bytes = Buffer.from(JSON.parse(text).encryptedKeyset, 'base64').reverse()
    late(bytes)
    await settled()
    expect([bytes.every(byte => byte === 0), followed.keyring.keys.length]).toEqual([true, 1])
  })

  test('close drops the turn in progress', async () => {
    const { one, promoted, a } = texts()
    let answer: (text: string) => void = () => {}
    let first = true
    const load = () => {
      if (!first) return new Promise<string>(resolve => (answer = resolve))
      first = false
      return one
    }
    const { clock, followed, changes } = await following({ load })
    const turn = followed.refresh()
    await settled()
    followed.close()
    answer(promoted)
    expect([await turn, changes, followed.keyring.keys.length, primaryOf(followed.keyring)]).toEqual([
      false,
      [],
      1,
      a,
    ])
    expect([clock.delays, followed.keyring.destroyed]).toEqual([[], false])
    expect(await followed.refresh()).toBe(false)
    followed[Symbol.dispose]()
  })

  test('a source that throws something else than an error fails like others, without a listener too', async () => {
    const { one } = texts()
    let thrown: unknown = 'nothing yet'
    const load = () => {
      if (thrown === 'nothing yet') return one
      throw thrown
    }
    const followed = await followKeyset({ load, interval: 0 })
    for (thrown of [Object.create(null), Symbol('odd'), null, undefined, 'text']) {
      expect(await followed.refresh()).toBe(false)
      expect(followed.lastError).toMatchObject({ code: 'ERR_INVALID_STATE' })
    }
    thrown = 'nothing yet'
    expect([await followed.refresh(), followed.lastError]).toEqual([true, null])
  })

  test('a destroyed keyring is followed no longer', async () => {
    const { one } = texts()
    const { clock, followed, errors } = await following({ load: () => one })
    followed.keyring.destroy()
    await clock.next()
    expect([clock.delays, codesOf(errors)]).toEqual([[], ['ERR_AESGCM_DESTROYED']])
  })
})

test('wrong options', async () => {
  const load = () => texts().one
  for (const [options, code] of [
    [undefined, 'ERR_INVALID_ARG_TYPE'],
    ['keys.json', 'ERR_INVALID_ARG_TYPE'],
    [{}, 'ERR_INVALID_ARG_VALUE'],
    [{ file: 'keys.json', load }, 'ERR_INVALID_ARG_VALUE'],
    [{ file: '' }, 'ERR_INVALID_ARG_TYPE'],
    [{ file: 1 }, 'ERR_INVALID_ARG_TYPE'],
    [{ file: new URL('http://localhost/keys.json') }, 'ERR_INVALID_URL_SCHEME'],
    [{ load: 'keys.json' }, 'ERR_INVALID_ARG_TYPE'],
    [{ load, intervall: 1 }, 'ERR_INVALID_ARG_VALUE'],
    [{ load, interval: -1 }, 'ERR_OUT_OF_RANGE'],
    [{ load, interval: 2 ** 31 }, 'ERR_OUT_OF_RANGE'],
    [{ load, interval: '1' }, 'ERR_INVALID_ARG_TYPE'],
    [{ load, timeout: 0 }, 'ERR_OUT_OF_RANGE'],
    [{ load, unwrap: {} }, 'ERR_INVALID_ARG_TYPE'],
    [{ load, onError: null }, 'ERR_INVALID_ARG_TYPE'],
    [{ load, onChange: 1 }, 'ERR_INVALID_ARG_TYPE'],
    [{ load, maxMessages: -1 }, 'ERR_OUT_OF_RANGE'],
    [{ load, primary: 1 }, 'ERR_INVALID_ARG_VALUE'],
  ] as const)
    await expect(followKeyset(options as never)).rejects.toMatchObject({ code })
  const { followed } = await following({ load })
  for (const wrong of [null, { back: 1 }, { bakc: true }])
    expect(() => followed.refresh(wrong as never)).toThrow(TypeError)
  const { refresh } = followed
  expect(() => refresh.call({} as never)).toThrow(expect.objectContaining({ code: 'ERR_INVALID_THIS' }))
  followed.close()
})

function program(script: string) {
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  })
}
