// Pairs of sessions over pipes and over TCP, for tests from a user's point of view.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { type SecureStream, type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { afterEach } from 'vitest'

export const SECRET = Buffer.alloc(32, 0x5e)
export const OTHER = Buffer.alloc(32, 0x07)
export const EXTRA = Buffer.alloc(32, 0xe7)

export type Options = Partial<SecureStreamOptions>

/** Two Duplexes: each brings copies of the bytes that the other one is given. */
export function pipes(options: object = {}): [Duplex, Duplex] {
  const ends: Duplex[] = []
  for (const other of [1, 0]) {
    let release: (() => void) | undefined
    const end = new Duplex({
      ...options,
      read() {
        const go = release
        release = undefined
        go?.()
      },
      write(chunk, _encoding, done) {
        const [peer, bytes] = [ends[other] as Duplex, Buffer.from(chunk)]
        if (peer.push(bytes)) done()
        else (peer as Duplex & { wait(done: () => void): void }).wait(done)
      },
      final(done) {
        ends[other]?.push(null)
        done()
      },
    })
    Object.assign(end, { wait: (done: () => void) => (release = done) })
    ends.push(end)
  }
  return ends as [Duplex, Duplex]
}

const servers: ReturnType<typeof createServer>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Two ends of a TCP connection over loopback. */
export async function sockets(options: { allowHalfOpen?: boolean } = {}): Promise<[Socket, Socket]> {
  const server = createServer(options).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', ...options })
  const [socket] = (await once(server, 'connection')) as [Socket]
  return [client, socket]
}

export function secured([a, b]: [Duplex, Duplex], both: Options = {}, second: Options = {}) {
  const one = secureStream(a, { secret: SECRET, role: 'initiator', ...both })
  const two = secureStream(b, { secret: SECRET, role: 'responder', allowSelf: true, ...both, ...second })
  return [one, two] as [SecureStream, SecureStream]
}

/** Two sessions whose handshake is complete, and the pipes below them. */
export async function connected(options: object = {}) {
  const [a, b] = pipes(options)
  const [one, two] = secured([a, b])
  await once(one, 'secure')
  return { a, b, one, two }
}

/** All data of a stream up to its end. Not `buffer`, which destroys a stream that ended in one direction. */
export async function dataOf(stream: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = []
  stream.on('data', chunk => chunks.push(chunk))
  await once(stream, 'end')
  return Buffer.concat(chunks)
}

/** Resolves with the close of a stream, also of one that fails. */
export function closed(stream: Duplex): Promise<void> {
  return new Promise(resolve => stream.once('close', resolve))
}

/** The error of a stream that fails. */
export async function failure(stream: Duplex): Promise<Error & { code?: string }> {
  const [error] = (await once(stream, 'error')) as [Error & { code?: string }]
  return error
}

export const TRANSPORTS: [string, () => [Duplex, Duplex] | Promise<[Duplex, Duplex]>][] = [
  ['pipes', () => pipes({ allowHalfOpen: true })],
  ['TCP', () => sockets({ allowHalfOpen: true })],
]
