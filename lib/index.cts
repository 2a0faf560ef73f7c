// The main entry of the package: the one implementation, in CommonJS. index.d.ts is its manual, and contract/main.mts proves
// that the two agree.
import { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from './aes-gcm.cjs'
import { KeyArena } from './arena.cjs'
import { cpu } from './cpu.cjs'
import { AesGcmError, AuthenticationError } from './errors.cjs'
import { randomBytes, randomFillSync, randomInfo, reseed } from './random.cjs'

// One plain object: the compiler makes a getter of each name that is only passed on, by descriptors that a polluted
// Object.prototype spoils.
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
