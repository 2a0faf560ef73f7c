// The keys and secrets of readers: copies off V8's heap, which `destroy` wipes.
import type { Buffer } from 'node:buffer'
import { copiedKey } from '../../cipher/aead/copied-key.cjs'
import { define, positionOf } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { mustBe } from '../../cipher/base/errors.cjs'
import { wrongKeyLength } from '../../cipher/base/key-text.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { bytesOfText, wellFormed } from '../../cipher/base/utf8.cjs'
import { wipe } from '../../cipher/base/views.cjs'

export type Secret = Buffer<ArrayBuffer>
/** Most keys of one reader: each of them may be tried for a text. */
const MAX_KEYS = 8
const LENGTHS = [16, 24, 32]

/** A caller's key or keys, each copied by `read`. If one is refused, the copies are wiped. */
export function secretsOf(
  name: string,
  given: unknown,
  read: (name: string, key: unknown) => Secret,
): readonly Secret[] {
  if (!isList(given)) return [read(name, given)]
  const count = lengthOfList(name, given, { elements: 'keys', least: 1, most: MAX_KEYS })
  const list = elementsOf(name, given, count)
  const secrets: Secret[] = []
  return onFailure(
    () => wipeAll(secrets),
    () => {
      for (let i = 0; i < count; i++) define(secrets, `${i}`, read(`${name}[${i}]`, list[i]), true)
      return secrets
    },
  )
}

export function wipeAll(secrets: readonly Secret[]): void {
  for (let i = 0; i < secrets.length; i++) wipe(secrets[i] as Secret, 0)
}

/** A copy of a key of AES, 16, 24 or 32 bytes. */
export function copyOfKey(name: string, key: unknown): Secret {
  return copiedKey(name, key, lengthOfKey)
}

/** The length of a key: 16, 24 or 32 bytes. Throws for others. */
export function lengthOfKey(name: string, key: Uint8Array): number {
  const length = lengthOf(name, key)
  if (positionOf(LENGTHS, length) >= 0) return length
  throw wrongKeyLength(name, '16, 24 or 32 bytes', key)
}

/** The text of a caller's key or password. Different texts must not encode to the same bytes. */
export function textOf(name: string, value: unknown): string {
  if (typeof value === 'string') return wellFormed(name, value)
  throw mustBe(name, 'a string', value)
}

/** A password as its UTF-8. */
export function copyOfText(text: string): Secret {
  const bytes = bytesOfText(text)
  try {
    return copied(bytes)
  } finally {
    wipe(bytes, 0)
  }
}
