// The files of the package that read and write keysets, which it does not export.
import { createRequire } from 'node:module'
import type { Keyset, KnownKey, UnsupportedKey } from '../../../lib/values/keyring/keyset/model.cjs'

export type { Keyset, KnownKey, UnsupportedKey }

const require = createRequire(import.meta.url)
const inside = <Module>(name: string) => require(`../../../dist/values/keyring/${name}.cjs`) as Module

const json = inside<typeof import('../../../lib/values/keyring/keyset/json.cjs')>('keyset/json')
const protobuf = inside<typeof import('../../../lib/values/keyring/keyset/protobuf.cjs')>('keyset/protobuf')
const { AEAD_KEYSETS } = inside<typeof import('../../../lib/values/keyring/keyset/value.cjs')>('keyset/value')

export const readKeyset = (text: string | undefined) => json.readKeyset(AEAD_KEYSETS, text)
export const writeKeyset = (keyset: Keyset) => json.writeKeyset(AEAD_KEYSETS, keyset)
export const decodeKeyset = (bytes: Uint8Array) => protobuf.decodeKeyset(AEAD_KEYSETS, bytes)
export const encodeKeyset = (keyset: Keyset) => protobuf.encodeKeyset(AEAD_KEYSETS, keyset)
export const { readEncrypted, writeEncrypted } =
  inside<typeof import('../../../lib/values/keyring/keyset/encrypted.cjs')>('keyset/encrypted')
export const { keyTypeOf } =
  inside<typeof import('../../../lib/values/keyring/keyset/key-types.cjs')>('keyset/key-types')
export const LIMITS = inside<typeof import('../../../lib/values/keyring/keyset/model.cjs')>('keyset/model')
export const { context } = inside<typeof import('../../../lib/values/keyring/context.cjs')>('context')
export const { BlindIndex } =
  inside<typeof import('../../../lib/values/keyring/blind-index.cjs')>('blind-index')

export const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
export const hex = (text: string) => Buffer.from(text, 'hex')
