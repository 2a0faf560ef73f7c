// Wycheproof's 70 messages of Cobblestone-128 and -256, from wycheproof.txt.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { ROOT } from '../tools/support.js'

export interface Case {
  name: string
  /** 128 or 256. */
  suite: number
  valid: boolean
  flags: readonly string[]
  /** Of 16 or 32 bytes, if `flags` does not have `InvalidKeySize`. */
  key: Buffer
  context: Buffer
  sealed: Buffer
  /** The plaintext of a valid message, or the chunks before the failure. Undefined if no chunk comes before it. */
  plaintext: { bytes: number; sha512: string } | undefined
}

const bytes = (field: string, encoding: 'hex' | 'base64') => Buffer.from(field === '-' ? '' : field, encoding)

export const CASES: readonly Case[] = readFileSync(join(ROOT, '__test__/vectors/wycheproof.txt'), 'utf8')
  .split('\n')
  .filter(line => /^\d/.test(line))
  .map(line => {
    const [fields = '', comment] = line.split(' # ')
    const [suite, number, verdict, flags = '', key = '', context = '', message = '', length, sha512 = ''] =
      fields.split(' ')
    return {
      name: `Cobblestone-${suite}, ${number}: ${comment}`,
      suite: Number(suite),
      valid: verdict === 'valid',
      flags: flags === '-' ? [] : flags.split(','),
      key: bytes(key, 'hex'),
      context: bytes(context, 'hex'),
      sealed: inflateSync(bytes(message, 'base64')),
      plaintext: length === '-' ? undefined : { bytes: Number(length), sha512 },
    }
  })
