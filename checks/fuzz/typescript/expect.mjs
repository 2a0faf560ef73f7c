// The judgement of one call: its outcome, and the faults that are planted in it.
import { Buffer } from 'node:buffer'
import { inspect } from 'node:util'

/** The fault that this process plants: '' for none. */
let planted = ''
export function plant(fault) {
  planted = fault
}

export function must(condition, what) {
  if (!condition) throw new Error(typeof what === 'function' ? what() : what)
}

/**
 * Calls `call`, which reads `input`, bytes or a text, and gives `{ value }`, or `{ code }` of a documented error out of `codes`. Throws for
 * any other exception.
 */
export async function outcome(codes, input, call) {
  const acts = planted !== '' && rare(input)
  try {
    if (acts && planted === 'untyped') throw new TypeError('planted')
    const value = await call()
    return { value: acts && planted === 'wrong' ? spoiled(value) : value }
  } catch (error) {
    return { code: codeOf(error, codes) }
  }
}

export function codeOf(error, codes) {
  const known = error instanceof Error && typeof error.code === 'string' && codes.includes(error.code)
  must(known, () => `not a documented error: ${inspect(error)}`)
  return error.code
}

/** One input in 16, by the sum of its bytes. */
function rare(input) {
  return Buffer.from(input).reduce((sum, byte) => sum + byte, 0) % 16 === 7
}

function spoiled(value) {
  if (Array.isArray(value)) return value.length > 0 ? [spoiled(value[0]), ...value.slice(1)] : [Buffer.of(1)]
  if (typeof value === 'number') return value + 7
  if (typeof value === 'string') return `${value}?`
  const bytes = Buffer.from(value)
  if (bytes.length === 0) return Buffer.of(1)
  bytes[bytes.length >> 1] ^= 1
  return bytes
}
