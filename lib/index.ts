// What `hardware-aes-gcm` exports; index.d.ts is its manual, and contract.ts proves that the two agree.
export { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from './aes-gcm.js'
export { KeyArena, type KeyArenaOptions } from './arena.js'
export { type CpuInfo, cpu } from './cpu.js'
export type { DiagnosticsMessages } from './diagnostics.js'
export { AesGcmError, AuthenticationError, type ErrorCode } from './errors.js'
export type { AesGcmOptions, Backend } from './options.js'
export { type RandomInfo, randomBytes, randomFillSync, randomInfo, reseed } from './random.js'
