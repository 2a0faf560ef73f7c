// The main entry of the package: the one implementation, in CommonJS. index.d.ts documents it; contract/main.mts proves that
// both agree.
import { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from './aes-gcm.cjs'
import { KeyArena } from './arena.cjs'
import { cpu } from './cpu.cjs'
import { AesGcmError, AuthenticationError } from './errors.cjs'
import { randomBytes, randomFillSync, randomInfo, reseed } from './random.cjs'

// A plain object. For `export … from`, the compiler would define getters, by descriptors that inherit from a polluted
// Object.prototype.
export = {
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
} as const
