// The test of the recipe for files (docs/guide/files.md): files come back, and chunks swapped, dropped, repeated and cut off are refused.

/** The call below the functions, in a folder of its own. One target exists before. */
export const FILES_CALL = {
  before: ([functions]: string[]) => `${functions}
    import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'
    const [root, folder] = [process.cwd(), mkdtempSync(join(tmpdir(), 'files-'))]
    process.chdir(folder)
    process.env.BACKUP_KEY = '07'.repeat(32)
    for (const file of ['backup.tar', 'restored.tar']) writeFileSync(file, file)\n`,
  after: `
    console.log(readFileSync('restored.tar', 'utf8'), readdirSync('.').sort().join())
    process.chdir(root)
    rmSync(folder, { recursive: true, maxRetries: 10 })`,
  prints: 'backup.tar backup.tar,backup.tar.aes,restored.tar\n',
}

/** Code round the recipe, and what it prints: whether every forgery was refused, and how many there were. */
export const FILES_RUN = {
  before: `
    import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
    import { tmpdir } from 'node:os'
    import { join } from 'node:path'\n`,
  after: `
    const aes = new AesGcm(AesGcm.generateKey())
    const folder = mkdtempSync(join(tmpdir(), 'files-'))
    const path = name => join(folder, name)
    const frame = CHUNK + OVERHEAD
    let refused = 0, attempts = 0
    for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 5]) {
      const data = randomBytes(size), name = String(size)
      writeFileSync(path(name), data)
      await encryptFile(aes, path(name), path(name + '.aes'))
      await decryptFile(aes, path(name + '.aes'), path(name + '.out'))
      if (!readFileSync(path(name + '.out')).equals(data)) throw new Error('another file came out')
      const sealed = readFileSync(path(name + '.aes'))
      const id = sealed.subarray(0, ID), chunk = n => sealed.subarray(ID + n * frame, ID + (n + 1) * frame)
      const rest = n => sealed.subarray(ID + n * frame)
      const forgeries = [
        [id], [sealed.subarray(0, -1)], [sealed, Buffer.alloc(1)], [randomBytes(16), rest(0)], [id, rest(0), rest(0)],
        ...(size < CHUNK ? [] : [[id, rest(1)], [id, chunk(0)], [id, chunk(0), chunk(0), rest(1)], [id, chunk(0), rest(0)]]),
        ...(size < 3 * CHUNK ? [] : [[id, chunk(1), chunk(0), rest(2)], [id, chunk(0), rest(2)], [id, chunk(0), chunk(1)]]),
      ]
      for (const forged of forgeries) {
        attempts++
        writeFileSync(path('forged'), Buffer.concat(forged))
        await decryptFile(aes, path('forged'), path('never')).catch(error => { refused += error.code.endsWith('FAILED') })
        if (readdirSync(path('')).some(file => /never|part$/.test(file))) throw new Error('plaintext is left')
      }
    }
    // A source that is missing, a folder that is missing, a name that cannot be taken: the error is that of the system.
    mkdirSync(path('taken/inside'), { recursive: true })
    for (const [from, to] of [['missing', 'x'], ['0', 'missing/x'], ['0', 'taken']]) {
      const error = await encryptFile(aes, path(from), path(to)).catch(error => error)
      if (!['ENOENT', 'EISDIR', 'ENOTEMPTY', 'EPERM', 'EACCES'].includes(error?.code)) throw error
      if (readdirSync(path('')).some(file => file.endsWith('.part'))) throw new Error('a part is left')
    }
    // A target that exists: it stays when a call fails, and is replaced when one succeeds.
    writeFileSync(path('target'), 'former')
    await decryptFile(aes, path('forged'), path('target')).then(() => process.exit(1), () => {})
    if (readFileSync(path('target'), 'utf8') !== 'former') throw new Error('a failed call changed the target')
    await decryptFile(aes, path('1.aes'), path('target'))
    if (!readFileSync(path('target')).equals(readFileSync(path('1')))) throw new Error('the target was not replaced')
    // Several calls at once, beside a file of another program whose name resembles a temporary name.
    writeFileSync(path('twice.part'), 'other')
    const large = String(3 * CHUNK + 5)
    // On Windows, only one of several calls may take the name at a time: the others fail, and leave the file as it is.
    const calls = [1, 2, 3].map(() => decryptFile(aes, path(large + '.aes'), path('twice')))
    const failed = (await Promise.allSettled(calls)).filter(end => end.status === 'rejected').map(end => end.reason)
    const busy = ({ code }) => process.platform === 'win32' && ['EACCES', 'EBUSY', 'EPERM'].includes(code)
    if (failed.length === calls.length || !failed.every(busy)) throw failed[0]
    if (!readFileSync(path('twice')).equals(readFileSync(path(large)))) throw new Error('calls got mixed up')
    if (readFileSync(path('twice.part'), 'utf8') !== 'other') throw new Error('another file is gone')
    console.log(refused === attempts, attempts)
    rmSync(folder, { recursive: true, maxRetries: 10 })`,
  prints: 'true 57\n',
}
