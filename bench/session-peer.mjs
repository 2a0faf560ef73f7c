// One end of the connections that session.mjs times: a process of its own, which does what its parent says.
import { connect, createServer } from 'node:net'
import { argv } from 'node:process'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { secureStream } from 'hardware-aes-gcm/session'

/** New keys after so many bytes, which is much more often than by default. */
const REKEY_AFTER = 16 * 2 ** 20
const HOST = '127.0.0.1'

const { secret, certificate } = JSON.parse(argv[2])
const session = role => ({
  secret: Buffer.from(secret, 'hex'),
  role,
  // One process may be both ends.
  allowSelf: true,
  ciphers: ['aes-256-gcm'],
  rekeyAfterBytes: REKEY_AFTER,
})

/** TLS 1.3, or TLS 1.2 with a shared key where no certificate could be made. Both with AES-256-GCM. */
const psk = Buffer.from(secret, 'hex')
const TLS = certificate
  ? { minVersion: 'TLSv1.3', ciphers: 'TLS_AES_256_GCM_SHA384' }
  : { maxVersion: 'TLSv1.2', ciphers: 'PSK-AES256-GCM-SHA384' }
const tlsServer = certificate ? { ...TLS, ...certificate } : { ...TLS, pskCallback: () => psk }
const tlsClient = certificate
  ? { ...TLS, ca: certificate.cert, checkServerIdentity: () => undefined }
  : { ...TLS, pskCallback: () => ({ psk, identity: 'bench' }), checkServerIdentity: () => undefined }

const SERVERS = {
  'node:net': each => createServer({ allowHalfOpen: true }, each),
  session: each =>
    createServer({ allowHalfOpen: true }, socket => each(secureStream(socket, session('responder')))),
  'node:tls': each => createTlsServer({ allowHalfOpen: true, ...tlsServer }, each),
}
const CLIENTS = {
  'node:net': port => connect({ port, host: HOST, allowHalfOpen: true }),
  session: port => secureStream(connect({ port, host: HOST, allowHalfOpen: true }), session('initiator')),
  'node:tls': port => connectTls({ port, host: HOST, allowHalfOpen: true, ...tlsClient }),
}
const READY = { 'node:net': 'connect', session: 'secure', 'node:tls': 'secureConnect' }

/** Answers every connection, when it has ended, with the number of its bytes. */
function listen(way) {
  const server = SERVERS[way](stream => {
    let bytes = 0
    stream.on('data', chunk => (bytes += chunk.length))
    stream.on('end', () => stream.end(String(bytes)))
  })
  server.listen(0, HOST, () => process.send({ port: server.address().port }))
}

/** From the first write to the answer, in ms. The handshake is not timed. */
async function send({ way, port, total, size }) {
  const stream = CLIENTS[way](port)
  await new Promise((resolve, reject) => {
    stream.once(READY[way], resolve)
    stream.once('error', reject)
  })
  const cipher = stream.getCipher?.().name
  if (cipher !== undefined && !/AES.?256.GCM/.test(cipher)) throw new Error(`node:tls chose ${cipher}`)
  let answer = ''
  stream.on('data', chunk => (answer += chunk))
  const ended = new Promise((resolve, reject) => {
    stream.once('end', resolve)
    stream.once('error', reject)
  })
  const data = Buffer.alloc(size, 1)
  const began = performance.now()
  let left = total
  const more = () => {
    while (left > 0) {
      left -= size
      if (!stream.write(data)) return stream.once('drain', more)
    }
    stream.end()
  }
  more()
  await ended
  const ms = performance.now() - began
  if (Number(answer) !== Math.ceil(total / size) * size) throw new Error(`${way}: ${answer} bytes arrived`)
  process.send({ ms })
}

/** The CPU time of this process so far, of all its threads, in ms. */
function sendCpu() {
  const { user, system } = process.cpuUsage()
  process.send({ cpu: (user + system) / 1e3 })
}

process.on('message', message => {
  if (message.cpu) sendCpu()
  else if (message.listen) listen(message.listen)
  else send(message)
})
