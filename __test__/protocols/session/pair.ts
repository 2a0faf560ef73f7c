// Two sessions of ours, at the ends of one connection in memory or over TCP.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { type SecureStream, type SecureStreamOptions, secureStream } from 'hardware-aes-gcm/session'
import { Outcome, SECRET } from './wire.js'

/** Both ends of a connection in memory, with backpressure. If one is destroyed, the other sees the end, as with sockets. */
export function ends(): [Duplex, Duplex] {
  const [left, right] = duplexPair()
  for (const [end, other] of [
    [left, right],
    [right, left],
  ] as const)
    end.once('close', () => {
      // A socket that is cut off gives the end to its peer, whether or not its own end was written.
      const { ended } = (other as unknown as { _readableState: { ended: boolean } })._readableState
      if (!other.destroyed && !ended) other.push(null)
    })
  return [left, right]
}

interface Sides {
  left: SecureStream
  right: SecureStream
  sockets: [Duplex, Duplex]
}

/** An initiator on the left, a responder on the right. Options of both, and further ones of the right side. */
export function sides(
  options: Partial<SecureStreamOptions> = {},
  { right = {}, sockets = ends() }: { right?: Partial<SecureStreamOptions>; sockets?: [Duplex, Duplex] } = {},
): Sides {
  return {
    left: secureStream(sockets[0], { secret: SECRET, ...options, role: 'initiator' }),
    right: secureStream(sockets[1], {
      secret: SECRET,
      ...options,
      ...right,
      role: 'responder',
      allowSelf: true,
    }),
    sockets,
  }
}

/** The same with what comes out of both. */
export function watched(...given: Parameters<typeof sides>) {
  const both = sides(...given)
  return { ...both, fromLeft: new Outcome(both.right), fromRight: new Outcome(both.left) }
}

/** Two sockets, connected over loopback. */
export async function sockets(server: Server): Promise<[Socket, Socket]> {
  const { port } = server.address() as { port: number }
  const accepted = new Promise<Socket>(resolve => server.once('connection', resolve))
  const left = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  await new Promise((resolve, reject) => {
    left.once('connect', resolve)
    left.once('error', reject)
  })
  return [left, await accepted]
}

export async function listening(): Promise<Server> {
  const server = createServer({ allowHalfOpen: true })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return server
}
