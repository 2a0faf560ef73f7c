// What the examples of docs/guide/files.md print, and what holds after them.
import type { Run } from './examples.js'

/** A file of the others: it makes keys, starts a server or writes a file, and prints nothing. */
export const PART: Run = { prints: '' }

/** A file comes back; one that was changed, or is another one, does not. */
export const FILES: Run = {
  after: `
    import { existsSync, readFileSync } from 'node:fs'
    const again = readFileSync('restored.txt').equals(readFileSync('letter.txt'))
    const other = await decryptFile('letter.enc', 'never', key, { context: 'letter of tuesday' }).catch(error => error.code)
    const sealed = readFileSync('letter.enc')
    sealed[60] ^= 1
    writeFileSync('letter.enc', sealed)
    const forged = await decryptFile('letter.enc', 'never', key, { context }).catch(error => error.position)
    console.log(again, other, forged, existsSync('never'))`,
  prints: 'restored.txt: 15 bytes\ntrue ERR_AESGCM_WRONG_KEY 0 false\n',
}

/** A log comes back; cut off, it does not. */
export const STREAM: Run = {
  after: `
    import { readFileSync } from 'node:fs'
    const again = readFileSync('events.part').equals(readFileSync('events.log'))
    const cut = readFileSync('events.gz.enc').subarray(0, -1)
    const failed = await pipeline([cut], createDecryptStream(key, { context }), createGunzip(), async function* () {}).catch(error => error.code)
    console.log(again, failed)`,
  prints: /^events\.gz\.enc: \d+ bytes, events\.part: 750000\ntrue ERR_AESGCM_AUTHENTICATION_FAILED\n$/,
}

/** What was uploaded comes back as it was stored; cut off, or under another name, it does not. */
export const UPLOAD: Run = {
  after: `
    const stored = Buffer.from(await (await fetch(storage + '/' + name)).arrayBuffer())
    const open = (bytes, context) =>
      new Response(new Blob([bytes]).stream().pipeThrough(new DecryptionStream(key, { context }))).text().catch(error => error.code)
    console.log(stored.length === encryptedSize(blob.size), await open(stored.subarray(0, 56), name), await open(stored, 'other'))`,
  prints: 'a photo\ntrue ERR_AESGCM_STREAM_TRUNCATED ERR_AESGCM_WRONG_KEY\n',
}

/** The server of ranges, asked for parts. */
export const RANGES: Run = {
  after: `
    if (!server.listening) await new Promise(ready => server.once('listening', ready))
    const film = Buffer.alloc(100_000, 'a film ')
    const get = async range => {
      const response = await fetch('http://localhost:' + server.address().port, range && { headers: { range } })
      return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer())]
    }
    const all = await get(), middle = await get('bytes=16000-17000'), end = await get('bytes=99990-'), wrong = await get('bytes=100000-')
    console.log(all[0], all[2].equals(film), middle[0], middle[1], middle[2].equals(film.subarray(16_000, 17_001)))
    console.log(end[0], end[1], end[2].equals(film.subarray(99_990)), wrong[0], wrong[1])
    server.closeAllConnections()
    server.close()
    process.exit()`,
  prints: `curl --range 2-5 http://localhost:8080
200 true 206 bytes 16000-17000/100000 true
206 bytes 99990-99999/100000 true 416 bytes */100000
`,
}

/** An old file that is migrated; after a wrong tag, the first part of the migration fails and nothing has the name. */
export const MIGRATION: Run = {
  after: `
    import { existsSync, readFileSync } from 'node:fs'
    import { decryptBuffer } from 'hardware-aes-gcm/stream'
    console.log(decryptBuffer(readFileSync('new'), key, { context: 'new' }).toString(), existsSync('new.part'))
    const forged = createDecipheriv('aes-256-gcm', oldKey, iv, { authTagLength: 16 }).setAuthTag(Buffer.alloc(16))
    const again = createEncryptStream(key, { context: to })
    console.log(await pipeline([readFileSync('old').subarray(12, -16)], forged, again, async function* () {}).catch(error => error.message))`,
  prints: `new holds what 42 bytes of the old file held
attack at dawn false
Unsupported state or unable to authenticate data
`,
}

/** The example of the README. */
export const README_FILE: Run = {
  after: `
    import { readFileSync } from 'node:fs'
    console.log(readFileSync('restored.txt', 'utf8'))`,
  prints: 'restored.txt: 15 bytes\nattack at dawn\n\n',
}
