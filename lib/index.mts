// The entry for `import`. It re-exports the one implementation, which is CommonJS so that Jest can load it, and so that its
// classes exist once in a process.

import implementation from './index.cjs'
import { lookFrom } from './native/binary.cjs'

lookFrom(import.meta.url)

export const {
  AesGcm,
  AesGcmError,
  AuthenticationError,
  KeyArena,
  NONCE_BYTES,
  OVERHEAD,
  TAG_BYTES,
  cpu,
  randomBytes,
  randomFillSync,
  randomInfo,
  reseed,
} = implementation
