// Short ciphertexts are parts of slabs: where they lie, what else a slab has, and what a caller can do to it.
import { Worker } from 'node:worker_threads'
import { AesGcm, OVERHEAD } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'
import { AesGcmSiv } from 'hardware-aes-gcm/siv'
import { XAesGcm } from 'hardware-aes-gcm/xaes'
import { describe, expect, test } from 'vitest'
import { isCiphertext, isOwn, KEY, Random, refuses, run } from '../../tools/support.js'

const SLAB = 2 ** 15
const LONGEST = 2 ** 12
const MARK = Buffer.from('a plaintext that no slab may have')
const random = new Random('slabs')
const aes = new AesGcm(KEY)
const ring = Keyring.generate()
/** ArrayBuffer with methods that the compiler's library does not know yet. */
type Movable = ArrayBuffer & { transfer?: () => ArrayBuffer }

/** A frame in a slab, and one that lies in the same slab. */
function neighbours(): [Buffer<ArrayBuffer>, Buffer<ArrayBuffer>] {
  for (;;) {
    const [one, other] = [aes.encrypt(MARK), aes.encrypt(MARK)]
    if (one.buffer === other.buffer) return [one, other]
  }
}

/** Fails if two results share a byte. */
function expectApart(results: readonly Uint8Array[]): void {
  const spans = new Map<ArrayBufferLike, [number, number][]>()
  for (const { buffer, byteOffset, length } of results) {
    const list = spans.get(buffer) ?? []
    spans.set(buffer, list)
    list.push([byteOffset, byteOffset + length])
  }
  for (const list of spans.values()) {
    list.sort(([a], [b]) => a - b)
    list.forEach(([start], i) => {
      expect(start).toBeGreaterThanOrEqual(list[i - 1]?.[1] ?? 0)
    })
  }
}

describe('where results lie', () => {
  test('results of any sequence of sizes and methods share no byte, and open', () => {
    const results: { frame: Buffer; open: () => Buffer; text: Buffer }[] = []
    const add = (text: Buffer, frame: Buffer, open: () => Buffer) => results.push({ text, frame, open })
    const keys = [aes, new AesGcmSiv(KEY), new XAesGcm(KEY)]
    for (let i = 0; i < 3000; i++) {
      const text = random.bytes(random.below(i % 10 === 0 ? 5000 : 200))
      const key = keys[i % 3] as AesGcm
      const how = random.below(4)
      if (how === 0) {
        const sealed = ring.seal(text)
        add(text, sealed, () => ring.open(sealed))
      } else if (how === 1) {
        const rows = [text, random.bytes(random.below(50)), text]
        key.encryptBatch(rows).forEach((frame, n) => {
          add(rows[n] as Buffer, frame, () => key.decrypt(frame))
        })
      } else {
        const frame = key.encrypt(how === 2 ? text : [text.subarray(0, 9), text.subarray(9)])
        add(text, frame, () => key.decrypt(frame))
      }
    }
    expectApart(results.map(({ frame }) => frame))
    for (const { frame, open, text } of results) {
      if (frame.buffer.byteLength > SLAB) isOwn(frame)
      expect(open().equals(text)).toBe(true)
    }
  })

  test.each([0, 1, 64, LONGEST - OVERHEAD - 1, LONGEST - OVERHEAD])(
    'a plaintext of %i bytes: the ciphertext in a slab, the plaintext not',
    length => {
      const frame = aes.encrypt(Buffer.alloc(length))
      expect([frame.buffer.byteLength, frame.byteOffset % 8]).toEqual([SLAB, 0])
      isCiphertext(frame)
      isOwn(aes.decrypt(frame))
      isOwn(aes.tryDecrypt(frame) as Buffer)
      isOwn(ring.open(ring.seal(Buffer.alloc(length))))
    },
  )

  test('longer ones have separate memory', () => {
    isOwn(aes.encrypt(Buffer.alloc(LONGEST - OVERHEAD + 1)))
    isOwn(aes.encrypt([Buffer.alloc(LONGEST - OVERHEAD), Buffer.alloc(1)]))
    isOwn(ring.seal(Buffer.alloc(LONGEST)))
  })

  test('a slab is never the pool of Node', () => {
    const pools = new Set<ArrayBufferLike>()
    for (let i = 0; i < 3000; i++) {
      pools.add(Buffer.from('a small text').buffer)
      pools.add(Buffer.allocUnsafe(30).buffer)
      expect(pools.has(aes.encrypt(MARK).buffer)).toBe(false)
    }
  })
})

describe('what a slab has', () => {
  test('ciphertexts, and zeros: no plaintext after calls that succeed or fail', () => {
    const slabs = new Set<ArrayBuffer>()
    const note = (...frames: Buffer<ArrayBuffer>[]) => {
      for (const { buffer } of frames) slabs.add(buffer)
    }
    for (const Class of [AesGcm, AesGcmSiv, XAesGcm]) {
      const key = new Class(KEY, { maxMessages: 7 })
      note(key.encrypt(MARK), key.encrypt([MARK, MARK]), key.encrypt([MARK, MARK, MARK, MARK]))
      note(ring.seal(MARK), key.encrypt(MARK), key.encrypt(MARK), key.encrypt(MARK), key.encrypt(MARK))
      for (const wrong of [MARK, [MARK, MARK], [MARK, MARK, MARK, MARK]])
        refuses(() => key.encrypt(wrong), 'ERR_AESGCM_KEY_EXHAUSTED')
      key.destroy()
      refuses(() => key.encrypt([MARK, MARK]), 'ERR_AESGCM_DESTROYED')
    }
    for (const slab of slabs) expect(Buffer.from(slab).includes(MARK.subarray(0, 16))).toBe(false)
  })

  test('slabs that nobody keeps are freed', () => {
    const script = `
      const aes = new AesGcm(Buffer.alloc(32))
      const text = Buffer.alloc(64)
      for (let i = 0; i < 100_000; i++) aes.encrypt(text)
      for (let i = 0; i < 5; i++) { gc(); await new Promise(resolve => setImmediate(resolve)) }
      console.log(process.memoryUsage().arrayBuffers < 2 ** 20)`
    expect(run(script, { flags: ['--expose-gc'] })).toEqual({ status: 0, stdout: 'true\n', stderr: '' })
  })
})

