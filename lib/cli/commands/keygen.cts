// `keygen`: a new random key.
import { AesGcm } from '../../cipher/aead/aes-gcm.cjs'
import { type Command, FORCE, OUT } from '../frame/command.cjs'
import { checkKeyDelivery, deliverKey } from '../secrets/key.cjs'
import { checkPassphrase, PASSPHRASE, PASSPHRASE_FILE, wantsPassphrase } from '../secrets/passphrase.cjs'
import { deliverProtectedKey } from '../secrets/protected-key.cjs'

export const keygen: Command = {
  name: 'keygen',
  summary: 'Generate a random key',
  usage: ['keygen [OPTIONS]'],
  about: [
    'Prints the key in hex, or writes it to a file that only you can read. The generator is seeded by the operating system and ' +
      'the CPU.',
    'With --passphrase or --passphrase-file, the output is one line of text, encrypted under the passphrase. encrypt and decrypt ' +
      'accept it like any other key, and ask for the passphrase.',
  ],
  options: {
    bits: { value: 'NUMBER', help: '128 or 256 (default: 256)' },
    out: OUT,
    passphrase: PASSPHRASE,
    'passphrase-file': PASSPHRASE_FILE,
    raw: { help: 'Write 16 or 32 raw bytes instead of hex digits' },
    force: FORCE,
  },
  examples: [
    'keygen --out backup.key',
    'keygen --passphrase --out backup.key',
    'keygen --bits 128 --raw | openssl base64',
  ],
  files: { most: 0 },
  async run(call) {
    const bits = call.choice('bits', ['128', '256']) === '128' ? 128 : 256
    checkKeyDelivery(call)
    checkPassphrase(call, [])
    if (!wantsPassphrase(call)) return await deliverKey(call, AesGcm.generateKey(bits))
    call.refuse(['raw'], 'cannot be combined with a passphrase: a protected key is text')
    await deliverProtectedKey(call, bits)
  },
}
