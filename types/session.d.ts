/// <reference types="node" />

/**
 * A secure connection from a shared secret.
 *
 * Both sides have the same secret of at least 32 random bytes and a socket, or another transport that keeps order and loses
 * nothing. A session turns the socket into a connection whose data stays secret, and on which every replay, reordering, loss,
 * reflection, truncation and change is an error. docs/formats.md specifies the bytes.
 *
 * **A secret is not a password.** Anyone with one recorded connection can try passwords against it at full speed. Use 32 bytes of
 * `AesGcm.generateKey()`, or the result of a key exchange.
 *
 * A session knows the peer only by the secret: it has no identities. Its forward secrecy is only that of the secret: a party that
 * recorded a connection can read it after learning the secret. For forward secrecy, make the secret of each connection with a key
 * exchange, or add the result of a key exchange by {@link SecureStream.rekey}.
 *
 * **A host that connects and listens needs one secret for each direction, or a {@link SessionOptions.context} that names both
 * hosts.** Otherwise an attacker on the network can connect the host to itself.
 *
 * One secret serves any number of connections: random bytes from both sides enter the keys, so every connection has different
 * keys. (With `compat: 'keibidrop'` this is not so.)
 *
 * Wrong arguments throw as in the main entry.
 */

import type { Duplex } from 'node:stream'
import type { AesGcmError } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer`, as the types of WebSocket and WebCrypto require. It may share that memory with others. */
type ArrayBufferBuffer = ReturnType<typeof Buffer.alloc>

/** A cipher of a session, by its name in Node. */
export type Cipher = 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305'

/**
 * The ciphers that this machine supports, in order of preference.
 *
 * @example
 * const ciphers = supportedCiphers() // such as ['aes-256-gcm', 'aes-128-gcm', 'chacha20-poly1305']
 *
 * @remarks
 * AES-256-GCM and AES-128-GCM if the CPU has the instructions (`AesGcm.isAvailable()`), ChaCha20-Poly1305 if
 * `crypto.getCiphers()` lists it. Software AES is never used. Never throws.
 */
export declare function supportedCiphers(): Cipher[]

/**
 * The cipher in both lists that comes first in the order AES-256-GCM, AES-128-GCM, ChaCha20-Poly1305.
 *
 * @example
 * const cipher = negotiateCipher(supportedCiphers(), peerCiphers)
 *
 * @remarks
 * Both sides get the same answer, whatever the order of their lists. A session negotiates by itself; this function is for
 * protocols that agree beforehand. Unknown names are ignored, since a peer may be newer.
 * @throws `ERR_AESGCM_HANDSHAKE_FAILED` if the lists have no cipher in common; `ERR_INVALID_ARG_TYPE` for anything but a list of
 * strings; `ERR_OUT_OF_RANGE` for more than 255 names.
 */
export declare function negotiateCipher(a: readonly Cipher[], b: readonly Cipher[]): Cipher

/** Options of a session, a plain object: only own properties count, and an unknown name throws `ERR_INVALID_ARG_VALUE`. */
export interface SessionOptions {
  /**
   * The shared secret, 32 to 65 536 bytes, or 1 to 16 such secrets, in the same order on both sides.
   *
   * A third party would have to know all of them. **Not a password**: use random bytes. Copied when the session is made; the
   * copies are wiped as soon as the keys are derived, or when the session fails before that. A string throws
   * `ERR_INVALID_ARG_TYPE`.
   */
  secret: Uint8Array | readonly Uint8Array[]
  /** One side is the `'initiator'`, whether or not it connected, and the other the `'responder'`. */
  role: 'initiator' | 'responder'
  /**
   * The use of this secret, 1 to 1024 bytes, the same on both sides; a string is encoded as UTF-8.
   *
   * It enters the keys and is not sent: if the sides differ in it, the handshake fails. If a host connects and listens with one
   * secret, name the initiator and the responder, such as `'mail: alice to bob'`. Default: none. With `compat`, a context throws
   * `ERR_INVALID_ARG_VALUE`.
   */
  context?: string | Uint8Array | null | undefined
  /**
   * Whether a responder accepts an initiator of its own process, for a test or for two parts of one program.
   *
   * Default: `false`. A responder recognises initiators of its thread, and of threads started after their parent imported this
   * entry. **It does not recognise another process on the same host**: use {@link context}, or one secret for each direction.
   */
  allowSelf?: boolean | undefined
  /**
   * The ciphers that may be used, in any order: by default those of {@link supportedCiphers}.
   *
   * The fixed order of {@link negotiateCipher} decides. Ciphers that this machine does not support are not offered. If none is
   * left, the call throws `ERR_AESGCM_UNSUPPORTED_CPU`.
   */
  ciphers?: readonly Cipher[] | undefined
  /** Bytes of data that this side seals under one key before it rekeys by itself, from 1 to 2^30, the default. */
  rekeyAfterBytes?: number | undefined
  /** Records that this side seals under one key before it rekeys by itself, from 1 to 2^20, the default. */
  rekeyAfterRecords?: number | undefined
  /**
   * The largest record that this side accepts, in bytes of type, ciphertext and tag: from 29 to 20 971 520 (20 MiB).
   *
   * Default: 1 048 576 (with `compat` 20 MiB, as in the original). Memory is used only for received bytes. Writers cut data into
   * records of at most 65 536 bytes of data, and of at most what their own `maxRecord` and `rekeyAfterBytes` allow. With less
   * than 65 553, use the same value on both sides.
   */
  maxRecord?: number | undefined
  /**
   * Reads and writes the wire format of KeibiDrop (commit c79aa2a) instead of this package's own.
   *
   * **It has no end**: a connection cut between two records looks like one that ended. **It has no beginning**: the loss of
   * records in front of the first one that arrives goes unnoticed. **It has no fresh keys**: use fresh secrets for every
   * connection. **It has no handshake**: data goes out at once, and `'secure'` is emitted at the peer's first authentic record.
   * `ciphers` must name one of `'aes-256-gcm'` and `'chacha20-poly1305'`, on which both sides have agreed before. The caller must
   * rekey: docs/guide/sessions.md, "KeibiDrop's wire".
   */
  compat?: 'keibidrop' | undefined
}

/** Options of a {@link SecureStream}: a plain object, read like {@link SessionOptions}. */
export interface SecureStreamOptions extends SessionOptions {
  /**
   * Milliseconds for the handshake, including those for connecting the socket: 1 to 2^31 - 1, by default 10 000.
   *
   * With `compat`, milliseconds until the peer's first authentic record, or its end. A side that only sends needs more.
   */
  handshakeTimeout?: number | undefined
  /**
   * Milliseconds that the peer's `rekey(extra)` waits for ours: 1 to 2^31 - 1, by default 10 000.
   *
   * After that, the stream fails with `ERR_AESGCM_RECORD_REFUSED`.
   */
  rekeyTimeout?: number | undefined
}

/** The counts of one direction of a session. */
export interface Count {
  /** Bytes of data. */
  readonly bytes: number
  /** Records, including those without data. */
  readonly records: number
  /** Keys used one after the other: 0 before the handshake, 1 after it, and 1 more for each rekeying. */
  readonly epochs: number
}

/**
 * A session over a socket: a Duplex with backpressure in both directions, and one more event, `'secure'`.
 *
 * @example
 * const stream = secureStream(connect(7000), { secret, role: 'initiator', handshakeTimeout: 5000 })
 * stream.on('error', error => console.error(error.code)) // without this listener, a peer that sends garbage ends the process
 * stream.on('close', () => console.log(stream.readableEnded ? 'complete' : 'truncated'))
 * stream.end('attack at dawn').pipe(process.stdout)
 *
 * @remarks
 * `'secure'` means that each side has proved to the other that it has the secret; data written earlier waits for it. `'end'`
 * comes only after the authenticated end of the peer. A stream that fails emits `'error'` once, such as an {@link AesGcmError}:
 * - `ERR_AESGCM_HANDSHAKE_FAILED`, up to `'secure'`: another secret or context, no common cipher, a wrong or late hello
 * - `ERR_AESGCM_RECORD_REFUSED`: a record is not the next one that the peer sealed
 * - `ERR_AESGCM_STREAM_TRUNCATED`: the socket closed without an authenticated end
 *
 * `for await` destroys a Duplex at its end, in both directions (not on Node 24.21): to send after reading, iterate over
 * `stream.iterator({ destroyOnReturn: false })`. docs/guide/sessions.md covers messages, half-open sockets and memory.
 */
export declare class SecureStream extends Duplex {
  /**
   * Begins a session over `socket`, which belongs to the stream from then on.
   *
   * @example
   * const stream = new SecureStream(socket, { secret, role: 'responder' })
   *
   * @remarks
   * The stream decrypts inside the chunks that it receives from the socket, sets the socket's `allowHalfOpen`, and destroys the
   * socket. If the socket was made without `allowHalfOpen: true`, a reply after the peer's end is lost, as with a `net.Socket`
   * alone.
   * @param socket a Duplex of bytes, such as a `net.Socket`, even one that is not connected yet
   * @throws `ERR_INVALID_ARG_TYPE`, `ERR_INVALID_ARG_VALUE` for any other socket, one with an encoding or in object mode; those
   * and `ERR_OUT_OF_RANGE` for a wrong option.
   * @throws `ERR_AESGCM_UNSUPPORTED_CPU`; `ERR_AESGCM_DETACHED_BUFFER`; `ERR_AESGCM_RNG_FAILURE`; an exception of the socket's
   * own methods. After any error, the socket is left as it was: without a timer and without listeners.
   */
  constructor(socket: Duplex, options: SecureStreamOptions)

  /** The cipher that both sides agreed on; `null` before the peer's hello. */
  readonly cipher: Cipher | null
  /** The counts of both directions so far. */
  readonly stats: {
    /** Data whose records were handed to the socket. */
    sent: Count
    /** Decrypted data. */
    received: Count
  }

  /**
   * Switches the sending direction to new keys, without a pause; resolves when the socket accepted the record that announces them
   * to the peer.
   *
   * @example
   * await stream.rekey() // or, on both sides: stream.rekey(secretOfAKeyExchange)
   *
   * @remarks
   * With `extra`, further secrets enter the keys, which shuts out a party that knew all earlier secrets. **Both sides call
   * `rekey(extra)` with the same secrets**: docs/guide/sessions.md, "Rekeying". With `compat`, `extra` is required.
   * @param extra 32 to 65 536 bytes, or 1 to 16 such secrets. Copied; the copies are wiped after use.
   * @returns rejects as the constructor would throw for a wrong argument, and with the stream's error if it fails first. Rejects
   * with `ERR_INVALID_STATE` if the stream has ended or was destroyed, or if 16 secrets already wait.
   */
  rekey(extra?: Uint8Array | readonly Uint8Array[]): Promise<void>
}

/**
 * Makes a {@link SecureStream}: `new SecureStream(socket, options)`.
 *
 * @example
 * const stream = secureStream(socket, { secret, role: 'initiator' })
 */
export declare function secureStream(socket: Duplex, options: SecureStreamOptions): SecureStream

/**
 * The handshake of a session over a transport that carries whole messages in order and loses none, such as a WebSocket.
 *
 * @example
 * const handshake = new Handshake({ secret, role: 'responder' })
 * webSocket.send(handshake.hello)
 * try { session = handshake.finish(peerHello) } catch { webSocket.terminate() }
 *
 * @remarks
 * A transport of datagrams needs another protocol. The caller sets timeouts. **A transport that closes before `reader.ended` has
 * lost data**: treat this as an error. **Anyone can send the first messages**, and an exception in a listener ends the process:
 * catch those of {@link finish} and of {@link RecordReader.open}. A hello proves nothing, nor does an empty message. The first
 * record that `open` has opened (`reader.stats.records`) proves that the peer has the secret. docs/guide/sessions.md contains a
 * whole server.
 */
export declare class Handshake {
  /**
   * Draws random bytes and makes this side's hello.
   *
   * @example
   * const handshake = new Handshake({ secret, role: 'initiator' })
   *
   * @throws as the constructor of {@link SecureStream}.
   */
  constructor(options: SessionOptions)
  /** A copy of this side's hello, the first message to send; no bytes with `compat`. */
  readonly hello: ArrayBufferBuffer
  /**
   * Derives the keys from the peer's hello, once, and wipes the secrets.
   *
   * @example
   * const { writer, reader } = handshake.finish(peerHello)
   *
   * @param peerHello the peer's first message; with `compat`, an empty Buffer
   * @throws `ERR_AESGCM_HANDSHAKE_FAILED` for bytes that are not a hello of the other role, for an initiator of this process, and
   * if there is no cipher in common. The handshake has then ended.
   * @throws `ERR_INVALID_ARG_TYPE`, `ERR_AESGCM_DETACHED_BUFFER`, `ERR_AESGCM_SHARED_BUFFER`, which leave the handshake as it
   * was.
   * @throws `ERR_INVALID_STATE` if the handshake has ended; `ERR_AESGCM_ARENA_FULL`.
   */
  finish(peerHello: Uint8Array): { cipher: Cipher; writer: RecordWriter; reader: RecordReader }
  /**
   * Abandons the handshake, and wipes the secrets.
   *
   * @example
   * webSocket.on('close', () => handshake.destroy())
   */
  destroy(): void
}

/**
 * Seals messages of one direction; returned by {@link Handshake.finish}.
 *
 * Send the messages in the order in which they were sealed. Every method throws `ERR_AESGCM_DESTROYED` after `destroy`, and
 * `ERR_INVALID_STATE` after `end`.
 */
export declare class RecordWriter {
  private constructor(ticket: never)
  /** The counts of this direction so far. */
  readonly stats: Count
  /**
   * A message with the records of `data`: one for each 65 536 bytes, and one without data for no bytes.
   *
   * @example
   * webSocket.send(writer.seal(Buffer.from('attack at dawn')))
   *
   * @remarks
   * The first message also carries the record that proves to the peer that this side has the keys. Rekeying is automatic.
   * @throws `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`, `ERR_INVALID_ARG_TYPE`; with `compat`,
   * `ERR_AESGCM_KEY_EXHAUSTED` if the data would pass a limit: call {@link rekey}. The writer stays usable after these errors.
   * After any other error, such as `ERR_AESGCM_ARENA_FULL`, it is destroyed.
   */
  seal(data: Uint8Array): ArrayBufferBuffer
  /**
   * A message that switches the peer to the next keys; no bytes with `compat`.
   *
   * @example
   * webSocket.send(writer.rekey())
   *
   * @throws as {@link seal}, for `extra` as the constructor of {@link Handshake} for `secret`; see {@link SecureStream.rekey}.
   */
  rekey(extra?: Uint8Array | readonly Uint8Array[]): ArrayBufferBuffer
  /**
   * The last message, which is the authenticated end; wipes the keys.
   *
   * @example
   * webSocket.send(writer.end(), () => webSocket.close())
   *
   * @remarks
   * No bytes with `compat`.
   */
  end(): ArrayBufferBuffer
  /**
   * Wipes the keys.
   *
   * @example
   * writer.destroy()
   */
  destroy(): void
}

/**
 * Opens messages of one direction; returned by {@link Handshake.finish}.
 *
 * Every method throws `ERR_AESGCM_DESTROYED` after `destroy`, and the same error again after a message was refused.
 */
export declare class RecordReader {
  private constructor(ticket: never)
  /** The counts of this direction so far. */
  readonly stats: Count
  /** Whether the peer's authenticated end has arrived; always `false` with `compat`. */
  readonly ended: boolean
  /** Whether a record of the peer waits for {@link rekey}. */
  readonly awaitsRekey: boolean
  /**
   * Opens a message of whole records **in place**, and returns the data of each, as views of `message`.
   *
   * @example
   * for (const data of reader.open(message)) handle(data)
   *
   * @remarks
   * Records after one that waits for an extra secret are kept: {@link rekey} returns their data.
   * @throws `ERR_AESGCM_HANDSHAKE_FAILED` if the peer's first record does not fit the keys.
   * @throws `ERR_AESGCM_RECORD_REFUSED` if a later one is not the next of the peer, is too large, or is cut off, or if more than
   * 256 in a row carry no data. After either error, the reader stays failed, and data of the same message is lost.
   * @throws `ERR_INVALID_STATE` while {@link awaitsRekey}, `ERR_INVALID_ARG_TYPE`, `ERR_AESGCM_SHARED_BUFFER`,
   * `ERR_AESGCM_DETACHED_BUFFER`: the message is unchanged, and the reader stays usable. With `compat`,
   * `ERR_AESGCM_KEY_EXHAUSTED` at a limit: call {@link rekey}.
   */
  open(message: Uint8Array): ArrayBufferBuffer[]
  /**
   * Supplies an extra secret for a rekeying of the peer, now or later.
   *
   * @example
   * for (const data of reader.rekey(secretOfAKeyExchange)) handle(data)
   *
   * @remarks
   * If a message waited for it, opens that message's other records and returns their data.
   * @throws `ERR_INVALID_STATE` if 16 secrets already wait; otherwise as {@link open}.
   */
  rekey(extra: Uint8Array | readonly Uint8Array[]): ArrayBufferBuffer[]
  /**
   * Wipes the keys.
   *
   * @example
   * reader.destroy()
   */
  destroy(): void
}
