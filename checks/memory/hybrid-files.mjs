// Files and streams to a public key of X25519, before a process is examined: each has a key of its own, which the library makes.
import { readFile, writeFile } from 'node:fs/promises'
import { collected, keyringsOf } from './hybrid.mjs'
import { fails, kept, LENGTHS, LONG, library, SALT, same, text } from './stream-tools.mjs'

/** Where such a file has its sealed key: after `AGR1` and two lengths, with Tink's prefix. Then comes the salt. */
export const SEALED_KEY = { start: 8, end: 93 }
/** To what the key is sealed (docs/formats.md). */
export const SEALED_FOR = 'hardware-aes-gcm AGR1'
const HEADER = 56

/** Each scenario says for each file everything in front of its commitment. */
export const FILES = {
  async 'files to recipients wiped'(entry) {
    const { ours, sender } = await keyringsOf(entry)
    const made = await library(entry)
    const { said, note } = notes()
    for (const length of LENGTHS) {
      const [plain, sealed, again] = ['', '.enc', '.dec'].map(ending => `${length}${ending}`)
      await writeFile(plain, text(length))
      await made.encryptFile(plain, sealed, sender)
      note(await readFile(sealed))
      await made.decryptFile(sealed, again, ours)
      same(await readFile(again), text(length))
    }
    const message = note(made.encryptBuffer(text(LONG), sender))
    const reader = await made.DecryptionReader.open(message, ours)
    same(await reader.read(), text(LONG))
    reader.destroy()
    kept.push(reader)
    for (const [code, at] of [
      ['ERR_AESGCM_WRONG_KEY', SEALED_KEY.start + 50],
      ['ERR_AESGCM_WRONG_KEY', SEALED_KEY.end],
      ['ERR_AESGCM_AUTHENTICATION_FAILED', SEALED_KEY.end + HEADER + 20_000],
    ]) {
      const changed = Buffer.from(message)
      changed[at] ^= 1
      await fails(code, (async () => made.decryptBuffer(changed, ours))())
    }
    for (const stream of begun(made, { ours, sender }, note)) kept.push(stream.destroy())
    ours.destroy()
    await collected()
    return said.join(' ')
  },

  // A control: the key that the other looks for in vain.
  async 'the key of a file held in a Buffer'(entry) {
    const { ours, sender } = await keyringsOf(entry)
    const { encryptBuffer } = await library(entry)
    const { said, note } = notes()
    const message = note(encryptBuffer(text(LONG), sender))
    kept.push(ours.open(message.subarray(SEALED_KEY.start, SEALED_KEY.end), SEALED_FOR))
    return said[0]
  },
}

function notes() {
  const said = []
  const note = message => {
    said.push(message.toString('hex', 0, SEALED_KEY.end + SALT))
    return message
  }
  return { said, note }
}

/** Both streams of a file that is not over, and one that lacks the end of the header. */
function begun({ createEncryptStream, createDecryptStream }, { ours, sender }, note) {
  const sealing = createEncryptStream(sender)
  const [opening, waiting] = [createDecryptStream(ours), createDecryptStream(ours)]
  sealing.write(text(LONG))
  const message = note(sealing.read())
  opening.write(message)
  opening.read()
  waiting.write(message.subarray(0, SEALED_KEY.end))
  return [sealing, opening, waiting]
}
