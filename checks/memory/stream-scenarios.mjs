// The messages of `hardware-aes-gcm/stream` before a process is examined. Each scenario says which messages there were: the bits of
// the given key, and the salt, which is public.
import { createSecretKey } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { derive } from '../../__test__/models/cobblestone.mjs'
import { outside } from './formula.mjs'
import { collected } from './scenarios.mjs'
import {
  begun,
  begunWeb,
  fails,
  filesOf,
  kept,
  keyed,
  LENGTHS,
  LONG,
  library,
  messages,
  readersOf,
  SALT,
  same,
  text,
  through,
  throughWeb,
  wrong,
} from './stream-tools.mjs'

/** `entry` is the package's. */
export const STREAMS = {
  async 'messages in memory'(entry, backend) {
    const { encryptBuffer, decryptBuffer } = await library(entry)
    return messages((bits, note) => {
      for (const length of LENGTHS)
        keyed(bits, key => {
          const message = note(encryptBuffer(text(length), key, { backend }))
          same(decryptBuffer(message, key, { backend }), text(length))
        })
    })
  },

  async 'messages in memory refused'(entry, backend) {
    const { encryptBuffer, decryptBuffer } = await library(entry)
    return messages(async (bits, note) => {
      const message = note(keyed(bits, key => encryptBuffer(text(LONG), key, { backend })))
      for (const [code, bytes] of wrong(message))
        await fails(code, (async () => keyed(bits, key => decryptBuffer(bytes, key, { backend })))())
    })
  },

  async 'streams ended'(entry, backend) {
    const { createEncryptStream, createDecryptStream } = await library(entry)
    return messages(async (bits, note) => {
      for (const length of LENGTHS) {
        const sealing = keyed(bits, key => createEncryptStream(key, { backend }))
        const opening = keyed(bits, key => createDecryptStream(key, { backend }))
        const message = note(await through(sealing, text(length)))
        same(await through(opening, message), text(length))
        kept.push(sealing, opening)
      }
    })
  },

  async 'streams failed'(entry) {
    const { createEncryptStream, createDecryptStream } = await library(entry)
    return messages(async (bits, note) => {
      const message = note(
        await through(
          keyed(bits, key => createEncryptStream(key)),
          text(LONG),
        ),
      )
      for (const [code, bytes] of wrong(message)) {
        const opening = keyed(bits, key => createDecryptStream(key))
        await fails(code, through(opening, bytes))
        kept.push(opening)
      }
    })
  },

  async 'streams destroyed'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      for (const stream of await begun(made, bits, note)) stream.destroy()
      for (const stream of await begun(made, bits, note)) stream.destroy(new Error('on purpose'))
    })
  },

  async 'streams aborted'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      const controller = new AbortController()
      const streams = await begun(made, bits, note, { signal: controller.signal })
      const closed = streams.map(stream => new Promise(resolve => stream.once('close', resolve)))
      controller.abort()
      await Promise.all(closed)
    })
  },

  async 'streams collected'(entry) {
    const made = await library(entry)
    const said = await messages((bits, note) => begun(made, bits, note))
    await collected(kept)
    return said
  },

  async 'web streams ended'(entry) {
    const { EncryptionStream, DecryptionStream } = await library(entry)
    return messages(async (bits, note) => {
      for (const length of LENGTHS) {
        const [sealing, opening] = keyed(bits, key => [new EncryptionStream(key), new DecryptionStream(key)])
        const message = note(await throughWeb(sealing, text(length)))
        same(await throughWeb(opening, message), text(length))
        kept.push(sealing, opening)
      }
    })
  },

  async 'web streams failed'(entry) {
    const { EncryptionStream, DecryptionStream } = await library(entry)
    return messages(async (bits, note) => {
      const message = note(
        await throughWeb(
          keyed(bits, key => new EncryptionStream(key)),
          text(LONG),
        ),
      )
      for (const [code, bytes] of wrong(message)) {
        const opening = keyed(bits, key => new DecryptionStream(key))
        await fails(code, throughWeb(opening, bytes))
        kept.push(opening)
      }
    })
  },

  async 'web streams cancelled'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      for (const { reader } of await begunWeb(made, bits, note)) await reader.cancel()
    })
  },

  async 'web streams aborted'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      for (const { writer } of await begunWeb(made, bits, note)) await writer.abort(new Error('on purpose'))
    })
  },

  async files(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      for (const length of LENGTHS) {
        const { sealed } = await filesOf(made, bits, length, note)
        await keyed(bits, key => made.decryptFile(sealed, `${sealed}.dec`, key))
        same(await readFile(`${sealed}.dec`), text(length))
      }
    })
  },

  async 'files refused'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      const { sealed } = await filesOf(made, bits, LONG, note)
      for (const [code, bytes] of wrong(await readFile(sealed))) {
        await writeFile('wrong', bytes)
        await fails(
          code,
          keyed(bits, key => made.decryptFile('wrong', 'never', key)),
        )
      }
      await fails(
        'ENOENT',
        keyed(bits, key => made.encryptFile('missing', 'never', key)),
      )
      await fails(
        'EEXIST',
        keyed(bits, key => made.encryptFile('wrong', sealed, key)),
      )
    })
  },

  // An encryption that is aborted leaves no salt by which its key could be looked for; the given key is the same.
  async 'files aborted'(entry) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      const { plain, sealed } = await filesOf(made, bits, LENGTHS.at(-1), note)
      for (const [work, from] of [
        [made.encryptFile, plain],
        [made.decryptFile, sealed],
      ]) {
        const controller = new AbortController()
        const options = { signal: controller.signal, onProgress: () => controller.abort() }
        await fails(
          'AbortError',
          keyed(bits, key => work(from, 'never', key, options)),
        )
      }
    })
  },

  async 'readers destroyed'(entry, backend) {
    const made = await library(entry)
    return messages(async (bits, note) => {
      const message = note(keyed(bits, key => made.encryptBuffer(text(LONG), key, { backend })))
      for (const reader of await readersOf(made, bits, message, backend)) {
        reader.destroy()
        kept.push(reader)
      }
    })
  },

  async 'readers refused'(entry) {
    const { encryptBuffer, DecryptionReader } = await library(entry)
    return messages(async (bits, note) => {
      const message = note(keyed(bits, key => encryptBuffer(text(LONG), key)))
      for (const [code, bytes] of wrong(message)) {
        const reading = keyed(bits, key => DecryptionReader.open(bytes, key))
        await fails(
          code,
          reading.then(reader => reader.read().finally(() => reader.destroy())),
        )
      }
      const unread = { size: 100, read: () => Promise.reject(new RangeError('on purpose')) }
      await fails(
        'RangeError',
        keyed(bits, key => DecryptionReader.open(unread, key)),
      )
    })
  },

  async 'readers collected'(entry) {
    const made = await library(entry)
    const readers = []
    const said = await messages(async (bits, note) => {
      const message = note(keyed(bits, key => made.encryptBuffer(text(LONG), key)))
      readers.push(...(await readersOf(made, bits, message)))
    })
    await collected(readers)
    return said
  },

  async 'messages of a KeyObject'(entry) {
    const { encryptBuffer, decryptBuffer } = await library(entry)
    return messages((bits, note) => {
      const secret = keyed(bits, createSecretKey)
      kept.push(secret)
      same(decryptBuffer(note(encryptBuffer(text(LONG), secret)), secret), text(LONG))
    })
  },

  async 'readers live'(entry, backend) {
    const { encryptBuffer, DecryptionReader } = await library(entry)
    return messages(async (bits, note) => {
      const message = note(keyed(bits, key => encryptBuffer(text(LONG), key, { backend })))
      kept.push(await keyed(bits, key => DecryptionReader.open(message, key, { backend })))
      await kept.at(-1).read()
    })
  },

  // A control: the secrets of messages that the others look for in vain.
  async 'secrets of messages held in a Buffer'() {
    return messages((bits, note) => {
      const salt = note(Buffer.alloc(SALT, bits))
      keyed(bits, given => {
        const { okm, key, baseNonce: nonce } = derive(given, salt)
        const padded = [0x36, 0x5c].map(mask => given.map(byte => byte ^ mask))
        for (const secret of [key, nonce, Buffer.from(okm).swap64(), ...padded]) {
          const held = outside(secret.length)
          held.set(secret)
          kept.push(held)
        }
      })
    })
  },
}

/** The scenarios that leave no secret behind: those to be examined on every backend, and the rest. */
export const ENDED = [
  'messages in memory',
  'messages in memory refused',
  'streams ended',
  'readers destroyed',
]
export const BEGUN = [
  ...['streams failed', 'streams destroyed', 'streams aborted', 'streams collected'],
  ...['web streams ended', 'web streams failed', 'web streams cancelled', 'web streams aborted'],
  ...['files', 'files refused', 'files aborted', 'readers refused', 'readers collected'],
]

/** The number of the last message, which has 256 bits, of scenarios that must leave it if keys are not wiped. */
export const LAST = {
  'messages in memory': 2 * LENGTHS.length - 1,
  'streams ended': 2 * LENGTHS.length - 1,
  'streams failed': 1,
  'streams destroyed': 3,
  'streams aborted': 1,
  'streams collected': 1,
  'web streams ended': 2 * LENGTHS.length - 1,
  'web streams cancelled': 1,
  'web streams aborted': 1,
  files: 2 * LENGTHS.length - 1,
  'readers destroyed': 1,
  'readers collected': 1,
}
