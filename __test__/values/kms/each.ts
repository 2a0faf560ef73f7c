// The four services over their stand-ins, each with its context and a client whose functions a test may replace.
import { awsKms, azureKeyVault, googleKms, vaultTransit } from 'hardware-aes-gcm/kms'
import { aws, azure, google, vault } from './services.js'

export const NAME = 'projects/p/locations/global/keyRings/r/cryptoKeys/k'

/** The services: each with a context, and a client whose functions a test may replace. */
export const SERVICES = {
  'AWS KMS': (context: string, change: object = {}, more: object = {}) =>
    awsKms({ ...aws(), ...change } as never, { keyId: 'k', encryptionContext: { for: context }, ...more }),
  'Google Cloud KMS': (context: string, change: object = {}, more: object = {}) =>
    googleKms({ ...google(), ...change } as never, { name: NAME, context, ...more }),
  'Azure Key Vault': (context: string, change: object = {}, more: object = {}) =>
    azureKeyVault({ ...azure(), ...change } as never, { algorithm: 'A256KW', context, ...more }),
  Vault: (context: string, change: object = {}, more: object = {}) =>
    vaultTransit({ ...vault(), context, ...change, ...more } as never),
}
export type Service = keyof typeof SERVICES
export const CALLS: Record<Service, [string, string]> = {
  'AWS KMS': ['encrypt', 'decrypt'],
  'Google Cloud KMS': ['encrypt', 'decrypt'],
  'Azure Key Vault': ['wrapKey', 'unwrapKey'],
  Vault: ['fetch', 'fetch'],
}
export const KEYSET = Buffer.from('the bytes of a keyset')

/** Replaces what the client answers. */
export function answering(service: Service, answer: () => unknown): object {
  const [encrypt, decrypt] = CALLS[service]
  const call =
    service === 'Vault'
      ? async () => ({ ok: true, status: 200, text: async () => JSON.stringify(answer() ?? null) })
      : async () => answer()
  return { [encrypt]: call, [decrypt]: call }
}

export const failure = async (promise: Promise<unknown>) => {
  try {
    return { opened: Buffer.from((await promise) as Uint8Array) }
  } catch (error) {
    const { code, message, cause } = error as Error & { code: string }
    return { code, message, cause }
  }
}
