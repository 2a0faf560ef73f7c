// `inspect`: the size of a file, and what it may contain. Encrypted data looks like random data.
import type { Buffer } from 'node:buffer'
import { XAES_256_GCM } from '../../cipher/aead/ciphers.cjs'
import { buffer as node } from '../../cipher/base/builtins.cjs'
import { OVERHEAD, TAG_BYTES } from '../../cipher/base/sizes.cjs'
import { SHARE_BYTES, VERSION } from '../../protocols/shamir/record.cjs'
import { FIXED_BYTES, isForRecipients, isWalkable, sizeIn } from '../../protocols/stream/recipients.cjs'
import { CHUNK_BYTES, chunksOf, HEADER_BYTES } from '../../protocols/stream/sizes.cjs'
import type { Keyring } from '../../values/keyring/keyring.cjs'
import type { Command } from '../frame/command.cjs'
import { amount } from '../frame/progress.cjs'
import { printJson, printLines, STANDARD } from '../frame/streams.cjs'
import { isStandardInput } from '../reading/same-file.cjs'
import { type Source, withSource } from '../reading/source.cjs'
import { beginsWith, KEY_FILE_BYTES, keyIn } from '../secrets/key.cjs'
import { readKeyset } from '../secrets/keyset-file.cjs'
import { kindIn, SYMMETRIC } from '../secrets/keyset-kinds.cjs'
import { UNLOCKING } from '../secrets/keyset-lock.cjs'
import { KEYSET } from '../secrets/keyset-option.cjs'
import { describeSealed, type Sealed, sealedBy } from '../secrets/sealed.cjs'

const PIECE = 65_536
const MEMBER = /"(encryptedKeyset|primaryKeyId)"\s*:/

/** `bytes`: length of the data; `chunks`: how many chunks; `cut`: the end is missing. */
interface Possible {
  readonly format:
    | 'Cobblestone'
    | 'recipients'
    | 'AES-GCM or AES-GCM-SIV frame'
    | 'XAES-256-GCM frame'
    | 'key'
    | 'protected key'
    | 'keyset'
    | 'public keyset'
    | 'encrypted keyset'
    | 'share'
  readonly bytes?: number
  readonly chunks?: number
  readonly cut?: true
  readonly bits?: number
}

export const inspect: Command = {
  name: 'inspect',
  summary: 'Show the size of a file and what it may contain',
  usage: ['inspect [FILE] [--keyset FILE]'],
  about: [
    'Reports whether FILE, or standard input, may be the output of encrypt, and how many bytes of data it would contain. Encrypted ' +
      'data looks random, so inspect guesses from its size; encrypt --to writes a header. Only decrypt, with the key, is proof. Keys ' +
      'are not printed.',
    'A value sealed by a keyring begins with the id of its key. inspect prints the id and, with --keyset, whether the keyset ' +
      'contains that key. The id is not authenticated: only open, with the key, is proof.',
  ],
  options: {
    keyset: { ...KEYSET, help: 'Report whether this keyset contains the key of a sealed value' },
    ...UNLOCKING,
  },
  examples: [
    'inspect backup.tar.enc',
    'inspect backup.tar.enc --json',
    'inspect --keyset keys.json < cookie.txt',
  ],
  files: { most: 1 },
  async run(call) {
    const [file = STANDARD] = call.files
    const keyset = call.text('keyset')
    if (keyset !== undefined && isStandardInput(keyset) && isStandardInput(file)) {
      throw call.misuse(`--keyset ${keyset} reads standard input: pass the data in a FILE`)
    }
    const keyring = keyset === undefined ? undefined : await readKeyset(call, keyset, SYMMETRIC)
    try {
      await withSource(call.streams, file, async source => {
        const { bytes, head } = await measured(source)
        const possible = possibilities(bytes, head, keyring)
        if (call.has('json')) await printJson(call.streams, { file: source.name, bytes, possible })
        else await printLines(call.streams, linesOf(source.name, bytes, possible, keyset))
      })
    } finally {
      keyring?.destroy()
    }
  },
}

/** The size and the beginning of a source, which the caller wipes. Reads no more of a file. */
async function measured(source: Source): Promise<{ bytes: number; head: Buffer }> {
  const memory = node.Buffer.alloc(PIECE)
  let bytes = 0
  for (let some = -1; some !== 0 && (source.size === null || bytes < KEY_FILE_BYTES); bytes += some) {
    // The beginning stays; everything after it is overwritten.
    some = await source.read(memory.subarray(Math.min(bytes, KEY_FILE_BYTES)))
  }
  const head = memory.subarray(0, Math.min(bytes, KEY_FILE_BYTES))
  return { bytes: source.size ?? bytes, head }
}

