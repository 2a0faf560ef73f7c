// encryptBatch, decryptBatch and tryDecryptBatch beyond the conformance suite: memory that is left behind, patched built-ins.
import { AesGcm } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { KEY, refuses, run } from '../../tools/support.js'

/** Keeps every Buffer that is made. Runs before the package is imported, because the package saves allocUnsafeSlow. */
const keeping = `
  const { allocUnsafeSlow } = Buffer
  globalThis.made = []
  Buffer.allocUnsafeSlow = length => made[made.push(allocUnsafeSlow(length)) - 1]`

test.each([
  ['encryptBatch over a limit', `aes.encryptBatch([Buffer.alloc(50, 7), Buffer.alloc(60, 7)])`],
  ['decryptBatch with a forged frame', `aes.decryptBatch([...frames, Buffer.alloc(40, 7)])`],
  [
    'tryDecryptBatch over maxFailures',
    `aes.tryDecryptBatch([frames[0], ...Array(2).fill(Buffer.alloc(40, 7)), frames[0]])`,
  ],
])('%s leaves zeros in the memory that it made', (_, call) => {
  const script = `
    const aes = new AesGcm(Buffer.alloc(32), { maxMessages: 1, maxFailures: 2 })
    const frames = aes.encryptBatch([Buffer.alloc(99, 7)])
    made.length = 0
    let code
    try { ${call} } catch (error) { code = error.code }
    console.log(typeof code, made.length, made[0].length > 99, made[0].some(byte => byte))`
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(keeping)}`]
  expect(run(script, { flags })).toEqual({ status: 0, stdout: 'string 1 true false\n', stderr: '' })
})

test('setters and methods of Array.prototype see neither plaintexts nor frames', () => {
  const script = `
    let seen = 0
    const aes = new AesGcm(Buffer.alloc(32))
    const rows = Object.freeze([Buffer.from('one'), Buffer.from('two')])
    const before = Object.getOwnPropertyDescriptors(Array.prototype)
    const spy = () => { seen++ }
    for (const index of [0, 1, 2]) Object.defineProperty(Array.prototype, index, { set: spy, configurable: true })
    for (const name of ['push', 'fill', 'map', 'slice', 'toSpliced', 'at', 'concat']) Array.prototype[name] = spy
    Array.prototype[Symbol.iterator] = spy
    const aad = Buffer.alloc(32)
    const options = { aad: () => aad }
    const frames = aes.encryptBatch(rows, options)
    const results = { opened: aes.tryDecryptBatch(frames, options), all: aes.decryptBatch(frames, options) }
    for (let index = 0; index < 3; index++) delete Array.prototype[index]
    Object.defineProperties(Array.prototype, before)
    console.log(seen, frames.length, results.opened.join(), results.all.join())`
  expect(run(script)).toEqual({ status: 0, stdout: '0 2 one,two one,two\n', stderr: '' })
})

test('more AAD than 2^32 - 1 bytes is refused before it is copied', () => {
  const aes = new AesGcm(KEY)
  const huge = new Uint8Array(2 ** 32 - 1)
  const aad = (_: Uint8Array, i: number) => (i === 0 ? Buffer.alloc(1) : huge)
  const error = refuses(() => aes.encryptBatch([KEY, KEY], { aad }), 'ERR_OUT_OF_RANGE')
  expect(error.message).toMatch('"aad" must have at most 2^32 - 1 bytes')
  expect(aes.messagesEncrypted).toBe(0)
})
