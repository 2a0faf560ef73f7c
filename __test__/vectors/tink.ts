// Values of Google Tink, and which keysets its readers take.
import { load } from './load.js'

/** Tink's result, or its error. */
export interface Outcome {
  ok?: string
  error?: string
  message?: string
}
interface Sealed {
  pt: string
  aad: string
  ct: string
}

interface Keyset {
  primaryKeyId: number
  key: { keyId: number; outputPrefixType: string; keyData: { value: string } }[]
}

/** Made by PyPI tink 1.16.1, and opened by tink-go too. */
export const TINK = load('./tink-vectors.json') as {
  keysets: { name: string; keyset: object; protobuf: string; vectors: Sealed[] }[]
  destroyed: { name: string; keyset: object; result: Outcome }[]
  behaviour: Record<string, Outcome | Outcome[]>
  generated: object
  encrypted: { 'kek keyset': string; aad: string; json: object; 'decrypted protobuf': string }
  xaes: { template: string; keyset: object; vectors: Sealed[] }[]
}

/** Keysets in every form that may be asked about, each with whether Tink for Python and for Go read it. */
export const READING = load('./tink-reading.json').cases as {
  name: string
  text?: string
  hex?: string
  python: boolean
  go: boolean
}[]

/** Tink's pseudo-random functions: `output16` is the first 16 bytes for `input`. */
export const PRF = load('./tink-prf.json') as {
  template: string
  keyset: { key: { keyData: { value: string } }[] }
  input: string
  output16: string
}[]

/** What Tink sealed by the primary key of a keyset: the bytes of the key, and each message without the prefix of the key. */
export function sealedBy({ keyset, vectors }: { keyset: object; vectors: Sealed[] }) {
  const { primaryKeyId, key: keys } = keyset as Keyset
  const { keyData, outputPrefixType } = keys.find(({ keyId }) => keyId === primaryKeyId) as Keyset['key'][0]
  const value = Buffer.from(keyData.value, 'base64')
  // Its last field, of the number 3.
  const key = value.subarray(value.indexOf(0x1a) + 2)
  return vectors.map(({ pt, aad, ct }) => ({
    key,
    plaintext: Buffer.from(pt, 'hex'),
    aad: Buffer.from(aad, 'hex'),
    message: Buffer.from(ct, 'hex').subarray(outputPrefixType === 'RAW' ? 0 : 5),
  }))
}
