// Programs that changed the built-ins after the package was loaded: results and errors stay as they are, and no such code runs.
import { expect, test } from 'vitest'
import { run } from '../../tools/support.js'
import { SPLITS } from '../../vectors/shares.js'

const [{ secret, shares }] = SPLITS as [(typeof SPLITS)[0]]

/** The start of a script: functions, shares of both forms, and `uses`, which gives the results of all functions as texts. */
const PREPARED = `
  import { combineAndOpen, combineKey, recoverShare, sealAndSplit, splitKey } from 'hardware-aes-gcm/shamir'
  const Bytes = Buffer, hex = bytes => {
    const digits = '0123456789abcdef'
    let text = ''
    for (let n = 0; n < 84 && bytes[n] !== undefined; n++) text += digits[bytes[n] >> 4] + digits[bytes[n] & 15]
    return text
  }
  const binary = ${JSON.stringify(shares.map(share => share.binary.toString('hex')))}.map(text => Buffer.from(text, 'hex'))
  const text = ${JSON.stringify(shares.map(share => share.text))}
  const wrong = Buffer.from(binary[1])
  wrong[30] ^= 1
  const secret = Buffer.from('${secret.toString('hex')}', 'hex')
  const data = Buffer.from('data')
  const lists = { binary, text, three: [binary[4], text[0], binary[2]], wrong: [binary[0], wrong, binary[2], binary[3]],
    mistyped: [text[0], text[1] + 'A', text[2]], few: [binary[0], binary[1]], twice: [binary[0], binary[1], binary[1]],
    odd: [binary[0], 5, binary[1]], mixed: [binary[0], ...splitKey(secret, { threshold: 3, shares: 5 }), binary[1]],
    zeros: [binary[0], Buffer.alloc(84), binary[1]], none: [], lower: [text[0].toLowerCase(), text[1].toLowerCase(), text[2]] }
  const round = { binary: { threshold: 2, shares: 3 }, text: { threshold: 2, shares: 3, format: 'text' },
    horcrux: { threshold: 2, shares: 3, format: 'horcrux' }, random: { threshold: 2, shares: 3, format: 'horcrux-random' } }
  const told = { format: 'horcrux', threshold: 2 }
  const attempt = use => { try { return use() } catch (error) { return '' + error.code + ' ' + error.index } }
  // Without a built-in that may be changed.
  const uses = () => {
    let all = ''
    const add = use => { all += attempt(use) + '\\n' }
    add(() => hex(combineKey(lists.binary)))
    add(() => hex(combineKey(lists.text)))
    add(() => hex(combineKey(lists.three)))
    add(() => hex(combineKey(lists.lower)))
    add(() => hex(recoverShare(lists.binary, 1)))
    add(() => recoverShare(lists.text, 2))
    add(() => combineKey(lists.wrong))
    add(() => combineKey(lists.mistyped))
    add(() => combineKey(lists.few))
    add(() => combineKey(lists.twice))
    add(() => combineKey(lists.odd))
    add(() => combineKey(lists.none))
    add(() => combineKey(lists.mixed))
    add(() => combineKey(lists.zeros))
    add(() => combineKey(lists.binary, { threshold: 3 }))
    add(() => recoverShare(lists.binary, 256))
    add(() => hex(combineKey(splitKey(secret, round.binary))))
    add(() => hex(combineKey(splitKey(secret, round.text))))
    add(() => hex(combineKey(splitKey(secret, round.horcrux), told)))
    add(() => hex(combineKey(splitKey(secret, round.random), told)))
    add(() => splitKey(secret, { threshold: 1, shares: 3 }))
    add(() => { const made = sealAndSplit(data, round.text); return hex(combineAndOpen(made.shares, made.sealed)) })
    return all
  }
  const before = uses()
`
const wanted = [
  ...[0, 1, 2, 3].map(() => secret.toString('hex')),
  shares[0]?.binary.toString('hex'),
  shares[1]?.text,
  'ERR_AESGCM_INVALID_SHARE 1',
  'ERR_AESGCM_INVALID_SHARE 1',
  'ERR_OUT_OF_RANGE undefined',
  'ERR_AESGCM_INVALID_SHARE 2',
  'ERR_INVALID_ARG_TYPE undefined',
  'ERR_OUT_OF_RANGE undefined',
  'ERR_AESGCM_SHARES_MISMATCH 0',
  'ERR_AESGCM_INVALID_SHARE 1',
  'ERR_INVALID_ARG_VALUE undefined',
  'ERR_OUT_OF_RANGE undefined',
  ...[0, 1, 2, 3].map(() => secret.toString('hex')),
  'ERR_OUT_OF_RANGE undefined',
  Buffer.from('data').toString('hex'),
  '',
].join('\n')

