// A passphrase as bytes, and the key that scrypt derives from it.
import type { Buffer } from 'node:buffer'
import { crypto, types, uncurried, util } from '../../cipher/base/builtins.cjs'
import { copied, lengthOf, part } from '../../cipher/base/bytes.cjs'
import { notTextOrBytes, shared, wrongValue } from '../../cipher/base/errors.cjs'
import { wellFormed } from '../../cipher/base/utf8.cjs'
import { allocateOffHeap, isShared, wipe } from '../../cipher/base/views.cjs'
import type { Cost } from './header.cjs'

const { isUint8Array } = types
const { scrypt } = crypto
const Promised = Promise
const normalize: (text: string, form: 'NFC') => string = uncurried(String.prototype.normalize as never)
const encoder = new util.TextEncoder()
const encodeInto: (encoder: object, text: string, target: Uint8Array) => { written: number } = uncurried(
  util.TextEncoder.prototype.encodeInto as never,
)

const KEY_BYTES = 32

/** Memory off V8's heap, which its owner wipes, and the bytes of a passphrase in it. */
export interface Passphrase {
  readonly memory: Buffer<ArrayBuffer>
  readonly bytes: Uint8Array
}

/**
 * The bytes of a caller's passphrase: those given, or the UTF-8 of a text in NFC. Systems differ in
 * how they type é, as one character or two, and a passphrase must open its file on each of them.
 *
 * The HMAC in scrypt fills a short key with zeros, so bytes at the end that are 0 would not count.
 */
export function passphraseOf(value: unknown): Passphrase {
  const secret = typeof value === 'string' ? ofText(value) : ofBytes(value)
  const { length } = secret.bytes
  if (length > 0 && secret.bytes[length - 1] !== 0) return secret
  forget(secret)
  const what =
    length === 0
      ? 'must not be empty'
      : 'must not end with a zero byte, which scrypt ignores: pass random bytes as hex or base64'
  throw wrongValue(`"passphrase" ${what}`)
}

function ofBytes(value: unknown): Passphrase {
  if (!isUint8Array(value)) throw notTextOrBytes('passphrase', value)
  if (isShared(value)) throw shared('passphrase')
  const memory = copied(value, lengthOf('passphrase', value))
  return { memory, bytes: memory }
}

function ofText(value: string): Passphrase {
  const text = normalize(wellFormed('passphrase', value), 'NFC')
  const memory = allocateOffHeap(3 * text.length)
  return { memory, bytes: part(memory, 0, encodeInto(encoder, text, memory).written) }
}

/** The key of a file, which the caller wipes. Off the thread: scrypt takes 0.4 seconds. */
export function derive(passphrase: Uint8Array, salt: Uint8Array, { logN, r, p }: Cost): Promise<Uint8Array> {
  const N = 2 ** logN
  // What OpenSSL counts: N + 2 blocks of 128 r bytes, and p more.
  const options = { __proto__: null, N, r, p, maxmem: 128 * r * (N + p + 2) }
  return new Promised((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, options as object, (error, key) => {
      if (error === null || error === undefined) resolve(key)
      else reject(error)
    })
  })
}

/** Wipes a passphrase. */
export function forget({ memory }: Passphrase): void {
  wipe(memory, 0)
}
