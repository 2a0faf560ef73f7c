// Cleans up after work that failed, but not after work that was done.
import { wipe } from './views.cjs'

/** The result of `body`. If it throws, runs `clean` first: even for a stack overflow, unlike `catch`. */
export function onFailure<Result>(clean: () => void, body: () => Result): Result {
  let done = false
  try {
    const result = body()
    done = true
    return result
  } finally {
    if (!done) clean()
  }
}

/** As `onFailure`, to wipe a secret. Calls no function of this package, for which a full stack may have no room. */
export function orWipe<Result>(secret: Uint8Array, body: () => Result): Result {
  let done = false
  try {
    const result = body()
    done = true
    return result
  } finally {
    if (!done) wipe(secret, 0)
  }
}
