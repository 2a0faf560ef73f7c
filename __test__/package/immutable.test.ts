// Memory that ECMAScript's proposal makes immutable: calls of this package once wrote it. Node 26 has such memory behind a flag.
import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { ROOT } from '../tools/support.js'

const FLAG = '--js-immutable-arraybuffer'

/** Where no memory is immutable, a getter and a set play it. The package takes the getter that is there when it is loaded. */
const PLAYED = `
  const frozen = new WeakSet()
  Object.defineProperty(ArrayBuffer.prototype, 'immutable', { configurable: true, get() { return frozen.has(this) } })
  const immutable = bytes => {
    frozen.add(bytes.buffer)
    return bytes
  }`
const REAL = 'const immutable = bytes => new Uint8Array(bytes.buffer.transferToImmutable())'

/** Calls everything that writes memory of its caller, and everything that only reads it. */
const SCRIPT = `
  const { AesGcm, NONCE_BYTES, TAG_BYTES, randomFillSync } = await import('hardware-aes-gcm')
  const { AesGcmSiv } = await import('hardware-aes-gcm/siv')
  const { XAesGcm } = await import('hardware-aes-gcm/xaes')
  const { PacketProtection } = await import('hardware-aes-gcm/quic')
  const bytes = length => new Uint8Array(length).fill(7)
  const outcomes = {}
  const tried = (name, code, message, before, after) => {
    outcomes[name] = [code, message, Buffer.compare(before, after) === 0]
  }
  const refused = (name, length, call) => {
    const memory = immutable(bytes(length))
    const before = Uint8Array.from(memory)
    try {
      call(memory)
      tried(name, 'wrote', '', before, memory)
    } catch (error) {
      tried(name, error.code, \`\${error.name}: \${error.message}\`, before, memory)
    }
  }
  const [nonce, tag] = [bytes(NONCE_BYTES), bytes(TAG_BYTES)]
  for (const Class of [AesGcm, XAesGcm, AesGcmSiv]) {
    const key = new Class(bytes(32))
    const long = new Uint8Array(Class === XAesGcm ? 24 : 12)
    const frame = key.encrypt(bytes(20))
    const calls = {
      encryptInPlace: memory => key.encryptInPlace(memory),
      decryptInPlace: memory => key.decryptInPlace(memory),
      tryDecryptInPlace: memory => key.tryDecryptInPlace(memory),
      encryptInto: memory => key.encryptInto(memory, bytes(5)),
      'encryptInto, pieces': memory => key.encryptInto(memory, [bytes(5), bytes(6)]),
      decryptInto: memory => key.decryptInto(memory, frame),
      tryDecryptInto: memory => key.tryDecryptInto(memory, frame),
      'encryptDetached, data': memory => key.encryptDetached(memory, long, bytes(16)),
      decryptDetached: memory => key.decryptDetached(memory, long, tag),
      tryDecryptDetached: memory => key.tryDecryptDetached(memory, long, tag),
      encryptBatchInPlace: memory => key.encryptBatchInPlace(memory, 100),
      decryptBatchInPlace: memory => key.decryptBatchInPlace(memory, 100),
      tryDecryptBatchInPlace: memory => key.tryDecryptBatchInPlace(memory, 100),
    }
    for (const name in calls) refused(\`\${Class.name} \${name}\`, 100, calls[name])
    refused(\`\${Class.name} encryptDetached, tag\`, 16, memory => key.encryptDetached(bytes(4), long, memory))
    for (const call of ['encryptInPlaceAsync', 'decryptInPlaceAsync']) {
      for (const part of [false, true]) {
        const memory = immutable(bytes(200))
        const before = Uint8Array.from(memory)
        const code = await key[call](part ? memory.subarray(0, 100) : memory).then(() => ['wrote', ''], error => [
          error.code, \`\${error.name}: \${error.message}\`,
        ])
        tried(\`\${Class.name} \${call}\${part ? ', a part' : ''}\`, ...code, before, memory)
      }
    }
    // What is only read may be immutable.
    const read = immutable(Uint8Array.from(frame))
    const same = Buffer.compare(key.decrypt(read, null), bytes(20)) === 0
    key.encryptInto(bytes(100), immutable(bytes(5)), immutable(bytes(5)))
    outcomes[\`\${Class.name} reads\`] = same && key.encrypt(immutable(bytes(5)), immutable(bytes(9))).length > 5
  }
  for (const [name, view] of Object.entries({
    bytes: memory => memory,
    'a small part': memory => memory.subarray(3, 7),
    'a DataView': memory => new DataView(memory.buffer),
    'an ArrayBuffer': memory => memory.buffer,
  }))
    refused(\`randomFillSync, \${name}\`, 100, memory => randomFillSync(view(memory)))
  const packets = () => new PacketProtection(bytes(32))
  refused('seal', 60, memory => packets().seal(memory, 20, 1))
  refused('sealRun', 60, memory => packets().sealRun(memory, 60, 20, 1))
  refused('open', 60, memory => packets().open(memory, 18, -1))
  refused('openRun', 60, memory => packets().openRun(memory, 60, 18, -1))
  console.log(JSON.stringify(outcomes))`

const NAMES: [part: string, name: string][] = [
  ['encryptInto', 'target'],
  ['decryptInto', 'target'],
  ['tryDecryptInto', 'target'],
  ['encryptDetached, tag', 'tag'],
  ['Detached', 'data'],
  ['Batch', 'frames'],
  ['InPlace', 'frame'],
  ['random', 'view'],
  ['Run', 'packets'],
  ['', 'packet'],
]

/** Runs the calls in a process of its own, which imports the package after `before`. */
function check(before: string, ...flags: string[]): void {
  const args = [...flags, '--input-type=module', '-e', before + SCRIPT]
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  expect([stderr, status]).toEqual(['', 0])
  const outcomes = JSON.parse(stdout) as Record<string, true | [string, string, boolean]>
  const calls = Object.keys(outcomes)
  expect(calls).toHaveLength(3 * 19 + 8)
  for (const call of calls) {
    if (call.endsWith(' reads')) {
      expect(outcomes[call], call).toBe(true)
      continue
    }
    const name = NAMES.find(([part]) => call.includes(part))?.[1]
    const message = `TypeError: "${name}" is written to and must not be on an immutable ArrayBuffer`
    expect(outcomes[call], call).toEqual(['ERR_INVALID_ARG_VALUE', message, true])
  }
}

describe('immutable memory, which calls once wrote, is refused', () => {
  test('where a getter plays it', () => check(PLAYED))

  const has = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' }).stdout.includes(FLAG)
  test.runIf(has)('where the runtime has it', () => check(REAL, FLAG))
})
