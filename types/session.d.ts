/// <reference types="node" />

/**
 * A secure connection from a shared secret. Both sides have the same secret of at least 32 random bytes and a socket (or another
 * transport that keeps order and loses nothing); a session makes of it a connection whose data stays secret, and on which every
 * replay, reordering, loss, reflection, truncation and change is an error. docs/formats.md has the bytes.
 *
 * **A secret is not a password.** Anyone with one recorded connection can try passwords against it at full speed. Use 32 bytes
 * of `AesGcm.generateKey()`, or the result of a key exchange.
 *
 * A session knows the peer only by the secret: it has no identities. It has no forward secrecy beyond that of the secret: a party
 * that recorded a connection can read it after it learned the secret. For forward secrecy, make the secret of each connection
 * with a key exchange, or add the result of a key exchange by {@link SecureStream.rekey}.
 *
 * One secret serves any number of connections: every connection has random bytes of both sides in its keys, so it has keys of its
 * own. (With `compat: 'keibidrop'` this is not so.)
 *
 * Wrong arguments throw as in the main entry.
 */

import type { Duplex } from 'node:stream'
import type { AesGcmError } from '../index.d.ts'

/** A Buffer over an `ArrayBuffer`, as the types of WebSocket and WebCrypto require. It may share that memory with others. */
type ArrayBufferBuffer = ReturnType<typeof Buffer.alloc>

/** A cipher of a session. Node's names. */
export type Cipher = 'aes-256-gcm' | 'aes-128-gcm' | 'chacha20-poly1305'

/**
 * The ciphers that this machine supports, in the order of preference: AES-256-GCM and AES-128-GCM if the CPU has the instructions
 * (`AesGcm.isAvailable()`), ChaCha20-Poly1305 if `crypto.getCiphers()` has it. Software AES is never used. Never throws.
 */
export declare function supportedCiphers(): Cipher[]

/**
 * The first cipher of the fixed order AES-256-GCM, AES-128-GCM, ChaCha20-Poly1305 that both lists hold, in whatever order they
 * are: both sides get the same answer. A session negotiates by itself; this function is for protocols that agree beforehand.
 * Unknown names are ignored, since a peer may be newer.
 * @throws `ERR_AESGCM_HANDSHAKE_FAILED` if the lists have no cipher in common; `ERR_INVALID_ARG_TYPE` for another value than a list
 * of strings; `ERR_OUT_OF_RANGE` for more than 255 names.
 */
export declare function negotiateCipher(a: readonly Cipher[], b: readonly Cipher[]): Cipher

