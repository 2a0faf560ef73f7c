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

/** What the server of ranges answers: its status, Content-Range, Content-Length, the bytes, and whether any were decrypted. */
const ANSWERS: readonly [request: [method: string, range?: string, ifRange?: string], answer: string][] = [
  [['GET'], '200 null 100000 0-100000 decrypted'],
  [['GET', 'bytes=16000-17000'], '206 bytes 16000-17000/100000 1001 16000-17001 decrypted'],
  [['GET', 'bytes=0-0'], '206 bytes 0-0/100000 1 0-1 decrypted'],
  [['GET', 'Bytes=99990-'], '206 bytes 99990-99999/100000 10 99990-100000 decrypted'],
  [['GET', 'bytes=99999-200000'], '206 bytes 99999-99999/100000 1 99999-100000 decrypted'],
  // It answered the last hundred bytes with all.
  [['GET', 'bytes=-100'], '206 bytes 99900-99999/100000 100 99900-100000 decrypted'],
  [['GET', 'bytes=-200000'], '206 bytes 0-99999/100000 100000 0-100000 decrypted'],
  [['GET', 'bytes=-0'], '416 bytes */100000 null nothing'],
  [['GET', 'bytes=100000-'], '416 bytes */100000 null nothing'],
  [['GET', `bytes=${'9'.repeat(400)}-`], '416 bytes */100000 null nothing'],
  [['GET', 'bytes=5-2'], '416 bytes */100000 null nothing'],
  [['GET', 'bytes=-'], '200 null 100000 0-100000 decrypted'],
  [['GET', 'bytes=a-b'], '200 null 100000 0-100000 decrypted'],
  [['GET', 'bytes=0-1,5-6'], '200 null 100000 0-100000 decrypted'],
  [['GET', 'lines=1-2'], '200 null 100000 0-100000 decrypted'],
  [['GET', 'bytes=0-9', '"an etag"'], '200 null 100000 0-100000 decrypted'],
  // It decrypted all of the file.
  [['HEAD'], '200 null 100000 nothing'],
  [['HEAD', 'bytes=0-9'], '200 null 100000 nothing'],
  [['HEAD', 'bytes=100000-'], '200 null 100000 nothing'],
  [['POST', 'bytes=0-9'], '405 null null nothing'],
]
/** The same server with a file without bytes. */
const EMPTY: typeof ANSWERS = [
  [['GET'], '200 null 0 0-0 decrypted'],
  [['HEAD'], '200 null 0 nothing'],
  [['GET', 'bytes=0-'], '416 bytes */0 null nothing'],
  [['GET', 'bytes=-5'], '416 bytes */0 null nothing'],
]

/** The server of ranges, asked for parts of a file of `size` bytes. */
const rangesOf = (size: number, answers: typeof ANSWERS): Run => ({
  after: `
    if (!server.listening) await new Promise(ready => server.once('listening', ready))
    const film = Buffer.alloc(${size}, 'a film ')
    const { stream } = reader
    let decrypted
    reader.stream = (...range) => { decrypted = range; return stream.apply(reader, range) }
    for (const [method, range, ifRange] of ${JSON.stringify(answers.map(([request]) => request))}) {
      decrypted = undefined
      const headers = { ...(range && { range }), ...(ifRange && { 'if-range': ifRange }) }
      const answer = await fetch('http://localhost:' + server.address().port, { method, headers })
      const body = Buffer.from(await answer.arrayBuffer())
      const part = decrypted === undefined ? 'nothing' : decrypted.join('-') + ' decrypted'
      if (!body.equals(decrypted === undefined ? Buffer.alloc(0) : film.subarray(...decrypted))) console.log('other bytes')
      const [place, length] = ['content-range', 'content-length'].map(name => answer.headers.get(name))
      console.log(answer.status, place, length, part)
    }
    process.exit()`,
  prints: `curl --range 2-5 http://localhost:8080\n${answers.map(([, answer]) => answer).join('\n')}\n`,
})
export const RANGES = rangesOf(100_000, ANSWERS)
export const EMPTY_RANGES = rangesOf(0, EMPTY)

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
