// awsKms, documented in types/kms.d.ts: a keyset is encrypted by AWS KMS itself.
import type { KeysetWrapping } from '../../../types/keyring.d.ts'
import type { AwsKms, AwsKmsOptions } from '../../../types/kms.d.ts'
import { define, freeze, keys } from '../../cipher/base/builtins.cjs'
import { mustBe, surrogate, wrongValue } from '../../cipher/base/errors.cjs'
import { codedIfRevoked, optionsOf } from '../../cipher/base/parse.cjs'
import { isWellFormed } from '../../cipher/base/utf8.cjs'
import { ask, bytesIn, checkClient, checkKeyset, checkWrapped, patienceOf, textOption } from './service.cjs'

const SERVICE = 'AWS KMS'
const OPTIONS = ['keyId', 'encryptionContext', 'timeout', 'signal'] as const satisfies (keyof AwsKmsOptions)[]
/** Of the API, for symmetric keys. */
const MAX_BYTES = 4096

export function awsKms(client: AwsKms, options: AwsKmsOptions): KeysetWrapping {
  checkClient(client, ['encrypt', 'decrypt'], "a KMS of @aws-sdk/client-kms, made by 'new KMS({})',")
  const own = optionsOf(options, OPTIONS)
  const KeyId = textOption(own, 'keyId')
  const EncryptionContext = contextOf(own('encryptionContext'))
  const patience = patienceOf(own)
  return freeze({
    __proto__: null,
    wrap: async (keyset: Uint8Array) => {
      const Plaintext = checkKeyset(SERVICE, keyset, MAX_BYTES)
      const answer = await ask(SERVICE, 'encrypt', patience, abortSignal =>
        client.encrypt({ KeyId, Plaintext, EncryptionContext }, { abortSignal }),
      )
      return bytesIn(SERVICE, 'encrypt', answer, 'CiphertextBlob')
    },
    unwrap: async (wrapped: Uint8Array) => {
      const CiphertextBlob = checkWrapped(wrapped)
      // With the id, AWS refuses a keyset that was encrypted under another key.
      const answer = await ask(SERVICE, 'decrypt', patience, abortSignal =>
        client.decrypt({ KeyId, CiphertextBlob, EncryptionContext }, { abortSignal }),
      )
      return bytesIn(SERVICE, 'decrypt', answer, 'Plaintext')
    },
  } as KeysetWrapping)
}

function contextOf(given: unknown): Record<string, string> {
  if (typeof given !== 'object' || given === null)
    throw mustBe('options.encryptionContext', 'an object', given)
  const read = <Value,>(work: () => Value): Value => {
    try {
      return work()
    } catch (error) {
      throw codedIfRevoked('options.encryptionContext', given, error)
    }
  }
  const context = {}
  const names = read(() => keys(given))
  for (let i = 0; i < names.length; i++) {
    const value = read(() => (given as Record<string, unknown>)[names[i] as string])
    if (typeof value !== 'string' || value === '')
      throw wrongValue('"options.encryptionContext" must contain only strings that are not empty')
    if (!isWellFormed(value) || !isWellFormed(names[i] as string))
      throw surrogate('options.encryptionContext')
    define(context, names[i] as string, value, true)
  }
  if (names.length > 0) return context
  throw wrongValue('"options.encryptionContext" must say what the keyset is for, such as { keyset: "users" }')
}
