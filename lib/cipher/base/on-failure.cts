// Cleans up after work that fails, and only then.
import { wipe } from './views.cjs'

/** The result of `body`. If it throws, even for a full stack, runs `clean` first. */
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

/** As `onFailure`, for a secret. Calls no function of ours, for which a full stack lacks room. */
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
