// Files of the package that it does not export, the vectors, and whether this runtime has ML-KEM.
import crypto from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const inside = <Module>(name: string) => require(`../../../dist/values/hybrid/${name}.cjs`) as Module

export const { keySchedule, suiteOf } = inside<typeof import('../../../lib/values/hybrid/hpke.cjs')>('hpke')
export const { refuseLongText } = inside<typeof import('../../../lib/values/hybrid/sealing.cjs')>('sealing')
export const { hasDhkem, X25519 } = inside<typeof import('../../../lib/values/hybrid/dhkem.cjs')>('dhkem')
export const { X_WING } = inside<typeof import('../../../lib/values/hybrid/x-wing.cjs')>('x-wing')
export const { dh, x25519Private, x25519Public } =
  inside<typeof import('../../../lib/values/hybrid/raw-keys.cjs')>('raw-keys')

export const { sealingKey } = inside<typeof import('../../../lib/protocols/stream/keys.cjs')>(
  '../../protocols/stream/keys',
)
export const { settingsOf } = inside<typeof import('../../../lib/protocols/stream/options.cjs')>(
  '../../protocols/stream/options',
)
export const { encryptTo } = inside<typeof import('../../../lib/protocols/stream/transfer.cjs')>(
  '../../protocols/stream/transfer',
)

interface Tink {
  template: string
  private: object
  public: object
  vectors: { pt: string; context: string; ct: string }[]
}

export const VECTORS = JSON.parse(
  readFileSync(new URL('../../vectors/hybrid.json', import.meta.url), 'utf8'),
) as {
  tink: Tink[]
  rfc9180: (Record<
    'info' | 'skEm' | 'pkEm' | 'skRm' | 'pkRm' | 'enc' | 'shared_secret' | 'key' | 'base_nonce' | 'pt',
    string
  > & { aead: 1 | 2; ciphertexts: string })[]
  xWing: Record<'skRm' | 'pkRm' | 'enc' | 'shared_secret', string>[]
}

/** checks/hybrid runs these tests on a Node with ML-KEM, and says so: they must then not go without. */
export const HAS_ML_KEM = 'encapsulate' in crypto || process.env.AESGCM_ML_KEM === '1'

export const hex = (text: string) => Buffer.from(text, 'hex')
export const base64 = (text: string) => Buffer.from(text, 'base64')
export const TYPES = [
  'X25519-AES-256-GCM',
  'X25519-AES-128-GCM',
  ...(HAS_ML_KEM ? (['X-WING-AES-256-GCM', 'X-WING-AES-128-GCM'] as const) : []),
] as const
