// `decrypt`: what `encrypt` wrote, or a range of it.
import { type Call, type Command, FORCE, OUT } from '../frame/command.cjs'
import { NO_PROGRESS } from '../frame/progress.cjs'
import { STANDARD } from '../frame/streams.cjs'
import { withSource } from '../reading/source.cjs'
import { checkKey, formatOf, givenSecret, KEY_OPTIONS, KEY_OR_KEYSET } from '../secrets/given-key.cjs'
import { TIMEOUT, UNWRAP } from '../secrets/key-program.cjs'
import { checkDelivery, deliverPieces } from '../writing/deliver.cjs'
import { decryptSource, type OpeningSecret, type Work } from '../writing/through-cipher.cjs'
import { decryptRangeTo, rangeIn } from './range.cjs'

export const decrypt: Command = {
  name: 'decrypt',
  summary: 'Decrypt the output of encrypt, or a byte range of it',
  usage: ['decrypt [FILE] --key FILE [OPTIONS]', 'decrypt [FILE] --key-env NAME [OPTIONS]'],
  about: [
    'Decrypts FILE, or standard input, to --out or a pipe. The --out file appears only once all of it is authenticated. A pipe ' +
      'receives each chunk once that chunk is authenticated: if the command then exits with 1, discard the output.',
    "For a FILE encrypted with --to, --key is the recipient's private keyset.",
    '--range includes both ends, as in HTTP and curl: 0-99 is the first 100 bytes, 100- is everything after them, and --range=-100 ' +
      'is the last 100 bytes. It reads only the chunks of the range, and the last one, which authenticates the size.',
  ],
  options: {
    ...KEY_OPTIONS,
    key: KEY_OR_KEYSET,
    unwrap: UNWRAP,
    timeout: TIMEOUT,
    range: { value: 'FROM-TO', help: 'Decrypt only this byte range; needs FILE' },
    out: OUT,
    force: FORCE,
    'no-progress': NO_PROGRESS,
  },
  examples: [
    'decrypt backup.tar.enc --key backup.key --out backup.tar',
    'decrypt backup.tar.enc --key backup.key | tar t',
    'decrypt film.enc --key film.key --range 0-999 --out start',
    'decrypt backup.tar.enc --key private.json --out backup.tar',
  ],
  files: { most: 1 },
  async run(call) {
    const file = call.files[0] ?? STANDARD
    checkKey(call, file)
    const range = rangeIn(call)
    if (range !== undefined && file === STANDARD) throw call.misuse('--range needs a FILE')
    checkDelivery(call, 'the decrypted data')
    const context = call.boundText('context')
    const key = await givenSecret(call)
    try {
      const secret = { key, context }
      if (range === undefined) await decryptWhole(call, file, secret)
      else await decryptRangeTo(call, file, secret, range, work => deliver(call, key, work))
    } finally {
      if (key instanceof Uint8Array) key.fill(0)
      else key.destroy()
    }
  },
}

async function decryptWhole(call: Call, file: string, secret: OpeningSecret): Promise<void> {
  await withSource(call.streams, file, source =>
    deliver(call, secret.key, (write, progress) => decryptSource(call, source, secret, write, progress)),
  )
}

/** `work` returns the number of bytes written. */
async function deliver(call: Call, key: OpeningSecret['key'], work: Work): Promise<void> {
  await deliverPieces(call, async (write, progress) => ({
    bytes: await work(write, progress),
    format: formatOf(key),
  }))
}
