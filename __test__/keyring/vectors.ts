// Values of Google Tink, and the files of the package that read and write keysets, which it does not export.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Keyset, KnownKey, UnsupportedKey } from '../../lib/keyring/keyset/model.cjs'

export type { Keyset, KnownKey, UnsupportedKey }

const load = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

/** Tink's result, or its error. */
export interface Outcome {
  ok?: string
  error?: string
  message?: string
}
export interface Sealed {
  pt: string
  aad: string
  ct: string
}

/** Made by PyPI tink 1.16.1, and opened by tink-go too. */
export const TINK = load('tink-vectors.json') as {
  keysets: { name: string; keyset: object; protobuf: string; vectors: Sealed[] }[]
  destroyed: { name: string; keyset: object; result: Outcome }[]
  behaviour: Record<string, Outcome | Outcome[]>
  generated: object
  encrypted: { 'kek keyset': string; aad: string; json: object; 'decrypted protobuf': string }
  xaes: { template: string; keyset: object; vectors: Sealed[] }[]
}

/** Keysets in every form that may be asked about, each with whether Tink for Python and for Go read it. */
export const READING = load('tink-reading.json').cases as {
  name: string
  text?: string
  hex?: string
  python: boolean
  go: boolean
}[]

/** Tink's pseudo-random functions: `output16` is the first 16 bytes for `input`. */
export const PRF = load('tink-prf.json') as {
  template: string
  keyset: { key: { keyData: { value: string } }[] }
  input: string
  output16: string
}[]

const require = createRequire(import.meta.url)
const inside = <Module>(name: string) => require(`../../dist/keyring/${name}.cjs`) as Module

export const { readKeyset, writeKeyset } =
  inside<typeof import('../../lib/keyring/keyset/json.cjs')>('keyset/json')
export const { decodeKeyset, encodeKeyset } =
  inside<typeof import('../../lib/keyring/keyset/protobuf.cjs')>('keyset/protobuf')
export const { readEncrypted, writeEncrypted } =
  inside<typeof import('../../lib/keyring/keyset/encrypted.cjs')>('keyset/encrypted')
export const { keyTypeOf } =
  inside<typeof import('../../lib/keyring/keyset/key-types.cjs')>('keyset/key-types')
export const LIMITS = inside<typeof import('../../lib/keyring/keyset/model.cjs')>('keyset/model')
export const { context } = inside<typeof import('../../lib/keyring/context.cjs')>('context')
export const { BlindIndex } = inside<typeof import('../../lib/keyring/blind-index.cjs')>('blind-index')

export const INVALID = 'ERR_AESGCM_INVALID_KEYSET'
export const hex = (text: string) => Buffer.from(text, 'hex')
