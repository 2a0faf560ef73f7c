// The ciphers of a session, their fixed order, and the choice among them.
import type { Cipher } from '../../../types/session.d.ts'
import { AesGcm } from '../../cipher/aead/aes-gcm.cjs'
import { crypto, join, positionOf } from '../../cipher/base/builtins.cjs'
import { AesGcmError, mustBe, wrongValue } from '../../cipher/base/errors.cjs'
import { elementsOf, isList, lengthOfList } from '../../cipher/base/lists.cjs'
import { shown } from '../../cipher/base/parse.cjs'
import { handshakeFailed } from './records.cjs'

const { getCiphers } = crypto
// Not read at each call: a program may replace it later.
const { isAvailable } = AesGcm

/** A cipher: its id in hellos, the length of its key, and the label that derives its keys. */
export interface SessionCipher {
  readonly name: Cipher
  readonly id: number
  readonly keyBytes: 16 | 32
  readonly label: string
}

/** In order of preference, equal on all machines. Labels for 32-byte keys are KeibiDrop's. */
const CIPHERS: readonly SessionCipher[] = [
  { name: 'aes-256-gcm', id: 1, keyBytes: 32, label: 'KeibiDrop-AES-256-GCM-SEK' },
  { name: 'aes-128-gcm', id: 2, keyBytes: 16, label: 'KeibiDrop-AES-128-GCM-SEK' },
  { name: 'chacha20-poly1305', id: 3, keyBytes: 32, label: 'KeibiDrop-ChaCha20-Poly1305-SEK' },
]
const NAMES = CIPHERS.map(({ name }) => name)
const LIST = { elements: 'names', least: 0, most: 255 }

function hasChaCha(): boolean {
  return positionOf(getCiphers(), 'chacha20-poly1305') >= 0
}

function isSupported(cipher: SessionCipher, aes: boolean): boolean {
  return cipher.name === 'chacha20-poly1305' ? hasChaCha() : aes
}

function supported(): SessionCipher[] {
  const aes = isAvailable()
  return CIPHERS.filter(cipher => isSupported(cipher, aes))
}

export function supportedCiphers(): Cipher[] {
  return supported().map(({ name }) => name)
}

export function negotiateCipher(a: readonly Cipher[], b: readonly Cipher[]): Cipher {
  const [first, second] = [namesOf('a', a), namesOf('b', b)]
  return choose(cipher => positionOf(first, cipher.name) >= 0 && positionOf(second, cipher.name) >= 0).name
}

/** The first cipher that both sides have. */
export function choose(isOfBoth: (cipher: SessionCipher) => boolean): SessionCipher {
  for (let i = 0; i < CIPHERS.length; i++) {
    const cipher = CIPHERS[i] as SessionCipher
    if (isOfBoth(cipher)) return cipher
  }
  throw handshakeFailed('the two sides have no cipher in common')
}

/** The elements of a list of strings, each read once. Unknown names pass: peers may be newer. */
function namesOf(name: string, list: unknown): readonly string[] {
  if (!isList(list)) throw mustBe(name, 'an array of cipher names', list)
  const names = elementsOf(name, list, lengthOfList(name, list, LIST))
  for (let i = 0; i < names.length; i++) {
    if (typeof names[i] === 'string') continue
    throw mustBe(`${name}[${i}]`, 'a string', names[i])
  }
  return names as readonly string[]
}

/** The ciphers of an option that this machine supports, in the fixed order. */
export function ciphersOf(list: unknown): readonly SessionCipher[] {
  const here = supported()
  const names = list === undefined ? NAMES : namesOf('options.ciphers', list)
  for (let i = 0; i < names.length; i++) {
    if (positionOf(NAMES, names[i]) >= 0) continue
    throw wrongValue(`"options.ciphers" has no ${shown(names[i])}, only '${join(NAMES, "', '")}'`)
  }
  if (names.length === 0) throw wrongValue('"options.ciphers" must name at least one cipher')
  const chosen = here.filter(({ name }) => positionOf(names, name) >= 0)
  if (chosen.length === 0) {
    const what = `this machine supports none of the ciphers '${join(names, "', '")}'`
    throw new AesGcmError('ERR_AESGCM_UNSUPPORTED_CPU', what)
  }
  return chosen
}
