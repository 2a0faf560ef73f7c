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

/** The server of ranges, asked for parts. */
export const RANGES = {
  before: `${FOLDER}
    import { encryptBuffer } from 'hardware-aes-gcm/stream'
    const key = Buffer.alloc(32, 7), film = Buffer.from(Uint8Array.from({ length: 100_000 }, (_, i) => i ^ i >> 8))
    writeFileSync('film.enc', encryptBuffer(film, key))\n`,
  after: `
    server.listen(0, '127.0.0.1')
    await new Promise(ready => server.once('listening', ready))
    const get = async range => {
      const response = await fetch('http://127.0.0.1:' + server.address().port, range && { headers: { range } })
      return [response.status, response.headers.get('content-range'), Buffer.from(await response.arrayBuffer())]
    }
    const all = await get(), middle = await get('bytes=16000-17000'), end = await get('bytes=99990-'), wrong = await get('bytes=100000-')
    console.log(all[0], all[2].equals(film), middle[0], middle[1], middle[2].equals(film.subarray(16_000, 17_001)))
    console.log(end[0], end[1], end[2].equals(film.subarray(99_990)), wrong[0], wrong[1])
    server.closeAllConnections()
    server.close()
    process.exit()`,
  prints:
    '200 true 206 bytes 16000-17000/100000 true\n206 bytes 99990-99999/100000 true 416 bytes */100000\n',
}

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
