// The entry `hardware-aes-gcm/stream`, documented by types/stream.d.ts; contract/ compares both.
import { decryptBuffer, encryptBuffer } from './buffers.cjs'
import { decryptFile, encryptFile } from './files.cjs'
import { DecryptionReader } from './reader.cjs'
import { decryptedSize, encryptedRange, encryptedSize } from './sizes.cjs'
import { createDecryptStream, createEncryptStream } from './transform.cjs'
import { DecryptionStream, EncryptionStream } from './web.cjs'

// A plain object, as in lib/index.cts.
export = {
  createDecryptStream,
  createEncryptStream,
  DecryptionReader,
  DecryptionStream,
  decryptBuffer,
  decryptedSize,
  decryptFile,
  EncryptionStream,
  encryptBuffer,
  encryptedRange,
  encryptedSize,
  encryptFile,
} as const