const outcome = (script: string) => run(`${PREPARED}${script}\nconsole.log(before + '=' + after)`)
const unchanged = { status: 0, stdout: `${wanted}=${wanted}\n`, stderr: '' }

test('options on Object.prototype do not count', () => {
  const script = `
    const planted = { threshold: 5, shares: 9, format: 'horcrux', allowThresholdOne: true, aad: Buffer.from('planted') }
    Object.assign(Object.prototype, planted)
    const after = uses()
    for (const name of Object.keys(planted)) delete Object.prototype[name]`
  expect(outcome(script)).toEqual(unchanged)
})

test('setters and getters on Object.prototype and Array.prototype do not run', () => {
  const script = `
    const names = ['index', 'indexes', 'code', 'name', 'cause', 'get', 'set', 'value', 'x', 'y', 'sealed', 'check', 'binary', 'text']
    const evil = () => { throw new Error('a planted accessor ran') }
    for (const name of ['index', 'indexes', 'x', 'sealed', 'check', 'binary', 'text'])
      Object.defineProperty(Object.prototype, name, { __proto__: null, configurable: true, get: () => undefined, set: evil })
    for (const n of [0, 1, 2, 3, 4, 254])
      Object.defineProperty(Array.prototype, n, { __proto__: null, configurable: true, get: evil, set: evil })
    const after = uses()
    for (const n of [0, 1, 2, 3, 4, 254]) delete Array.prototype[n]
    for (const name of names) delete Object.prototype[name]`
  expect(outcome(script)).toEqual(unchanged)
})

test('changed methods of arrays, strings, views, numbers and functions do not run', () => {
  const script = `
    const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Object
    const { ownKeys } = Reflect
    const TypedArray = getPrototypeOf(Uint8Array)
    const owners = [Array.prototype, String.prototype, RegExp.prototype, Number.prototype, Map.prototype, Set.prototype,
      TypedArray.prototype, Uint8Array.prototype, Buffer.prototype, ArrayBuffer.prototype, Function.prototype,
      getPrototypeOf([][Symbol.iterator]()), Array, Number, Math, Object, Reflect, String, Buffer, TypedArray]
    const undo = []
    for (const owner of owners)
      for (const name of ownKeys(owner)) {
        const was = getOwnPropertyDescriptor(owner, name)
        if (!was.configurable || ['constructor', 'prototype', 'name', 'length'].includes(name)) continue
        if (typeof was.value !== 'function') continue
        // Node's own toString of Buffers calls these.
        if (owner === Buffer.prototype && /Slice$/.test(String(name))) continue
        undo.push([owner, name, was])
      }
    const evil = function () { throw new Error('a changed built-in ran') }
    let at = undo.length
    while (at-- > 0) defineProperty(undo[at][0], undo[at][1], { __proto__: null, configurable: true, writable: true, value: evil })
    const after = uses()
    for (at = 0; at < undo.length; at++) defineProperty(undo[at][0], undo[at][1], undo[at][2])`
  expect(outcome(script)).toEqual(unchanged)
})

test('a change of node:crypto and node:buffer after the package was loaded does not count', () => {
  const script = `
    import crypto from 'node:crypto'
    import buffer from 'node:buffer'
    import { syncBuiltinESMExports } from 'node:module'
    const evil = () => { throw new Error('a changed function ran') }
    for (const name of ['createHmac', 'createHash', 'hash', 'timingSafeEqual', 'randomBytes', 'randomFillSync']) crypto[name] = evil
    for (const name of ['Buffer', 'isAscii', 'transcode']) buffer[name] = evil
    syncBuiltinESMExports()
    const after = uses()`
  expect(outcome(script)).toEqual(unchanged)
})

test('frozen intrinsics', () => {
  const { status, stdout } = run(`${PREPARED}console.log(before)`, { flags: ['--frozen-intrinsics'] })
  expect([status, stdout]).toEqual([0, `${wanted}\n`])
})
