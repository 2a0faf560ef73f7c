// Publishes rare events on node:diagnostics_channel, in frozen messages without secrets or objects
// of this package; index.d.ts describes each. Publish last: a subscriber may call this package
// again.
import type { DiagnosticsMessages, RandomInfo } from '../../../index.d.ts'
import { diagnostics, freeze } from './builtins.cjs'

// Kept, because Node forgets a channel without references.
const failures = channelOf('hardware-aes-gcm:authentication-failed')
const exhaustions = channelOf('hardware-aes-gcm:key-exhausted')
const drops = channelOf('hardware-aes-gcm:entropy-source-dropped')

function channelOf<Name extends keyof DiagnosticsMessages>(name: Name) {
  const to = diagnostics.channel(name)
  return {
    get wanted() {
      return to.hasSubscribers
    },
    publish: (message: DiagnosticsMessages[Name]) => to.publish(freeze(message)),
  }
}

/** How many calls of `unpublished` are on the stack. */
let trials = 0

/** Whether a failure is only a step of a search, neither published nor counted. */
export function isTrial(): boolean {
  return trials > 0
}

export function authenticationFailed(): void {
  if (trials === 0 && failures.wanted) failures.publish({ code: 'ERR_AESGCM_AUTHENTICATION_FAILED' })
}

/** The result of `trial`, one of several ways to open a message. Only the caller publishes. */
export function unpublished<Result>(trial: () => Result): Result {
  trials++
  try {
    return trial()
  } finally {
    trials--
  }
}

export function keyExhausted(limit: 'encryptions' | 'failures'): void {
  if (exhaustions.wanted) exhaustions.publish({ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit })
}

export function entropySourceDropped({ name: source, reason }: RandomInfo['cpuSource']): void {
  if (drops.wanted && source !== null && reason !== null) drops.publish({ source, reason })
}
