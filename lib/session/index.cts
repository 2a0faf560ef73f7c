// The entry `hardware-aes-gcm/session`: the one implementation, in CommonJS. types/session.d.ts documents it;
// contract/entries.mts proves that both agree.
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
