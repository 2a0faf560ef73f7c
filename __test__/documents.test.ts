// Tests the examples in the documents: the blocks of the README run, and the frame in docs/formats.md opens.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AesGcm } from 'hardware-aes-gcm'
import { expect, test } from 'vitest'
import { ROOT } from './support.js'

test('the quick start runs as it stands', () => {
  const [, script] =
    readFileSync(`${ROOT}README.md`, 'utf8').match(/## Quick start\n\n```js\n(.*?)```/s) ?? []
  const flags = ['--input-type=module', '-e', script ?? '']
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
  expect({ stdout, stderr, status }).toEqual({ stdout: 'attack at dawn\n', stderr: '', status: 0 })
})

test('the blocks on random bytes and on arenas run as they stand', () => {
  const readme = readFileSync(`${ROOT}README.md`, 'utf8')
  const block = (heading: string) =>
    readme.match(new RegExp(`## ${heading}\n\n[^#]*?\`\`\`js\n(.*?)\`\`\``, 's'))?.[1] ?? ''
  const given = 'const buffer = Buffer.alloc(9); const key = Buffer.alloc(32)\n'
  const script = `${given}${block('Random bytes')}${block('Where keys lie')}console.log(token.length)`
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect({ stdout, stderr, status }).toEqual({
    stdout: expect.stringMatching(/^1 (?:true|false)\n32\n$/),
    stderr: '',
    status: 0,
  })
})

/** The JavaScript under a heading of the README. */
const blockOf = (heading: string) =>
  readFileSync(`${ROOT}README.md`, 'utf8').match(
    new RegExp(`## ${heading}\\n.*?\`\`\`js\\n(.*?)\`\`\``, 's'),
  )?.[1] ?? ''

const inNode = (script: string) => {
  const flags = ['--input-type=module', '-e', script]
  const { stdout, stderr, status } = spawnSync(process.execPath, flags, { cwd: ROOT, encoding: 'utf8' })
  return { stdout, stderr, status }
}

test('the block on work off the main thread runs as it stands', () => {
  const given = 'const key = Buffer.alloc(32); const plaintext = Buffer.from("off the main thread")\n'
  const script = `${given}${blockOf('Off the main thread')}console.log(frame.length, opened.toString())`
  expect(inNode(script)).toEqual({ stdout: '0 off the main thread\n', stderr: '', status: 0 })
})

test('the block on QUIC packets runs as it stands', () => {
  const given = `const connectionId = Buffer.from('8394c8f03e515708', 'hex')
    const [packetNumberOffset, headerLength] = [9, 10]
    const packet = Buffer.concat([Buffer.of(0x40), connectionId, Buffer.from('\\0quic'), Buffer.alloc(16)])\n`
  const script = `${given}${blockOf('QUIC packets')}console.log(number, packet.toString('latin1', 10, 14))`
  expect(inNode(script)).toEqual({ stdout: '7 quic\n', stderr: '', status: 0 })
})

test('the block on sessions runs as it stands', () => {
  const script = `const secret = Buffer.alloc(32, 7)\n${blockOf('Sessions')}`
  expect(inNode(script)).toEqual({ stdout: 'attack at dawn\n', stderr: '', status: 0 })
})

test('the block on shares runs as it stands', () => {
  const script = `const key = Buffer.alloc(32, 7)\n${blockOf('Shares')}
    console.log(restored.equals(key), again === shares[1], opened.toString())`
  expect(inNode(script)).toEqual({ stdout: 'true true of any length\n', stderr: '', status: 0 })
})

test('the block on JSON and text runs as it stands', () => {
  const script = `const key = Buffer.alloc(32)\n${blockOf('JSON and text')}`
  expect(inNode(script)).toEqual({ stdout: '17\n', stderr: '', status: 0 })
})

test('the block on many messages runs as it stands', () => {
  const given = 'const key = Buffer.alloc(32)\nconst records = [1, 2, 3].map(n => Buffer.alloc(64, n))\n'
  const script = `${given}${blockOf('Many messages, and messages in pieces')}
    const plain = records.every((record, i) => record.equals(aes.plaintextOf(frameAt(i))))
    console.log(plain, aes.messagesEncrypted)`
  expect(inNode(script)).toEqual({ stdout: '0 of 3 refused\ntrue 3\n', stderr: '', status: 0 })
})

test('the block on files encrypts them, and refuses chunks swapped, dropped, repeated and cut off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'files-'))
  const script = `
    import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
    ${blockOf('Files')}
    const aes = new AesGcm(AesGcm.generateKey())
    const path = name => ${JSON.stringify(folder)} + '/' + name
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
    console.log(refused === attempts, attempts)`
  expect(inNode(script)).toEqual({ stdout: 'true 57\n', stderr: '', status: 0 })
  rmSync(folder, { recursive: true, maxRetries: 10 })
})

test('the frame of docs/formats.md opens in both layouts', () => {
  const [, ...parts] =
    readFileSync(`${ROOT}docs/formats.md`, 'utf8').match(/```\n(\w{24}) (\w{16}) (\w{32})\n```/) ?? []
  const [nonce, text, tag] = parts as [string, string, string]
  const key = Uint8Array.from({ length: 32 }, (_, i) => i)
  const [start, end] = [nonce + text + tag, text + tag + nonce].map(hex => Buffer.from(hex, 'hex'))
  const aad = Buffer.from('feedface', 'hex')
  expect(new AesGcm(key).decrypt(start as Buffer, aad).toString()).toBe('hardware')
  expect(new AesGcm(key, { nonceAt: 'end' }).decrypt(end as Buffer, aad).toString()).toBe('hardware')
})
