// Sets up, builds, then encrypts real data in place and lets node:crypto check it, both ways: npm run demo [-- FILE]
//
// FILE, of 64 bytes to 1 GiB, is only read; without FILE, the data are the files of this repository. Takes seconds after the
// build. Writes what the build writes.
import { createCipheriv, createDecipheriv, randomFillSync } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { cpus } from 'node:os'
import { join, resolve } from 'node:path'
import { commandLine } from './command-line.mjs'
import { setup } from './setup.mjs'
import { root, stop } from './tools.mjs'

const PACKED = 64 * 2 ** 20
const LARGEST = 2 ** 30

const { operands } = commandLine(import.meta.url, { operands: [0, 1] })
if (operands.length > 0) inspect(named(operands[0]))
setup()
const { AesGcm, cpu, OVERHEAD } = await import('hardware-aes-gcm')
if (!AesGcm.isAvailable())
  stop('This CPU lacks AES or carry-less multiply instructions, so the demo cannot run.')
const { plaintext, name } = operands.length > 0 ? fromFile(named(operands[0])) : fromRepository()

const key = AesGcm.generateKey()
const aes = new AesGcm(key)
const frame = Buffer.alloc(plaintext.length + OVERHEAD)
const aad = Buffer.from('demo')

console.log(`\nhardware-aes-gcm on ${model()}, backend ${aes.backend} (of ${cpu().backends.join(', ')})`)
console.log(`Node ${process.version} with OpenSSL ${process.versions.openssl}`)
console.log(`Input: ${name}, ${size(plaintext.length)}; AES-256-GCM\n`)

aes.plaintextOf(frame).set(plaintext)
aes.encryptInPlace(frame, aad)
check('encrypted in place, decrypted by node:crypto', decryptByNode(frame).equals(plaintext))

frame.set(Buffer.concat(encryptByNode(plaintext)))
check('encrypted by node:crypto, decrypted in place', aes.decryptInPlace(frame, aad).equals(plaintext))

aes.encryptInPlace(frame, aad)
frame[frame.length >> 1] ^= 1
const forged = Buffer.from(frame)
const refused = !aes.tryDecryptInPlace(frame, aad)
check('one flipped bit refused, the buffer as it was', refused && frame.equals(forged))

console.log(`\n${'one message'.padEnd(14)}${'in place'.padStart(14)}${'node:crypto'.padStart(14)}`)
compare(plaintext.subarray(0, 64))
compare(plaintext)
console.log('(best of several runs, fresh nonce and tag included; `npm run bench` measures with care)')

/** The shortest time of one message each way, in this process. */
function compare(message) {
  const own = Buffer.alloc(message.length + OVERHEAD)
  aes.plaintextOf(own).set(message)
  const calls = message.length > 2 ** 16 ? 1 : 20_000
  const ours = shortest(calls, () => aes.encryptInPlace(own, aad))
  const theirs = shortest(calls, () => encryptByNode(message))
  const faster = `${(theirs / ours).toFixed(1)} times faster`
  console.log(`${size(message.length).padEnd(14)}${time(ours)}${time(theirs)}   ${faster}`)
}

function shortest(calls, work) {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 7; run++) {
    const start = process.hrtime.bigint()
    for (let i = 0; i < calls; i++) work()
    best = Math.min(best, Number(process.hrtime.bigint() - start) / calls)
  }
  return best
}

/** node:crypto's frame in three parts, because joining them would cost an unnecessary copy. */
function encryptByNode(message) {
  const nonce = randomFillSync(Buffer.allocUnsafe(12))
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(aad)
  const ciphertext = cipher.update(message)
  cipher.final()
  return [nonce, ciphertext, cipher.getAuthTag()]
}

function decryptByNode(sealed) {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12)).setAAD(aad)
  decipher.setAuthTag(sealed.subarray(-16))
  const message = decipher.update(sealed.subarray(12, -16))
  decipher.final()
  return message
}

/** The path of a file, which the user gives relative to the folder of the call. */
function named(file) {
  return resolve(process.env.INIT_CWD ?? '', file)
}

/** Ends the process if the file does not serve. */
function inspect(path) {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) stop(`${path} is not a file.`)
  if (found.size < 64 || found.size > LARGEST) stop(`${path} must have between 64 bytes and 1 GiB.`)
}

function fromFile(path) {
  return { plaintext: readFileSync(path), name: path }
}

/** The repository's own files, one after the other and over again. */
function fromRepository() {
  const files = sources(root).map(path => readFileSync(path))
  const once = Buffer.concat(files)
  return {
    plaintext: Buffer.alloc(PACKED, once),
    name: `the ${files.length} files of this repository, repeated`,
  }
}

function sources(folder) {
  const made = ['.git', 'node_modules', 'target', 'dist', 'artifacts']
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => !made.includes(entry.name) && !entry.name.endsWith('.node'))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      return entry.isDirectory() ? sources(path) : entry.isFile() ? [path] : []
    })
}

function check(what, holds) {
  console.log(`${holds ? 'ok  ' : 'FAIL'}  ${what}`)
  if (!holds) process.exit(1)
}

function model() {
  return cpus()[0]?.model.trim() || process.arch
}

function size(bytes) {
  const [unit, name] =
    bytes >= 2 ** 20 ? [2 ** 20, 'MiB'] : bytes >= 2 ** 10 ? [2 ** 10, 'KiB'] : [1, 'bytes']
  return `${Number((bytes / unit).toFixed(1))} ${name}`
}

function time(ns) {
  return (ns >= 1e6 ? `${(ns / 1e6).toFixed(1)} ms` : `${Math.round(ns)} ns`).padStart(14)
}
