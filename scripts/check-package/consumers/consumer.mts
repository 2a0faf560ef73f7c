// A consumer in TypeScript, as an ES module: what is typed must run, and what is marked as an error must not compile.
import {
  AesGcm,
  AesGcmError,
  type AesGcmOptions,
  AuthenticationError,
  type Backend,
  type CpuInfo,
  cpu,
  type ErrorCode,
  OVERHEAD,
} from 'hardware-aes-gcm'

const options: AesGcmOptions = { nonceAt: 'end', maxMessages: 2 }
const key: Buffer = AesGcm.generateKey(128)
const text = new TextEncoder().encode('typed')

function roundTrip(): Backend {
  using aes = new AesGcm(key, options)
  const frame: Buffer = aes.encrypt(text)
  const bytes: number = frame.length - OVERHEAD
  if (bytes !== text.length || !aes.tryDecryptInPlace(frame, null)) throw new Error('the frame does not open')
  return aes.backend
}

function codeOfBadFrame(): ErrorCode | undefined {
  try {
    using aes = new AesGcm(key)
    aes.decrypt(Buffer.alloc(OVERHEAD))
  } catch (error) {
    if (error instanceof AuthenticationError && error instanceof AesGcmError) return error.code
  }
  return undefined
}

/** Never called: each line compiles only because it is an error, which it would not be if the types were lost. */
export function mistakes(aes: AesGcm): void {
  // @ts-expect-error a nonce is no option
  new AesGcm(key, { nonce: text })
  // @ts-expect-error a string is not bytes
  aes.encrypt('text')
  // @ts-expect-error AES-192 is refused
  AesGcm.generateKey(192)
  // @ts-expect-error a counter cannot be set
  aes.messagesEncrypted = 0
}

const { backend }: CpuInfo = cpu()
if (roundTrip() !== backend) throw new Error('the key does not run on the best backend')
if (codeOfBadFrame() !== 'ERR_AESGCM_AUTHENTICATION_FAILED') throw new Error('a bad frame was not refused')
console.log(backend)
