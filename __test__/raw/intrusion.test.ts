// Code that V8 runs in the middle of a call, as an inspector may at every entry of a function: it makes calls of its own over the slate.
// Neither call may take the other's key, views or status.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ROOT, run } from '../tools/support.js'

/** The main thread works; a worker's inspector makes it run `intrude` whenever it can. */
const SCRIPT = `
  import { Worker } from 'node:worker_threads'
  const [key, other] = [new AesGcm(Buffer.alloc(32)), new AesGcm(Buffer.alloc(32, 1))]
  const own = length => new Uint8Array(new ArrayBuffer(length))
  const [frame, theirs, aad, theirAad] = [own(60), own(80), own(5), own(9).fill(3)]
  const wrong = what => { console.log('wrong', what); process.exit() }
  process.on('uncaughtException', error => wrong(error.message))
  // within: calls with intruders in their middle.
  let [calls, within, inside] = [0, 0, false]
  globalThis.intrude = () => {
    if (inside) within++
    inside = false
    other.encryptInPlace(theirs, theirAad)
    if (!other.tryDecryptInPlace(theirs, theirAad) || other.tryDecryptInPlace(theirs)) wrong('intruder')
  }
  const worker = new Worker(\`
    const { Session } = require('node:inspector')
    const session = new Session()
    session.connectToMainThread()
    const again = () => session.post('Runtime.evaluate', { expression: 'intrude()' }, again)
    for (let i = 0; i < 20; i++) again()
    setInterval(() => {}, 1000)\`, { eval: true, execArgv: [] })
  await new Promise(resolve => worker.once('online', resolve))
  await new Promise(resolve => setTimeout(resolve, 100))
  for (const end = Date.now() + 10_000; within < 20 && Date.now() < end; ) {
    const text = calls++ & 255
    frame.fill(text, 12, 44)
    inside = true
    key.encryptInPlace(frame, aad)
    const good = key.tryDecryptInPlace(frame, aad)
    inside = false
    if (!good || frame[12] !== text || frame[43] !== text) wrong('call ' + calls)
  }
  if (key.messagesEncrypted !== calls || key.failedDecryptions !== 0) wrong('counts')
  console.log(within >= 20 ? 'right' : 'intruded only ' + within + ' times')
  process.exit()`

/** Inlined functions have no entries. */
const flags = ['--no-turbo-inlining']

const planted = mkdtempSync(join(tmpdir(), 'aesgcm-intrusion-'))
afterAll(() => rmSync(planted, { recursive: true }))

test('calls and intruders keep apart', () => {
  expect(run(SCRIPT, { flags }).stdout.trim()).toBe('right')
})

test('planted: an entry of a function between the last comparison and the call', () => {
  for (const name of ['dist', 'package.json'])
    cpSync(join(ROOT, name), join(planted, name), { recursive: true })
  symlinkSync(join(ROOT, 'npm'), join(planted, 'npm'))
  const file = join(planted, 'dist/cipher/native/slate.cjs')
  const source = readFileSync(file, 'utf8')
  const call = '    call();\n'
  expect(source.split(call)).toHaveLength(2)
  const entry = 'function entry(n) { let sum = 0; for (let i = 0; i < n; i++) sum += i; return sum }\n'
  writeFileSync(file, source.replace(call, `    entry(20000);\n${call}`) + entry)
  expect(run(SCRIPT, { cwd: planted, flags }).stdout.trim()).toMatch(
    /^wrong (call|counts|intruder|the message)/,
  )
})
