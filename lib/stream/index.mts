// The entry `hardware-aes-gcm/stream` for `import`. It re-exports the one implementation, as lib/index.mts does.

import { lookFrom } from '../native/binary.cjs'
import implementation from './index.cjs'

lookFrom(import.meta.url)

export const {
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
} = implementation
