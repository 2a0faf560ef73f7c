// A consumer in TypeScript, as a CommonJS module.
import { AesGcm, type AesGcmError, OVERHEAD } from 'hardware-aes-gcm'

function roundTrip(): string {
  using aes = new AesGcm(AesGcm.generateKey())
  const frame: Buffer = aes.encrypt(Buffer.from('typed'))
  const plaintext: Buffer = aes.decrypt(frame)
  if (frame.length !== plaintext.length + OVERHEAD) throw new Error('the frame has another length')
  return aes.backend
}

// @ts-expect-error a class has no such code
export const code: AesGcmError['code'] = 'ERR_AESGCM_NONE'

console.log(roundTrip())