function possibilities(bytes: number, head: Buffer, keyring: Keyring | undefined): (Possible | Sealed)[] {
  const possible: (Possible | Sealed)[] = []
  const isShare = beginsWith(head, 'AGS1', 0x20) || (bytes === SHARE_BYTES && head[0] === VERSION)
  // Of random bytes, one beginning of this length in 10^23 is text by chance.
  const isFor = head.length >= FIXED_BYTES && isForRecipients(head) && isWalkable(head)
  const start = isFor ? sizeIn(head) + HEADER_BYTES : HEADER_BYTES
  if ((isFor || bytes >= start) && !isText(head.subarray(0, HEADER_BYTES))) {
    const format = isFor ? 'recipients' : 'Cobblestone'
    // Cut off in front of the chunks, it has as many of them as if cut off after its beginning.
    const { chunks, rest } = chunksOf(Math.max(0, bytes - start))
    if (rest === 0) possible.push({ format, bytes: chunks * CHUNK_BYTES, chunks, cut: true })
    else if (rest >= TAG_BYTES) {
      const inside = chunks * CHUNK_BYTES + rest - TAG_BYTES
      possible.push({ format, bytes: inside, chunks: chunks + 1 })
    }
  }
  if (bytes >= OVERHEAD && !isText(head)) {
    possible.push({ format: 'AES-GCM or AES-GCM-SIV frame', bytes: bytes - OVERHEAD })
    const { overhead } = XAES_256_GCM
    if (bytes >= overhead) possible.push({ format: 'XAES-256-GCM frame', bytes: bytes - overhead })
  }
  if (isShare) possible.push({ format: 'share' })
  if (beginsWith(head, 'AGP')) possible.push({ format: 'protected key' })
  const [, member] = (beginsWith(head, '{') && MEMBER.exec(head.toString('latin1'))) || []
  if (member === 'primaryKeyId')
    possible.push({ format: kindIn(head) === 'public' ? 'public keyset' : 'keyset' })
  if (member === 'encryptedKeyset') possible.push({ format: 'encrypted keyset' })
  const bits = bytes === head.length ? bitsOfKey(head) : undefined
  // The id would be a part of a key or of a share, which both may look like a sealed text.
  const sealed = isShare || bits !== undefined ? undefined : sealedBy(head, bytes, keyring)
  if (sealed !== undefined) possible.unshift(sealed)
  if (bits !== undefined) possible.push({ format: 'key', bits })
  head.fill(0)
  return possible
}

/** The length of a key in bits, if the file is one. */
function bitsOfKey(bytes: Buffer): number | undefined {
  try {
    const key = keyIn({ name: '', bytes: node.Buffer.from(bytes) })
    key.fill(0)
    return key.length * 8
  } catch {
    return undefined
  }
}

/** Whether all of it are printable ASCII and white space. */
function isText(bytes: Uint8Array): boolean {
  return bytes.every(byte => (byte >= 0x20 && byte < 0x7f) || (byte >= 0x09 && byte <= 0x0d))
}

function linesOf(
  name: string,
  bytes: number,
  possible: readonly (Possible | Sealed)[],
  keyset: string | undefined,
): string[] {
  const size = bytes < 1024 ? '' : ` (${amount(bytes)})`
  const lines = possible.map(
    one => `possible: ${'keyId' in one ? describeSealed(one, keyset) : describe(one)}`,
  )
  return [
    `${name}: ${bytes} bytes${size}`,
    ...(lines.length > 0 ? lines : ['not a format that this command writes']),
  ]
}

function describe({ format, bytes, chunks, cut, bits }: Possible): string {
  if (format === 'key') return `a key of ${bits} bits`
  if (format === 'share') return 'one or more shares'
  if (format === 'keyset') return 'an unencrypted keyset'
  if (format === 'encrypted keyset') return 'an encrypted keyset'
  if (format === 'public keyset') return 'a public keyset, for encrypt --to'
  if (format !== 'Cobblestone' && format !== 'recipients')
    return `an ${format} with a message of ${bytes} bytes`
  const inside = `${bytes} bytes of data in ${chunks} ${chunks === 1 ? 'chunk' : 'chunks'}`
  const output = `the output of encrypt${format === 'recipients' ? ' --to' : ''}`
  return cut ? `${output}, truncated after ${inside}` : `${output}, with ${inside}`
}
