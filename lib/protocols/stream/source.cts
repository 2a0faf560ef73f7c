// What a DecryptionReader reads: a FileHandle, a Blob, memory, or an object with `read`.
import type { FileHandle } from 'node:fs/promises'
import type { Source } from '../../../types/stream.d.ts'
import { buffer as node, types } from '../../cipher/base/builtins.cjs'
import { lengthOf } from '../../cipher/base/bytes.cjs'
import { shared, wrongType } from '../../cipher/base/errors.cjs'
import { codedIfRevoked, count } from '../../cipher/base/parse.cjs'
import { allocate, isShared, kindForBytes, viewOf } from '../../cipher/base/views.cjs'
import { partOf } from './chunk-transform.cjs'
import { truncated } from './errors.cjs'

const { isUint8Array } = types
const { Blob } = node

/** A source whose reads return as many bytes as asked for, or throw. */
export interface Bytes {
  readonly size: number
  read(position: number, length: number): Promise<Uint8Array>
}

export async function bytesOf(source: unknown): Promise<Bytes> {
  if (isUint8Array(source)) return memory(source)
  if (typeof source === 'object' && source !== null) {
    try {
      if (source instanceof Blob) return blob(source)
      const { read, size, stat } = source as Partial<Source & FileHandle>
      if (typeof read === 'function' && typeof stat === 'function') return file(source as FileHandle)
      if (typeof read === 'function' && size !== undefined) return given(source as Source, size)
    } catch (error) {
      throw codedIfRevoked('source', source, error)
    }
  }
  const kinds = 'a FileHandle, a Blob, a Uint8Array, or an object with "size" and "read"'
  throw wrongType(`"source" must be ${kinds}, got ${kindForBytes(source)}`)
}

function memory(bytes: Uint8Array): Bytes {
  const size = lengthOf('source', bytes)
  if (isShared(bytes)) throw shared('source')
  return { size, read: async (position, length) => partOf(bytes, position, length) }
}

function blob(whole: Blob): Bytes {
  const { size } = whole
  return {
    size,
    read: async (position, length) =>
      exactly(length, new Uint8Array(await whole.slice(position, position + length).arrayBuffer())),
  }
}

async function file(handle: FileHandle): Promise<Bytes> {
  const { size } = await handle.stat()
  return {
    size,
    async read(position, length) {
      const bytes = allocate(length)
      for (let filled = 0; filled < length; ) {
        const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled)
        if (bytesRead === 0) throw truncated()
        filled += bytesRead
      }
      return bytes
    },
  }
}

function given(source: Source, size: unknown): Bytes {
  return {
    size: count('source.size', size, 0, 2 ** 53 - 1),
    read: async (position, length) => exactly(length, await source.read(position, length)),
  }
}

/** The bytes that a source returned, if there are enough; more are not used. */
function exactly(length: number, bytes: Uint8Array): Uint8Array {
  const got = lengthOf('source.read()', bytes)
  if (got < length) throw truncated()
  if (got === length) return bytes
  return viewOf(bytes, 0, length) ?? bytes
}
