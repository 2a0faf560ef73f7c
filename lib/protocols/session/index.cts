// The entry `hardware-aes-gcm/session`, documented by types/session.d.ts; contract/ compares both.
import { negotiateCipher, supportedCiphers } from './ciphers.cjs'
import { Handshake, RecordReader, RecordWriter } from './messages.cjs'
import { SecureStream, secureStream } from './stream.cjs'

// A plain object, as in lib/index.cts.
export = {
  Handshake,
  RecordReader,
  RecordWriter,
  SecureStream,
  negotiateCipher,
  secureStream,
  supportedCiphers,
} as const
