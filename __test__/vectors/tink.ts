// Values of Google Tink, and which keysets its readers take.
import { readFileSync } from 'node:fs'

const load = (name: string) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'))

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

const DAWN = Buffer.from('attack at dawn')
const NONE = Buffer.alloc(0)
/** The messages that Tink sealed under each key of siv.ts and xaes.ts: plaintext and additional data. */
export const MESSAGES = [
  [NONE, NONE],
  [DAWN, NONE],
  [DAWN, Buffer.from('users.email.17')],
  [Buffer.from(Uint8Array.from({ length: 256 }, (_, n) => n)), Buffer.alloc(32)],
] as const
