// A key for one message: expanded in native memory, used, and wiped.
import type { KeyHandle } from '../native/binding.cjs'
import { BEST_BACKEND, create, destroy } from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'
import { AES_GCM } from './ciphers.cjs'

const CREATE = ['algorithm', 'backend', 'key']

/** The result of `body`, which gets the expanded key. Wipes the key even if `body` throws. */
export function withKey<Result>(key: Uint8Array, body: (handle: KeyHandle) => Result): Result {
  const handle = create(AES_GCM.algorithm, BEST_BACKEND, key, false, false, 1, 1, undefined)
  if (typeof handle === 'number') throw refusal(handle, CREATE, AES_GCM.algorithm, BEST_BACKEND, key)
  try {
    return body(handle)
  } finally {
    destroy(handle)
  }
}
