// Shared by the tests of encryptInPlaceAsync and decryptInPlaceAsync.
import { pbkdf2 } from 'node:crypto'
import { inspect } from 'node:util'
import type { AesGcm, AesGcmError } from 'hardware-aes-gcm'
import { expect } from 'vitest'

export type Rejection = AesGcmError & { code: string; frame?: Buffer; cause?: unknown }
export const AUTHENTICATION = 'ERR_AESGCM_AUTHENTICATION_FAILED'

/** A frame over memory of its own. */
export const own = (length: number, byte = 0): Buffer => Buffer.from(new ArrayBuffer(length)).fill(byte)

export const ownCopy = (bytes: Uint8Array): Buffer => {
  const copy = own(bytes.length)
  copy.set(bytes)
  return copy
}

export const isDetached = (view: Uint8Array): boolean => {
  try {
    Uint8Array.prototype.at.call(view, 0)
    return false
  } catch {
    return true
  }
}

export const counts = (aes: AesGcm) => [aes.messagesEncrypted, aes.bytesEncrypted, aes.failedDecryptions]

/** Keeps every thread of the pool busy for a while, so that jobs which start now wait. */
export function occupyPool(): void {
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  for (let n = 0; n < threads; n++) pbkdf2('', '', 100_000, 64, 'sha512', () => {})
}

/** The error of a promise that must reject. A call that throws fails the test. */
export async function rejected(promise: Promise<unknown>, code?: string): Promise<Rejection> {
  expect(promise).toBeInstanceOf(Promise)
  const [value, error] = await promise.then(
    value => [value],
    error => [undefined, error],
  )
  expect(error, `resolved: ${inspect(value)}`).toBeInstanceOf(Error)
  if (code !== undefined) expect(error.code).toBe(code)
  return error
}
