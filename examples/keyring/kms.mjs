// A keyset stored encrypted on the disk, which a server decrypts with one call of a key management
// service when it starts: `node kms.mjs FOLDER`. The service is a stand-in here. With AWS KMS, which
// authenticates the context, `encrypt` and `decrypt` are
//   async Plaintext => (await client.send(new EncryptCommand({ KeyId, EncryptionContext, Plaintext }))).CiphertextBlob
//   async CiphertextBlob => (await client.send(new DecryptCommand({ KeyId, EncryptionContext, CiphertextBlob }))).Plaintext
// with the context of this keyset, const EncryptionContext = { application: 'shop', keyset: 'columns' }.
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { AesGcm } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { operands } from '../arguments.mjs'

/** A keyset of another program, or one for another purpose, does not open here. */
const CONTEXT = Buffer.from('shop/columns')

/** A service that has a key, shows it to nobody, and answers after a while. */
class Kms {
  #key = new AesGcm(AesGcm.generateKey())
  calls = 0

  async encrypt(plaintext) {
    this.calls++
    await setTimeout(5)
    return this.#key.encrypt(plaintext, CONTEXT)
  }

  async decrypt(wrapped) {
    this.calls++
    await setTimeout(5)
    return this.#key.decrypt(wrapped, CONTEXT)
  }
}

const [folder] = operands('node kms.mjs FOLDER', 1)
const file = join(folder, 'keys.encrypted.json')
const kms = new Kms()

// Once, on an operator's machine.
const made = Keyring.generate()
writeFileSync(file, await made.wrap(keyset => kms.encrypt(keyset)), { flag: 'wx' })
const stored = made.sealText('sk_live_1234', 'users/17/token')
made.destroy()

// In every server, when it starts. After that, every call is synchronous and needs no service.
const keyring = await Keyring.unwrap(readFileSync(file, 'utf8'), wrapped => kms.decrypt(wrapped))
for (let i = 0; i < 1000; i++) keyring.openText(stored, 'users/17/token')
console.log(
  `opened 1000 values: ${keyring.openText(stored, 'users/17/token')}; ${kms.calls} calls of the service`,
)

// To add a key: unwrap, add, wrap. Renaming is atomic, so the file is complete at any moment.
keyring.add({ key: AesGcm.generateKey() })
writeFileSync(`${file}.new`, await keyring.wrap(keyset => kms.encrypt(keyset)), { flag: 'wx' })
renameSync(`${file}.new`, file)
const again = await Keyring.unwrap(readFileSync(file, 'utf8'), wrapped => kms.decrypt(wrapped))
console.log(`${again.keys.length} keys`)
