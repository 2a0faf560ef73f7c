// `encrypt`: data of any size, in the stream format.
import { isArray } from '../../cipher/base/builtins.cjs'
import { type Command, FORCE, OUT } from '../frame/command.cjs'
import { NO_PROGRESS } from '../frame/progress.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { withSource } from '../reading/source.cjs'
import { checkKey, formatOf, givenKey, KEY_OPTIONS } from '../secrets/given-key.cjs'
import { checkRecipients, givenRecipients, TO } from '../secrets/recipients.cjs'
import { checkDelivery, deliverPieces } from '../writing/deliver.cjs'
import { encryptSource } from '../writing/through-cipher.cjs'

export const encrypt: Command = {
  name: 'encrypt',
  summary: 'Encrypt a file or stream of any size',
  usage: [
    'encrypt [FILE] --key FILE [OPTIONS]',
    'encrypt [FILE] --key-env NAME [OPTIONS]',
    'encrypt [FILE] --to FILE [--to FILE]... [OPTIONS]',
  ],
  about: [
    'Encrypts FILE, or standard input, to --out or a pipe. The cipher is AES-256-GCM, or AES-128-GCM with a 16-byte key; each chunk ' +
      'is authenticated. The format is Cobblestone (C2SP chunked-encryption). FILE is left unchanged.',
    "--to encrypts to a recipient's public keyset; only the private keyset decrypts (see keyset new --hybrid and keyset public). " +
      'No key is shared, and the sender cannot decrypt. The sender is not authenticated: anyone with the public keyset can encrypt.',
    'To encrypt a folder, pipe an archive: tar c FOLDER | hardware-aes-gcm encrypt …',
  ],
  options: { ...KEY_OPTIONS, to: TO, out: OUT, force: FORCE, 'no-progress': NO_PROGRESS },
  examples: [
    'encrypt backup.tar --key backup.key --out backup.tar.enc',
    'encrypt --key-env BACKUP_KEY -c monday < a > a.enc',
    'encrypt backup.tar --to public.json --out backup.tar.enc',
  ],
  files: { most: 1 },
  async run(call) {
    const file = call.files[0] ?? STANDARD
    const isToRecipients = call.has('to')
    if (isToRecipients) checkRecipients(call, file)
    else checkKey(call, file)
    checkDelivery(call, 'the encrypted data')
    const context = call.boundText('context')
    const key = isToRecipients ? await givenRecipients(call) : await givenKey(call)
    try {
      const secret = { key, context }
      await withSource(call.streams, file, source =>
        deliverPieces(call, async (write, progress) => ({
          bytes: await encryptSource(source, secret, write, progress),
          format: formatOf(key),
          ...(isToRecipients && { recipients: key.length }),
        })),
      )
    } finally {
      if (!isArray(key)) key.fill(0)
    }
  },
}