/** A plain object, of which only own properties count. Unknown option names throw `ERR_INVALID_ARG_VALUE`. */
export interface SessionOptions {
  /**
   * The shared secret, 32 to 65 536 bytes, or 1 to 16 such secrets, all of which a third party would have to know. Both sides give
   * the same secrets in the same order. Copied when the session is made; the copies are wiped as soon as the keys were derived,
   * or with a session that fails before. A string throws `ERR_INVALID_ARG_TYPE`.
   */
  secret: Uint8Array | readonly Uint8Array[]
  /** One side is the initiator, and the other one the responder. It need not be the side that connected. */
  role: 'initiator' | 'responder'
  /**
   * The ciphers that may be used, in any order: the fixed order of {@link negotiateCipher} decides. Ciphers that this machine does
   * not support are not offered. Default: {@link supportedCiphers}. If none is left, `ERR_AESGCM_UNSUPPORTED_CPU` is thrown.
   */
  ciphers?: readonly Cipher[] | undefined
  /** Bytes of data that this side seals under one key, from 1 to 2^30. Default: 2^30. Rekeying then happens by itself. */
  rekeyAfterBytes?: number | undefined
  /** Records that this side seals under one key, from 1 to 2^20. Default: 2^20. Rekeying then happens by itself. */
  rekeyAfterRecords?: number | undefined
  /**
   * The largest length field of a record that this side accepts: type, ciphertext and tag, from 29 to 20 971 520 (20 MiB) bytes.
   * Default: 1 048 576. Memory is used only for bytes that came in. Writers cut data into records of at most 65 536 bytes of
   * data, and of at most what their own `maxRecord` and `rekeyAfterBytes` allow. With less than 65 553, give both sides the same
   * value. With `compat`, the default is 20 MiB, as in the original.
   */
  maxRecord?: number | undefined
  /**
   * Reads and writes the wire of KeibiDrop (commit c79aa2a) instead: length, nonce, ciphertext and tag, without hellos. Later
   * versions of KeibiDrop carry an epoch in the nonce, and are not read. `ciphers` must name one of `'aes-256-gcm'` and
   * `'chacha20-poly1305'`: the two sides have agreed on it before.
   *
   * This wire lacks much. **It has no end**, so a connection that was cut between two records looks like one that ended. **It has
   * no fresh keys**: a static secret gives the same key again, and records of one connection can be replayed at the beginning of
   * another one. So use fresh secrets for every connection. Nothing proves that the peer has the key before its first record.
   *
   * Nonces begin at a random number behind a prefix that depends on the role, so that two of ours do not repeat a nonce. A reader
   * takes any first nonce that is not of its own side, and then only the next one. Rekeying is the caller's: at the limits,
   * sealing and opening throw `ERR_AESGCM_KEY_EXHAUSTED` until `rekey(secrets)` was called on both sides; a {@link SecureStream}
   * fails with this error, so call its `rekey` before.
   */
  compat?: 'keibidrop' | undefined
}

/** A plain object, read as {@link SessionOptions} are. */
export interface SecureStreamOptions extends SessionOptions {
  /** Time for the handshake in milliseconds, that for connecting the socket included: 1 to 2^31 - 1. Default: 10 000. */
  handshakeTimeout?: number | undefined
  /**
   * Time in milliseconds that the peer's `rekey(extra)` waits for ours: 1 to 2^31 - 1. Default: 10 000. After that, the stream fails
   * with `ERR_AESGCM_RECORD_REFUSED`.
   */
  rekeyTimeout?: number | undefined
}

/** The counts of one direction of a session. */
export interface Count {
  /** Bytes of data. */
  readonly bytes: number
  /** Records, those without data included. */
  readonly records: number
  /** Keys that were used one after the other: 0 before the handshake, 1 after it, and 1 more for each rekeying. */
  readonly epochs: number
}

/**
 * A session over a socket: a Duplex with backpressure in both directions. It has one more event, `'secure'`, without arguments:
 * each side has proved to the other that it has the secret. Data that is written before waits for it.
 *
 * `end()` sends an authenticated end, then ends the socket's writable side. The other direction goes on if the socket allows half
 * open connections (`allowHalfOpen`); otherwise this side ends too when the peer ends, as a `net.Socket` does. `'end'` comes only
 * after the authenticated end of the peer. When both directions have ended, the socket is destroyed.
 *
 * A stream that fails emits `'error'` once and destroys its socket. Data that was not read by then is dropped; data that was
 * emitted is authentic. The errors are {@link AesGcmError} with these codes, those of the socket, and Node's own:
 * - `ERR_AESGCM_HANDSHAKE_FAILED` up to `'secure'`: another secret, no cipher in common, the same role twice, a hello that was changed
 *   or is not one, `handshakeTimeout`, or a socket that ended.
 * - `ERR_AESGCM_RECORD_REFUSED` after it: a record is not the next one that the peer sealed. There is one text for every cause.
 * - `ERR_AESGCM_STREAM_TRUNCATED`: the socket ended or closed without an authenticated end.
 * - `ERR_AESGCM_ARENA_FULL` if there is no memory for the next keys.
 *
 * The keys are wiped when their direction ends, and all of them when the stream is destroyed. `util.inspect` shows the cipher and
 * the counts; it shows neither keys nor data.
 *
 * @example
 * const stream = secureStream(net.connect(7000), { secret, role: 'initiator' })
 * stream.end('attack at dawn')
 */
