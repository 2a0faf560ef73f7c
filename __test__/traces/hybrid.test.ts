// No secret is left in the memory of the library by messages to a public key, even if any step of a call fails.
import './memories.js'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { describe } from 'vitest'
import { HAS_ML_KEM } from '../values/hybrid/internals.js'
import type { Teller } from './memories.js'
import { type Run, refused, suite } from './suite.js'

/** A hash of public bytes may stay. */
const HASHED = { to: 0 }
const TYPES = ['X25519-AES-256-GCM', ...(HAS_ML_KEM ? (['X-WING-AES-256-GCM'] as const) : [])] as const

/** The private key at the end of a keyset's value, and its spellings. */
function hidden(tell: Teller, keyring: PrivateKeyring): string {
  const keyset = tell.hide(keyring.export())
  const { value } = JSON.parse(keyset).key[0].keyData
  tell.hide(value)
  tell.hide(Buffer.from(value, 'base64').subarray(-32))
  return keyset
}

describe.each(TYPES)('%s', type => {
  const whole = PrivateKeyring.generate(type)
  const sender = PublicKeyring.parse(whole.publicKeyset())
  const runs: Record<string, Run> = {
    'a private keyring': tell => hidden(tell, tell.live(PrivateKeyring.generate(type))),
    'a keyset that is read': tell =>
      tell.live(PrivateKeyring.parse(hidden(tell, PrivateKeyring.generate(type)))),
    'a keyset with another public key': tell => {
      const keyset = JSON.parse(hidden(tell, PrivateKeyring.generate(type)))
      const bytes = Buffer.from(keyset.key[0].keyData.value, 'base64')
      bytes[30] = (bytes[30] as number) ^ 1
      keyset.key[0].keyData.value = bytes.toString('base64')
      refused(() => PrivateKeyring.parse(JSON.stringify(keyset)))
    },
    seal: tell => tell.keep(sender.seal(tell.secret(40))),
    sealText: tell => tell.keep(sender.sealText(tell.secret(20).toString('hex'))),
    open: tell => tell.keep(whole.open(sender.seal(tell.secret(40)))),
    openText: tell => whole.openText(sender.sealText(tell.hide(tell.secret(20).toString('hex')))),
    'open, of a changed message': tell => {
      const sealed = sender.seal(tell.secret(40))
      sealed[60] = (sealed[60] as number) ^ 1
      refused(() => whole.open(sealed))
    },
  }
  suite(runs)
  describe('with a context, whose hash is public', () =>
    suite(
      {
        seal: tell => tell.keep(sender.seal(tell.secret(40), 'audit/17')),
        open: tell => tell.keep(whole.open(sender.seal(tell.secret(40), 'audit/17'), 'audit/17')),
      },
      HASHED,
    ))
})
