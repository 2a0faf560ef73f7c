// Keys and keysets that a passphrase protects here are opened by the Python that docs/formats.md prints, and changed ones refused.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { openProtectedKey, passphraseWrapping, protectKey } from 'hardware-aes-gcm/passphrase'
import { root } from '../../scripts/tools.mjs'
import { Peer, python } from '../tools/peer.mjs'
import { bytes, number } from '../tools/random.mjs'

const CHEAP = { memory: 2 ** 20 }
/** Each has another form in NFC, or none. */
const PASSPHRASES = ['correct horse battery staple', 'passe\u0301', '\u212b\u{1f40e}', ' \t', '\u0344x']

/** Runs so many files of each kind, and gives a line about them. */
export async function passphrases(count) {
  const begin = performance.now()
  const document = join(root, 'docs/formats.md')
  const peer = new Peer(
    ...python(new URL('passphrase.py', import.meta.url), 'checks/streams/cryptography.txt', document),
  )
  await documented(peer, readFileSync(document, 'utf8'))
  let refused = 0
  for (let i = 0; i < count; i++) {
    const passphrase = PASSPHRASES[i % PASSPHRASES.length]
    const key = bytes(i % 2 === 0 ? 32 : 16, `protected key ${i}`)
    const text = await protectKey(key, passphrase, CHEAP)
    const { value } = await peer.ask({ text, passphrase })
    if (value !== key.toString('hex')) throw new Error(`the peer does not open protected key ${i}`)
    refused += await planted(peer, text, passphrase, i)
    await keyset(peer, passphrase, i)
  }
  await peer.end()
  const seconds = ((performance.now() - begin) / 1000).toFixed(1)
  const what = `${count} keys and ${count} keysets, opened by pyca; planted and refused: ${refused}`
  return `passphrases, against the reader in docs/formats.md: ${what}; ${seconds} s`
}

/** The key that docs/formats.md prints. */
async function documented(peer, document) {
  const [text] = document.match(/^AGP1-\S+$/m)
  const key = (await openProtectedKey(text, 'pass\u00e9')).toString('hex')
  const { value } = await peer.ask({ text, passphrase: 'passe\u0301' })
  if (value !== key || !key.startsWith('000102')) throw new Error('the protected key of docs/formats.md')
}

async function keyset(peer, passphrase, i) {
  const keyring = Keyring.generate()
  let content
  const { wrap } = passphraseWrapping(passphrase, CHEAP)
  const text = await keyring.wrap(given => {
    content = Buffer.from(given).toString('hex')
    return wrap(given)
  })
  const { value } = await peer.ask({ text, passphrase })
  if (value !== content) throw new Error(`the peer does not open protected keyset ${i}`)
}

/** Another passphrase, one bit of the bytes, and parameters beyond the bound. */
async function planted(peer, text, passphrase, i) {
  const file = Buffer.from(text.slice(5), 'base64url')
  const changed = Buffer.from(file)
  changed[4 + number(file.length - 4, `byte ${i}`)] ^= 1 << number(8, `bit ${i}`)
  const costly = Buffer.from(file)
  costly[1] = 19
  for (const [wrong, secret] of [
    [file, `${passphrase}x`],
    [changed, passphrase],
    [costly, passphrase],
  ]) {
    const given = `AGP1-${wrong.toString('base64url')}`
    const opened = await openProtectedKey(given, secret).then(
      () => true,
      () => false,
    )
    const { value } = await peer.ask({ text: given, passphrase: secret })
    if (opened || value !== undefined) throw new Error(`planted: changed protected key ${i} opens`)
  }
  return 3
}
