// Readers of older values of a column of bytes, as keyring/fallback.cts asks those of texts.
import type { Buffer } from 'node:buffer'
import type { TextReader } from '../../../types/keyring.d.ts'
import { types, uncurried } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { unpublished } from '../../cipher/base/diagnostics.cjs'
import { wrongType } from '../../cipher/base/errors.cjs'
import { codedIfRevoked } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

const { isUint8Array } = types

type TryOpenBytes = (sealed: string | object, aad: Uint8Array) => unknown
const call = uncurried as (
  method: TryOpenBytes,
) => (reader: unknown, sealed: string | object, aad: Uint8Array) => unknown

/** The bytes that the first reader makes of a value which can read it; null if no reader can. */
export function bytesByReaders(
  readers: readonly TextReader[],
  sealed: string | object,
  aad: Uint8Array,
): Buffer<ArrayBuffer> | null {
  for (let i = 0; i < readers.length; i++) {
    const bytes = unpublished(() => bytesBy(readers[i], sealed, aad))
    if (isUint8Array(bytes)) return copied(bytes)
    if (bytes !== null) throw wrongType(`"fallback" must return a Uint8Array or null, got ${kindOf(bytes)}`)
  }
  return null
}

function bytesBy(reader: unknown, sealed: string | object, aad: Uint8Array): unknown {
  try {
    return call((reader as { tryOpenBytes: TryOpenBytes }).tryOpenBytes)(reader, sealed, aad)
  } catch (error) {
    throw codedIfRevoked('fallback', reader, error)
  }
}
