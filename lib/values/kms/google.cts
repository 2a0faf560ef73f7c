// googleKms, documented in types/kms.d.ts: a keyset is encrypted by Google Cloud KMS itself.
import type { KeysetWrapping } from '../../../types/keyring.d.ts'
import type { GoogleKms, GoogleKmsOptions } from '../../../types/kms.d.ts'
import { deleteProperty, freeze, isArray } from '../../cipher/base/builtins.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { crc32c } from './crc32c.cjs'
import {
  ask,
  bytesIn,
  checkClient,
  checkKeyset,
  checkWrapped,
  failure,
  garbage,
  patienceOf,
  textOption,
} from './service.cjs'

const SERVICE = 'Google Cloud KMS'
const OPTIONS = ['name', 'context', 'timeout', 'signal'] as const satisfies (keyof GoogleKmsOptions)[]
/** Of the API, for software keys. A key of an HSM accepts 8 KiB with the additional data. */
const MAX_BYTES = 65_536

export function googleKms(client: GoogleKms, options: GoogleKmsOptions): KeysetWrapping {
  const help = 'a KeyManagementServiceClient of @google-cloud/kms'
  checkClient(client, ['encrypt', 'decrypt'], help)
  const own = optionsOf(options, OPTIONS)
  const name = textOption(own, 'name')
  const additionalAuthenticatedData = bytesOfText(textOption(own, 'context'))
  const patience = patienceOf(own)
  const { timeout } = patience
  const bound = {
    name,
    additionalAuthenticatedData,
    additionalAuthenticatedDataCrc32c: { value: crc32c(additionalAuthenticatedData) },
  }
  return freeze({
    __proto__: null,
    wrap: async (keyset: Uint8Array) => {
      const plaintext = checkKeyset(SERVICE, keyset, MAX_BYTES)
      const request = { ...bound, plaintext, plaintextCrc32c: { value: crc32c(plaintext) } }
      const answer = first(
        await ask(SERVICE, 'encrypt', patience, () =>
          withoutRequest('encrypt', () => client.encrypt(request, { timeout })),
        ),
      )
      const ciphertext = bytesIn(SERVICE, 'encrypt', answer, 'ciphertext')
      // A service that received other bytes would have encrypted those.
      if (
        answer.verifiedPlaintextCrc32c !== true ||
        answer.verifiedAdditionalAuthenticatedDataCrc32c !== true
      )
        throw garbage(SERVICE, 'encrypt', 'without having verified the checksums of the request')
      checkSum('encrypt', ciphertext, answer.ciphertextCrc32c)
      return ciphertext
    },
    unwrap: async (wrapped: Uint8Array) => {
      const ciphertext = checkWrapped(wrapped)
      const request = { ...bound, ciphertext, ciphertextCrc32c: { value: crc32c(ciphertext) } }
      const answer = first(
        await ask(SERVICE, 'decrypt', patience, () =>
          withoutRequest('decrypt', () => client.decrypt(request, { timeout })),
        ),
      )
      const plaintext = bytesIn(SERVICE, 'decrypt', answer, 'plaintext')
      checkSum('decrypt', plaintext, answer.plaintextCrc32c)
      return plaintext
    },
  } as KeysetWrapping)
}

/**
 * The answer of the client. In its REST mode, an error has the request, and so the keyset in the
 * clear: a program that logs the error would log the keyset. An error that keeps its request, such
 * as a frozen one, is left out.
 */
async function withoutRequest<Answer>(operation: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (typeof error === 'object' && error !== null) {
      deleteProperty(error, 'config')
      deleteProperty(error, 'response')
      if ('config' in error || 'response' in error)
        throw failure(`${SERVICE} failed at ${operation}`, undefined)
    }
    throw error
  }
}

/** The response: the client returns it in an array, with the request and the raw response. */
function first(answers: unknown): Record<string, unknown> {
  const answer: unknown = isArray(answers) ? answers[0] : undefined
  return typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {}
}

/** The value is a number, a string, or a Long of protobufjs. */
function checkSum(operation: string, bytes: Uint8Array, given: unknown): void {
  const value = (given as { value?: unknown } | null | undefined)?.value
  if (value !== undefined && value !== null && `${value}` === `${crc32c(bytes)}`) return
  throw garbage(SERVICE, operation, 'with bytes that do not match their checksum')
}
