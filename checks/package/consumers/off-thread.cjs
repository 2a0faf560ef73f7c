// Uses the functions that work on another thread once, as a caller would: offThread(package). CommonJS, since Jest requires
// this file.
const assert = require('node:assert/strict')
const { AsyncLocalStorage } = require('node:async_hooks')
const { subscribe, unsubscribe } = require('node:diagnostics_channel')

const text = Buffer.from('The cargo leaves the harbour at first light, under another name.')
const aad = Buffer.from('record 17')

module.exports = async function offThread({ AesGcm, AesGcmError, AuthenticationError, OVERHEAD }) {
  for (const nonceAt of ['start', 'end']) {
    const aes = new AesGcm(AesGcm.generateKey(), { nonceAt })
    const frame = Buffer.from(new ArrayBuffer(text.length + OVERHEAD))
    aes.plaintextOf(frame).set(text)
    const { signal } = new AbortController()
    const promise = aes.encryptInPlaceAsync(frame, aad, { signal })
    assert.equal(frame.length, 0, 'the memory was transferred')
    const sealed = await promise
    assert.ok(Buffer.isBuffer(sealed))
    assert.deepEqual(aes.decrypt(sealed, aad), text)
    const [storage, seen] = [new AsyncLocalStorage(), []]
    const listen = () => seen.push(storage.getStore())
    subscribe('hardware-aes-gcm:authentication-failed', listen)
    const forgery = await storage.run(17, () => aes.decryptInPlaceAsync(sealed)).catch(error => error)
    unsubscribe('hardware-aes-gcm:authentication-failed', listen)
    assert.deepEqual(seen, [17], 'a subscriber is in the context of the call')
    assert.ok(forgery instanceof AuthenticationError && forgery instanceof AesGcmError)
    assert.ok(Buffer.isBuffer(forgery.frame) && !Object.keys(forgery).includes('frame'))
    assert.deepEqual(await aes.decryptInPlaceAsync(forgery.frame, aad), text)

    const own = Buffer.from(new ArrayBuffer(40))
    const aborted = await aes
      .encryptInPlaceAsync(own, null, { signal: AbortSignal.abort() })
      .catch(error => error)
    assert.deepEqual([aborted.code, own.length], ['ABORT_ERR', 40])
    const part = await aes.encryptInPlaceAsync(own.subarray(1))
    assert.deepEqual([part.length, own.length], [39, 40], 'a part of memory was copied')
    assert.deepEqual([aes.messagesEncrypted, aes.failedDecryptions], [2, 1])

    const many = Array.from({ length: 50 }, (_, n) => Buffer.from(new ArrayBuffer(50_000)).fill(n))
    const all = await Promise.all(many.map(frame => aes.encryptInPlaceAsync(frame)))
    for (const [n, frame] of all.entries()) assert.ok(aes.decryptInPlace(frame).every(byte => byte === n))
  }
}
