// Answers of our own for sessions, and a transcript of KeibiDrop's wire; docs/formats.md shows them. The reference gave them.
import type { Cipher } from 'hardware-aes-gcm/session'
import { loadBytes } from './load.js'

export const SECRETS: readonly Buffer[] = [
  Buffer.from('a secret of thirty-two bytes 001'),
  Buffer.from('another secret, thirty-four bytes.'),
]
/** Of the rekey of the initiator's second epoch. */
export const EXTRA: readonly Buffer[] = [Buffer.from('an extra secret: 32 bytes of it.')]

/** Types and plaintexts of the records of each session. */
export const SCRIPT = {
  initiator: [
    ['confirm', ''],
    ['data', 'hardware'],
    ['rekey', '\x00'],
    ['data', 'aes'],
    ['rekey', '\x01'],
    ['data', 'gcm'],
    ['end', ''],
  ],
  responder: [
    ['confirm', ''],
    ['data', 'yes'],
    ['end', ''],
  ],
} as const

interface OfBoth<Value> {
  initiator: Value
  responder: Value
}
interface Session {
  cipher: Cipher
  /** Of both sides: 'mail: alice to bob' in the last session, none in the others. */
  context?: Buffer
  hello: OfBoth<Buffer>
  transcript: Buffer
  prk: Buffer
  epochs: OfBoth<{ key: Buffer; iv: Buffer; chain: Buffer }[]>
  records: OfBoth<Buffer[]>
}
/** What an original peer writes, in either role. */
interface Original {
  cipher: 'aes-256-gcm' | 'chacha20-poly1305'
  key: Buffer
  /** Of 'hardware', of no bytes, and of 'aes'. */
  frames: [Buffer, Buffer, Buffer]
  /** From EXTRA alone. */
  nextKey: Buffer
  /** Of 'gcm', under the next key. */
  nextFrame: Buffer
}

type Four<Value> = [Value, Value, Value, Value]

const vectors: { sessions: Four<Session>; keibidrop: [Original, Original] } = loadBytes('./session.json')
export const SESSIONS = vectors.sessions
export const KEIBIDROP = vectors.keibidrop