export declare class SecureStream extends Duplex {
  /**
   * @param socket a Duplex of bytes, such as a `net.Socket`, also one that is not connected yet. It belongs to the stream from then
   * on: the stream decrypts inside the chunks that the socket brings, sets `allowHalfOpen` of the socket, and destroys the socket.
   * @throws `ERR_INVALID_ARG_TYPE` for another socket; `ERR_INVALID_ARG_VALUE` for one with an encoding or in object mode, and for a
   * wrong option; `ERR_INVALID_ARG_TYPE`, `ERR_OUT_OF_RANGE` for a wrong option; `ERR_AESGCM_UNSUPPORTED_CPU`;
   * `ERR_AESGCM_DETACHED_BUFFER`; `ERR_AESGCM_RNG_FAILURE`. The socket is then left as it was.
   */
  constructor(socket: Duplex, options: SecureStreamOptions)

  /** The cipher that both sides agreed on; `null` before the peer's hello. */
  readonly cipher: Cipher | null
  /** The counts of both directions so far: bytes that were handed to the socket, and bytes that were opened. */
  readonly stats: { sent: Count; received: Count }

  /**
   * Goes on with new keys in the sending direction, without a pause. The old key is wiped. The next one comes from a chain of its
   * own, so that a key of the cipher tells nothing about the keys after it. Resolves when the socket took the record that tells
   * the peer. Before `'secure'`, the call waits for it.
   *
   * With `extra`, secrets that both sides have got by now enter the keys: for example, the result of a fresh key exchange, after
   * which a party that knew all secrets before is shut out. **Both sides call `rekey(extra)` with the same secrets.** Each call
   * does so for both directions: it sends, and the secret is kept for the peer's record, at which reading pauses until the call,
   * at most for `rekeyTimeout`. At most 16 extra secrets are kept. After `end()`, only the reading direction is served.
   *
   * With `compat`, `extra` is required: it is the new secrets of both directions, which change at once. Call it when no record is
   * on its way.
   *
   * @param extra 32 to 65 536 bytes, or 1 to 16 such secrets. Copied; the copies are wiped after use.
   * @returns rejects as a wrong argument of the constructor would throw; with `ERR_INVALID_STATE` if the stream has ended or was
   * destroyed, or if 16 secrets already wait; with the stream's error if it fails before.
   */
  rekey(extra?: Uint8Array | readonly Uint8Array[]): Promise<void>
}

/** `new SecureStream(socket, options)`. */
export declare function secureStream(socket: Duplex, options: SecureStreamOptions): SecureStream

/**
 * The handshake of a session over a transport that carries whole messages in order and loses none of them, such as a WebSocket. (A
 * transport of datagrams needs another protocol.) Each side sends its {@link hello} and gives the peer's to {@link finish}.
 *
 * Timeouts are the caller's. **A transport that closes before `reader.ended` has lost data**: treat this as an error.
 *
 * @example
 * const handshake = new Handshake({ secret, role: 'initiator' })
 * webSocket.send(handshake.hello)
 * webSocket.once('message', hello => {
 *   const { reader, writer } = handshake.finish(hello)
 *   webSocket.send(writer.seal(Buffer.from('attack at dawn')))
 *   webSocket.on('message', message => reader.open(message))
 * })
 */
