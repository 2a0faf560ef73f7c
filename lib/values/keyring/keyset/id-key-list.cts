// Keysets on one line, for an environment variable: `id:key,id:key`. The first key is the primary;
// all are enabled, with Tink's prefix.
//
// A person chooses the ids and copies the keys, so texts of two keys must begin differently, and no
// key may repeat. The order says which key seals, so the ids say which key is newer.
import { slice, trim, uncurried, unitAt } from '../../../cipher/base/builtins.cjs'
import { wipe } from '../../../cipher/base/views.cjs'
import type { KeysetBuilder } from './builder.cjs'
import { decodeBase64, decodeHex } from './encoding.cjs'
import { invalidKeyset } from './errors.cjs'
import { keyTypeOfLength } from './key-types.cjs'
import { MAX_ID } from './model.cjs'

const indexOf: (text: string, part: string, from: number) => number = uncurried(
  String.prototype.indexOf as (part: string, from?: number) => number,
)

/** Reads all keys into a builder; returns the first id. Ignores white space around the line. */
export function readLine(builder: KeysetBuilder, text: string): number {
  const line = trim(text)
  if (line === '') throw invalidKeyset('', 'is empty')
  let primary = 0
  for (let i = 0, start = 0; start <= line.length; i++) {
    builder.refuseIfFull()
    const comma = indexOf(line, ',', start)
    const end = comma < 0 ? line.length : comma
    const id = readKey(builder, `key[${i}]`, slice(line, start, end))
    if (i === 0) primary = id
    start = end + 1
  }
  builder.sort()
  return primary
}

function readKey(builder: KeysetBuilder, place: string, text: string): number {
  const colon = indexOf(text, ':', 0)
  if (colon < 0)
    throw invalidKeyset(place, 'must be id:key, or the keyset must be JSON, not the name of a file')
  const id = idOf(`${place}.keyId`, slice(text, 0, colon))
  const bytes = keyOf(`${place}.keyData.value`, slice(text, colon + 1, text.length))
  const type = keyTypeOfLength(bytes.length)
  builder.keep({ id, status: 'enabled', prefix: 'tink', type, bytes }, true)
  return id
}

function idOf(place: string, text: string): number {
  let id = text === '' || text.length > 10 || (text.length > 1 && unitAt(text, 0) === 0x30) ? -1 : 0
  for (let i = 0; i < text.length && id >= 0; i++) {
    const digit = unitAt(text, i) - 0x30
    id = digit >= 0 && digit <= 9 ? id * 10 + digit : -1
  }
  if (id >= 0 && id <= MAX_ID) return id
  throw invalidKeyset(place, `must be a whole number from 0 to ${MAX_ID}, in decimal digits`)
}

/** The bytes of a key: the number of characters determines the notation. */
function keyOf(place: string, text: string): Uint8Array {
  switch (text.length) {
    case 32:
    case 64:
      return decodeHex(place, text)
    case 22:
    case 24:
    case 43:
    case 44: {
      const bytes = decodeBase64(place, text)
      if (bytes.length === 16 || bytes.length === 32) return bytes
      wipe(bytes, 0)
    }
  }
  const what = '32 or 64 characters of hex, or 16 or 32 bytes in base64 or base64url'
  throw invalidKeyset(place, `must be ${what}, got ${text.length} characters`)
}
