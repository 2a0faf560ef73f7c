// On a runtime without ML-KEM: Tink's vectors of X25519 open, files to recipients go there and back, and every way to X-Wing is refused by
// its error.
import { readFileSync } from 'node:fs'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import { files } from './files.mjs'

const { tink } = JSON.parse(readFileSync(new URL('../../__test__/vectors/hybrid.json', import.meta.url)))
const CODE = 'ERR_AESGCM_UNSUPPORTED_PLATFORM'
let opened = 0
let refused = 0

function refuses(call) {
  try {
    call()
  } catch (error) {
    if (error.code !== CODE || !error.message.includes('24.7')) throw error
    refused++
    return
  }
  throw new Error('X-Wing was not refused')
}

for (const { template, vectors, ...keysets } of tink) {
  const [ours, theirs] = [keysets.private, keysets.public].map(keyset => JSON.stringify(keyset))
  if (template.startsWith('X_WING')) {
    refuses(() => PrivateKeyring.parse(ours))
    refuses(() => PublicKeyring.parse(theirs))
    continue
  }
  const keyring = PrivateKeyring.parse(ours)
  const sender = PublicKeyring.parse(theirs)
  for (const { pt, context, ct } of vectors) {
    const [plaintext, info, sealed] = [pt, context, ct].map(text => Buffer.from(text, 'base64'))
    for (const message of [sealed, sender.seal(plaintext, info)])
      if (!keyring.open(message, info).equals(plaintext)) throw new Error(`${template}: other bytes`)
    sealed[40] ^= 1
    if (keyring.tryOpen(sealed, info) !== null) throw new Error('planted: a flipped bit, and it opens')
    opened++
  }
  // A point of low order, which this runtime must refuse or this package must find.
  const weak = Buffer.from(vectors[0].ct, 'base64').fill(
    0,
    template.endsWith('RAW') ? 0 : 5,
    template.endsWith('RAW') ? 32 : 37,
  )
  if (keyring.tryOpen(weak, '') !== null) throw new Error('a point of low order opens')
}
refuses(() => PrivateKeyring.generate('X-WING-AES-256-GCM'))
if (opened !== 16 || refused !== 5) throw new Error(`${opened} opened, ${refused} refused`)
console.log(`${opened} vectors of X25519, X-Wing refused in ${refused} ways, ${await files()}`)
