// Turns refusals of packet protection alone into errors (others: cipher/native/refusal.cts).
import { define, hasOwn } from '../../cipher/base/builtins.cjs'
import { keyExhausted } from '../../cipher/base/diagnostics.cjs'
import { AesGcmError, outOfRange } from '../../cipher/base/errors.cjs'
import { count } from '../../cipher/base/parse.cjs'
import { load } from '../../cipher/native/binary.cjs'
import { refusalOf } from '../../cipher/native/refusal.cjs'
import { reasonOf, subjectOf } from '../../cipher/native/status.cjs'

/** The bounds of numeric arguments. */
const BOUNDS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  ends: [1, 2 ** 53],
  headerLength: [2, 65_535],
  packetNumber: [0, 2 ** 53 - 1],
  firstPacketNumber: [0, 2 ** 53 - 1],
  packetNumberOffset: [1, 2 ** 53],
  largestReceived: [-1, 2 ** 53 - 1],
  pathId: [0, 2 ** 32 - 1],
}

/**
 * Publishes the event of a refusal, if any, and returns its error. `values` are the arguments of
 * the raw function; `names` are their names in types/quic.d.ts.
 */
export function packetRefusal(
  status: number,
  names: readonly string[],
  ...values: readonly unknown[]
): Error {
  const { at, detail } = subjectOf(status)
  const name = names[at] ?? 'argument'
  const inRun = names[1] === 'packets'
  const packet = inRun ? `packet ${detail} of "packets"` : '"packet"'
  const number = inRun ? 'firstPacketNumber' : 'packetNumber'
  switch (reasonOf(load().reasons, status)) {
    case 'Option':
      return outOfBounds(name, values[at]) ?? refusalOf(status, names, values)
    case 'EndOutside':
      return outOfRange(`"ends" must end within "packets": element ${detail} is larger than its length`)
    case 'TooManyFrames':
      return outOfRange('"ends" must describe at most 2^32 - 1 packets')
    case 'PacketTooLong':
      return outOfRange(`${packet} must be at most 65535 bytes`)
    case 'HeaderTooShort':
      return outOfRange(
        `"headerLength" must be larger than the length of the packet number, which the first byte of ${packet} gives: ` +
          'the low two bits and 1',
      )
    case 'PacketTooShort':
      return outOfRange(
        `${packet} must have at least 4 bytes of packet number and payload, and 16 bytes for the tag`,
      )
    case 'NumberTooLarge':
      return outOfRange(`"${number}" must let every packet of the run have a number of at most 2^53 - 1`)
    case 'SequenceReused':
      return outOfRange(`"${number}" must be larger than every number that was sealed on this path`)
    case 'EncryptionsExhausted':
      keyExhausted('encryptions')
      return new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        'these keys would seal more packets than their limit (maxPackets): continue with nextKeys()',
      )
    case 'FailuresExhausted': {
      const error = new AesGcmError(
        'ERR_AESGCM_KEY_EXHAUSTED',
        'this connection has reached its limit of packets that failed authentication (maxFailures): close it',
      )
      if (inRun) define(error, 'stoppedAt', detail, true)
      keyExhausted('failures')
      return error
    }
    default:
      return refusalOf(status, names, values)
  }
}

/** The error for an argument that is no number, or out of bounds. */
function outOfBounds(name: string, value: unknown): Error | undefined {
  const bounds = hasOwn(BOUNDS, name) ? BOUNDS[name] : undefined
  try {
    if (bounds !== undefined) count(name, value, bounds[0], bounds[1])
    return undefined
  } catch (error) {
    return error as Error
  }
}
