// Keys in files that a passphrase protects: a line of text, AGP1-….
import type { Buffer } from 'node:buffer'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { freshKey } from '../../cipher/machine/random.cjs'
import { openProtectedKey, protectKey } from '../../values/passphrase/protect.cjs'
import type { Call } from '../frame/command.cjs'
import { withoutMark } from '../frame/text.cjs'
import type { Input } from '../reading/input.cjs'
import { deliver } from '../writing/deliver.cjs'
import { beginsWith } from './key.cjs'
import { forgetPassphrase, newPassphrase, notOpened, passphraseOf } from './passphrase.cjs'

/** A new key, protected by a passphrase that is asked for, as the options demand. */
export async function deliverProtectedKey(call: Call, bits: 128 | 256): Promise<void> {
  const passphrase = await newPassphrase(call)
  const key = freshKey(bits === 128 ? 16 : 32)
  try {
    const text = await protectKey(key, passphrase)
    await deliver(call, {
      bytes: node.Buffer.from(`${text}\n`),
      facts: { bits, protected: true },
      shown: () => ({ key: text }),
    })
  } finally {
    key.fill(0)
    forgetPassphrase(passphrase)
  }
}

/** Whether a file holds a protected key. Hex and base64 of a key have other lengths. */
export function holdsProtectedKey(bytes: Buffer): boolean {
  return beginsWith(bytes, 'AGP') && bytes.includes('-')
}

/** The key in a file, after the passphrase was asked for. The caller wipes it. */
export async function protectedKeyIn(call: Call, { name, bytes }: Input): Promise<Buffer> {
  const passphrase = await passphraseOf(call, name)
  try {
    return await openProtectedKey(textOf(bytes), passphrase)
  } catch (error) {
    throw notOpened(error, name)
  } finally {
    forgetPassphrase(passphrase)
  }
}

const textOf = (bytes: Buffer) => withoutMark(bytes).toString('latin1').trim()
