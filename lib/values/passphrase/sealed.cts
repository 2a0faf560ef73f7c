// The bytes of a protected key or keyset: a header, and a frame under the derived key.
import type { Buffer } from 'node:buffer'
import { withKey } from '../../cipher/aead/once.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { AesGcmError } from '../../cipher/base/errors.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { OVERHEAD } from '../../cipher/base/sizes.cjs'
import { allocate, allocateOffHeap, byteLength, wipe } from '../../cipher/base/views.cjs'
import { fill } from '../../cipher/machine/random.cjs'
import { decryptInto, encryptInto } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { derive } from './derive.cjs'
import { type Cost, HEADER_BYTES, type Kind, malformed, readHeader, SALT_AT, writeHeader } from './header.cjs'

/** More than any keyset, whose Protocol Buffers have at most 2 MiB. */
const MAX_CONTENT = 2 ** 22

/** Seals `content`, which stays the caller's, as the passphrase does. */
export async function sealContent(
  kind: Kind,
  content: Uint8Array,
  passphrase: Uint8Array,
  cost: Cost,
): Promise<Buffer<ArrayBuffer>> {
  const file = allocate(HEADER_BYTES + OVERHEAD + byteLength(content))
  writeHeader(file, kind, cost)
  const salt = part(file, SALT_AT, HEADER_BYTES - SALT_AT)
  fill(salt)
  const header = part(file, 0, HEADER_BYTES)
  const frame = part(file, HEADER_BYTES, byteLength(file) - HEADER_BYTES)
  const key = await derive(passphrase, salt, cost)
  try {
    const status = withKey(key, handle => encryptInto(handle, frame, content, header))
    if (status !== byteLength(frame)) throw refusal(status, ['handle', 'file', 'content', 'header'])
    return file
  } finally {
    wipe(key, 0)
  }
}

/** The content of a file, in memory that the caller wipes. */
export async function openContent(
  kind: Kind,
  file: Uint8Array,
  passphrase: Uint8Array,
  maxMemory: number,
): Promise<{ content: Buffer<ArrayBuffer>; cost: Cost }> {
  if (byteLength(file) > HEADER_BYTES + OVERHEAD + MAX_CONTENT) throw malformed('is too long')
  const cost = readHeader(file, kind, maxMemory)
  const header = part(file, 0, HEADER_BYTES)
  const frame = part(file, HEADER_BYTES, byteLength(file) - HEADER_BYTES)
  const content = allocateOffHeap(byteLength(frame) - OVERHEAD)
  const key = await derive(passphrase, part(file, SALT_AT, HEADER_BYTES - SALT_AT), cost)
  return onFailure(
    () => wipe(content, 0),
    () => {
      try {
        const status = withKey(key, handle => decryptInto(handle, content, frame, header))
        if (status !== byteLength(content)) throw wrongPassphrase()
        return { content, cost }
      } finally {
        wipe(key, 0)
      }
    },
  )
}

/** One failure: a file does not say whether it was changed, or the passphrase is another one. */
function wrongPassphrase(): AesGcmError {
  const what = 'the passphrase is wrong, or the protected file was changed'
  return new AesGcmError('ERR_AESGCM_WRONG_PASSPHRASE', what)
}
