// The check of a split: an HMAC over the secret, keyed by the shares' second value.
import type { Buffer } from 'node:buffer'
import { crypto } from '../../cipher/base/builtins.cjs'
import { HASH_BYTES, hmac } from '../../cipher/base/hmac.cjs'
import { allocateOffHeap, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import {
  CHECK_AT,
  CHECK_BYTES,
  ELEMENT_BYTES,
  LENGTH_AT,
  OPENED_BYTES,
  THRESHOLD_AT,
  VERSION,
} from './record.cjs'

const { timingSafeEqual } = crypto

// version ‖ threshold ‖ length
const PREFIX_BYTES = 3
const MESSAGE_BYTES = PREFIX_BYTES + ELEMENT_BYTES
const MAC_AT = PREFIX_BYTES + OPENED_BYTES

/** Secrets of one call in one memory off V8's heap, which the owner wipes, and views of it. */
export interface Proof {
  /** version ‖ threshold ‖ length ‖ element of the secret ‖ blind ‖ HMAC */
  readonly memory: Buffer<ArrayBuffer>
  /** Combined from the shares: the element of the secret, and the blind. */
  readonly opened: Uint8Array
  readonly blind: Uint8Array
  readonly message: Uint8Array
  readonly check: Uint8Array
}

/** An unused proof, all zeros. A call may run while another reads a Proxy's shares. */
let spare: Proof | undefined

/** Lends a proof, which the caller returns. */
export function takeProof(): Proof {
  const proof = spare ?? newProof()
  spare = undefined
  return proof
}

/** Wipes a proof. */
export function giveProofBack(proof: Proof): void {
  wipe(proof.memory, 0)
  spare = proof
}

function newProof(): Proof {
  const memory = allocateOffHeap(MAC_AT + HASH_BYTES)
  const { buffer } = memory
  return {
    memory,
    opened: bytesOver(buffer, PREFIX_BYTES, OPENED_BYTES),
    blind: bytesOver(buffer, MESSAGE_BYTES, ELEMENT_BYTES),
    message: bytesOver(buffer, 0, MESSAGE_BYTES),
    check: bytesOver(buffer, MAC_AT, CHECK_BYTES),
  }
}

/** The first bytes of `opened`: a secret of `length` bytes. */
export function secretIn({ memory }: Proof, length: number): Uint8Array {
  return bytesOver(memory.buffer, PREFIX_BYTES, length)
}

/** Computes `check` from `opened`. */
export function seal({ memory, blind, message }: Proof, threshold: number, length: number): void {
  memory[0] = VERSION
  memory[1] = threshold
  memory[2] = length
  const mac = hmac(blind, message)
  copy(memory, mac, MAC_AT)
  wipe(mac, 0)
}

/** Whether `opened` matches the check in the first share's header. Constant time. */
export function verifies(proof: Proof, set: Buffer<ArrayBuffer>): boolean {
  seal(proof, set[THRESHOLD_AT] as number, set[LENGTH_AT] as number)
  return timingSafeEqual(proof.check, bytesOver(set.buffer, CHECK_AT, CHECK_BYTES))
}
