// Random messages to random recipients, through a random function each way and beside the model; and each of them changed once.
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import {
  createDecryptStream,
  createEncryptStream,
  DecryptionReader,
  decryptBuffer,
  encryptBuffer,
  encryptedSize,
} from 'hardware-aes-gcm/stream'
import { expect, test } from 'vitest'
import { decrypt, encrypt } from '../../models/recipients.js'
import { collected } from '../../protocols/stream/tools.js'
import { Random } from '../../tools/support.js'
import { count } from '../../tools/whole.js'
import { TYPES } from './internals.js'

const random = new Random('recipients')
const PREFIXES = ['tink', 'tink', 'raw', 'crunchy', 'legacy'] as const
const CODES = ['ERR_AESGCM_WRONG_KEY', 'ERR_AESGCM_STREAM_TRUNCATED', 'ERR_AESGCM_AUTHENTICATION_FAILED']

/** A keyring of up to three keys, of which any is the primary one, and the others may be disabled. */
function keyring(): PrivateKeyring {
  const place = () => ({
    prefix: random.pick(PREFIXES),
    ...(random.below(3) === 0 && { id: random.below(4) }),
  })
  const made = PrivateKeyring.generate(random.pick(TYPES), place())
  for (let i = random.below(3); i > 0; i--) {
    const { prefix } = place()
    const id = made.add(random.pick(TYPES), { prefix })
    if (random.below(2) === 0) made.promote(id)
  }
  for (const { id, primary } of made.keys) if (!primary && random.below(3) === 0) made.disable(id)
  return made
}

/** Whether bytes are equal. `toEqual` takes a thousand times as long. */
const same = (actual: Buffer | undefined, wanted: Buffer) => expect(actual?.equals(wanted)).toBe(true)

/** The bytes in up to five pieces, some of them empty. */
function pieces(bytes: Buffer): Buffer[] {
  const ends = Array.from({ length: random.below(5) }, () => random.below(bytes.length + 1)).sort(
    (a, b) => a - b,
  )
  return [...ends, bytes.length].map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end))
}

function through(stream: ReturnType<typeof createDecryptStream>, bytes: Buffer): Promise<Buffer> {
  const all = collected(stream)
  stream.on('error', () => {})
  for (const piece of pieces(bytes)) stream.write(piece)
  stream.end()
  return all
}

const length = () => random.pick([0, 1, random.below(300), 16_384, 16_383 + random.below(40_000)])

test('random messages', async () => {
  for (let i = 0; i < count(40, 2000); i++) {
    const rings = Array.from({ length: 1 + random.below(4) }, keyring)
    const senders = rings.map(ring => PublicKeyring.parse(ring.publicKeyset()))
    const recipients = senders.length === 1 && random.below(2) === 0 ? (senders[0] as PublicKeyring) : senders
    const text = random.bytes(length())
    const context = random.bytes(random.below(20)).toString('hex')
    const way = random.below(3)
    const message =
      way === 0
        ? encryptBuffer(text, recipients, { context })
        : way === 1
          ? await through(createEncryptStream(recipients, { context }), text)
          : encrypt(text, senders, { context, key: random.bytes(32), salt: random.bytes(24) })
    expect(message.length).toBe(encryptedSize(text.length, recipients))

    const reader = random.pick(rings)
    same(decrypt(message, reader, context), text)
    same(decryptBuffer(message, reader, { context }), text)
    same(await through(createDecryptStream(reader, { context }), message), text)
    using ranges = await DecryptionReader.open(message, reader, { context })
    const [from, to] = [random.below(text.length + 9) - 4, random.below(text.length + 9) - 4]
    same(await ranges.read(from, to), text.subarray(from, to))

    // One bit, a shorter message, another context, or a stranger.
    const kind = random.below(4)
    const changed = Buffer.from(kind === 1 ? message.subarray(0, random.below(message.length)) : message)
    if (kind === 0) {
      const at = random.below(random.pick([message.length, message.length - text.length]))
      changed[at] = (changed[at] as number) ^ (1 << random.below(8))
    }
    const key = kind === 3 ? keyring() : reader
    const other = { context: kind === 2 ? `${context}0` : context }
    const failures = [
      await through(createDecryptStream(key, other), changed).catch(error => error),
      await (async () => decryptBuffer(changed, key, other))().catch(error => error),
    ]
    for (const { code } of failures as { code?: string }[]) expect(CODES).toContain(code)
    expect((failures[0] as { code: string }).code).toBe((failures[1] as { code: string }).code)
  }
})
