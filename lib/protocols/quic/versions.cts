// The versions of QUIC, and the constants that each has for packet protection.
import type { Version } from '../../../types/quic.d.ts'
import { buffer } from '../../cipher/base/builtins.cjs'
import { wrongValue } from '../../cipher/base/errors.cjs'
import { shown } from '../../cipher/base/parse.cjs'
import { kindOf } from '../../cipher/base/views.cjs'

export const VERSION_1 = 1
export const VERSION_2 = 0x6b3343cf

/** Constants of a version. */
interface Constants {
  /** The beginning of its labels. */
  readonly label: 'quic' | 'quicv2'
  /** Of initial secrets. */
  readonly salt: Uint8Array
  readonly retryKey: Uint8Array
  readonly retryNonce: Uint8Array
}

const hex = (text: string) => Uint8Array.from(buffer.Buffer.from(text, 'hex'))

/** RFC 9001 sections 5.1, 5.2, 5.8. */
const OF_VERSION_1: Constants = {
  label: 'quic',
  salt: hex('38762cf7f55934b34d179ae6a4c80cadccbb7f0a'),
  retryKey: hex('be0c690b9f66575a1d766b54e368c84e'),
  retryNonce: hex('461599d35d632bf2239825bb'),
}

/** RFC 9369 sections 3.3.1, 3.3.2, 3.3.3. */
const OF_VERSION_2: Constants = {
  label: 'quicv2',
  salt: hex('0dede3def700a6db819381be6e269dcbf9bd2ed9'),
  retryKey: hex('8fb4b01b56ac48e260fbcbcead7ccc92'),
  retryNonce: hex('d86969bc2d7c6d9990efb04a'),
}

/** The constants of a version. `name` names the argument. Errors show only numbers. */
export function constantsOf(name: string, version: Version): Constants {
  if (version === VERSION_1) return OF_VERSION_1
  if (version === VERSION_2) return OF_VERSION_2
  const got = typeof version === 'number' ? shown(version) : kindOf(version)
  throw wrongValue(`"${name}" must be VERSION_1 or VERSION_2, got ${got}`)
}
