// Uses every export of hardware-aes-gcm/session once, as a caller would: sessions(session, package) gives a promise. CommonJS, since
// Jest requires this file.
const assert = require('node:assert/strict')
const { once } = require('node:events')
const { Duplex } = require('node:stream')

const EXPORTS = `
  Handshake RecordReader RecordWriter SecureStream negotiateCipher secureStream supportedCiphers
`
  .trim()
  .split(/\s+/)
const SECRET = Buffer.alloc(32, 0x5e)

module.exports = async function sessions(session, { AesGcmError }) {
  assert.deepEqual(Object.keys(session).sort(), EXPORTS)
  const ciphers = session.supportedCiphers()
  assert.equal(session.negotiateCipher([...ciphers].reverse(), ciphers), 'aes-256-gcm')
  for (const cipher of ciphers) messages(session, cipher)
  errors(session, AesGcmError)
  await streams(session)
}

function messages({ Handshake, RecordReader, RecordWriter }, cipher) {
  const options = { secret: [SECRET, SECRET], ciphers: [cipher] }
  const first = new Handshake({ ...options, role: 'initiator' })
  const second = new Handshake({ ...options, role: 'responder', allowSelf: true })
  const { hello } = first
  const { writer } = first.finish(second.hello)
  const { reader, ...other } = second.finish(hello)
  assert.equal(other.cipher, cipher)
  assert.ok(writer instanceof RecordWriter && reader instanceof RecordReader)
  const sealed = Buffer.concat([
    writer.seal(Buffer.from('a')),
    writer.rekey(SECRET),
    writer.seal(Buffer.from('b')),
  ])
  assert.equal(reader.open(sealed).join(), 'a')
  assert.equal(reader.awaitsRekey, true)
  assert.equal(reader.rekey(SECRET).join(), 'b')
  assert.deepEqual(reader.open(writer.end()), [])
  assert.equal(reader.ended, true)
  assert.deepEqual(reader.stats, { bytes: 2, records: 5, epochs: 2 })
  for (const side of [reader, other.writer, other.writer]) side.destroy()
}

/** The errors are those of the main entry. */
function errors({ Handshake }, AesGcmError) {
  const finish = () => new Handshake({ secret: SECRET, role: 'initiator' }).finish(SECRET)
  assert.throws(
    finish,
    error => error.constructor === AesGcmError && error.code === 'ERR_AESGCM_HANDSHAKE_FAILED',
  )
}

/** Two Duplexes, each of which brings what the other one is given. Not TCP, which Node's permission model does not allow. */
function pair() {
  const ends = [1, 0].map(
    other =>
      new Duplex({
        read() {},
        write(chunk, _, done) {
          ends[other].push(Buffer.from(chunk))
          done()
        },
        final(done) {
          ends[other].push(null)
          done()
        },
      }),
  )
  return ends
}

/** An echo, with a rekeying in between. */
async function streams({ SecureStream, secureStream }) {
  const [socket, peer] = pair()
  const echo = secureStream(peer, {
    secret: SECRET,
    role: 'responder',
    allowSelf: true,
    rekeyAfterBytes: 10_000,
  })
  echo.pipe(echo)
  const stream = secureStream(socket, { secret: SECRET, role: 'initiator' })
  assert.ok(stream instanceof SecureStream)
  await once(stream, 'secure')
  stream.write(Buffer.alloc(50_000, 'text'))
  await stream.rekey()
  stream.end('end')
  const chunks = []
  for await (const chunk of stream) chunks.push(chunk)
  assert.equal(Buffer.concat(chunks).toString('latin1', 49_996), 'textend')
  assert.deepEqual([stream.stats.sent.epochs, stream.stats.received.bytes], [2, 50_003])
}
