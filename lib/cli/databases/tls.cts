// How the URL of MySQL or MariaDB asks for TLS. Each library has parameters of its own for it.
import { Failure } from '../frame/failure.cjs'
import type { Address } from './address.cjs'

/** Values that only ask for encryption, and those that also ask for a certificate of the host. */
const [ENCRYPTED, VERIFIED, CLEAR] = [
  ['required', 'require', 'accept_invalid_certs'],
  ['true', '1', 'verify_ca', 'verify-ca', 'verify_identity', 'verify-full', 'strict'],
  ['false', '0', 'disabled', 'disable', 'none'],
]

/** The option `ssl` of mysql2. A parameter that is not understood is refused, not ignored. */
export function tlsOf({ parameters, shown }: Address): { ssl?: object } {
  for (const [name, value] of parameters) {
    if (!/^(use)?(ssl|tls)/i.test(name)) continue
    const word = value.toLowerCase()
    if (CLEAR.includes(word)) return {}
    if (ENCRYPTED.includes(word)) return { ssl: { rejectUnauthorized: false } }
    if (VERIFIED.includes(word)) return { ssl: {} }
    const options = objectIn(value)
    if (options !== undefined) return { ssl: options }
    const what = `its URL has an unsupported TLS parameter; use ssl={"rejectUnauthorized":true}`
    throw new Failure('ERR_INPUT', `${shown}: ${what}`)
  }
  return {}
}

function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
