// The judge of random calls notices each promise that a call breaks.
import { describe, expect, test } from 'vitest'
import { judge } from './judge.mjs'

const codes = new Set(['ERR_OUT_OF_RANGE', 'ERR_AESGCM_AUTHENTICATION_FAILED'])
const failing =
  (code: string | undefined, before = () => {}) =>
  () => {
    before()
    throw Object.assign(new Error('planted'), { code })
  }
const view = () => Buffer.from(new ArrayBuffer(20), 4, 8)
const bad = async (call: object) =>
  expect(judge({ name: 'planted', args: [], codes, ...call } as never)).rejects

describe('a planted fault', () => {
  test('an error without a code, or with one that the call does not list', async () => {
    for (const code of [undefined, 'ERR_INVALID_THIS'])
      await (await bad({ run: failing(code) })).toThrow(/planted threw/)
  })

  test('a failed call that changed a byte of an argument, beside it, or of a view inside one', async () => {
    for (const at of [0, 4, 19]) {
      const bytes = view()
      const run = failing('ERR_OUT_OF_RANGE', () => {
        const memory = new Uint8Array(bytes.buffer)
        memory[at] = (memory[at] as number) + 1
      })
      await (await bad({ run, args: [bytes] })).toThrow(/changed bytes/)
      await (await bad({ run, args: [[bytes]], inside: [bytes] })).toThrow(/changed bytes/)
    }
  })

  test('a call that wrote where it may not', async () => {
    const bytes = view()
    const run = () => void new Uint8Array(bytes.buffer).fill(1)
    await (await bad({ run, args: [bytes], writes: () => [bytes] })).toThrow(/changed bytes/)
    expect(
      await judge({ name: '', run: () => bytes.fill(2), args: [bytes], codes, writes: () => [bytes] }),
    ).toBe('ok')
  })

  test('a target that is not zero after an authentication failure', async () => {
    const bytes = view()
    const run = failing('ERR_AESGCM_AUTHENTICATION_FAILED', () => bytes.fill(1))
    await (await bad({ run, args: [bytes], zeroes: () => bytes })).toThrow(/left bytes/)
  })

  test('a result that the check refuses', async () => {
    const check = () => {
      throw new Error('refused')
    }
    await (await bad({ run: () => {}, check })).toThrow('refused')
  })
})
