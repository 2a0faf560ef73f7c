// A secure channel of messages over a WebSocket of the package ws, the same on both sides.
import { Handshake } from 'hardware-aes-gcm/session'

/**
 * Secures `webSocket`. `onSecure` is called when the peer has proved that it knows the secret; `send` and `end` may be
 * called from then on. `onMessage` receives each message of the peer. `onClose` is called once: without an error if both
 * sides have ended the channel, otherwise with the reason, and messages may then be missing.
 */
export function secureChannel(
  webSocket,
  { secret, role, timeout = 10_000 },
  { onSecure, onMessage, onClose },
) {
  const handshake = new Handshake({ secret, role })
  let session
  let isSecure = false
  let ended = false
  let failure

  const fail = error => {
    failure ??= error
    webSocket.terminate()
  }
  // A hello proves nothing, so the timer runs until the message after it.
  const timer = setTimeout(() => fail(new Error('the handshake took too long')), timeout)

  const end = () => {
    if (!ended) webSocket.send(session.writer.end())
    ended = true
  }

  const received = message => {
    if (session === undefined) {
      session = handshake.finish(message)
      // The first sealed message proves that we have the keys. It goes out at once, without data.
      webSocket.send(session.writer.seal(Buffer.alloc(0)))
      return
    }
    const messages = session.reader.open(message)
    // An empty message contains no record, so it proves nothing.
    if (!isSecure && session.reader.stats.records > 0) {
      isSecure = true
      clearTimeout(timer)
      messages.shift()
      onSecure?.()
    }
    for (const data of messages) onMessage(data)
    if (session.reader.ended) {
      end()
      webSocket.close()
    }
  }

  webSocket.on('message', message => {
    if (failure !== undefined) return
    // Anyone can send these bytes: an exception here would end the process.
    try {
      received(message)
    } catch (error) {
      fail(error)
    }
  })
  webSocket.on('error', fail)
  webSocket.on('close', () => {
    clearTimeout(timer)
    handshake.destroy()
    session?.writer.destroy()
    // Without the peer's authenticated end, a closed WebSocket was cut off.
    const isWhole = ended && session.reader.ended
    session?.reader.destroy()
    onClose?.(failure ?? (isWhole ? undefined : new Error('the peer went away')))
  })

  const greet = () => webSocket.send(handshake.hello)
  if (webSocket.readyState === webSocket.OPEN) greet()
  else webSocket.once('open', greet)

  return {
    send: data => webSocket.send(session.writer.seal(data)),
    /** Announces to the peer that no more messages follow. */
    end,
  }
}
