// Refuses one key's bytes in two ciphers: a cipher's proof assumes that no other uses its key.
import { crypto } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { allocateOffHeap, wipe } from '../../cipher/base/views.cjs'
import { keyBytes } from '../../cipher/native/calls.cjs'
import { isUsable, type Key, type KeyTable } from './key-table.cjs'
import type { KeyTypeSpec } from './keyset/key-types.cjs'
import { keyringRefusal, SEAL } from './refusal.cjs'

const { timingSafeEqual } = crypto

/** The bytes of a key, in their own memory, which the caller wipes. */
export function bytesOf(key: Key): Uint8Array {
  const bytes = allocateOffHeap(key.type.keyBytes)
  const status = keyBytes(key.handle, bytes)
  if (!(status >= 0)) throw keyringRefusal(key, status, SEAL, [key.handle, 0, bytes])
  return bytes
}

/** Refuses a key's bytes if a key of another cipher has them. `name` names the argument. */
export function refuseOtherCipher(table: KeyTable, name: string, type: KeyTypeSpec, bytes: Uint8Array): void {
  for (let key = table.first; key !== undefined; key = key.next) {
    if (!isUsable(key) || key.type === type || key.type.keyBytes !== type.keyBytes) continue
    const others = bytesOf(key)
    const isSame = orWipe(others, () => timingSafeEqual(others, bytes))
    wipe(others, 0)
    if (!isSame) continue
    const what = `has the bytes of the key ${key.id}, which is of ${key.type.name}: a key serves one cipher`
    throw wrongValue(`"${name}" ${what}`)
  }
}
