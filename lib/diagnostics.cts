// Word of rare events, on node:diagnostics_channel: frozen messages without a secret or an object of ours. What each
// says is in index.d.ts. Whoever publishes has finished its work: a subscriber may call this package again.

import type { DiagnosticsMessages } from '../index.d.ts'
import { diagnostics, freeze } from './builtins.cjs'
import { randomInfo } from './native/calls.cjs'

type Drop = DiagnosticsMessages['hardware-aes-gcm:entropy-source-dropped']
type EntropySource = Drop['source']
type DropReason = Drop['reason']

/** By the binding's number for them: `randomInfo(4)`. */
const DROP_REASONS: readonly (DropReason | null)[] = [null, 'repeated', 'recurring', 'stuck', 'silent']

// Kept, since Node forgets a channel nobody holds.
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

export function authenticationFailed(): void {
  if (failures.wanted) failures.publish({ code: 'ERR_AESGCM_AUTHENTICATION_FAILED' })
}

export function keyExhausted(limit: 'encryptions' | 'failures'): void {
  if (exhaustions.wanted) exhaustions.publish({ code: 'ERR_AESGCM_KEY_EXHAUSTED', limit })
}

export function entropySourceDropped(): void {
  const reason = dropReason()
  if (reason !== null && drops.wanted) drops.publish({ source: entropySource(), reason })
}

/** The entropy source that CPUs of this architecture may have. */
export function entropySource(): EntropySource {
  return process.arch === 'arm64' ? 'rndrrs' : 'rdseed'
}

/** Why it was dropped, if it was. */
export function dropReason(): DropReason | null {
  return DROP_REASONS[randomInfo(4)] ?? null
}
