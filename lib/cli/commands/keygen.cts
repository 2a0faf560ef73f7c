// `keygen`: a new random key.
import { AesGcm } from '../../cipher/aead/aes-gcm.cjs'
import { type Command, FORCE, OUT } from '../frame/command.cjs'
import { checkKeyDelivery, deliverKey } from '../secrets/key.cjs'
import { checkPassphrase, PASSPHRASE, PASSPHRASE_FILE, wantsPassphrase } from '../secrets/passphrase.cjs'
import { deliverProtectedKey } from '../secrets/protected-key.cjs'

export const keygen: Command = {
  name: 'keygen',
  summary: 'Make a new random key',
  usage: ['keygen [OPTIONS]'],
  about: [
    'The key is printed in hexadecimal, or written to a file that only you can read. It comes from the generator of this ' +
      'package, which takes entropy of the operating system and of the CPU.',
    'With --passphrase or --passphrase-file, the output is a line of text that only the passphrase opens. encrypt and decrypt read it ' +
      'as any other key, and ask for the passphrase.',
  ],
  options: {
    bits: { value: 'NUMBER', help: '128 or 256 (default: 256)' },
    out: OUT,
    passphrase: PASSPHRASE,
    'passphrase-file': PASSPHRASE_FILE,
    raw: { help: 'Write 16 or 32 bytes instead of hex digits' },
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
    call.refuse(['raw'], 'has no meaning for a protected key, which is text')
    await deliverProtectedKey(call, bits)
  },
}
