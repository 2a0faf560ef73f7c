// Messages to recipients, written from docs/formats.md and apart from hardware-aes-gcm/stream: over the keyrings' own messages, and the
// model of Cobblestone.
import type { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import * as cobblestone from './cobblestone.mjs'

export const SEALED_FOR = 'hardware-aes-gcm AGR1'

/** The bytes in front of a message, of sealed keys. */
export function beginning(sealed: readonly Uint8Array[], magic = 'AGR1'): Buffer {
  const parts = sealed.flatMap(one => [Buffer.of(one.length >> 8, one.length & 255), one])
  const rest = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(magic), Buffer.of(rest.length >> 8, rest.length & 255), rest])
}

/** A message with a key and a salt of the caller's. `others` are sealed keys of further recipients. */
export function encrypt(
  plaintext: Uint8Array,
  recipients: readonly PublicKeyring[],
  {
    key = Buffer.alloc(32, 0x4b),
    salt = Buffer.alloc(24, 0x5a),
    context = '',
    others = [] as readonly Uint8Array[],
  } = {},
): Buffer {
  const before = beginning([...others, ...recipients.map(recipient => recipient.seal(key, SEALED_FOR))])
  return Buffer.concat([before, cobblestone.seal(key, plaintext, salt, bound(before, context))])
}

/** The plaintext of a message; undefined if it does not open. */
export function decrypt(message: Buffer, keyring: PrivateKeyring, context = ''): Buffer | undefined {
  const end = 6 + message.readUInt16BE(4)
  if (message.toString('latin1', 0, 4) !== 'AGR1') return undefined
  for (let at = 6; at < end; ) {
    const length = message.readUInt16BE(at)
    const key = keyring.tryOpen(message.subarray(at + 2, at + 2 + length), SEALED_FOR)
    at += 2 + length
    if (key === null) continue
    const opened = cobblestone.open(key, message.subarray(end), bound(message.subarray(0, end), context))
    return opened.ok ? opened.plaintext : undefined
  }
  return undefined
}

const bound = (before: Uint8Array, context: string) => Buffer.concat([before, Buffer.from(context)])
