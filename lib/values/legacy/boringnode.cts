// The reader of @boringnode/encryption with its driver aes256gcm, as in AdonisJS 7:
// `ID.v1:CIPHERTEXT.IV.TAG`. Earlier versions omitted `v1:` and used the hash of the secret as the
// key. The plaintext is JSON: the message and, if set, its expiry.
import type { BoringnodeOptions, LegacyReader } from '../../../types/legacy.d.ts'
import { crypto, hasOwn, indexOf, slice, uncurried } from '../../cipher/base/builtins.cjs'
import { hashOf } from '../../cipher/base/digests.cjs'
import { fromBase64url, partsOf } from '../../cipher/base/encoded.cjs'
import { mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { objectOf } from '../../cipher/base/json.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { NONCE_BYTES, TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, bytesOver, copy, wipe } from '../../cipher/base/views.cjs'
import type { Parts } from './cipher.cjs'
import { type Secret, secretsOf, textOf } from './keys.cjs'
import { Reader, TEXTS, unreadable } from './reader.cjs'

const { hkdfSync } = crypto
const Bytes = Uint8Array
const DateClass = Date
const { now } = Date
const getTime: (date: Date) => number = uncurried(Date.prototype.getTime)
const stringify: (value: unknown) => string = JSON.stringify

const NAMES = ['id', 'keys', 'purpose', 'json'] as const
const VERSION = 'v1:'
const NO_MESSAGE = 'it is not JSON with a message: the option "json" returns it as it is'
/** Shorter secrets are refused by the original too. */
const MIN_CHARACTERS = 16
const KEY_BYTES = 32
const NO_SALT = new Uint8Array(0)

export function boringnodeReader(options: BoringnodeOptions): LegacyReader {
  const own = optionsOf(options, NAMES)
  const id = textOf('options.id', own('id'))
  if (id === '' || indexOf(id, '.') >= 0)
    throw wrongValue('"options.id" must be a text without dots, and not empty')
  const purpose = own('purpose')
  if (purpose !== undefined) textOf('options.purpose', purpose)
  const json = own('json', false)
  if (typeof json !== 'boolean') throw mustBe('options.json', 'a boolean', json)
  const secrets = secretsOf('options.keys', own('keys'), (name, key) => read(name, key, id))
  return new Reader(
    {
      ...TEXTS,
      name: 'boringnode',
      parts: (sealed: string) => partsOfText(sealed, id),
      key: keyOf,
      aad: () => purpose as string | undefined,
      inner: json ? undefined : messageOf,
    },
    secrets,
  )
}

/** The key of version 1, and that of texts without a version. */
function read(name: string, value: unknown, id: string): Secret {
  const text = textOf(name, value)
  if (text.length < MIN_CHARACTERS)
    throw wrongValue(`"${name}" must have at least ${MIN_CHARACTERS} characters, as the original demands`)
  const secret = allocateOffHeap(2 * KEY_BYTES)
  const bytes = bytesOfText(text)
  return orWipe(secret, () => {
    try {
      const hash = hashOf('sha256', bytes)
      copy(secret, hash, KEY_BYTES)
      wipe(hash, 0)
    } finally {
      wipe(bytes, 0)
    }
    const own = bytesOver(secret.buffer, KEY_BYTES, KEY_BYTES)
    const key = new Bytes(hkdfSync('sha256', own, NO_SALT, bytesOfText(`aes-256-gcm:v1:${id}`), KEY_BYTES))
    copy(secret, key)
    wipe(key, 0)
    return secret
  })
}

function partsOfText(sealed: string, id: string): Parts | undefined {
  const four = partsOf(sealed, '.', 4)
  if (four === undefined || four[0] !== id) return undefined
  const text = four[1] as string
  const label = slice(text, 0, VERSION.length) === VERSION ? VERSION : ''
  const ciphertext = fromBase64url(slice(text, label.length))
  const iv = fromBase64url(four[2] as string)
  const tag = fromBase64url(four[3] as string)
  if (ciphertext === undefined || iv?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES) return undefined
  return { iv, tag, ciphertext, label }
}

function keyOf(secret: Secret, { label }: Parts): Uint8Array {
  return bytesOver(secret.buffer, label === VERSION ? 0 : KEY_BYTES, KEY_BYTES)
}

/**
 * The message in the JSON; null if it has expired, or has another purpose than the reader. A
 * message that is no string is returned as JSON.
 */
function messageOf(json: string): string | null {
  const value = objectOf(json)
  if (value === undefined || !hasOwn(value, 'message')) throw unreadable(NO_MESSAGE)
  const { message } = value as { message: unknown }
  if (hasOwn(value, 'purpose') || !isValid(value)) return null
  return typeof message === 'string' ? message : stringify(message)
}

function isValid(value: object): boolean {
  if (!hasOwn(value, 'expiryDate')) return true
  const { expiryDate } = value as { expiryDate: unknown }
  return typeof expiryDate === 'string' && getTime(new DateClass(expiryDate)) >= now()
}
