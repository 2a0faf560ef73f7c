// The hellos of a handshake: made and parsed. docs/formats.md has the bytes.
import type { Buffer } from 'node:buffer'
import { crypto } from '../../cipher/base/builtins.cjs'
import { part } from '../../cipher/base/bytes.cjs'
import { allocateOffHeap, bytesOver, copy } from '../../cipher/base/views.cjs'
import { randomFillSync } from '../../cipher/machine/random.cjs'
import { choose, type SessionCipher } from './ciphers.cjs'
import { isMarked, mark } from './origin.cjs'
import { handshakeFailed } from './records.cjs'

export type Role = 'initiator' | 'responder'

/** A hello follows its length in 16 bits. */
export const HELLO_LENGTH_BYTES = 2
const MAX_BYTES = 1024
const VERSION = 1
const MAGIC = [0x48, 0x41, 0x47, 0x53] // HAGS
const VERSION_AT = 4
const ROLE_AT = 5
const RANDOM_AT = 6
const RANDOM_BYTES = 32
const COUNT_AT = RANDOM_AT + RANDOM_BYTES
const IDS_AT = COUNT_AT + 1
const MIN_BYTES = IDS_AT + 1

const { timingSafeEqual } = crypto
const roleByte = (role: Role) => (role === 'initiator' ? 0 : 1)

/** A new hello, with its own random bytes. */
export function helloOf(role: Role, ciphers: readonly SessionCipher[]): Buffer<ArrayBuffer> {
  const hello = allocateOffHeap(IDS_AT + ciphers.length)
  copy(hello, Uint8Array.from([...MAGIC, VERSION, roleByte(role)]))
  randomFillSync(hello, RANDOM_AT, RANDOM_BYTES)
  if (role === 'initiator') mark(randomOf(hello))
  hello[COUNT_AT] = ciphers.length
  for (let i = 0; i < ciphers.length; i++) hello[IDS_AT + i] = (ciphers[i] as SessionCipher).id
  return hello
}

/** Throws for a length that no hello has. Called before the hello's bytes are awaited. */
export function judgeHelloLength(length: number): void {
  if (length < MIN_BYTES || length > MAX_BYTES) throw notAHello()
}

/** The facts that a side checks in its peer's hello. */
interface Wanted {
  readonly role: Role
  readonly ciphers: readonly SessionCipher[]
  readonly allowSelf: boolean
}

/** The cipher that both hellos name. Throws unless `peer` is a whole hello of the other role. */
export function agreed(
  own: Uint8Array,
  peer: Uint8Array,
  { role, ciphers, allowSelf }: Wanted,
): SessionCipher {
  const { length } = peer
  judgeHelloLength(length)
  for (let i = 0; i < MAGIC.length; i++) if (peer[i] !== MAGIC[i]) throw notAHello()
  if (peer[VERSION_AT] !== VERSION) throw handshakeFailed('the peer speaks another version')
  if (peer[ROLE_AT] === roleByte(role)) throw handshakeFailed(`both sides have the role '${role}'`)
  if (peer[ROLE_AT] !== 1 - roleByte(role)) throw notAHello()
  const count = peer[COUNT_AT] as number
  if (count === 0 || length !== IDS_AT + count) throw notAHello()
  const ids = new Set(bytesOver(peer.buffer as ArrayBuffer, peer.byteOffset + IDS_AT, count))
  if (ids.size !== count) throw notAHello()
  if (timingSafeEqual(randomOf(own), randomOf(peer))) throw handshakeFailed('the hello is our own')
  if (role === 'responder' && !allowSelf && isMarked(randomOf(peer)))
    throw handshakeFailed('the initiator is in this process, which only allowSelf permits')
  return choose(cipher => ciphers.includes(cipher) && ids.has(cipher.id))
}

function randomOf(hello: Uint8Array): Uint8Array {
  return part(hello, RANDOM_AT, RANDOM_BYTES)
}

function notAHello(): Error {
  return handshakeFailed("the peer's hello is not one of this protocol")
}
