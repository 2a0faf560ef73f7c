// How Rails and Laravel seal columns, on node:crypto: ActiveRecord::Encryption 7 and Illuminate\Encryption with aes-256-gcm.
import { deflateSync } from 'node:zlib'
import type { Random } from '../tools/support.js'
import { gcm } from './legacy.js'

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

/** Rails compresses texts of more bytes, and says so in a header that is not authenticated. */
const RAILS_COMPRESSES = 140

export function rails(key: Uint8Array, text: string, random: Random): string {
  const bytes = Buffer.from(text)
  const compressed = bytes.length > RAILS_COMPRESSES
  const { iv, tag, ct } = gcm(key, random.bytes(12), compressed ? deflateSync(bytes) : bytes)
  const h = { iv: base64(iv), at: base64(tag), ...(compressed ? { c: true } : {}) }
  return JSON.stringify({ p: base64(ct), h })
}

/** As `Crypt::encryptString`; `Crypt::encrypt` puts the text through PHP's `serialize` before. */
export function laravel(key: Uint8Array, text: string, random: Random): string {
  const { iv, tag, ct } = gcm(key, random.bytes(12), text)
  return base64(Buffer.from(JSON.stringify({ iv: base64(iv), value: base64(ct), mac: '', tag: base64(tag) })))
}

/** Base64 in lines, as MIME has it: of 76 characters in Java and Python, of 60 in Ruby. */
export function mime(bytes: Buffer, columns = 76, end = '\r\n'): string {
  return bytes.toString('base64').replace(new RegExp(`.{${columns}}(?=.)`, 'g'), line => line + end)
}
