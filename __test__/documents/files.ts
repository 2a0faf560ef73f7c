// The code around the recipes of docs/guide/files.md, and the lines that they print.

/** A folder of their own, where the recipes work. */
const FOLDER = `
  import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
  import { tmpdir } from 'node:os'
  import { join } from 'node:path'
  const [root, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'files-'))]
  process.chdir(folder)
  process.on('exit', () => { process.chdir(root); rmSync(folder, { recursive: true, maxRetries: 10 }) })\n`

/** The file recipe: a file comes back; one that was changed, or is from another day, does not. */
export const FILES = {
  before: `${FOLDER}
    process.env.BACKUP_KEY = '07'.repeat(32)
    writeFileSync('backup.tar', Buffer.alloc(100_000, 7))\n`,
  after: `
    const again = readFileSync('restored.tar').equals(readFileSync('backup.tar'))
    const other = await decryptFile('backup.tar.enc', 'never', key, { context: 'backup of tuesday' }).catch(error => error.code)
    const sealed = readFileSync('backup.tar.enc')
    sealed[50_000] ^= 1
    writeFileSync('backup.tar.enc', sealed)
    const forged = await decryptFile('backup.tar.enc', 'never', key, { context: 'backup of monday' }).catch(error => error.position)
    console.log(again, other, forged, readdirSync('.').sort().join())`,
  prints: 'true ERR_AESGCM_WRONG_KEY 49152 backup.tar,backup.tar.enc,restored.tar\n',
}

/** The recipe of a stream: a log comes back; cut off, it does not. */
export const STREAM = {
  before: `${FOLDER}
    const key = Buffer.alloc(32, 7)
    writeFileSync('events.log', 'attack at dawn\\n'.repeat(50_000))\n`,
  after: `
    const again = readFileSync('events.part').equals(readFileSync('events.log'))
    const cut = readFileSync('events.gz.enc').subarray(0, -1)
    const failed = await pipeline([cut], createDecryptStream(key, { context }), createGunzip(), async function* () {}).catch(error => error.code)
    console.log(again, failed)`,
  prints: 'true ERR_AESGCM_AUTHENTICATION_FAILED\n',
}

/** Uploads to a server in memory, and downloads: once as it was stored, once cut off. */
export const UPLOAD = {
  before: `
    import { createServer } from 'node:http'
    const key = Buffer.alloc(32, 7), objects = new Map()
    const server = createServer(async (request, response) => {
      if (request.method === 'PUT') {
        const parts = []
        for await (const part of request) parts.push(part)
        objects.set(request.url, Buffer.concat(parts))
        response.end(request.headers['content-length'])
      } else response.end(objects.get(request.url))
    }).listen(0, '127.0.0.1')
    await new Promise(ready => server.once('listening', ready))
    const storage = 'http://127.0.0.1:' + server.address().port\n`,
  after: `
    const blob = new Blob([Buffer.alloc(100_000, 7)])
    await upload(blob, 'photo')
    const same = Buffer.from(await download('photo')).equals(Buffer.alloc(100_000, 7))
    const size = objects.get('/photo').length === encryptedSize(blob.size)
    objects.set('/photo', objects.get('/photo').subarray(0, 56 + 16_400))
    const cut = await download('photo').catch(error => error.code)
    objects.set('/other', objects.get('/photo'))
    const moved = await download('other').catch(error => error.code)
    console.log(same, size, cut, moved)
    server.closeAllConnections()
    server.close()`,
  prints: 'true true ERR_AESGCM_STREAM_TRUNCATED ERR_AESGCM_WRONG_KEY\n',
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

/** The server of ranges, with a file of `size` bytes. */
const rangesOf = (size: number, answers: typeof ANSWERS) => ({
  before: `${FOLDER}
    import { encryptBuffer } from 'hardware-aes-gcm/stream'
    const key = Buffer.alloc(32, 7), film = Buffer.from(Uint8Array.from({ length: ${size} }, (_, i) => i ^ i >> 8 ^ i >> 15))
    writeFileSync('film.enc', encryptBuffer(film, key))\n`,
  after: `
    const { request: send } = await import('node:http')
    server.listen(0, '127.0.0.1')
    await new Promise(ready => server.once('listening', ready))
    const { stream } = reader
    let decrypted
    reader.stream = (...range) => { decrypted = range; return stream.apply(reader, range) }
    for (const [method, range, ifRange] of ${JSON.stringify(answers.map(([request]) => request))}) {
      decrypted = undefined
      const headers = { ...(range && { range }), ...(ifRange && { 'if-range': ifRange }) }
      const { port } = server.address()
      const answer = await new Promise((resolve, reject) => send({ port, method, headers }, resolve).on('error', reject).end())
      const body = Buffer.concat(await answer.toArray())
      const part = decrypted === undefined ? 'nothing' : decrypted.join('-') + ' decrypted'
      if (!body.equals(decrypted === undefined ? Buffer.alloc(0) : film.subarray(...decrypted))) console.log('other bytes')
      const { 'content-range': place = null, 'content-length': length = null } = answer.headers
      console.log(answer.statusCode, place, length, part)
    }
    process.exit()`,
  prints: `${answers.map(([, answer]) => answer).join('\n')}\n`,
})
export const RANGES = rangesOf(100_000, ANSWERS)
export const EMPTY_RANGES = rangesOf(0, EMPTY)

/** An old file that is migrated, and one with a wrong tag, of which nothing stays. */
export const MIGRATION = {
  before: `${FOLDER}
    import { createCipheriv } from 'node:crypto'
    import { decryptBuffer } from 'hardware-aes-gcm/stream'
    const [key, oldKey, iv] = [Buffer.alloc(32, 7), Buffer.alloc(32, 6), Buffer.alloc(12, 5)]
    const text = Buffer.alloc(100_000, 9), cipher = createCipheriv('aes-256-gcm', oldKey, iv)
    writeFileSync('old', Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()]))\n`,
  after: `
    const tag = readFileSync('old').subarray(-16), { size } = statSync('old')
    await migrate('old', 'new', size, iv, tag)
    const same = decryptBuffer(readFileSync('new'), key, { context: 'new' }).equals(text)
    const failed = await migrate('old', 'never', size, iv, Buffer.alloc(16)).catch(error => error.message)
    console.log(same, failed, readdirSync('.').sort().join())`,
  prints: 'true Unsupported state or unable to authenticate data new,old\n',
}

/** The recipe of the README. */
export const README_FILE = {
  before: `${FOLDER}
    const key = Buffer.alloc(32, 7)
    writeFileSync('backup.tar', 'a backup')\n`,
  after: "console.log(readFileSync('restored.tar', 'utf8'), readdirSync('.').sort().join())",
  prints: 'a backup backup.tar,backup.tar.enc,restored.tar\n',
}
