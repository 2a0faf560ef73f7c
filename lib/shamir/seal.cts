// sealAndSplit and combineAndOpen: data under a fresh key that is split. types/shamir.d.ts documents them.
import type { Buffer } from 'node:buffer'
import type { OpenOptions, SealOptions, ShareFormat } from '../../types/shamir.d.ts'
import { allocateResult } from '../allocate-result.cjs'
import { max, types } from '../builtins.cjs'
import { messageTooLong, notBytes } from '../errors.cjs'
import type { KeyHandle } from '../native/binding.cjs'
import { create, decryptInto, destroy, encryptInto } from '../native/calls.cjs'
import { refusal } from '../native/refusal.cjs'
import { freshKey } from '../random.cjs'
import { byteLength, wipe } from '../views.cjs'
import { combineBy } from './combine.cjs'
import { readOpen, readSeal } from './options.cjs'
import { splitBy } from './split.cjs'

const { isUint8Array } = types

const OVERHEAD = 28
const MAX_MESSAGE_BYTES = 2 ** 36 - 32
/** For `create`: not a position in `backendNames`. */
const BEST_BACKEND = 255

// The arguments of the raw functions, under the names that callers know.
const CREATE = ['backend', 'key']
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

// These two read the length of their input themselves: a getter of options or shares, or a subscriber to an event of the
// generator, may have changed it before.

function encrypted(key: Uint8Array, data: Uint8Array, aad: unknown): Buffer<ArrayBuffer> {
  const length = byteLength(data)
  if (length > MAX_MESSAGE_BYTES) throw messageTooLong()
  const sealed = allocateResult(length + OVERHEAD, 'split a key of your own, and seal the data in parts')
  const handle = expand(key)
  try {
    const status = encryptInto(handle, sealed, data, aad)
    if (!(status >= 0)) throw refusal(status, SEAL, handle, sealed, data, aad)
    return sealed
  } finally {
    destroy(handle)
  }
}

function decrypted(key: Uint8Array, sealed: Uint8Array, aad: unknown): Buffer<ArrayBuffer> {
  const data = allocateResult(max(0, byteLength(sealed) - OVERHEAD), 'decryptInPlace needs no new Buffer')
  const handle = expand(key)
  try {
    const status = decryptInto(handle, data, sealed, aad)
    if (!(status >= 0)) throw refusal(status, OPEN, handle, data, sealed, aad)
    return data
  } finally {
    destroy(handle)
  }
}

/** A key in native memory, for one message. */
function expand(key: Uint8Array): KeyHandle {
  const handle = create(BEST_BACKEND, key, false, false, 1, 1, undefined)
  if (typeof handle === 'number') throw refusal(handle, CREATE, BEST_BACKEND, key)
  return handle
}

function checkBytes(name: string, value: unknown): void {
  if (!isUint8Array(value)) throw notBytes(name, value)
}
