// Messages from memory to memory, in one call. types/stream.d.ts documents the functions.
import type { Buffer } from 'node:buffer'
import type { BufferOptions, DecryptionKey, EncryptionKey } from '../../../types/stream.d.ts'
import { allocateResult } from '../../cipher/base/allocate-result.cjs'
import { types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { detached, notBytes, overlapping, shared, wrongLength } from '../../cipher/base/errors.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { byteLength, byteOffset, copy, isShared, memoryOf, viewOf, wipe } from '../../cipher/base/views.cjs'
import { chunksDestroy } from '../../cipher/native/calls.cjs'
import { partOf } from './chunk-transform.cjs'
import { openChunks, sealChunks } from './chunks.cjs'
import { forged, truncated } from './errors.cjs'
import { Header } from './header.cjs'
import { openingKey, sealingKey } from './keys.cjs'
import { begin } from './message.cjs'
import { OPTIONS, type Own, type Settings, settingsOf } from './options.cjs'
import { CHUNK_BYTES, chunksOf, encryptedSize, HEADER_BYTES, SEALED_BYTES } from './sizes.cjs'

const { isUint8Array } = types
const NAMES = [...OPTIONS, 'target'] as const satisfies (keyof BufferOptions)[]

export function encryptBuffer(
  plaintext: Uint8Array,
  key: EncryptionKey,
  options?: BufferOptions,
): Buffer<ArrayBuffer> {
  return withArguments(
    () => sealingKey(key),
    options,
    (sealing, settings, given) => {
      const body = encryptedSize(lengthOf('plaintext', plaintext)) - HEADER_BYTES
      const size = byteLength(sealing.before) + HEADER_BYTES + body
      if (isShared(plaintext)) throw shared('plaintext')
      const target = targetOf(given, size, 'plaintext', plaintext)
      const { handle, header } = begin(sealing, settings)
      try {
        sealChunks(handle, plaintext, partOf(target, size - body, body), true)
        copy(target, header)
        return target
      } finally {
        chunksDestroy(handle)
      }
    },
  )
}

export function decryptBuffer(
  message: Uint8Array,
  key: DecryptionKey,
  options?: BufferOptions,
): Buffer<ArrayBuffer> {
  return withArguments(
    () => openingKey(key),
    options,
    (opening, settings, given) => {
      const length = lengthOf('message', message)
      if (isShared(message)) throw shared('message')
      const header = new Header(opening)
      header.take(message)
      if (header.missing > 0) throw truncated()
      const { chunks, rest } = chunksOf(length - header.known)
      const size = chunks * CHUNK_BYTES + (rest < TAG_BYTES ? 0 : rest - TAG_BYTES)
      const target = targetOf(given, size, 'message', message)
      const handle = header.resume(settings)
      try {
        const isEnd = rest >= TAG_BYTES
        const sealed = chunks * SEALED_BYTES + (isEnd ? rest : 0)
        openChunks(handle, 0, partOf(message, header.known, sealed), target, isEnd)
        if (isEnd) return target
        // Reported after the chunks before it are verified, so the first fault wins.
        wipe(target, 0)
        throw rest === 0 ? truncated() : forged(chunks)
      } finally {
        chunksDestroy(handle)
      }
    },
  )
}

/**
 * Lends `work` the key, which is wiped, the settings, and the option `target`. Reads all options
 * first: a getter may change the memory of the other arguments.
 */
function withArguments<Key extends { readonly bytes: Uint8Array }, Result>(
  keyOf: () => Key,
  options: BufferOptions | undefined,
  work: (key: Key, settings: Settings, target: unknown) => Result,
): Result {
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const settings = settingsOf(own as Own)
  const target = own('target')
  const key = keyOf()
  try {
    return work(key, settings, target)
  } finally {
    wipe(key.bytes, 0)
  }
}

/** Memory for `size` bytes: the beginning of the option `target`, or a new Buffer. */
function targetOf(target: unknown, size: number, name: string, source: Uint8Array): Buffer<ArrayBuffer> {
  if (target === undefined) return allocateResult(size, 'use a stream')
  if (!isUint8Array(target)) throw notBytes('target', target)
  if (byteLength(target) < size) throw wrongLength('target', `at least ${size} bytes`, target)
  if (isShared(target)) throw shared('target')
  const view = viewOf(target, 0, size)
  if (view === undefined) throw detached('target')
  if (memoryOf(view) === memoryOf(source)) {
    const here = byteOffset(view)
    const there = byteOffset(source)
    if (here < there + byteLength(source) && there < here + size) throw overlapping('target', name)
  }
  return view
}
