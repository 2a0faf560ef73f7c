// A consumer in TypeScript, as a CommonJS module.
import { type Aead, AesGcm, type AesGcmError, KeyArena, OVERHEAD } from 'hardware-aes-gcm'
import { PacketProtection, type PacketProtectionOptions } from 'hardware-aes-gcm/quic'
import { Handshake, type SessionOptions } from 'hardware-aes-gcm/session'
import { combineKey, type SplitOptions, splitKey } from 'hardware-aes-gcm/shamir'
import { AesGcmSiv, type AesGcmSivOptions } from 'hardware-aes-gcm/siv'
import { XAesGcm, type XAesGcmOptions } from 'hardware-aes-gcm/xaes'

function roundTrip(): string {
  using aes = new AesGcm(AesGcm.generateKey())
  const frame: Buffer = aes.encrypt(Buffer.from('typed'))
  const plaintext: Buffer = aes.decrypt(frame)
  if (frame.length !== plaintext.length + OVERHEAD) throw new Error('the frame has another length')
  return aes.backend
}

/** The key of a class that has the methods of every class. */
function longNonces(): number {
  const options: XAesGcmOptions = { arena: new KeyArena({ keys: 2 }) }
  const key: Aead = new XAesGcm(XAesGcm.generateKey(), options)
  return key.encrypt(Buffer.from('typed')).length
}

if (longNonces() !== 45) throw new Error('the frame has another length')

function repeatedNonces(): number {
  const options: AesGcmSivOptions = { arena: new KeyArena({ keys: 2 }) }
  const key: Aead = new AesGcmSiv(AesGcmSiv.generateKey(128), options)
  return key.encrypt(Buffer.from('typed')).length
}

if (repeatedNonces() !== 33) throw new Error('the frame has another length')

/** The arena of the main entry is the one that packet protection takes. */
function packet(): number {
  const options: PacketProtectionOptions = { arena: new KeyArena({ keys: 2 }) }
  const bytes = Buffer.alloc(40)
  new PacketProtection(new Uint8Array(32), options).seal(bytes, 8, 5)
  return new PacketProtection(new Uint8Array(32)).open(bytes, 7, 4)
}

if (packet() !== 5) throw new Error('the packet does not open')

function hello(): number {
  const options: SessionOptions = { secret: new Uint8Array(32), role: 'initiator' }
  return new Handshake(options).hello.length
}

if (hello() < 40) throw new Error('the hello is too short')

function shares(): number {
  const options: SplitOptions = { threshold: 2, shares: 2 }
  return combineKey(splitKey(new Uint8Array(16), options)).length
}

if (shares() !== 16) throw new Error('the key has another length')

// @ts-expect-error a class has no such code
export const code: AesGcmError['code'] = 'ERR_AESGCM_NONE'

console.log(roundTrip())
