// Uses every export of hardware-aes-gcm/stream once, as a caller would: streams(stream, package). CommonJS, since Jest requires this file.
const assert = require('node:assert/strict')
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { tmpdir } = require('node:os')
const { join } = require('node:path')
const { pipeline } = require('node:stream/promises')

const EXPORTS = `
  DecryptionReader DecryptionStream EncryptionStream createDecryptStream createEncryptStream
  decryptBuffer decryptFile decryptedSize encryptBuffer encryptFile encryptedRange encryptedSize
`
  .trim()
  .split(/\s+/)
const TEXT = Buffer.alloc(50_000, 'typed')

module.exports = async function streams(stream, { AesGcm, AuthenticationError, KeyArena }) {
  assert.deepEqual(Object.keys(stream).sort(), EXPORTS)
  const key = AesGcm.generateKey()
  const arena = new KeyArena({ keys: 2 })
  const options = { context: 'consumer', arena }

  const message = stream.encryptBuffer(TEXT, key, options)
  assert.deepEqual(
    [message.length, stream.decryptedSize(message.length)],
    [stream.encryptedSize(50_000), 50_000],
  )
  assert.deepEqual(stream.encryptedRange(16_384, 20_000), { start: 16_456, end: 32_856 })
  assert.ok(stream.decryptBuffer(message, key, options).equals(TEXT))
  const forged = Buffer.from(message).fill(0, 40_000, 40_001)
  forged[40_000] = ~message[40_000]
  assert.throws(
    () => stream.decryptBuffer(forged, key, options),
    error => error instanceof AuthenticationError && error.position === 32_768,
  )

  const gathered = async source => {
    const parts = []
    for await (const part of source) parts.push(part)
    return Buffer.concat(parts)
  }
  const [sealing, opening] = [
    stream.createEncryptStream(key, options),
    stream.createDecryptStream(key, options),
  ]
  assert.ok((await pipeline([TEXT], sealing, opening, gathered)).equals(TEXT))

  const [encrypting, decrypting] = [
    new stream.EncryptionStream(key, options),
    new stream.DecryptionStream(key, options),
  ]
  const writer = encrypting.writable.getWriter()
  const written = writer.write(TEXT).then(() => writer.close())
  const through = await gathered(encrypting.readable.pipeThrough(decrypting))
  await written
  assert.ok(through.equals(TEXT))

  const reader = await stream.DecryptionReader.open(message, key, options)
  assert.ok((await reader.read(16_000, -10)).equals(TEXT.subarray(16_000, -10)))
  reader.destroy()
  assert.equal(arena.used, 0)

  const folder = writable()
  if (folder === undefined) return
  const [from, to, again] = ['from', 'to', 'again'].map(name => join(folder, name))
  writeFileSync(from, TEXT)
  assert.deepEqual(await stream.encryptFile(from, to, key, options), { bytes: message.length })
  await stream.decryptFile(to, again, key, options)
  assert.ok(readFileSync(again).equals(TEXT))
  rmSync(folder, { recursive: true, maxRetries: 10 })
}

/** A new folder; undefined if the program may not write, as in the runs that ask for permissions. */
function writable() {
  try {
    return mkdtempSync(join(tmpdir(), 'consumer-'))
  } catch (error) {
    // Node's and Deno's words for it.
    if (error.code === 'ERR_ACCESS_DENIED' || error.name === 'NotCapable') return undefined
    throw error
  }
}
