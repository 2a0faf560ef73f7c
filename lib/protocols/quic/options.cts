// The arguments of the constructor of PacketProtection, parsed. types/quic.d.ts describes each.
import type { Buffer } from 'node:buffer'
import type { Backend } from '../../../index.d.ts'
import type { PacketKeys, PacketProtectionOptions, Version } from '../../../types/quic.d.ts'
import { placementOf } from '../../cipher/aead/options.cjs'
import { positionOf, types } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { DECODE, wrongLength, wrongType } from '../../cipher/base/errors.cjs'
import { wrongKeyLength } from '../../cipher/base/key-text.cjs'
import { orWipe } from '../../cipher/base/on-failure.cjs'
import { count, optionsOf } from '../../cipher/base/parse.cjs'
import { kindOf, wipe } from '../../cipher/base/views.cjs'
import type { ArenaHandle } from '../../cipher/native/binding.cjs'
import { BEST_BACKEND } from '../../cipher/native/calls.cjs'
import type { KeyBytes } from './lineage.cjs'
import { constantsOf, VERSION_1 } from './versions.cjs'

const { isUint8Array } = types

/** RFC 9001 section 6.6. */
const MAX_PACKETS = 2 ** 23
const MAX_FAILURES = 2 ** 52
const IV_BYTES = 12

const OPTIONS = [
  'version',
  'arena',
  'backend',
  'maxPackets',
  'maxFailures',
] as const satisfies (keyof PacketProtectionOptions)[]
const KEYS = ['key', 'iv', 'hp'] as const satisfies (keyof PacketKeys)[]

/** The options of an object, which those of its later key phases share. */
export interface Settings {
  readonly version: Version
  readonly backend: Backend
  /** As an argument of `packetCreate`. */
  readonly backendNumber: number
  readonly arena: ArenaHandle | undefined
  readonly maxPackets: number
  readonly maxFailures: number
}

/** Every option, each read once. */
export function read(
  options: unknown,
  { backendNames, backends }: { backendNames: readonly string[]; backends: readonly string[] },
): Settings {
  const own = optionsOf(options === undefined ? {} : options, OPTIONS)
  const version = own('version', VERSION_1) as Version
  constantsOf('options.version', version)
  const maxPackets = count('options.maxPackets', own('maxPackets', MAX_PACKETS), 0, MAX_PACKETS)
  const maxFailures = count('options.maxFailures', own('maxFailures', MAX_FAILURES), 1, MAX_FAILURES)
  const { backend, arena } = placementOf(own, backendNames)
  return {
    version,
    backend: (backend ?? backends[0]) as Backend,
    backendNumber: backend === undefined ? BEST_BACKEND : positionOf(backendNames, backend),
    arena,
    maxPackets,
    maxFailures,
  }
}

/** Bytes of keys, with a header key. */
export interface GivenKeys extends KeyBytes {
  readonly hp: Buffer
}

/** Copies of `{ key, iv, hp }`, each read once. */
export function givenKeys(keys: PacketKeys): GivenKeys {
  if (typeof keys !== 'object' || keys === null) {
    const kinds = 'a secret of 32 or 48 bytes, or an object of key, iv and hp'
    const help = typeof keys === 'string' ? `: ${DECODE}` : ''
    throw wrongType(`"keys" must be ${kinds}, got ${kindOf(keys)}${help}`)
  }
  const option = optionsOf(keys, KEYS, 'keys')
  const [key, iv, hp] = [option('key'), option('iv'), option('hp')] as [Uint8Array, Uint8Array, Uint8Array]
  const keyBytes = lengthOf('keys.key', key)
  if (keyBytes !== 16 && keyBytes !== 32) throw wrongKeyLength('keys.key', '16 or 32 bytes', key)
  if (lengthOf('keys.iv', iv) !== IV_BYTES) throw wrongLength('keys.iv', 'length 12', iv)
  const hpBytes = lengthOf('keys.hp', hp)
  if (hpBytes !== keyBytes) throw wrongKeyLength('keys.hp', `${keyBytes} bytes, as "keys.key" is`, hp)
  const own = copied(key, keyBytes)
  return orWipe(own, () => {
    const ownIv = copied(iv, IV_BYTES)
    return orWipe(ownIv, () => ({ key: own, iv: ownIv, hp: copied(hp, hpBytes) }))
  })
}

/** Whether the argument is a secret; otherwise it should be an object of keys. */
export function isSecret(keys: Uint8Array | PacketKeys): keys is Uint8Array {
  return isUint8Array(keys)
}

export function wipeKeys({ key, iv }: KeyBytes): void {
  wipe(key, 0)
  wipe(iv, 0)
}
