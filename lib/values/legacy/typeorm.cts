// The reader of typeorm-encrypted with an algorithm of AES-GCM: base64 of `iv ‖ tag ‖ ciphertext`.
// The options have their names there, so programs can copy them.
import type { LegacyReader, TypeormOptions } from '../../../types/legacy.d.ts'
import { positionOf } from '../../cipher/base/builtins.cjs'
import { copied } from '../../cipher/base/bytes.cjs'
import { fromEncoded } from '../../cipher/base/encoded.cjs'
import { outOfRange, wrongValue } from '../../cipher/base/errors.cjs'
import { optionsOf, shown } from '../../cipher/base/parse.cjs'
import { wipe } from '../../cipher/base/views.cjs'
import { copyOfKey, lengthOfKey, type Secret, secretsOf } from './keys.cjs'
import { layoutOf, partsBy } from './layout.cjs'
import { Reader, TEXTS } from './reader.cjs'

const NAMES = ['key', 'algorithm', 'ivLength', 'authTagLength'] as const
const ALGORITHMS = ['aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm']
const LAYOUT = layoutOf('layout', '{iv}{tag}{ct}', 'base64')

export function typeormReader(options: TypeormOptions): LegacyReader {
  const own = optionsOf(options, NAMES)
  const algorithm = own('algorithm')
  if (positionOf(ALGORITHMS, algorithm) < 0) {
    const what = `must be 'aes-256-gcm', 'aes-192-gcm' or 'aes-128-gcm', got ${shown(algorithm)}: other modes have no tag`
    throw wrongValue(`"options.algorithm" ${what}`)
  }
  const iv = own('ivLength')
  if (iv !== 12 && iv !== 16) throw outOfRange(`"options.ivLength" must be 12 or 16, got ${shown(iv)}`)
  if (own('authTagLength', 16) !== 16)
    throw outOfRange(`"options.authTagLength" must be 16: shorter tags can be forged, and are not read`)
  const bytes = 16 + 8 * positionOf(ALGORITHMS, algorithm)
  const secrets = secretsOf('options.key', own('key'), (name, key) => read(name, key, bytes))
  const parts = partsBy(LAYOUT, { iv, salt: undefined })
  const key = (secret: Secret) => secret
  const format = { ...TEXTS, name: 'typeorm-encrypted', parts, key }
  return new Reader(format, secrets)
}

/** A key as bytes, or as hex, as in the original. */
function read(name: string, value: unknown, bytes: number): Secret {
  const key = typeof value === 'string' ? fromHex(name, value) : copyOfKey(name, value)
  if (key.length === bytes) return key
  wipe(key, 0)
  throw wrongValue(`"${name}" must be ${bytes} bytes for "options.algorithm"`)
}

function fromHex(name: string, text: string): Secret {
  const bytes = fromEncoded(text, 'hex')
  if (bytes === undefined) throw wrongValue(`"${name}" must be bytes, or a text of hex digits`)
  try {
    lengthOfKey(name, bytes)
    return copied(bytes)
  } finally {
    wipe(bytes, 0)
  }
}
