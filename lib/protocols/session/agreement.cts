// From settings and hellos to the keys of both directions.
import type { Buffer } from 'node:buffer'
import type { Cipher } from '../../../types/session.d.ts'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { allocateOffHeap, wipe } from '../../cipher/base/views.cjs'
import type { SessionCipher } from './ciphers.cjs'
import { agreed, helloOf } from './hello.cjs'
import { KeibidropOpener, KeibidropSealer } from './keibidrop.cjs'
import { RecordOpener } from './opener.cjs'
import type { Settings } from './options.cjs'
import { Ratchet } from './ratchet.cjs'
import { handshakeFailed, type Opener, type Sealer } from './records.cjs'
import { type Direction, extract, transcriptOf } from './schedule.cjs'
import { RecordSealer } from './sealer.cjs'

const INITIATOR_TO_RESPONDER: Direction = 1
const RESPONDER_TO_INITIATOR: Direction = 2

/** Both directions of a session. */
export interface Agreement {
  readonly cipher: Cipher
  readonly sealer: Sealer
  readonly opener: Opener
}

/** Our side of a handshake, once. */
export class Negotiation {
  readonly #settings: Settings
  /** No bytes on a wire without hellos. */
  readonly hello: Buffer<ArrayBuffer>

  constructor(settings: Settings) {
    this.#settings = settings
    try {
      this.hello = settings.keibidrop ? allocateOffHeap(0) : helloOf(settings.role, settings.ciphers)
    } catch (error) {
      settings.secrets.wipe()
      throw error
    }
  }

  /** The keys from both hellos and the secrets. Wipes the secrets, even if it throws. */
  finish(peer: Uint8Array): Agreement {
    const { keibidrop, ciphers, secrets } = this.#settings
    try {
      if (!keibidrop) return this.#derive(agreed(this.hello, peer, this.#settings), peer)
      if (peer.length > 0) throw handshakeFailed('this wire has no hellos')
      return this.#derived(ciphers[0] as SessionCipher)
    } finally {
      secrets.wipe()
    }
  }

  #derive(cipher: SessionCipher, peer: Uint8Array): Agreement {
    const { role, secrets, maxRecord, context } = this.#settings
    const isInitiator = role === 'initiator'
    const [initiator, responder] = isInitiator ? [this.hello, peer] : [peer, this.hello]
    const transcript = transcriptOf(initiator, responder, context)
    const prk = extract(transcript, secrets.prefixed)
    try {
      const [out, back] = isInitiator
        ? [INITIATOR_TO_RESPONDER, RESPONDER_TO_INITIATOR]
        : [RESPONDER_TO_INITIATOR, INITIATOR_TO_RESPONDER]
      const outbound = new Ratchet(cipher, out, prk)
      const sealer = onFailure(
        () => outbound.destroy(),
        () => new RecordSealer(outbound, this.#settings),
      )
      return both(cipher, sealer, () => {
        const inbound = new Ratchet(cipher, back, prk)
        return onFailure(
          () => inbound.destroy(),
          () => new RecordOpener(inbound, maxRecord),
        )
      })
    } finally {
      wipe(prk, 0)
    }
  }

  #derived(cipher: SessionCipher): Agreement {
    const { role, secrets, maxRecord } = this.#settings
    const sealer = new KeibidropSealer(cipher, role, secrets, this.#settings)
    return both(cipher, sealer, () => new KeibidropOpener(cipher, role, secrets, maxRecord))
  }

  /** Wipes the secrets of an abandoned handshake. */
  destroy(): void {
    this.#settings.secrets.wipe()
  }
}

/** Destroys the one direction if the other cannot be made. */
function both({ name }: SessionCipher, sealer: Sealer, makeOpener: () => Opener): Agreement {
  return onFailure(
    () => sealer.destroy(),
    () => ({ cipher: name, sealer, opener: makeOpener() }),
  )
}
