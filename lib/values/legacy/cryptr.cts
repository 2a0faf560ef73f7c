// The reader of cryptr 6: `salt ‖ iv(16) ‖ tag ‖ ciphertext`, in hex by default. PBKDF2 with
// SHA-512 derives the key of each message, in tens of milliseconds. Keys are not kept: each message
// has its own salt.
import type { Buffer } from 'node:buffer'
import type { CryptrOptions, LegacyReader } from '../../../types/legacy.d.ts'
import { crypto } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import type { Parts } from './cipher.cjs'
import { copyOfText, type Secret, secretsOf, textOf } from './keys.cjs'
import { encodingOf, layoutOf, partsBy } from './layout.cjs'
import { Reader, TEXTS } from './reader.cjs'

const { pbkdf2Sync } = crypto
const ENCODINGS = ['hex', 'base64', 'base64url'] as const
const NAMES = ['encoding', 'saltLength', 'pbkdf2Iterations'] as const
const IV_BYTES = 16
const KEY_BYTES = 32

export function cryptrReader(secret: string | readonly string[], options?: CryptrOptions): LegacyReader {
  const own = optionsOf(options === undefined ? {} : options, NAMES)
  const encoding = encodingOf('options.encoding', own('encoding', 'hex'), ENCODINGS)
  const salt = count('options.saltLength', own('saltLength', 64), 1, 1024)
  const iterations = count('options.pbkdf2Iterations', own('pbkdf2Iterations', 100_000), 1, 2 ** 31 - 1)
  const key = (own: Secret, { salt }: Parts): Buffer =>
    pbkdf2Sync(own, salt as Uint8Array, iterations, KEY_BYTES, 'sha512')
  const parts = partsBy(layoutOf('layout', '{salt}{iv}{tag}{ct}', encoding), { iv: IV_BYTES, salt })
  const format = { ...TEXTS, name: 'cryptr', parts, key, derives: true }
  return new Reader(format, secretsOf('secret', secret, read))
}

function read(name: string, value: unknown): Secret {
  const text = textOf(name, value)
  if (text === '') throw wrongValue(`"${name}" must not be empty`)
  return copyOfText(text)
}
