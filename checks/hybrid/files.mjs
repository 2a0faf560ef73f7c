// Files to recipients of X25519 through every function of hardware-aes-gcm/stream, on the runtime that runs it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { PrivateKeyring, PublicKeyring } from 'hardware-aes-gcm/hybrid'
import * as stream from 'hardware-aes-gcm/stream'
import { root } from '../../scripts/tools.mjs'

const context = 'dump 7'
/** In front of the salt: six bytes, and two sealed keys of 85 bytes after their lengths. */
const BEFORE = 6 + 2 * 87
const LENGTHS = [0, 1, 16_384, 100_000]

function same(one, other) {
  if (Buffer.compare(one, other) !== 0) throw new Error('other bytes')
}

/** Throws if a file goes there and comes back as other bytes. Says what it did. */
export async function files() {
  const [ours, theirs, other] = Array.from({ length: 3 }, () => PrivateKeyring.generate('X25519-AES-256-GCM'))
  const recipients = [ours, theirs].map(keyring => PublicKeyring.parse(keyring.publicKeyset()))
  const folder = mkdtempSync(join(tmpdir(), 'recipients-'))
  const path = name => join(folder, name)
  try {
    let [written, refused] = [0, 0]
    for (const length of LENGTHS) {
      const text = Buffer.alloc(length, 'a text')
      writeFileSync(path(`${length}`), text)
      await stream.encryptFile(path(`${length}`), path(`${length}.enc`), recipients, { context })
      for (const [i, reader] of [ours, theirs].entries()) {
        await stream.decryptFile(path(`${length}.enc`), path(`${length}.${i}`), reader, { context })
        same(readFileSync(path(`${length}.${i}`)), text)
      }
      const message = readFileSync(path(`${length}.enc`))
      if (message.length !== stream.encryptedSize(length, recipients)) throw new Error('another size')
      await otherWays(text, message, { recipients, reader: theirs })
      written++
      refused += refuses(message, ours, other)
    }
    opensOurOwn()
    return `${written} files to two recipients in every way, ${refused} changed ones refused`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Streams of Node and of the web, a range, and memory. */
async function otherWays(text, message, { recipients, reader }) {
  same(stream.decryptBuffer(message, reader, { context }), text)
  same(stream.decryptBuffer(stream.encryptBuffer(text, recipients, { context }), reader, { context }), text)
  const through = transform =>
    collected(Readable.from([message.subarray(0, 9), message.subarray(9)]).pipe(transform))
  same(await through(stream.createDecryptStream(reader, { context })), text)
  const ours = await collected(
    Readable.from([text]).pipe(stream.createEncryptStream(recipients, { context })),
  )
  same(stream.decryptBuffer(ours, reader, { context }), text)
  const web = new Blob([text]).stream().pipeThrough(new stream.EncryptionStream(recipients, { context }))
  same(await collected(web.pipeThrough(new stream.DecryptionStream(reader, { context }))), text)
  const ranges = await stream.DecryptionReader.open(message, reader, { context })
  same(await ranges.read(16_000, 17_000), text.subarray(16_000, 17_000))
  ranges.destroy()
}

async function collected(parts) {
  const all = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

/** A byte of each part, another reader and another context: the number of refusals. */
function refuses(message, reader, other) {
  const changed = at => {
    const copy = Buffer.from(message)
    copy[at] ^= 1
    return copy
  }
  const cases = [
    ...[0, 5, 8 + 5, 8 + 40, BEFORE, BEFORE + 24, message.length - 1].map(at => [
      changed(at),
      reader,
      context,
    ]),
    [message, other, context],
    [message, reader, 'dump 8'],
  ]
  for (const [bytes, key, wanted] of cases) {
    let code
    try {
      stream.decryptBuffer(bytes, key, { context: wanted })
    } catch (error) {
      code = error.code
    }
    if (!/^ERR_AESGCM_(?:WRONG_KEY|STREAM_TRUNCATED|AUTHENTICATION_FAILED)$/.test(code))
      throw new Error(`planted, and ${code ?? 'it opens'}`)
  }
  return cases.length
}

/** The message in docs/formats.md. */
function opensOurOwn() {
  const document = readFileSync(join(root, 'docs/formats.md'), 'utf8')
  const [, value, block] =
    /to recipients to check against[\s\S]*?`(Eio[^`]*)`[\s\S]*?```\n([\s\S]*?)```/.exec(document)
  const keyData = {
    typeUrl: 'type.googleapis.com/google.crypto.tink.HpkePrivateKey',
    value,
    keyMaterialType: 'ASYMMETRIC_PRIVATE',
  }
  const key = [{ keyData, status: 'ENABLED', keyId: 3735928559, outputPrefixType: 'TINK' }]
  const reader = PrivateKeyring.parse(JSON.stringify({ primaryKeyId: 3735928559, key }))
  const message = Buffer.from(block.replace(/\s/g, ''), 'hex')
  same(stream.decryptBuffer(message, reader, { context: 'backup' }), Buffer.from('hardware'))
}
