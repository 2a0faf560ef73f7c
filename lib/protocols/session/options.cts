// The options of sessions, parsed. types/session.d.ts says what each means.
import type { SecureStreamOptions, SessionOptions } from '../../../types/session.d.ts'
import { mustBe, outOfRange, wrongValue } from '../../cipher/base/errors.cjs'
import { count, optionsOf, shown } from '../../cipher/base/parse.cjs'
import { bytesOfTextOrBytes } from '../../cipher/base/utf8.cjs'
import { ciphersOf, type SessionCipher } from './ciphers.cjs'
import type { Role } from './hello.cjs'
import { MAX_EPOCH_BYTES, MAX_EPOCH_RECORDS } from './records.cjs'
import type { Limits } from './sealer.cjs'
import { type Secrets, secretsOf } from './secrets.cjs'

const MAX_RECORD = 20 * 2 ** 20
const DEFAULT_MAX_RECORD = 2 ** 20
/** Room for one byte of data, in both profiles. */
const MIN_RECORD = 29
const MAX_CONTEXT = 1024
const DEFAULT_TIMEOUT = 10_000
/** The longest time that a timer can wait, in milliseconds. */
const MAX_TIMEOUT = 2 ** 31 - 1

const SESSION = [
  'secret',
  'role',
  'context',
  'allowSelf',
  'ciphers',
  'rekeyAfterBytes',
  'rekeyAfterRecords',
  'maxRecord',
  'compat',
] as const satisfies (keyof SessionOptions)[]
const STREAM = [
  ...SESSION,
  'handshakeTimeout',
  'rekeyTimeout',
] as const satisfies (keyof SecureStreamOptions)[]

export interface Settings extends Limits {
  /** The owner of the settings wipes them. */
  readonly secrets: Secrets
  readonly role: Role
  readonly ciphers: readonly SessionCipher[]
  readonly context: Uint8Array | undefined
  readonly allowSelf: boolean
  readonly keibidrop: boolean
}

export interface StreamSettings extends Settings {
  readonly handshakeTimeout: number
  readonly rekeyTimeout: number
}

type Own = (name: (typeof STREAM)[number], fallback?: unknown) => unknown

export function readSession(options: unknown): Settings {
  return settingsOf(optionsOf(options, SESSION) as Own)
}

export function readStream(options: unknown): StreamSettings {
  const own = optionsOf(options, STREAM)
  const handshakeTimeout = timeout(own, 'handshakeTimeout')
  const rekeyTimeout = timeout(own, 'rekeyTimeout')
  return { ...settingsOf(own), handshakeTimeout, rekeyTimeout }
}

/** Every option, read once. Secrets come last: if another option throws, no copy remains. */
function settingsOf(own: Own): Settings {
  const keibidrop = isKeibidrop(own('compat'))
  const role = own('role')
  if (role !== 'initiator' && role !== 'responder')
    throw wrongValue(`"options.role" must be 'initiator' or 'responder', got ${shown(role)}`)
  const ciphers = ciphersOf(own('ciphers'))
  if (keibidrop && (ciphers.length !== 1 || own('ciphers') === undefined || ciphers[0]?.keyBytes !== 32)) {
    const what = "must name 'aes-256-gcm' or 'chacha20-poly1305' alone: this wire does not negotiate a cipher"
    throw wrongValue(`"options.ciphers" ${what}`)
  }
  const context = contextOf(own('context'))
  if (keibidrop && context !== undefined)
    throw wrongValue(
      '"options.context" is not supported on this wire, whose keys come from the secrets alone',
    )
  const allowSelf = own('allowSelf', false)
  if (typeof allowSelf !== 'boolean') throw mustBe('options.allowSelf', 'a boolean', allowSelf)
  const bytes = own('rekeyAfterBytes', MAX_EPOCH_BYTES)
  const records = own('rekeyAfterRecords', MAX_EPOCH_RECORDS)
  const maxRecord = own('maxRecord', keibidrop ? MAX_RECORD : DEFAULT_MAX_RECORD)
  return {
    keibidrop,
    role,
    ciphers,
    context,
    allowSelf,
    rekeyAfterBytes: count('options.rekeyAfterBytes', bytes, 1, MAX_EPOCH_BYTES),
    rekeyAfterRecords: count('options.rekeyAfterRecords', records, 1, MAX_EPOCH_RECORDS),
    maxRecord: count('options.maxRecord', maxRecord, MIN_RECORD, MAX_RECORD),
    secrets: secretsOf('options.secret', own('secret')),
  }
}

function isKeibidrop(compat: unknown): boolean {
  if (compat === undefined) return false
  if (compat === 'keibidrop') return true
  throw wrongValue(`"options.compat" must be 'keibidrop', got ${shown(compat)}`)
}

/** The bytes of a context. Refuses an empty one: a missing name must not equal a peer's. */
function contextOf(context: unknown): Uint8Array | undefined {
  if (context === undefined || context === null) return undefined
  const bytes = bytesOfTextOrBytes('options.context', context)
  if (bytes.length >= 1 && bytes.length <= MAX_CONTEXT) return bytes
  throw outOfRange(`"options.context" must have 1 to ${MAX_CONTEXT} bytes, got ${bytes.length}`)
}

function timeout(own: Own, name: 'handshakeTimeout' | 'rekeyTimeout'): number {
  return count(`options.${name}`, own(name, DEFAULT_TIMEOUT), 1, MAX_TIMEOUT)
}
