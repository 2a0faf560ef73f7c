// The function that the package gives the addon to inspect views, where it detaches or grows the arguments of the call.
import { AesGcm } from 'hardware-aes-gcm'
import { describe, expect, test } from 'vitest'
import { HEADER, NUMBER_AT, PACKET_BYTES } from '../protocols/quic/samples.js'
import { KEY, Resizable } from '../tools/support.js'
import { bytes, invoke, load, make, reasonOf } from './functions.js'

describe('the raw functions', () => {
  test('take a validator from their loader, once', () => {
    const other = load()
    const { at } = Uint8Array.prototype
    expect(other.validateWith?.(at)).toHaveProperty('words')
    expect(reasonOf(other.validateWith?.(at))).toBe('Option')
    new AesGcm(KEY)
    expect(reasonOf(invoke('validateWith', () => 1)), 'the package was first').toBe('Option')
  })

  test('with a validator that detaches an argument inspected before', () => {
    const other = load()
    const frame = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    other.validateWith?.(() => {
      taken = structuredClone(frame.buffer, { transfer: [frame.buffer] })
    })
    // The validator is called only for an empty view.
    const result = other.encryptInPlace?.(make('key', other), frame, new Uint8Array(0))
    expect(reasonOf(result)).toBe('FrameTooShort')
    expect(new Uint8Array(taken)).toEqual(new Uint8Array(64).fill(7))
  })

  test('with a validator that detaches the first of three arguments when called for the second', () => {
    const other = load()
    const target = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    other.validateWith?.(() => {
      taken = structuredClone(target.buffer, { transfer: [target.buffer] })
    })
    const result = other.encryptInto?.(make('key', other), target, new Uint8Array(0), Buffer.from('aad'))
    expect(reasonOf(result)).toBe('TargetTooShort')
    expect(new Uint8Array(taken)).toEqual(new Uint8Array(64).fill(7))
  })

  test('with a validator that detaches frames or pieces inspected before', () => {
    const calls: [string, (memory: Uint8Array) => unknown[], unknown][] = [
      // The validator is called for the empty AAD, ends or piece. Memory that is gone by then counts as empty.
      ['encryptBatchInPlace', frames => [frames, new Uint32Array([64]), new Uint8Array(0)], 'EndOutside'],
      ['decryptBatchInPlace', frames => [frames, new Uint32Array(0)], 0],
      ['encryptBatchInPlace', frames => [frames, 32, undefined, new Uint32Array(0)], 0],
      ['encryptPiecesInto', piece => [new Uint8Array(100), null, piece, new Uint8Array(0)], 28],
      ['encryptPiecesInto', piece => [new Uint8Array(100), null, [piece, new Uint8Array(0)]], 28],
      ['encryptPiecesInto', target => [target, new Uint8Array(0), []], 'TargetTooShort'],
    ]
    for (const [name, values, wanted] of calls) {
      const other = load()
      const memory = new Uint8Array(64).fill(7)
      let taken = new ArrayBuffer(0)
      // An empty array of ends is asked twice.
      other.validateWith?.(() => {
        if (taken.byteLength === 0) taken = structuredClone(memory.buffer, { transfer: [memory.buffer] })
      })
      const result = other[name]?.(make('key', other), ...values(memory))
      expect(typeof wanted === 'string' ? reasonOf(result) : result, name).toBe(wanted)
      expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
    }
  })

  test('with ends that grow, and frames that are detached, while the ends are inspected', () => {
    // The array was empty at first, so its inspection called the validator, after the frames had been inspected.
    for (const name of ['encryptBatchInPlace', 'decryptBatchInPlace']) {
      const other = load()
      const memory = new Resizable(0, { maxByteLength: 8 })
      const [ends, frames] = [new Uint32Array(memory), new Uint8Array(64).fill(7)]
      let taken = new ArrayBuffer(0)
      other.validateWith?.(() => {
        if (taken.byteLength > 0) return
        memory.resize(8)
        ends.set([32, 64])
        taken = structuredClone(frames.buffer, { transfer: [frames.buffer] })
      })
      expect(reasonOf(other[name]?.(make('key', other), frames, ends)), name).toBe('EndOutside')
      expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
    }
  })
})

test('a validator that detaches packets inspected before', () => {
  const runs: [string, (packets: Uint8Array) => unknown[], unknown][] = [
    ['packetSealRun', packets => [packets, new Uint32Array(0), HEADER, 0], 0],
    ['packetOpenRun', packets => [packets, new Uint32Array(0), NUMBER_AT, -1, 0, bytes(0)], 0],
    ['packetOpenRun', packets => [packets, PACKET_BYTES, NUMBER_AT, -1, 0, bytes(0)], 0],
  ]
  for (const [name, values, wanted] of runs) {
    const other = load()
    const packets = new Uint8Array(64).fill(7)
    let taken = new ArrayBuffer(0)
    // An empty array of ends is asked twice.
    other.validateWith?.(() => {
      if (taken.byteLength === 0) taken = structuredClone(packets.buffer, { transfer: [packets.buffer] })
    })
    expect(other[name]?.(make('packets', other), ...values(packets)), name).toBe(wanted)
    expect(new Uint8Array(taken), name).toEqual(new Uint8Array(64).fill(7))
  }
})
