// Messages on node:diagnostics_channel: one for each event, frozen, without secrets, and without effect on results.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { AesGcm, AesGcmError, type DiagnosticsMessages, randomBytes, reseed } from 'hardware-aes-gcm'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { inTurn } from '../tools/in-turn.js'
import { StandIn } from '../tools/stand-in.js'
import { argumentsOf, call, KEY, METHODS, type Method, refusalOf, refuses, run } from '../tools/support.js'

const FAILED = 'hardware-aes-gcm:authentication-failed'
const EXHAUSTED = 'hardware-aes-gcm:key-exhausted'
const DROPPED = 'hardware-aes-gcm:entropy-source-dropped'
const NAMES: (keyof DiagnosticsMessages)[] = [FAILED, EXHAUSTED, DROPPED]
const heard: [name: string, message: unknown][] = []
const listen = (message: unknown, name: string | symbol) => void heard.push([String(name), message])
const news = () => heard.splice(0)
const failure = [FAILED, { code: 'ERR_AESGCM_AUTHENTICATION_FAILED' }]
const exhaustion = (limit: string) => [EXHAUSTED, { code: 'ERR_AESGCM_KEY_EXHAUSTED', limit }]

beforeEach(() => {
  for (const name of NAMES) subscribe(name, listen)
})
afterEach(() => {
  for (const name of NAMES) unsubscribe(name, listen)
  news()
})

const decryptions = (Object.keys(METHODS) as Method[]).filter(name => /decrypt/i.test(name))
const encryptions = (Object.keys(METHODS) as Method[]).filter(name => name.startsWith('encrypt'))
/** Arguments that a method accepts, or refuses because `aad` is changed. */
const values = (method: Method, bad = false) => {
  const good = argumentsOf(method)
  return Object.values(bad ? { ...good, aad: Buffer.from('other') } : good)
}
const attempt = (run: () => unknown) => {
  try {
    return run()
  } catch (error) {
    expect(error).toBeInstanceOf(AesGcmError)
    return (error as AesGcmError).code
  }
}

describe('events', () => {
  test.each(decryptions)('%s of a message that is not authentic', method => {
    const aes = new AesGcm(KEY)
    for (let n = 0; n < 3; n++) {
      expect(attempt(() => call(aes, method, values(method, true)))).toBe(
        method.startsWith('try') ? refusalOf(method) : 'ERR_AESGCM_AUTHENTICATION_FAILED',
      )
      expect(news()).toEqual([failure])
    }
    expect(aes.failedDecryptions).toBe(3)
  })

  test.each(decryptions)('%s at its limit', method => {
    const aes = new AesGcm(KEY, { maxFailures: 1 })
    attempt(() => call(aes, method, values(method, true)))
    expect(news()).toEqual([failure])
    for (const bad of [true, false]) {
      refuses(() => call(aes, method, values(method, bad)), 'ERR_AESGCM_KEY_EXHAUSTED')
      expect(news()).toEqual([exhaustion('failures')])
    }
  })

  test.each(encryptions.filter(name => name !== 'encryptDetached'))('%s at its limit', method => {
    const aes = new AesGcm(KEY, { maxMessages: 1 })
    call(aes, method, values(method))
    expect(news()).toEqual([])
    const error = refuses(() => call(aes, method, values(method)), 'ERR_AESGCM_KEY_EXHAUSTED')
    expect(error.message).toContain('rotate to a new key')
    expect(news()).toEqual([exhaustion('encryptions')])
  })

  test('are not success, mistakes, destroyed keys, random bytes', () => {
    const aes = new AesGcm(KEY)
    for (const method of Object.keys(METHODS) as Method[]) {
      call(aes, method, values(method))
      refuses(() => call(aes, method, []), 'ERR_INVALID_ARG_TYPE')
    }
    aes.destroy()
    refuses(() => aes.encrypt(KEY), 'ERR_AESGCM_DESTROYED')
    randomBytes(100)
    reseed()
    AesGcm.generateKey()
    // If this CPU has a bad entropy source, the message about it is right.
    expect(news().filter(([name]) => name !== DROPPED)).toEqual([])
  })
})

describe('messages', () => {
  test('are frozen, new each time, and hold only these words', () => {
    const aes = new AesGcm(KEY, { maxMessages: 0, maxFailures: 2 })
    for (let n = 0; n < 3; n++) {
      attempt(() => aes.encrypt(KEY))
      attempt(() => aes.decrypt(KEY))
    }
    const all = news()
    expect(all.length).toBe(6)
    expect(new Set(all.map(([, message]) => message)).size).toBe(6)
    for (const [, message] of all) {
      expect(Object.isFrozen(message)).toBe(true)
      expect(Object.values(message as object).every(value => typeof value === 'string')).toBe(true)
      expect(JSON.stringify(message)).toMatch(
        /^\{"code":"ERR_AESGCM_[A-Z_]+"(,"limit":"(encryptions|failures)")?\}$/,
      )
    }
  })

  test('come when the call has done its work: the frame is restored, the failure counted', () => {
    const aes = new AesGcm(KEY)
    const frame = aes.encrypt(Buffer.from('text'))
    frame[20] = (frame[20] ?? 0) ^ 1
    const before = Buffer.from(frame)
    let seen: unknown[] = []
    const look = () => {
      seen = [Buffer.from(frame), aes.failedDecryptions]
      frame[20] = (frame[20] ?? 0) ^ 1
      // A subscriber may use the object that refused, and destroy it.
      expect(aes.decrypt(frame).toString()).toBe('text')
      aes.destroy()
    }
    subscribe(FAILED, look)
    expect(aes.tryDecryptInPlace(frame)).toBe(false)
    unsubscribe(FAILED, look)
    expect(seen).toEqual([before, 1])
  })
})

