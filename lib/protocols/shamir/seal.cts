// sealAndSplit and combineAndOpen, documented in types/shamir.d.ts.
import type { Buffer } from 'node:buffer'
import type { OpenOptions, SealOptions, ShareFormat } from '../../../types/shamir.d.ts'
import { withKey } from '../../cipher/aead/once.cjs'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { max, types } from '../../cipher/base/builtins.cjs'
import { messageTooLong, notBytes } from '../../cipher/base/errors.cjs'
import { MAX_MESSAGE_BYTES, OVERHEAD } from '../../cipher/base/sizes.cjs'
import { byteLength, wipe } from '../../cipher/base/views.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { decryptInto, encryptInto } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import { combineBy } from './combine.cjs'
import { readOpen, readSeal } from './options.cjs'
import { splitBy } from './split.cjs'

const { isUint8Array } = types

// The arguments of the raw functions, under the names that callers know.
const SEAL = ['handle', 'sealed', 'data', 'aad']
const OPEN = ['handle', 'data', 'sealed', 'aad']

type Shares = Buffer<ArrayBuffer>[] | string[]

export function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format?: 'binary' | undefined },
): { sealed: Buffer<ArrayBuffer>; shares: Buffer<ArrayBuffer>[] }
export function sealAndSplit(
  data: Uint8Array,
  options: SealOptions & { format: Exclude<ShareFormat, 'binary'> },
): { sealed: Buffer<ArrayBuffer>; shares: string[] }
export function sealAndSplit(
  data: Uint8Array,
  options: SealOptions,
): { sealed: Buffer<ArrayBuffer>; shares: Shares }
export function sealAndSplit(
  data: Uint8Array,
  options: SealOptions,
): { sealed: Buffer<ArrayBuffer>; shares: Shares } {
  const { split, aad } = readSeal(options)
  checkBytes('data', data)
  const key = freshKey(32)
  try {
    const sealed = encrypted(key, data, aad)
    return { sealed, shares: splitBy(split, key) }
  } finally {
    wipe(key, 0)
  }
}

export function combineAndOpen(
  shares: readonly (Uint8Array | string)[],
  sealed: Uint8Array,
  options?: OpenOptions,
): Buffer<ArrayBuffer> {
  const { threshold, aad } = readOpen(options)
  checkBytes('sealed', sealed)
  const key = combineBy(threshold, shares)
  try {
    return decrypted(key, sealed, aad)
  } finally {
    wipe(key, 0)
  }
}

// These two read the length of their input themselves: getters of options or shares, or a
// subscriber to the generator's event, may have changed it.

function encrypted(key: Uint8Array, data: Uint8Array, aad: unknown): Buffer<ArrayBuffer> {
  const length = byteLength(data)
  if (length > MAX_MESSAGE_BYTES) throw messageTooLong()
  const sealed = allocateResult(length + OVERHEAD, 'split a key of your own, and seal the data in parts')
  return withKey(key, handle => {
    const status = encryptInto(handle, sealed, data, aad)
    if (status !== byteLength(sealed)) throw refusal(status, SEAL, handle, sealed, data, aad)
    return sealed
  })
}

function decrypted(key: Uint8Array, sealed: Uint8Array, aad: unknown): Buffer<ArrayBuffer> {
  const data = allocateResult(max(0, byteLength(sealed) - OVERHEAD), 'decryptInPlace needs no new Buffer')
  return withKey(key, handle => {
    const status = decryptInto(handle, data, sealed, aad)
    if (status !== byteLength(data)) throw refusal(status, OPEN, handle, data, sealed, aad)
    return data
  })
}

function checkBytes(name: string, value: unknown): void {
  if (!isUint8Array(value)) throw notBytes(name, value)
}
