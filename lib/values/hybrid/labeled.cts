// LabeledExtract and LabeledExpand of RFC 9180 section 4, with HKDF-SHA256.
import { define } from '../../cipher/base/builtins.cjs'
import { ascii } from '../../cipher/base/encoded.cjs'
import { HASH_BYTES, hmac } from '../../cipher/base/hmac.cjs'
import { copy } from '../../cipher/base/views.cjs'

/** Bytes of a hash, Nh, and of a shared secret, Nsecret. */
export const SECRET_BYTES = HASH_BYTES

const VERSION = 'HPKE-v1'
const NOTHING: Uint8Array = new Uint8Array(0)
const ONE = Uint8Array.of(1)

/** `"HPKE-v1" ‖ suite_id ‖ label`, by label. */
export function suiteLabels<Label extends string>(
  suiteId: readonly number[],
  labels: readonly Label[],
): Readonly<Record<Label, Uint8Array>> {
  const made = {} as Record<Label, Uint8Array>
  for (let i = 0; i < labels.length; i++) {
    const label = labels[i] as Label
    const bytes = new Uint8Array(VERSION.length + suiteId.length + label.length)
    copy(bytes, ascii(VERSION))
    copy(bytes, suiteId as never, VERSION.length)
    copy(bytes, ascii(label), VERSION.length + suiteId.length)
    define(made, label, bytes, true)
  }
  return made
}

/** A pseudorandom key of 32 bytes, which the caller wipes. */
export function labeledExtract(
  salt: Uint8Array | undefined,
  label: Uint8Array,
  ikm: Uint8Array = NOTHING,
): Uint8Array {
  return hmac(salt ?? NOTHING, label, ikm)
}

/** One HKDF block; its first `length` bytes are the result. The caller wipes the block. */
export function labeledExpand(
  prk: Uint8Array,
  label: Uint8Array,
  length: number,
  info: Uint8Array,
  more: Uint8Array,
): Uint8Array {
  return hmac(prk, Uint8Array.of(0, length), label, info, more, ONE)
}