describe('what a caller can do to a slab', () => {
  const ways: Record<string, (memory: ArrayBuffer) => void> = {
    structuredClone: memory => void structuredClone(memory, { transfer: [memory] }),
    postMessage: memory => {
      const { port1 } = new MessageChannel()
      try {
        port1.postMessage(memory, [memory])
      } finally {
        port1.close()
      }
    },
  }
  test.each(Object.entries(ways))('a transfer by %s leaves it in place', (_, move) => {
    const [one, other] = neighbours()
    try {
      move(one.buffer)
    } catch (error) {
      expect((error as Error).name).toBe('DataCloneError')
    }
    for (const frame of [one, other, aes.encrypt(MARK)]) expect(aes.decrypt(frame).equals(MARK)).toBe(true)
  })

  test('transfer() of the ArrayBuffer is refused, or empties its results alone', () => {
    const [one, other] = neighbours()
    const { buffer }: { buffer: Movable } = one
    let moved = false
    try {
      moved = buffer.transfer?.() !== undefined
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError)
    }
    expect([one.length, other.length]).toEqual(Array(2).fill(moved ? 0 : MARK.length + OVERHEAD))
    for (let i = 0; i < 3; i++) {
      const frame = aes.encrypt(MARK)
      expect(aes.decrypt(frame).equals(MARK)).toBe(true)
      if (moved) expect(frame.buffer).not.toBe(buffer)
    }
    expect(aes.encrypt(MARK).buffer.byteLength).toBe(SLAB)
  })

  test('a message to another thread has the whole slab, and the frame opens there', async () => {
    const script = `
      const { parentPort, workerData } = require('node:worker_threads')
      const { AesGcm } = require('hardware-aes-gcm')
      const aes = new AesGcm(workerData.key)
      const text = aes.decrypt(workerData.frame)
      parentPort.postMessage({ text, frame: aes.encrypt(text), bytes: workerData.frame.buffer.byteLength })`
    const [frame] = neighbours()
    const worker = new Worker(script, { eval: true, workerData: { key: KEY, frame } })
    const answer = await new Promise<{ text: Uint8Array; frame: Uint8Array; bytes: number }>(
      (resolve, reject) => {
        worker.once('message', resolve).once('error', reject)
      },
    )
    await worker.terminate()
    expect([Buffer.from(answer.text).equals(MARK), answer.bytes]).toEqual([true, SLAB])
    expect(answer.frame.buffer).not.toBe(frame.buffer)
    expect(aes.decrypt(answer.frame).equals(MARK)).toBe(true)
  })

  test('views of all its memory, or of its free part, are data like others', () => {
    const calls: ((data: Uint8Array) => Buffer)[] = [
      data => aes.decrypt(aes.encrypt(data)),
      data => aes.decrypt(aes.encrypt([data.subarray(0, 5), data.subarray(5)])),
      data => aes.decrypt(aes.encrypt([MARK, data], data), data).subarray(MARK.length),
      data => ring.open(ring.seal(data, data), data),
      data => aes.decryptBatch(aes.encryptBatch([data]))[0] as Buffer,
    ]
    for (const call of calls) {
      for (const most of [SLAB, 600]) {
        const [, { buffer, byteOffset }] = neighbours()
        const at = most === SLAB ? 0 : Math.min(byteOffset, SLAB - most)
        const data = new Uint8Array(buffer, at, most)
        // A copy: a later result may lie in the view.
        const before = Buffer.from(data)
        expect(call(data).equals(before)).toBe(true)
      }
    }
  })

  test('asynchronous calls copy a frame in it, and leave its neighbours alone', async () => {
    const [one, other] = neighbours()
    const before = Buffer.from(one)
    expect((await aes.decryptInPlaceAsync(one)).equals(MARK)).toBe(true)
    expect([one.equals(before), aes.decrypt(other).equals(MARK)]).toEqual([true, true])
    const forged = Buffer.from(before)
    forged[20] = (forged[20] as number) ^ 1
    one.set(forged)
    const error = await aes.decryptInPlaceAsync(one).catch(error => error)
    expect(error.frame.equals(forged)).toBe(true)
  })

  test('a runtime that ignores the mark gets no slabs', () => {
    const ignoring = `process.getBuiltinModule('node:worker_threads').markAsUntransferable = () => {}`
    const script = `
      const aes = new AesGcm(Buffer.alloc(32))
      const frame = aes.encrypt(Buffer.alloc(64))
      const { length } = frame
      structuredClone(frame.buffer, { transfer: [frame.buffer] })
      console.log(length, frame.length, aes.encrypt(Buffer.alloc(64)).buffer.byteLength)`
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(ignoring)}`]
    expect(run(script, { flags })).toEqual({ status: 0, stdout: '92 0 92\n', stderr: '' })
  })
})
