// A test in TypeScript, which ts-jest compiles to CommonJS.
import { AesGcm, AuthenticationError, type Backend } from 'hardware-aes-gcm'

declare function test(name: string, body: () => void): void

test('a round trip and a forgery', () => {
  const aes = new AesGcm(AesGcm.generateKey())
  const backend: Backend = aes.backend
  const frame: Buffer = aes.encrypt(Buffer.from('typed'))
  if (aes.decrypt(frame).toString() !== 'typed' || backend.length === 0)
    throw new Error('the frame does not open')
  frame[20] = ~(frame[20] as number)
  try {
    aes.decrypt(frame)
  } catch (error) {
    if (error instanceof AuthenticationError) return
  }
  throw new Error('a forgery was not refused')
})
