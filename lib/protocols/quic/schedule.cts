// The key schedule: HKDF (RFC 5869) with the labels of QUIC (RFC 9001 sections 5.1, 5.2 and 6.1).
// Not node:crypto's `hkdfSync`, which always extracts.
import type { Buffer } from 'node:buffer'
import type { Version } from '../../../types/quic.d.ts'
import { copied, lengthOf } from '../../cipher/base/bytes.cjs'
import { hmacOf } from '../../cipher/base/digests.cjs'
import { wrongLength } from '../../cipher/base/errors.cjs'
import { bytesOfText } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, copy, viewOf, wipe } from '../../cipher/base/views.cjs'
import { constantsOf, VERSION_1, VERSION_2 } from './versions.cjs'

/** RFC 9000 section 17.2; RFC 9369 does not change it. */
export const MAX_CONNECTION_ID_BYTES = 20

type Hash = 'sha256' | 'sha384'

/** How many bytes a label derives, and the input of HKDF-Expand (RFC 8446 section 7.1). */
interface Label {
  readonly bytes: number
  readonly input: Uint8Array
}

/** How keys come from secrets of one length. */
export interface Schedule {
  readonly hash: Hash
  readonly key: Label
  readonly iv: Label
  readonly hp: Label
  /** The secret of the next key phase. */
  readonly ku: Label
}

/** HkdfLabel without context, and the 1 of HKDF-Expand's first block, the only one needed. */
function label(text: string, bytes: number): Label {
  const whole = bytesOfText(`tls13 ${text}`)
  return { bytes, input: Uint8Array.of(0, bytes, whole.length, ...whole, 0, 1) }
}

function schedule(version: Version, hash: Hash, secretBytes: 32 | 48, keyBytes: 16 | 32): Schedule {
  const name = constantsOf('version', version).label
  return {
    hash,
    key: label(`${name} key`, keyBytes),
    iv: label(`${name} iv`, 12),
    hp: label(`${name} hp`, keyBytes),
    ku: label(`${name} ku`, secretBytes),
  }
}

const ofVersion = (version: Version) => ({
  aes128: schedule(version, 'sha256', 32, 16),
  aes256: schedule(version, 'sha384', 48, 32),
})
const ofVersion1 = ofVersion(VERSION_1)
const ofVersion2 = ofVersion(VERSION_2)

/** The schedule of a secret with this many bytes; undefined for other lengths than 32 and 48. */
export function scheduleOf(version: Version, secretBytes: number): Schedule | undefined {
  const { aes128, aes256 } = version === VERSION_2 ? ofVersion2 : ofVersion1
  if (secretBytes === 32) return aes128
  return secretBytes === 48 ? aes256 : undefined
}

const CLIENT_IN = label('client in', 32)
const SERVER_IN = label('server in', 32)

/** HKDF-Expand-Label, in memory that `wipe` clears. */
export function expand(hash: Hash, secret: Uint8Array, { bytes, input }: Label): Buffer<ArrayBuffer> {
  const expanded = allocateOffHeap(bytes)
  const whole = hmacOf(hash, secret, input)
  try {
    copy(expanded, viewOf(whole, 0, bytes) as Uint8Array)
  } finally {
    wipe(whole, 0)
  }
  return expanded
}

export function initialSecrets(
  version: Version,
  destinationConnectionId: Uint8Array,
): { client: Buffer<ArrayBuffer>; server: Buffer<ArrayBuffer> } {
  const { salt } = constantsOf('version', version)
  const length = lengthOf('destinationConnectionId', destinationConnectionId)
  if (length > MAX_CONNECTION_ID_BYTES)
    throw wrongLength('destinationConnectionId', 'at most 20 bytes', destinationConnectionId)
  // HKDF-Extract.
  const initial = hmacOf('sha256', salt, copied(destinationConnectionId, length))
  let client: Buffer<ArrayBuffer> | undefined
  try {
    client = expand('sha256', initial, CLIENT_IN)
    const secrets = { client, server: expand('sha256', initial, SERVER_IN) }
    client = undefined
    return secrets
  } finally {
    wipe(initial, 0)
    if (client !== undefined) wipe(client, 0)
  }
}