test('an error of a subscriber is reported by Node and changes no result', () => {
  const script = `
    import { subscribe } from 'node:diagnostics_channel'
    const uncaught = []
    process.on('uncaughtException', error => uncaught.push(error.message))
    for (const name of ${JSON.stringify(NAMES)}) subscribe(name, () => { throw new Error('of a subscriber') })
    const aes = new AesGcm(Buffer.alloc(32), { maxFailures: 2 })
    const frame = Buffer.alloc(40, 1)
    const results = [aes.tryDecryptInPlace(frame), frame.equals(Buffer.alloc(40, 1))]
    for (let n = 0; n < 2; n++) try { aes.decrypt(frame) } catch (error) { results.push(error.code) }
    setImmediate(() => console.log(...results, ...uncaught))`
  expect(run(script)).toEqual({
    status: 0,
    stdout:
      'false true ERR_AESGCM_AUTHENTICATION_FAILED ERR_AESGCM_KEY_EXHAUSTED of a subscriber of a subscriber of a subscriber\n',
    stderr: '',
  })
})

test('without subscribers, no message is built', () => {
  // Counts frozen messages. Runs before the package is imported, because the package saves Object.freeze.
  const counting = `
    const { freeze } = Object
    globalThis.built = 0
    Object.freeze = value => freeze(value, globalThis.built += Number(String(value?.code).startsWith('ERR_AESGCM')))`
  const script = `
    import { subscribe } from 'node:diagnostics_channel'
    const aes = new AesGcm(Buffer.alloc(32), { maxFailures: 2 })
    const fail = () => { try { aes.tryDecryptInPlace(Buffer.alloc(30)) } catch {} return built }
    fail()
    const [before, unheard] = [fail(), fail()]
    for (const name of ${JSON.stringify(NAMES)}) subscribe(name, () => {})
    console.log(before, unheard, fail())`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(counting)}`]
  expect(run(script, { flags })).toEqual({ status: 0, stdout: '0 0 1\n', stderr: '' })
})

// A test cannot make the CPU's source fail, so a binding in front of the real one reports the failure.
describe('an entropy source that was dropped', () => {
  const standIn = new StandIn()
  const source = process.arch === 'arm64' ? 'rndrrs' : 'rdseed'

  // Call number `globalThis.when` reports that the source was dropped during the call.
  standIn.lie(`
    random: view => real.random(view) || Number(count++ === globalThis.when),
    reseed: () => real.reseed() || Number(count++ === globalThis.when),
    randomInfo: () => {
      const info = JSON.parse(real.randomInfo())
      Object.assign(info.cpuSource, { name: '${source}', state: 'dropped', reason: 'stuck' })
      return JSON.stringify(info)
    },`)

  // The trial of the generator makes two calls.
  const CALLS = [
    'in the trial of the generator',
    'in its second call',
    'in randomBytes',
    'in a large randomBytes',
    'in randomFillSync',
    'in randomFillSync of a part',
    'in generateKey',
    'in reseed',
  ].map((name, when) => [name, when] as const)

  const heardOf = (when: number) => `
    const { subscribe, unsubscribe } = require('node:diagnostics_channel')
    const { AesGcm, randomBytes, randomFillSync, randomInfo, reseed } = require('hardware-aes-gcm')
    globalThis.when = ${when}
    const heard = []
    // A subscriber may use the package: its small Buffers are not the Buffers of the call in progress.
    const listen = (message, name) => heard.push(name, JSON.stringify(message), Object.isFrozen(message), randomBytes(32))
    subscribe('${DROPPED}', listen)
    const all = [randomBytes(32), randomBytes(100), randomFillSync(Buffer.alloc(32)), randomFillSync(Buffer.alloc(32), 1, 31)]
    all.push(AesGcm.generateKey())
    reseed()
    all.push(randomBytes(32), heard[3])
    unsubscribe('${DROPPED}', listen)
    const { cpuSource } = randomInfo()
    return {
      heard: [heard.length, ...heard.slice(0, 3)],
      different: new Set(all.map(bytes => bytes.toString('hex'))).size,
      zero: all.some(bytes => bytes.equals(Buffer.alloc(bytes.length))),
      source: [cpuSource.name, cpuSource.state, cpuSource.reason],
    }`
  const heardIn = inTurn(
    CALLS.map(([, when]) => heardOf(when)),
    { cwd: standIn.folder },
  )

  test.each(CALLS)('%s is told once, when the call has done its work', (_, when) => {
    expect(heardIn(heardOf(when))).toEqual({
      heard: [4, DROPPED, `{"source":"${source}","reason":"stuck"}`, true],
      different: 7,
      zero: false,
      source: [source, 'dropped', 'stuck'],
    })
  })
})
