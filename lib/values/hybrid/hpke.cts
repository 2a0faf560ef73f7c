// HPKE (RFC 9180) in base mode, a message per encapsulation, without additional data: the names are
// those of section 5. `info` binds a message to its context.
import { withKey } from '../../cipher/aead/once.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { NONCE_BYTES, TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { decryptDetached, encryptDetached } from '../../cipher/native/calls.cjs'
import type { Encapsulated, Kem, KemPrivate, KemPublic } from './kem.cjs'
import { labeledExpand, labeledExtract, SECRET_BYTES, suiteLabels } from './labeled.cjs'

const HKDF_SHA256 = 1
const MODE_BASE = 0

/** A cipher suite: a KEM, HKDF-SHA256, and AES-GCM with keys of so many bytes. */
export interface Suite {
  readonly kem: Kem
  readonly keyBytes: 16 | 32
  readonly labels: Readonly<Record<'info_hash' | 'secret' | 'key' | 'base_nonce', Uint8Array>>
  /** `mode ‖ psk_id_hash ‖ info_hash`, without the last. */
  readonly context: Uint8Array
  /** `info_hash` of an empty info. */
  readonly emptyInfoHash: Uint8Array
  /** The bytes of a ciphertext in front of those of its plaintext, and after them. */
  readonly overhead: number
}

/** The ids are those of RFC 9180 section 7; the AEAD's is Tink's number too. */
export function suiteOf(kem: Kem, aead: 1 | 2): Suite {
  const { id } = kem
  const suiteId = [0x48, 0x50, 0x4b, 0x45, id >> 8, id & 0xff, 0, HKDF_SHA256, 0, aead]
  const names = ['psk_id_hash', 'info_hash', 'secret', 'key', 'base_nonce'] as const
  const labels = suiteLabels(suiteId, names)
  const context = new Uint8Array(1 + SECRET_BYTES)
  context[0] = MODE_BASE
  copy(context, labeledExtract(undefined, labels.psk_id_hash), 1)
  return {
    kem,
    keyBytes: aead === 1 ? 16 : 32,
    labels,
    context,
    emptyInfoHash: labeledExtract(undefined, labels.info_hash),
    overhead: kem.encBytes + TAG_BYTES,
  }
}

/**
 * SealBase, in place: `target` has the plaintext after `encBytes` free bytes from `at`, and
 * TAG_BYTES free ones at its end. Returns the status of the cipher.
 */
export function sealBase(
  suite: Suite,
  recipient: KemPublic,
  info: Uint8Array,
  target: Uint8Array,
  at: number,
  encapsulated: Encapsulated = suite.kem.encap(recipient),
): number {
  const { sharedSecret, enc } = encapsulated
  copy(target, enc, at)
  const [data, tag] = partsOf(target, at + suite.kem.encBytes)
  return keySchedule(suite, sharedSecret, info, (key, nonce) =>
    withKey(key, handle => encryptDetached(handle, data, nonce, tag, undefined)),
  )
}

/**
 * OpenBase, in place: `data` has the ciphertext without its tag. Returns the status of the cipher;
 * undefined for an `enc` that no sender makes.
 */
export function openBase(
  suite: Suite,
  recipient: KemPrivate,
  enc: Uint8Array,
  info: Uint8Array,
  data: Uint8Array,
  tag: Uint8Array,
): number | undefined {
  const sharedSecret = suite.kem.decap(enc, recipient)
  if (sharedSecret === undefined) return undefined
  return keySchedule(suite, sharedSecret, info, (key, nonce) =>
    withKey(key, handle => decryptDetached(handle, data, nonce, tag, undefined)),
  )
}

/** The text from `at` on, and the tag at the end. */
function partsOf(target: Uint8Array, at: number): [data: Uint8Array, tag: Uint8Array] {
  const end = target.length - TAG_BYTES
  return [part(target, at, end - at), part(target, end, TAG_BYTES)]
}

/** KeySchedule of section 5.1: lends `use` the key and the base nonce. Wipes all secrets. */
export function keySchedule(
  { labels, context, emptyInfoHash, keyBytes }: Suite,
  sharedSecret: Uint8Array,
  info: Uint8Array,
  use: (key: Uint8Array, nonce: Uint8Array) => number,
): number {
  let secret: Uint8Array | undefined
  let key: Uint8Array | undefined
  let nonce: Uint8Array | undefined
  try {
    const infoHash =
      byteLength(info) === 0 ? emptyInfoHash : labeledExtract(undefined, labels.info_hash, info)
    secret = labeledExtract(sharedSecret, labels.secret)
    key = labeledExpand(secret, labels.key, keyBytes, context, infoHash)
    nonce = labeledExpand(secret, labels.base_nonce, NONCE_BYTES, context, infoHash)
    return use(part(key, 0, keyBytes), part(nonce, 0, NONCE_BYTES))
  } finally {
    wipe(sharedSecret, 0)
    if (secret !== undefined) wipe(secret, 0)
    if (key !== undefined) wipe(key, 0)
    if (nonce !== undefined) wipe(nonce, 0)
  }
}
