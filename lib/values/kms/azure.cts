// azureKeyVault, documented in types/kms.d.ts: a keyset is sealed under a fresh key, which the key
// vault wraps. A key vault wraps keys alone.
//
// 01 ‖ length of the wrapped key(2) ‖ wrapped key ‖ frame of AES-256-GCM, whose AAD is the context
import type { Buffer } from 'node:buffer'
import type { KeysetWrapping } from '../../../types/keyring.d.ts'
import type { AzureKeyVault, AzureKeyVaultOptions } from '../../../types/kms.d.ts'
import { withKey } from '../../cipher/aead/once.cjs'
import { freeze, max } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { AesGcmError } from '../../cipher/base/errors.cjs'
import { onFailure } from '../../cipher/base/on-failure.cjs'
import { optionsOf } from '../../cipher/base/parse.cjs'
import { OVERHEAD } from '../../cipher/base/sizes.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocate, allocateOffHeap, byteLength, copy, wipe } from '../../cipher/base/views.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { decryptInto, encryptInto } from '../../cipher/native/calls.cjs'
import { refusal } from '../../cipher/native/refusal.cjs'
import {
  ask,
  bytesIn,
  checkClient,
  checkKeyset,
  checkWrapped,
  garbage,
  patienceOf,
  textOption,
} from './service.cjs'

const SERVICE = 'Azure Key Vault'
const OPTIONS = [
  'algorithm',
  'context',
  'timeout',
  'signal',
] as const satisfies (keyof AzureKeyVaultOptions)[]
const MAX_BYTES = 2 ** 21
const [VERSION, HEAD] = [1, 3]
const KEY_BYTES = 32

export function azureKeyVault(client: AzureKeyVault, options: AzureKeyVaultOptions): KeysetWrapping {
  const help = 'a CryptographyClient of @azure/keyvault-keys'
  checkClient(client, ['wrapKey', 'unwrapKey'], help)
  const own = optionsOf(options, OPTIONS)
  const algorithm = textOption(own, 'algorithm')
  const aad = bytesOfText(textOption(own, 'context'))
  const patience = patienceOf(own)
  return freeze({
    __proto__: null,
    wrap: async (keyset: Uint8Array) => {
      const content = checkKeyset(SERVICE, keyset, MAX_BYTES)
      const key = freshKey(KEY_BYTES)
      try {
        const answer = await ask(SERVICE, 'wrapKey', patience, abortSignal =>
          client.wrapKey(algorithm, key, { abortSignal }),
        )
        return sealed(key, bytesIn(SERVICE, 'wrapKey', answer, 'result'), content, aad)
      } finally {
        wipe(key, 0)
      }
    },
    unwrap: async (wrapped: Uint8Array) => {
      const { wrappedKey, frame } = partsOf(checkWrapped(wrapped))
      const answer = await ask(SERVICE, 'unwrapKey', patience, abortSignal =>
        client.unwrapKey(algorithm, wrappedKey, { abortSignal }),
      )
      const key = bytesIn(SERVICE, 'unwrapKey', answer, 'result')
      try {
        if (byteLength(key) !== KEY_BYTES) throw garbage(SERVICE, 'unwrapKey', 'with no key of 32 bytes')
        return opened(key, frame, aad)
      } finally {
        wipe(key, 0)
      }
    },
  } as KeysetWrapping)
}

function sealed(key: Uint8Array, wrappedKey: Uint8Array, content: Uint8Array, aad: Uint8Array): Buffer {
  const length = byteLength(wrappedKey)
  if (length > 0xffff) throw garbage(SERVICE, 'wrapKey', 'with more than 65 535 bytes')
  const made = allocate(HEAD + length + OVERHEAD + byteLength(content))
  made[0] = VERSION
  made[1] = length >> 8
  made[2] = length & 0xff
  copy(made, wrappedKey, HEAD)
  const frame = part(made, HEAD + length, OVERHEAD + byteLength(content))
  const status = withKey(key, handle => encryptInto(handle, frame, content, aad))
  if (status !== byteLength(frame)) throw refusal(status, ['handle', 'frame', 'keyset', 'context'])
  return made
}

function opened(key: Uint8Array, frame: Uint8Array, aad: Uint8Array): Buffer {
  const content = allocateOffHeap(max(0, byteLength(frame) - OVERHEAD))
  return onFailure(
    () => wipe(content, 0),
    () => {
      const status = withKey(key, handle => decryptInto(handle, content, frame, aad))
      if (status !== byteLength(content)) throw refusal(status, ['handle', 'keyset', 'frame', 'context'])
      return content
    },
  )
}

function partsOf(wrapped: Uint8Array): { wrappedKey: Uint8Array; frame: Uint8Array } {
  const end = HEAD + ((wrapped[1] ?? 0) << 8) + (wrapped[2] ?? 0)
  const length = byteLength(wrapped)
  if (wrapped[0] === VERSION && end > HEAD && length > end + OVERHEAD)
    return { wrappedKey: part(wrapped, HEAD, end - HEAD), frame: part(wrapped, end, length - end) }
  throw new AesGcmError('ERR_AESGCM_INVALID_KEYSET', 'the encrypted keyset was not wrapped by azureKeyVault')
}