export declare class Handshake {
  /** @throws as the constructor of {@link SecureStream}. */
  constructor(options: SessionOptions)
  /** A copy of our hello: the first message to send. No bytes with `compat`. */
  readonly hello: ArrayBufferBuffer
  /**
   * Derives the keys, once, and wipes the secrets.
   * @param peerHello the peer's hello. With `compat`, an empty Buffer.
   * @throws `ERR_AESGCM_HANDSHAKE_FAILED` for bytes that are not a hello of the other role, and if there is no cipher in common. The
   * handshake has then ended. `ERR_INVALID_STATE` if it has ended; `ERR_INVALID_ARG_TYPE`, `ERR_AESGCM_DETACHED_BUFFER`,
   * `ERR_AESGCM_SHARED_BUFFER`, which leave it as it was; `ERR_AESGCM_ARENA_FULL`.
   */
  finish(peerHello: Uint8Array): { cipher: Cipher; writer: RecordWriter; reader: RecordReader }
  /** Gives the handshake up, and wipes the secrets. */
  destroy(): void
}

/**
 * Seals messages of one direction; from {@link Handshake.finish}. The messages must be sent in the order in which they were sealed.
 * Every method throws `ERR_AESGCM_DESTROYED` after `destroy`, and `ERR_INVALID_STATE` after `end`.
 */
export declare class RecordWriter {
  private constructor(ticket: never)
  readonly stats: Count
  /**
   * A message with the records of `data`: one for each 65 536 bytes, and one without data for no bytes. The first message also
   * carries the record that proves to the peer that this side has the keys. Rekeying happens by itself.
   * @throws `ERR_AESGCM_SHARED_BUFFER`, `ERR_AESGCM_DETACHED_BUFFER`, `ERR_INVALID_ARG_TYPE`; with `compat`,
   * `ERR_AESGCM_KEY_EXHAUSTED` if the data would pass a limit: call {@link rekey}. The writer goes on after these errors. After
   * another error, such as `ERR_AESGCM_ARENA_FULL`, it is destroyed.
   */
  seal(data: Uint8Array): ArrayBufferBuffer
  /** A message that tells the peer to go on with the next keys; see {@link SecureStream.rekey}. No bytes with `compat`. */
  rekey(extra?: Uint8Array | readonly Uint8Array[]): ArrayBufferBuffer
  /** The last message: the authenticated end. No bytes with `compat`. Wipes the keys. */
  end(): ArrayBufferBuffer
  /** Wipes the keys. */
  destroy(): void
}

/**
 * Opens messages of one direction; from {@link Handshake.finish}. Every method throws `ERR_AESGCM_DESTROYED` after `destroy`, and the
 * same error again after a message was refused.
 */
export declare class RecordReader {
  private constructor(ticket: never)
  readonly stats: Count
  /** Whether the peer's authenticated end has come. Always `false` with `compat`. */
  readonly ended: boolean
  /** Whether a record of the peer waits for {@link rekey}. */
  readonly awaitsRekey: boolean
  /**
   * Opens a message of whole records **where it lies**, and returns the data of each, as views of `message`. Records behind one
   * that waits for an extra secret are kept: {@link rekey} returns their data.
   * @throws `ERR_AESGCM_HANDSHAKE_FAILED` if the peer's first record does not fit the keys; `ERR_AESGCM_RECORD_REFUSED` if a later
   * one is not the next of the peer, is too large, or is cut off. The reader stays failed, and data of the same message is lost.
   * @throws `ERR_INVALID_STATE` while {@link awaitsRekey}, `ERR_INVALID_ARG_TYPE`, `ERR_AESGCM_SHARED_BUFFER`,
   * `ERR_AESGCM_DETACHED_BUFFER`: the message is unchanged, and the reader goes on. With `compat`, `ERR_AESGCM_KEY_EXHAUSTED` at a
   * limit: call {@link rekey}.
   */
  open(message: Uint8Array): ArrayBufferBuffer[]
  /**
   * Gives an extra secret for a rekeying of the peer, now or later. If a message waited for it, opens its other records and returns
   * their data.
   * @throws `ERR_INVALID_STATE` if 16 secrets already wait; otherwise as {@link open}.
   */
  rekey(extra: Uint8Array | readonly Uint8Array[]): ArrayBufferBuffer[]
  /** Wipes the keys. */
  destroy(): void
}
