// The main entry of the package, documented by index.d.ts; contract/ compares both.
import { AesGcm } from './cipher/aead/aes-gcm.cjs'
import { AesGcmError, AuthenticationError } from './cipher/base/errors.cjs'
import { NONCE_BYTES, OVERHEAD, TAG_BYTES } from './cipher/base/sizes.cjs'
import { KeyArena } from './cipher/machine/arena.cjs'
import { cpu } from './cipher/machine/cpu.cjs'
import { randomBytes, randomFillSync, randomInfo, reseed } from './cipher/machine/random.cjs'

// A plain object. For `export … from`, the compiler would define getters, by descriptors that
// inherit from a polluted Object.prototype.
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
