// Text as bytes, one for each character, and back. Strings cannot be wiped; these bytes can.
import type { Buffer } from 'node:buffer'
import { buffer, uncurried, unitAt } from '../../cipher/base/builtins.cjs'

const decode: (bytes: Buffer, encoding: 'latin1') => string = uncurried(
  buffer.Buffer.prototype.toString as never,
)

export function textOf(bytes: Buffer): string {
  return decode(bytes, 'latin1')
}

/** Writes characters of `text` from `from` on, until `bytes` is full. Non-ASCII becomes 0. */
export function writeAscii(bytes: Uint8Array, text: string, from: number): void {
  for (let i = 0; i < bytes.length; i++) {
    const code = unitAt(text, from + i)
    bytes[i] = code < 0x80 ? code : 0
  }
}
