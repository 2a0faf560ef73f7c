// The packet numbers that `openRun` returns, in memory that the binding fills.
import { rethrowOverflow, types } from '../../cipher/base/builtins.cjs'
import { nodeError } from '../../cipher/base/errors.cjs'
import { count } from '../../cipher/base/parse.cjs'
import { byteLength } from '../../cipher/base/views.cjs'

const { isUint8Array, isUint32Array } = types
const Bytes = Uint8Array
const Doubles = Float64Array
const Memory = ArrayBuffer
const { ceil } = Math

const DOUBLE_BYTES = 8
/** More packets are refused by the binding. */
const MAX_PACKETS = 2 ** 32 - 1

/** Room for the number of every packet. The binding refuses arguments of other types. */
export function numbersFor(packets: unknown, ends: unknown): Uint8Array<ArrayBuffer> {
  const number = numberOfPackets(packets, ends)
  const bytes = number > MAX_PACKETS ? 0 : number * DOUBLE_BYTES
  try {
    return new Bytes(new Memory(bytes))
  } catch (cause) {
    rethrowOverflow(cause)
    const what = `the numbers of ${number} packets cannot be allocated: open fewer packets in one call`
    throw nodeError(RangeError, 'ERR_OUT_OF_RANGE', what, cause)
  }
}

function numberOfPackets(packets: unknown, ends: unknown): number {
  if (!isUint8Array(packets)) return 0
  if (typeof ends === 'number') return ceil(byteLength(packets) / count('ends', ends, 1, 2 ** 53))
  return isUint32Array(ends) ? byteLength(ends as never) / Uint32Array.BYTES_PER_ELEMENT : 0
}

/** The memory as numbers. */
export function numbersOf(bytes: Uint8Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  return new Doubles(bytes.buffer)
}
