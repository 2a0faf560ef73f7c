// The socket under a SecureStream: its events, flow and end. Any Duplex, even another library's.
import type { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import { getPrototypeOf, nextTick } from '../../cipher/base/builtins.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'

const METHODS = ['on', 'removeListener', 'write', 'end', 'pause', 'resume', 'destroy'] as const
const { Socket } = process.getBuiltinModule('node:net')
const { write } = Socket.prototype
const isNode = process.versions.bun === undefined && process.versions.deno === undefined

type Listener = (...values: unknown[]) => void
type Callback = (error?: Error | null) => void

interface Events {
  data(chunk: unknown): void
  end(): void
  error(error: Error): void
  close(): void
}

/** The socket, as a SecureStream uses it. */
export interface Link {
  /**
   * Whether a write's callback means that the system has copied the bytes, or will never read them.
   * True of Node's own `net.Socket` alone: another Duplex may keep the bytes, or pass them on.
   */
  takesCopies(): boolean
  write(bytes: Buffer<ArrayBuffer>, callback?: Callback): void
  /** Writes the last bytes, if any, and ends the socket's writable side. */
  end(bytes: Buffer<ArrayBuffer>, callback: Callback): void
  /** Whether the socket should bring data. */
  flow(flows: boolean): void
  /** Takes the listeners off, and destroys the socket. */
  destroy(): void
}

export function checkSocket(socket: unknown): asserts socket is Duplex {
  let isSocket: boolean
  try {
    isSocket =
      typeof socket === 'object' &&
      socket !== null &&
      METHODS.every(name => typeof (socket as Record<string, unknown>)[name] === 'function')
  } catch (error) {
    throw codedIfRevoked('socket', socket, error)
  }
  if (!isSocket) throw mustBe('socket', 'a Duplex', socket)
  const { readableEncoding, readableObjectMode, writableObjectMode } = socket as Duplex
  if (readableEncoding || readableObjectMode || writableObjectMode)
    throw wrongValue('"socket" must carry bytes: it has an encoding, or is in object mode')
}

/** If the socket throws, it keeps no listener. */
export function attach(socket: Duplex, events: Events): Link {
  const { allowHalfOpen } = socket
  // Otherwise the socket would end with the peer, before the stream has sealed its own end.
  socket.allowHalfOpen = true
  const { data, end, error } = events
  let closed = false
  const close = () => {
    closed = true
    events.close()
  }
  const listeners: readonly [string, (...values: never[]) => void][] = [
    ['data', data],
    ['end', end],
    ['error', error],
    ['close', close],
  ]
  let flowing = true
  try {
    for (const [name, listener] of listeners) socket.on(name, listener as Listener)
    socket.resume()
  } catch (error) {
    remove()
    socket.allowHalfOpen = allowHalfOpen
    throw error
  }
  if (socket.destroyed) nextTick(events.close)
  else if (socket.readableEnded) nextTick(end)
  const isNodes = isNode && getPrototypeOf(socket) === Socket.prototype
  return {
    takesCopies: () => isNodes && socket.write === write,
    write: (bytes, callback) => {
      socket.write(bytes, callback)
    },
    end: (bytes, callback) => {
      if (bytes.length > 0) socket.end(bytes, callback)
      else socket.end(callback)
    },
    flow: flows => {
      if (flows === flowing) return
      flowing = flows
      if (flows) socket.resume()
      else socket.pause()
    },
    destroy: () => {
      remove()
      if (closed) return
      // A socket may still report an error, unread. `socket.closed` precedes the events.
      socket.on('error', ignore)
      socket.on('close', forget)
      socket.destroy()
    },
  }

  function remove(): void {
    for (const [name, listener] of listeners) socket.removeListener(name, listener as Listener)
  }

  function forget(): void {
    socket.removeListener('error', ignore)
    socket.removeListener('close', forget)
  }
}

function ignore(): void {}
