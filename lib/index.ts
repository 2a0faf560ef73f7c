// What `hardware-aes-gcm` exports; index.d.ts is its manual, and contract.ts proves that the two agree.
export { AesGcm, NONCE_BYTES, OVERHEAD, TAG_BYTES } from './aes-gcm.js'
export { type CpuInfo, cpu } from './cpu.js'
export { AesGcmError, AuthenticationError, type ErrorCode } from './errors.js'
export type { AesGcmOptions, Backend } from './options.js'
